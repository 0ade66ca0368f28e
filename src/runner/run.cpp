#include "runner/run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/baseline.hpp"
#include "runner/interrupt.hpp"
#include "runner/machine.hpp"
#include "runner/output.hpp"
#include "runner/promise.hpp"
#include "runner/report.hpp"
#include "runner/select.hpp"
#include "runner/terminal.hpp"
#include "runner/verify.hpp"

namespace runner {
namespace {

// One line on stderr that is written over, if stderr is a terminal.
class Progress {
 public:
  explicit Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~Progress() { say(""); }
  void say(const std::string& text) const {
    if (shown_) write_stderr("\r\033[K" + text);
  }

 private:
  bool shown_;
};

// What the verifier and the measurement will hold on the device: A and B of both passes, and C.
double bytes_needed(const Problem& p) {
  const auto bytes = [](int64_t rows, int64_t ld) {
    return static_cast<double>(rows) * static_cast<double>(ld) * sizeof(float);
  };
  return 2 * (bytes(p.M, p.lda) + bytes(p.K, p.ldb)) + bytes(p.M, p.ldc);
}

void refuse_what_cannot_fit(const std::vector<Problem>& problems, const machine::Device& device) {
  for (const Problem& p : problems) {
    const double needed = bytes_needed(p);
    if (needed <= static_cast<double>(device.memory_bytes)) continue;
    throw Error(ExitCode::usage,
                fmt::format("--size {} needs {:.4g} GiB of device memory, and {} has {:.4g} GiB",
                            p.size(), needed / 0x1p30, device.name,
                            static_cast<double>(device.memory_bytes) / 0x1p30));
  }
}

// The reference stands at the head of a table of times, asked for or not.
std::vector<const ladder::Rung*> with_reference(std::vector<const ladder::Rung*> rungs) {
  if (!machine::measures_time) return rungs;
  const ladder::Rung* reference = ladder::all().front();
  std::erase(rungs, reference);
  rungs.insert(rungs.begin(), reference);
  return rungs;
}

Row verify_rung(const ladder::Rung& rung, const Problem& problem, Verifier& verifier) {
  Row row{.rung = &rung, .problem = problem};
  row.verdict = verifier.check([&](const ladder::Sgemm& sgemm, Values values) {
    machine::name_matrices(sgemm);
    row.path = ladder::path(rung, sgemm);
    std::optional<Traffic> uncounted;
    return machine::run(rung, sgemm, values == Values::reals ? row.traffic : uncounted);
  });
  if (row.verdict.error != cudaSuccess) {
    row.traffic.reset();  // of a launch that was cut short
    row.failure = machine::last_failure();
  }
  return row;
}

// A fault leaves a device without its context: nothing that follows could be believed.
bool device_is_usable() { return cudaDeviceSynchronize() == cudaSuccess; }

struct Outcome {
  std::vector<Row> rows{};
  std::optional<Error> failure{};  // that ended the run early
};

// Runs every rung on every problem. What is done before a failure stays in `outcome`.
void run_all(const RunRequest& request, Outcome& outcome) {
  const auto rungs = with_reference(request.rungs);
  const Progress progress(request.verbosity >= 0);
  for (const Problem& problem : request.problems) {
    progress.say(fmt::format("{}: preparing", problem.size()));
    std::optional<Verifier> verifier;
    verifier.emplace(problem, Layout{.guard = machine::guard});
    for (size_t i = 0; i < rungs.size() && !interrupted(); ++i) {
      progress.say(fmt::format("{}: {} {} ({} of {})", problem.size(), rungs[i]->number,
                               rungs[i]->name, i + 1, rungs.size()));
      Row row = verify_rung(*rungs[i], problem, *verifier);
      const bool failed = row.verdict.error != cudaSuccess;
      if (failed && interrupted()) return;  // cut short by the user, not wrong
      const bool to_time = row.verdict.correct && !interrupted();
      outcome.rows.push_back(std::move(row));
      if (to_time) {
        outcome.rows.back().timing =
            machine::time(*rungs[i], verifier->prepare(Values::reals), request.measure);
      }
      if (failed && !device_is_usable()) {
        throw Error(ExitCode::failure, "the device cannot be used after that failure");
      }
    }
    if (interrupted()) return;
  }
}

Outcome run_as_far_as_possible(const RunRequest& request) {
  Outcome outcome;
  try {
    run_all(request, outcome);
  } catch (const std::exception&) {
    outcome.failure = caught_error();
  }
  if (interrupted()) outcome.failure.reset();  // cut short by the user
  if (outcome.failure && outcome.rows.empty()) throw Error(*outcome.failure);
  return outcome;
}

std::optional<Baseline> baseline_for(const RunRequest& request) {
  if (machine::measures_time) return std::nullopt;
  const bool exists = access(request.baseline_file.c_str(), F_OK) == 0;
  if (!exists && !request.baseline_asked_for) return std::nullopt;
  try {
    return read_baseline(request.baseline_file);
  } catch (const Error& error) {
    if (request.baseline_asked_for) throw;
    warn(error.what());
    return std::nullopt;
  }
}

std::string formatted(Format format, const Report& report, const std::optional<Baseline>& baseline,
                      const Terminal& terminal) {
  switch (format) {
    case Format::table:
      return to_table(report, baseline, terminal);
    case Format::json:
      return to_json(report);
    case Format::csv:
      return to_csv(report);
    case Format::markdown:
      return to_markdown(report, baseline);
  }
  return "";
}

std::string now() {
  return fmt::format(
      "{:%FT%T+00:00}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

ExitCode verdict_on(const Outcome& outcome, bool strict) {
  if (interrupted()) return ExitCode::interrupted;
  if (outcome.failure) return outcome.failure->code();
  const auto failed = [](const Row& row) { return row.verdict.error != cudaSuccess; };
  if (std::ranges::any_of(outcome.rows, failed)) return ExitCode::failure;
  if (!std::ranges::all_of(outcome.rows, &Row::is_right)) return ExitCode::wrong;
  const auto doubtful = [](const Row& row) { return row.timing && !row.timing->trusted(); };
  if (strict && std::ranges::any_of(outcome.rows, doubtful)) return ExitCode::untrusted;
  return ExitCode::ok;
}

}  // namespace

ExitCode run(const RunRequest& request) {
  const Terminal terminal = stdout_terminal(request.color);
  const std::optional<Baseline> baseline = baseline_for(request);
  std::unique_ptr<OutputFile> json_file;
  if (!request.json_file.empty()) json_file = std::make_unique<OutputFile>(request.json_file);
  if (!request.without_meaning.empty() && request.verbosity >= 0) {
    warn(fmt::format("{} {} no meaning on {}", fmt::join(request.without_meaning, ", "),
                     request.without_meaning.size() == 1 ? "has" : "have",
                     machine::measures_time ? "a device, whose cuBLAS is measured"
                                            : "the simulator, which takes no times"));
  }

  catch_signals();
  const machine::Device device = machine::open();
  refuse_what_cannot_fit(request.problems, device);

  Report report{.device = device.name, .detail = device.detail, .date = now(), .rows = {}};
  Outcome outcome = run_as_far_as_possible(request);
  report.rows = std::move(outcome.rows);

  const bool for_people = request.format == Format::table || request.format == Format::markdown;
  std::string text;
  if (request.verbosity >= 0 || !for_people)
    text = formatted(request.format, report, baseline, terminal);
  if (request.verbosity > 0 && for_people) text += "\n" + details(report, terminal);
  const std::string wrong = complaints(report, terminal);
  if (for_people) {
    text += wrong;
  } else {
    write_stderr(wrong);
  }
  // That one of the two cannot be written is no reason to lose the other.
  std::optional<Error> unwritten;
  const auto try_to = [&](const std::function<void()>& write) {
    try {
      write();
    } catch (const Error& error) {
      if (!unwritten) unwritten = error;
    }
  };
  if (json_file && !report.rows.empty()) try_to([&] { json_file->commit(to_json(report)); });
  try_to([&] { write_stdout(text); });

  for (const Row& row : report.rows) {
    if (row.timing && !row.timing->trusted() && request.verbosity >= 0) {
      warn(fmt::format("{} {} at {}: the measurement cannot be trusted: {}", row.rung->number,
                       row.rung->name, row.problem.size(), fmt::join(row.timing->doubts, "; ")));
    }
  }
  if (interrupted()) warn("interrupted; the rest was not run");
  if (outcome.failure) warn(fmt::format("{}; the run ends here", outcome.failure->what()));
  if (unwritten) throw Error(*unwritten);
  outcome.rows = std::move(report.rows);
  return verdict_on(outcome, request.strict);
}

ExitCode run(const ListRequest& request) {
  std::string text;
  if (request.style == ListRequest::Style::json) {
    auto list = nlohmann::ordered_json::array();
    for (const ladder::Rung* rung : ladder::all()) {
      auto promise = nlohmann::ordered_json::array();
      for (const ladder::Claim& claim : rung->promise.claims)
        promise.push_back(runner::text(claim));
      list.push_back({{"kernel_id", rung->number},
                      {"kernel", rung->name},
                      {"label", label(*rung)},
                      {"idea", rung->idea},
                      {"promise", promise}});
    }
    text = list.dump(2) + "\n";
  } else {
    const int width = stdout_terminal(When::automatic).width;
    for (const ladder::Rung* rung : ladder::all()) {
      text += request.style == ListRequest::Style::numbers
                  ? fmt::format("{}", rung->number)
                  : wrap(fmt::format("{:2}  {:<18}{}", rung->number, rung->name, rung->idea), width,
                         22);
      text += "\n";
    }
  }
  write_stdout(text);
  return ExitCode::ok;
}

ExitCode run(const ShowText& request) {
  write_stdout(request.text);
  return ExitCode::ok;
}

}  // namespace runner
