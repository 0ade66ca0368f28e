#include "workshop/judge.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "lens/picture.hpp"
#include "results/metrics.hpp"
#include "results/source_comparison.hpp"
#include "results/table.hpp"
#include "runner/contract.hpp"
#include "runner/device_buffer.hpp"
#include "runner/error.hpp"
#include "runner/interrupt.hpp"
#include "runner/judge.hpp"
#include "runner/kernel_file.hpp"
#include "runner/machine.hpp"
#include "runner/measuring.hpp"
#include "runner/product.hpp"
#include "runner/provenance.hpp"
#include "runner/report.hpp"
#include "runner/subprocess.hpp"
#include "runner/temporary_folder.hpp"
#include "runner/verify.hpp"
#include "workshop/outcome_json.hpp"
#include "workshop/text_file.hpp"
#include "workshop/wrong_result.hpp"

namespace workshop {
namespace {

namespace machine = runner::machine;
using results::Problem;
using results::Result;
using runner::Error;
using runner::ExitCode;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// ---- The small problems. None is square, so that swapped indices show.

Problem probe(int64_t M, int64_t N, int64_t K, float alpha, float beta) {
  Problem p = results::dense_problem(M, N, K);
  p.alpha = alpha;
  p.beta = beta;
  p.seed = 7;
  return p;
}

std::vector<Problem> probes() {
  Problem padded = probe(66, 36, 40, -0.5F, 1.5F);
  padded.lda += 3;
  padded.ldb += 5;
  padded.ldc += 7;
  return {
      probe(256, 128, 64, 1, 0),  // whole tiles of every rung
      probe(129, 131, 67, 1, 0),  // and not
      padded,
  };
}

// "129x131x67, alpha 1, beta 0"
std::string describe(const Problem& p) {
  return fmt::format(
      "{}, alpha {}, beta {}{}", p.size(), p.alpha, p.beta,
      p.lda == p.K && p.ldb == p.N && p.ldc == p.N
          ? ""
          : fmt::format(", rows of A, B and C {}, {} and {} floats apart", p.lda, p.ldb, p.ldc));
}

bool is_timeout(cudaError_t error) { return error == cudaErrorLaunchTimeout; }

// Of what the simulated GPU says of a launch that took too long, the line in which a thread was: the rest speaks of a
// variable of the environment that `check` sets.
void tell_of_timeout(const std::string& told, const std::string& where, Outcome& outcome) {
  outcome.ending = Ending::never_ends;
  const char* const limit = std::getenv("SIMULATOR_TIMEOUT");
  outcome.message =
      fmt::format("a launch was not done after {} s ('check --seconds' waits longer) at {}\n",
                  limit == nullptr ? "some" : limit, where);
  for (const std::string_view line : text::lines_of(told)) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == line.npos || !line.substr(begin).starts_with("at ")) continue;
    outcome.message +=
        fmt::format("a thread was {}; a loop there may never end\n", line.substr(begin));
  }
}

// What an error that a launch returned means for the learner.
void tell_of_error(cudaError_t error, const std::string& where, Outcome& outcome) {
  const std::string told = machine::last_failure();
  if (is_timeout(error)) return tell_of_timeout(told, where, outcome);
  outcome.ending = Ending::fault;
  outcome.message = fmt::format("{}{} ({}) at {}\n", told.empty() ? "" : told + "\n",
                                cudaGetErrorString(error), cudaGetErrorName(error), where);
}

