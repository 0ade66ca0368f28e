// Runs a lab of a file that was compiled by itself, as `sgemm_runner lab` runs its own, and prints the run as JSON:
//
//     build/sim/compile_kernel src/labs/banks.cu banks.so && try_lab banks.so banks 0
//
// The sizes are those at which counters are recorded, odd ones, multiples of four that are no whole tiles, and both mixed.
// The last word is the order of warps and blocks. The exit codes are sgemm_runner's.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runner/conduct.hpp"
#include "runner/lab_measuring.hpp"
#include "runner/program.hpp"
#include "runner/words.hpp"
#include "runner/workbench.hpp"

namespace {

using runner::Error;
using runner::ExitCode;

// The lab of that name, as labs.def declares them.
const lab::Lab& load(const char* library, const char* name) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) throw Error(ExitCode::usage, dlerror());
  const std::string symbol = fmt::format("_ZN3lab{}{}E", std::strlen(name), name);
  const auto* of = static_cast<const lab::Lab*>(dlsym(loaded, symbol.c_str()));
  if (of == nullptr) throw Error(ExitCode::usage, fmt::format("'{}' defines no {}", library, name));
  return *of;
}

lab::Sizes four_less(const lab::Lab& of, size_t parameters) {
  std::vector<std::pair<std::string, int64_t>> sizes = runner::odd_sizes(of).all();
  for (size_t i = 0; i < std::min(parameters, sizes.size()); ++i) {
    const lab::Parameter& p = of.parameters[i];
    sizes[i].second = std::clamp(p.counted - 4, p.least, p.most);
  }
  return lab::Sizes(std::move(sizes));
}

ExitCode try_lab(int argc, char** argv) {
  if (argc != 4) throw Error(ExitCode::usage, "try_lab LIBRARY LAB SEED");
  const lab::Lab& of = load(argv[1], argv[2]);
  std::vector<lab::Sizes> all{lab::counted_sizes(of), runner::odd_sizes(of),
                              four_less(of, of.parameters.size()), four_less(of, 1)};
  if (of.parameters.size() < 2) all.pop_back();

  runner::LabRequest request;
  request.presentation.format = runner::Format::json;
  request.look_for_hazards = true;
  request.schedule = runner::parse_natural("SEED", argv[3]);
  const auto measure = [&](const runner::machine::Device&, results::Run& done) {
    for (const lab::Sizes& sizes : all) {
      runner::SelectedLab selected{.of = &of, .sizes = sizes};
      for (const lab::Variant& variant : of.variants) selected.variants.push_back(&variant);
      runner::measure_labs({selected}, {}, done);
    }
  };
  return runner::conduct(request,
                         {.refuse_what_cannot_be_run = [](const auto&) {}, .measure = measure});
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program(argc, argv, try_lab); }
