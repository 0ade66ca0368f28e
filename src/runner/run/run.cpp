#include "runner/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/output.hpp"
#include "app/terminal.hpp"
#include "kernels/best/best.hpp"
#include "results/files/json.hpp"
#include "results/values/date.hpp"
#include "runner/machine/capacity.hpp"
#include "runner/machine/machine.hpp"
#include "runner/report/promise_json.hpp"
#include "runner/report/report.hpp"
#include "runner/run/run_lifecycle.hpp"
#include "runner/trial/fence.hpp"
#include "runner/trial/kernel_file.hpp"
#include "runner/trial/measure.hpp"
#include "runner/trial/provenance.hpp"
#include "runner/verify/contract/contract.hpp"

namespace runner {
namespace {

using results::Problem;
using results::Run;
using Json = nlohmann::ordered_json;

// Returns the identity of a file whose rung is not known yet.
results::Identity identity_of(const std::string& file) {
  return {.set = "kernel", .name = std::filesystem::path(file).stem().string()};
}

// Returns the rungs that the device can run. Throws if it cannot run a rung that was named alone.
std::vector<const ladder::Rung*> runnable(const std::vector<Selected>& selected,
                                          const machine::Device& device) {
  std::vector<const ladder::Rung*> rungs;
  for (const auto& [rung, by_name] : selected) {
    const std::string lack = lack_of(device, *rung);
    if (lack.empty()) {
      rungs.push_back(rung);
      continue;
    }
    if (by_name) throw Error(ExitCode::no_device, lack);
    warn(lack + "; it is left out");
  }
  if (rungs.empty() && !selected.empty()) {
    throw Error(
        ExitCode::no_device,
        fmt::format("{} can run none of the kernels that were asked for", the_device(device)));
  }
  return rungs;
}

// Removes the rungs that do not take the problem's transposes. Throws if one of them was named alone, or if none is left.
void leave_out_without_transposes(const std::vector<Selected>& selected, const Problem& problem,
                                  std::vector<const ladder::Rung*>& rungs) {
  std::vector<std::string> left_out;
  for (const auto& [rung, by_name] : selected) {
    const std::string lack = lack_of(problem, *rung);
    if (lack.empty() || std::erase(rungs, rung) == 0) continue;
    if (by_name) throw Error(ExitCode::usage, lack + "; 'sgemm_runner list' tells which do");
    left_out.push_back(word_for(*rung));
  }
  if (left_out.empty()) return;
  if (rungs.empty())
    throw Error(ExitCode::usage,
                "none of these kernels takes transposes; 'sgemm_runner list' tells which do");
  warn(fmt::format("left out, because {} A and B as they lie: {}",
                   left_out.size() == 1 ? "it takes" : "they take", fmt::join(left_out, ", ")));
}

// Returns the workloads. In a table of times the reference comes first, even if the user did not name it. Strangers'
// rungs come after ours.
std::vector<Workload> workloads_of(const RunRequest& request, const machine::Device& device,
                                   const std::vector<const ladder::Rung*>& strangers) {
  std::vector<const ladder::Rung*> rungs = runnable(request.rungs, device);
  leave_out_without_transposes(request.rungs, request.problems.front(), rungs);
  if (machine::MEASURES_TIME) {
    const ladder::Rung* reference = ladder::all().front();
    std::erase(rungs, reference);
    rungs.insert(rungs.begin(), reference);
  }
  std::vector<Workload> workloads;
  for (const Problem& problem : request.problems) {
    for (const ladder::Rung* rung : rungs) workloads.push_back(product(*rung, problem));
    for (const ladder::Rung* rung : strangers)
      workloads.push_back(strangers_product(*rung, problem));
  }
  return workloads;
}

Extras extras_of(const RunRequest& request) {
  return {.errors = request.errors, .left_to_fp64 = request.presentation.verbosity > 0};
}

// Returns the limits for a user's code. A check of the contract takes a second. A product's time depends on its size:
// the simulated GPU does some millions of multiply-adds a second. A limit on a launch also raises or lowers the other
// limits.
Bounds bounds_of(const RunRequest& request) {
  constexpr double LAUNCHES = 12, REST = 20;
  constexpr double OF_A_CHECK = 120, PRODUCTS_PER_SECOND = 5e5,
                   PRODUCTS_PER_SECOND_ON_A_DEVICE = 1e9;
  double seconds = OF_A_CHECK + 10 * request.measure.seconds;
  for (const Problem& p : request.problems) {
    const double products =
        static_cast<double>(p.M) * static_cast<double>(p.N) * static_cast<double>(p.K);
    const double rate =
        machine::MEASURES_TIME ? PRODUCTS_PER_SECOND_ON_A_DEVICE : PRODUCTS_PER_SECOND;
    seconds = std::max(seconds, OF_A_CHECK + products / rate);
  }
  const char* const limit = std::getenv("SIMULATOR_TIMEOUT");
  const double of_a_launch = limit == nullptr ? 0 : std::strtod(limit, nullptr);
  if (of_a_launch > 0) seconds = std::min(LAUNCHES * of_a_launch, 2 * of_a_launch + REST);
  const size_t kernels = request.rungs.size() + request.kernel_files.size() + 1;
  const size_t steps = 2 + request.kernel_files.size() * (contract().size() + 1) +
                       request.problems.size() * (kernels + 1);
  return {.step_seconds = seconds,
          .seconds = seconds * static_cast<double>(steps),
          .output_bytes = size_t{16} << 10};
}

// Returns the work of a run with the user's own files. It happens in its own process.
ApartWork with_kernel_files(const RunRequest& request, std::vector<CompiledKernel>& compiled) {
  const auto compile = [&] {
    for (const std::string& file : request.kernel_files)
      compiled.push_back(compile_kernel_file(file));
  };
  const auto measure = [&](const machine::Device& device, const Tell& tell, Run& done) {
    std::vector<const ladder::Rung*> strangers;
    forbid_what_judged_code_may_not();
    for (const CompiledKernel& kernel : compiled) {
      tell(fmt::format("loading {}, and constructing its static variables", kernel.path),
           {.who = identity_of(kernel.path), .date = results::utc_now()});
      strangers.push_back(&load(kernel));
    }
    measure_all(workloads_of(request, device, strangers),
                {.options = request.measure, .extras = extras_of(request)}, tell, done);
  };
  return {.bounds = bounds_of(request),
          .who = identity_of(request.kernel_files.front()),
          .prepare = compile,
          .measure = measure};
}

// Returns " [TF32: less accurate than FP32]", " [takes --trans-a, --trans-b]", or nothing.
std::string list_mark(const ladder::Rung& rung) {
  std::string mark;
  if (ladder::is_below_fp32(rung.arithmetic))
    mark += fmt::format(" [{}: less accurate than FP32]", rung.arithmetic.name);
  if (rung.takes_transposes) mark += " [takes --trans-a, --trans-b]";
  return mark;
}

}  // namespace

ExitCode run(const RunRequest& request) {
  const auto refuse = [&](const machine::Device& device) {
    for (const Problem& p : request.problems)
      refuse_what_cannot_fit(fmt::format("--size {}", p.size()), bytes_needed(p), device);
  };
  const auto measure = [&](const machine::Device& device, Run& done) {
    measure_all(workloads_of(request, device, {}),
                {.options = request.measure, .extras = extras_of(request)},
                request.presentation.verbosity >= 0, done);
  };
  Work work{.recorded = {.ladder = true}, .refuse_what_cannot_be_run = refuse, .measure = measure};
  std::vector<CompiledKernel> compiled;
  if (!request.kernel_files.empty()) work.apart = with_kernel_files(request, compiled);
  return run_lifecycle(request, work);
}

ExitCode run(const TableRequest& request) {
  Run saved;
  try {
    saved = results::read_run(request.file);
  } catch (const results::Unusable& error) {
    throw Error(ExitCode::usage, error.what());
  }
  if (saved.results.empty() && request.presentation.format == Format::csv)
    throw Error(ExitCode::usage,
                fmt::format("'{}' has no kernel's results, so --csv has no lines; try --json",
                            request.file));
  results::Recorded recorded;
  if (saved.from.machine == results::Machine::simulator) {
    const auto of_a_lab = std::ranges::count_if(saved.results, results::is_of_a_lab);
    const auto others = std::ssize(saved.results) - of_a_lab;
    recorded = recorded_for(request.presentation, {.ladder = others > 0, .labs = of_a_lab > 0});
  }
  write_stdout(
      report(saved, recorded, request.presentation, stdout_page(request.presentation.color)));
  return ExitCode::ok;
}

ExitCode run(const ListRequest& request) {
  std::string text;
  if (request.style == ListRequest::Style::json) {
    Json list = Json::array();
    for (const ladder::Rung* rung : ladder::all()) {
      list.push_back({{"kernel_id", rung->number},
                      {"kernel", rung->name},
                      {"label", label(*rung)},
                      {"idea", rung->idea},
                      {"arithmetic", rung->arithmetic.name},
                      {"below_fp32", ladder::is_below_fp32(rung->arithmetic)},
                      {"needs",
                       {{"compute_capability", rung->needs.compute_capability},
                        {"exactly", rung->needs.exactly}}},
                      {"takes_transposes", rung->takes_transposes},
                      {"whole_tiles", rung->promise.whole_tiles},
                      {"promise", promise_as_json(rung->promise)}});
    }
    text = list.dump(2) + "\n";
  } else {
    const int width = stdout_page(When::automatic).width;
    const auto add = [&](std::string_view number, const ladder::Rung& rung) {
      text +=
          text::wrap(fmt::format("{:>2}  {:<18}{}", number, rung.name, rung.idea + list_mark(rung)),
                     width, 22);
      text += "\n";
    };
    for (const ladder::Rung* rung : ladder::all()) {
      if (request.style == ListRequest::Style::numbers) {
        text += fmt::format("{}\n", rung->number);
      } else {
        add(fmt::format("{}", rung->number), *rung);
      }
    }
    if (request.style != ListRequest::Style::numbers) add("+", ladder::best);
  }
  write_stdout(text);
  return ExitCode::ok;
}

ExitCode run(const ShowText& request) {
  write_stdout(request.text);
  return ExitCode::ok;
}

}  // namespace runner
