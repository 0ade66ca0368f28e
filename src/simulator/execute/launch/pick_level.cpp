// The choice of the level for this processor.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "simulator/execute/level/level.hpp"

namespace simulator {

// SIMULATOR_LEVELS lists the levels that the build has compiled, narrowest first: X(v2) X(v3) X(v4).
#define X(name)                                                                             \
  namespace name {                                                                          \
  extern const InstructionSet INSTRUCTIONS;                                                 \
  std::unique_ptr<Block> make_block(const Program& program, Worker& worker,                 \
                                    const LaunchShape& shape, const std::byte* parameters); \
  }
SIMULATOR_LEVELS
#undef X

namespace {

bool processor_has(std::string_view name) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt") &&
                  __builtin_cpu_supports("movbe");
  if (name == "v3") return v3;
  if (name == "v4") {
    return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  }
#endif
  return name == "v2" || name == "neon";  // the lowest supported level
}

const Level* pick() {
  static const std::vector<Level> levels{
#define X(name) Level{#name, &name::INSTRUCTIONS, name::make_block},
      SIMULATOR_LEVELS
#undef X
  };
  const char* const asked = std::getenv("SIMULATOR_LEVEL");
  const auto usable = [](const Level& level) { return processor_has(level.name); };
  if (asked != nullptr && *asked != '\0') {
    const auto found = std::find_if(levels.begin(), levels.end(), [&](const Level& level) {
      return level.name == std::string_view(asked) && usable(level);
    });
    if (found != levels.end()) return &*found;
    std::fprintf(stderr, "simulated GPU: SIMULATOR_LEVEL is '%s'; this processor has", asked);
    for (const Level& level : levels) {
      if (usable(level)) std::fprintf(stderr, " %s", level.name);
    }
    std::fputs(", and the widest is used\n", stderr);
  }
  return &*std::find_if(levels.rbegin(), levels.rend(), usable);
}

}  // namespace

const Level& level() {
  static const Level* const picked = pick();
  return *picked;
}

}  // namespace simulator