// Runs the file's kernel at the small problems, hazards looked for.
void judge_small_problems(const ladder::Rung& rung, const Tile& tile, const text::Page& page,
                          Outcome& outcome) {
  machine::look_for_hazards(true);
  for (const Problem& problem : probes()) {
    runner::Verifier verifier(problem, {.guard = 256});
    cudaError_t error = cudaSuccess;
    const runner::Verdict verdict = verifier.check([&](const ladder::Sgemm& sgemm, runner::Values) {
      error = ladder::launch(rung, sgemm, nullptr);
      if (error == cudaSuccess) error = cudaDeviceSynchronize();
      return error;
    });
    results::add_hazards(machine::take_hazards(), outcome.hazards);
    if (error != cudaSuccess) return tell_of_error(error, describe(problem), outcome);
    if (verdict.correct) continue;
    outcome.ending = Ending::wrong_result;
    outcome.message = fmt::format("{} at {}\n", verdict.complaint, describe(problem));
    machine::look_for_hazards(false);
    Diagnosis found = diagnose(rung, problem, verifier, tile, page);
    outcome.causes = std::move(found.causes);
    outcome.map = std::move(found.map);
    return;
  }
  machine::look_for_hazards(false);
  if (outcome.hazards.empty()) return;
  outcome.ending = Ending::hazard;
  outcome.message = outcome.hazards.front().message;
}

void judge_contract(const ladder::Rung& rung, Outcome& outcome) {
  for (const runner::ContractCheck& check : runner::contract()) {
    std::string complaint;
    try {
      complaint = check.complaint(rung);
    } catch (const Error& error) {  // what it calls after the kernel finds the device unusable
      if (cudaDeviceSynchronize() == cudaSuccess) throw;
      complaint = error.what();
    }
    if (complaint.empty()) continue;
    const cudaError_t error = cudaDeviceSynchronize();
    outcome.contract_check = check.name;
    const std::string told = error == cudaSuccess ? "" : machine::last_failure();
    if (is_timeout(error)) return tell_of_timeout(told, complaint, outcome);
    outcome.ending = Ending::broken_contract;
    outcome.message = fmt::format("{}{}\n", told.empty() ? "" : told + "\n", complaint);
    return;
  }
}

// ---- The promise.

// The product whose accesses are counted, or whose time is taken.
Problem large_problem() {
  const int64_t size = machine::MEASURES_TIME ? machine::DEFAULT_SIZE : 256;
  return results::dense_problem(size, size, size);
}

// A counter's value; BLOCKS is the workshop's own.
std::optional<double> counted(const Result& result, const device::Claim& claim) {
  if (claim.counter != std::string(BLOCKS)) return runner::counted(result, claim);
  int64_t most = 0;
  for (const results::Kernel& kernel : result.seen.kernels) {
    most = std::max(most, kernel.grid[0] * kernel.grid[1] * kernel.grid[2]);
  }
  return static_cast<double>(most);
}

// The learner's kernel as the ladder's rung: called as it is, and held to its promise.
ladder::Rung in_place_of(const ladder::Rung& rung, const ladder::Rung& own) {
  ladder::Rung judged = rung;
  judged.launch = own.launch;
  judged.path = own.path;
  return judged;
}

Result measured(const ladder::Rung& rung, const Problem& problem) {
  runner::Verifier verifier(problem, {.guard = machine::GUARD});
  return runner::measure(runner::candidate_of(rung), problem, verifier, {});
}

void judge_promise(const Exercise& exercise, const ladder::Rung& rung, const Result& result,
                   Outcome& outcome) {
  outcome.claims = result.judged.claims;
  for (const FurtherClaim& further : exercise.further_claims()) {
    const device::Claim claim{further.counter.c_str(), further.buffer.c_str(), further.relation,
                              further.value};
    const Result seen = measured(rung, further.problem);
    results::CheckedClaim checked = runner::check_claim(claim, counted(seen, claim));
    checked.counter += fmt::format(" at {}", further.problem.size());
    outcome.claims.push_back(std::move(checked));
  }
  // On a device that does not count nothing can be said of a promise.
  if (!result.seen.traffic) outcome.claims.clear();
  if (std::ranges::all_of(outcome.claims, &results::CheckedClaim::kept)) return;
  outcome.ending = Ending::broken_promise;
}

// ---- What it was worth.

