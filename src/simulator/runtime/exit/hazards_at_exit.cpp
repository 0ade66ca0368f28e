#include "simulator/runtime/exit/hazards_at_exit.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/exit/at_exit.hpp"

namespace simulator::runtime {
namespace {

std::atomic<bool> is_asked_for{false};
int exit_status = EXIT_SUCCESS;

void say_how_often(const std::vector<Hazard>& found) {
  uint64_t times = 0;
  for (const Hazard& hazard : found) times += hazard.times;
  if (times == found.size()) return;
  std::fprintf(stderr, "simulated GPU: %zu hazard%s, found %llu times\n", found.size(),
               found.size() == 1 ? "" : "s", static_cast<unsigned long long>(times));
}

bool a_device_failed() {
  return std::ranges::any_of(devices(), [](auto* device) { return device_failed(*device); });
}

void close_hazards() {
  at_exit([] {
    publish(&Watcher::program_ends, exit_status == EXIT_SUCCESS && !a_device_failed());
    say_how_often(current_device().hazards.found());
  });
}

// Runs after the functions registered with std::atexit and the destructors of static objects, which may still
// free memory.
__attribute__((destructor)) void close_program() {
  if (!is_asked_for || !looks_for_hazards() || !current_device().hazards.has_output()) return;
  close_hazards();
  if (!hazards_are_errors() || exit_status != EXIT_SUCCESS) return;
  if (current_device().hazards.found().empty() && !a_device_failed()) return;
  std::fflush(nullptr);
  _exit(EXIT_FAILURE);
}

}  // namespace

void hazards_at_exit() {
  if (is_asked_for.exchange(true)) return;
  on_exit([](int status, void*) { exit_status = status; }, nullptr);
}

}  // namespace simulator::runtime
