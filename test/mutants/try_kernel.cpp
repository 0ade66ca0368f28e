// Checks one separately compiled kernel as a user can, and stops at the first failed check. Prints a run as JSON; the
// exit codes are as in sgemm_runner. SEED gives the order of warps and blocks.
//
//     try_kernel rung FILE.cu SEED SIZES       the contract, as `sgemm_runner --kernel FILE.cu` asks it, then the sizes
//     try_kernel sizes FILE.cu SEED SIZES      the sizes alone
//     try_kernel lab LIBRARY.so NAME SEED      every word at several sizes, as `sgemm_runner lab NAME` checks them
//
// Looks for hazards everywhere. A lab's sizes are: the sizes of the recorded counters, odd sizes, multiples of four
// that are no whole tiles, tiny sizes, and multiples of four beside even numbers that are no such multiples.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "app/words.hpp"
#include "runner/choose/lab_workload.hpp"
#include "runner/choose/select.hpp"
#include "runner/choose/size.hpp"
#include "runner/cli/program.hpp"
#include "runner/inspect/inspect.hpp"
#include "runner/run/run_lifecycle.hpp"
#include "runner/run/workbench_run.hpp"
#include "runner/trial/kernel_file.hpp"
#include "runner/trial/measure.hpp"
#include "runner/verify/contract/contract.hpp"

namespace {

using results::Result;
using results::Run;
using runner::Error;
using runner::ExitCode;

ExitCode run_with(const char* seed, const std::function<void(Run&)>& measure) {
  runner::RunOptions options;
  options.presentation.format = runner::Format::json;
  options.look_for_hazards = true;
  options.schedule = runner::parse_natural("SEED", seed);
  return runner::run_lifecycle(options, {.refuse_what_cannot_be_run = [](const auto&) {},
                                         .measure = [&](const auto&, Run& run) { measure(run); }});
}

// ---- Rungs.

// Returns the first check of the contract that fails, or the first hazard in one.
Result asked_for_contract(const ladder::Rung& rung) {
  Result result{.who = runner::identity_of_stranger(rung)};
  result.judged.correct = true;
  for (const runner::ContractCheck& check : runner::contract()) {
    ++result.judged.contract_checks;
    if (const std::string complaint = check.complaint(rung); !complaint.empty())
      result.judged.contract.push_back({check.name, complaint});
    runner::see_hazards(result.seen);
    if (!result.is_right()) break;
  }
  return result;
}

ExitCode try_rung(const char* file, const char* seed, const char* sizes, bool with_contract) {
  const ladder::Rung& rung = runner::load_kernel_file(file);
  std::vector<results::Problem> problems;
  for (const std::string& size : runner::split(sizes, ',')) {
    problems.push_back(runner::parse_size(size));
    problems.back().seed = 1;
  }
  return run_with(seed, [&](Run& run) {
    if (with_contract) {
      Result contract = asked_for_contract(rung);
      if (!contract.is_right()) {
        run.results.push_back(std::move(contract));
        return;
      }
    }
    const ladder::Rung* const rungs[] = {&rung};
    runner::measure_all(runner::products(rungs, problems), {}, false, run);
  });
}

// ---- Labs.

// Returns the lab of that name, as labs.def declares them.
const lab::Lab& load_lab(const char* library, const char* name) {
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) throw Error(ExitCode::usage, dlerror());
  const std::string symbol = fmt::format("_ZN3lab{}{}E", std::strlen(name), name);
  const auto* of = static_cast<const lab::Lab*>(dlsym(loaded, symbol.c_str()));
  if (of == nullptr) throw Error(ExitCode::usage, fmt::format("'{}' defines no {}", library, name));
  return *of;
}

// Returns each counted size less a number: `first` for the first parameter, `others` for the rest.
lab::Sizes less(const lab::Lab& of, int64_t first, int64_t others) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  sizes.reserve(of.parameters.size());
  for (const lab::Parameter& p : of.parameters) {
    const int64_t fewer = sizes.empty() ? first : others;
    sizes.emplace_back(p.name, std::clamp(p.counted - fewer, p.least, p.most));
  }
  return lab::Sizes(std::move(sizes));
}

lab::Sizes tiny(const lab::Lab& of) {
  std::vector<std::pair<std::string, int64_t>> sizes;
  sizes.reserve(of.parameters.size());
  for (const lab::Parameter& p : of.parameters)
    sizes.emplace_back(p.name, std::clamp<int64_t>(5, p.least, p.most));
  return lab::Sizes(std::move(sizes));
}

ExitCode try_lab(const char* library, const char* name, const char* seed) {
  const lab::Lab& of = load_lab(library, name);
  std::vector<lab::Sizes> all{lab::counted_sizes(of), runner::odd_sizes(of), less(of, 4, 4),
                              tiny(of)};
  if (of.parameters.size() > 1) all.push_back(less(of, 4, 6));
  return run_with(seed, [&](Run& run) {
    for (const lab::Sizes& sizes : all) {
      std::vector<runner::Workload> workloads;
      for (const lab::Variant& variant : of.variants)
        workloads.push_back(runner::lab_variant(of, variant, sizes));
      runner::measure_all(workloads, {}, false, run);
      if (!std::ranges::all_of(run.results, &Result::is_right)) return;
    }
  });
}

ExitCode try_kernel(int argc, char** argv) {
  const std::string_view what = argc == 5 ? argv[1] : "";
  if (what == "rung" || what == "sizes") return try_rung(argv[2], argv[3], argv[4], what == "rung");
  if (what == "lab") return try_lab(argv[2], argv[3], argv[4]);
  throw Error(ExitCode::usage, "say 'rung FILE.cu SEED SIZES' or 'lab LIBRARY.so NAME SEED'");
}

}  // namespace

int main(int argc, char** argv) { return runner::run_program(argc, argv, try_kernel); }