std::string picture_of(const Exercise& exercise, const ladder::Rung& rung, const std::string& name,
                       const text::Page& page) {
  machine::record_requests({.any = true});
  static_cast<void>(measured(rung, large_problem()));
  std::vector<lens::Request> requests = machine::recorded_requests();
  machine::record_requests({});
  std::erase_if(requests, [&](const lens::Request& r) { return r.buffer != exercise.drawn; });
  if (requests.empty()) return "";
  const lens::Request* worst = &requests.front();
  for (const lens::Request& request : requests) {
    if (lens::is_worse(request, *worst)) worst = &request;
  }
  return fmt::format("{}:\n\n{}", name, lens::picture({*worst}, page));
}

std::string name_of(const ladder::Rung& rung) {
  return fmt::format("{} {}", rung.number, rung.name);
}

void tell_worth(const Exercise& exercise, const ladder::Rung& own, const Result& now,
                const text::Page& page, Outcome& outcome) {
  results::Run run{.from = runner::provenance({}, false)};
  if (exercise.before != nullptr) {
    run.results.push_back(measured(*exercise.before, large_problem()));
  }
  run.results.push_back(now);
  const runner::RecordedRuns recorded = runner::recorded_for({}, {.ladder = true});
  outcome.worth = results::to_table(run, recorded.figures(), page);
  if (run.results.size() > 1) {
    outcome.worth +=
        "\n" + results::worth(run.results[0], run.results[1], recorded.figures(), page);
  }
  if (exercise.drawn.empty()) return;
  if (exercise.before != nullptr) {
    outcome.pictures = picture_of(exercise, *exercise.before, name_of(*exercise.before), page);
  }
  const std::string mine = picture_of(exercise, own, "yours", page);
  outcome.pictures += (outcome.pictures.empty() || mine.empty() ? "" : "\n") + mine;
}

// ---- All of it, in a process that may be lost.

// A message on a kernel's file without the option that it was not named by: "--kernel 'mine.cu': it defines no rung".
std::string without_option(const std::string& message) {
  const size_t end = message.find("': ");
  return message.starts_with("--kernel '") && end != message.npos ? message.substr(end + 3)
                                                                  : message;
}

Outcome judge_here(const Exercise& exercise, const std::string& file, const JudgeOptions& options) {
  Outcome outcome;
  const Clock::time_point begin = Clock::now();
  const ladder::Rung* loaded = nullptr;
  try {
    loaded = &runner::load_kernel_file(file);
  } catch (const runner::DoesNotCompile& error) {
    outcome.ending = Ending::does_not_compile;
    outcome.message = "it does not compile\n";
    outcome.compiler_output = error.words();
  } catch (const Error& error) {  // it compiles, and is no rung
    if (error.code() != ExitCode::usage) throw;
    outcome.ending = Ending::does_not_compile;
    outcome.message = without_option(error.what()) + "\n";
  }
  outcome.compile_seconds = seconds_since(begin);
  if (loaded == nullptr) return outcome;

  const ladder::Rung own = in_place_of(*exercise.rung, *loaded);
  judge_small_problems(own, tile_of_source(read_text(file)), options.page, outcome);
  if (outcome.ending == Ending::right) judge_contract(own, outcome);
  if (outcome.ending == Ending::right) {
    const Result result = measured(own, large_problem());
    judge_promise(exercise, own, result, outcome);
    if (outcome.ending == Ending::right && options.with_worth) {
      tell_worth(exercise, own, result, options.page, outcome);
    }
  }
  outcome.run_seconds = seconds_since(begin) - outcome.compile_seconds;
  return outcome;
}

void write_all(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(descriptor, text.data() + done, text.size() - done);
    if (wrote < 0 && errno != EINTR) return;
    if (wrote > 0) done += static_cast<size_t>(wrote);
  }
}

// What the process that judges says through its pipe: an outcome, or why there is none.
std::string judged_as_json(const Exercise& exercise, const std::string& file,
                           const JudgeOptions& options) {
  try {
    const std::string lack = runner::lack_of(machine::open(), *exercise.rung);
    if (!lack.empty()) {
      throw Error(ExitCode::no_device,
                  lack + "; './sgemm_runner learn skip' goes on with the next exercise");
    }
    return json_of(judge_here(exercise, file, options)).dump();
  } catch (const std::exception&) {
    const Error error = runner::caught_error();
    return nlohmann::ordered_json{{"failed", error.what()}, {"code", error.code()}}.dump();
  }
}

[[noreturn]] void be_the_judge(int to, const std::string& printed_file, const Exercise& exercise,
                               const std::string& file, const JudgeOptions& options) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  setpgid(0, 0);
  const int printed = open(printed_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(printed, STDOUT_FILENO);
  dup2(printed, STDERR_FILENO);
  setenv("SIMULATOR_TIMEOUT", fmt::format("{}", options.kernel_seconds).c_str(), 0);
  write_all(to, judged_as_json(exercise, file, options));
  close(to);
  _exit(0);  // neither the file's destructors nor ours have anything to say
}

// Reads to the end, until the deadline or an interruption. False if the end did not come.
bool read_to_end(int from, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> piece{};
  while (Clock::now() < deadline && !runner::interrupted()) {
    pollfd ready{.fd = from, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    const ssize_t count = read(from, piece.data(), piece.size());
    if (count == 0) return true;
    if (count > 0) text.append(piece.data(), static_cast<size_t>(count));
  }
  return false;
}

std::string beginning_of(const std::string& path) {
  constexpr size_t MOST = 600;
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return "";
  std::string text = read_text(path);
  if (text.size() > MOST) text = text.substr(0, text.rfind('\n', MOST) + 1) + "...\n";
  return text;
}

}  // namespace

Outcome judge_answer(const Exercise& exercise, const std::string& file,
                     const JudgeOptions& options) {
  if (!std::filesystem::exists(file)) {
    throw Error(ExitCode::usage, fmt::format("there is no file '{}'", file));
  }
  // The judge's temporary files lie here, so that none is left if it is ended.
  const runner::TemporaryFolder folder;
  const std::string printed = folder / "printed";
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error(ExitCode::failure, fmt::format("no pipe: {}", std::strerror(errno)));
  }
  const pid_t judge = fork();
  if (judge < 0)
    throw Error(ExitCode::failure, fmt::format("no process: {}", std::strerror(errno)));
  if (judge == 0) {
    setenv("TMPDIR", (folder / "").c_str(), 1);
    be_the_judge(ends[1], printed, exercise, file, options);
  }
  close(ends[1]);
  std::string text;
  const auto limit = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(options.all_seconds));
  const bool ended = read_to_end(ends[0], Clock::now() + limit, text);
  close(ends[0]);
  if (!ended) {
    kill(-judge, SIGKILL);
    kill(judge, SIGKILL);  // it may not have its group yet
  }
  int status = 0;
  while (waitpid(judge, &status, 0) < 0 && errno == EINTR) {
  }
  runner::stop_if_interrupted();

  Outcome outcome;
  if (!ended) {
    outcome.ending = Ending::never_ends;
    outcome.message = fmt::format(
        "it was not done after {} s and was ended; the time goes by in host code, or in a kernel "
        "that cannot be ended\n",
        options.all_seconds);
  } else if (WIFSIGNALED(status)) {
    outcome.ending = Ending::crashed;
    outcome.message = fmt::format("its host code ended the process: {} (signal {})\n",
                                  strsignal(WTERMSIG(status)), WTERMSIG(status));
  } else {
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (json.is_discarded()) {
      outcome.ending = Ending::crashed;
      outcome.message =
          fmt::format("its host code ended the process with exit code {}\n", WEXITSTATUS(status));
    } else if (json.contains("failed")) {
      throw Error(json.at("code").get<ExitCode>(), json.at("failed").get<std::string>());
    } else {
      outcome = outcome_from(json);
    }
  }
  outcome.printed = beginning_of(printed);
  return outcome;
}

}  // namespace workshop
