#include "workshop/judge/judge_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/project.hpp"
#include "kernels/best/best.hpp"
#include "lens/picture.hpp"
#include "results/sources/source_comparison.hpp"
#include "results/tables/table.hpp"
#include "runner/choose/size.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/machine/machine.hpp"
#include "runner/report/report.hpp"
#include "runner/trial/apart.hpp"
#include "runner/trial/fence.hpp"
#include "runner/trial/judge.hpp"
#include "runner/trial/judged_code.hpp"
#include "runner/trial/kernel_file.hpp"
#include "runner/trial/measure.hpp"
#include "runner/trial/provenance.hpp"
#include "runner/verify/contract/contract.hpp"
#include "runner/verify/product.hpp"
#include "runner/verify/verifier.hpp"
#include "workshop/course/cut.hpp"
#include "workshop/diagnose/wrong_result.hpp"
#include "workshop/judge/examination.hpp"
#include "workshop/judge/outcome_json.hpp"
#include "workshop/words/layout.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

namespace machine = runner::machine;
using results::Problem;
using results::Result;
using runner::DoneApart;
using runner::Error;
using runner::ExitCode;
using runner::Told;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Returns the time limits. The simulated GPU ends a launch itself and knows its line, so a step has more time than a
// launch. Without an error the other work takes seconds on a busy machine. It takes longer on a device, where large
// products are computed and compared.
runner::Bounds bounds_of(const JudgeOptions& options) {
  constexpr double LAUNCHES = 12, REST = 20, REST_ON_A_DEVICE = 60;
  const double seconds = options.kernel_seconds;
  const double of_a_step = machine::MEASURES_TIME ? seconds + REST_ON_A_DEVICE
                                                  : std::min(LAUNCHES * seconds, seconds + REST);
  return {
      .step_seconds = of_a_step, .seconds = 60 + 10 * of_a_step, .memory_bytes = int64_t{8} << 30};
}

// ---- The small problems. None is square, so that swapped indices show.

Problem probe(int64_t M, int64_t N, int64_t K, float alpha, float beta) {
  Problem p = results::dense_problem(M, N, K);
  p.alpha = alpha;
  p.beta = beta;
  p.seed = 7;
  return p;
}

std::vector<Problem> probes(const Exercise& exercise) {
  Problem padded = probe(66, 36, 40, -0.5F, 1.5F);
  padded.lda += 3;
  padded.ldb += 5;
  padded.ldc += 7;
  std::vector<Problem> all = {
      probe(256, 128, 64, 1, 0),  // whole tiles of every rung
      probe(129, 131, 67, 1, 0),  // and no whole tiles
      padded,
  };
  for (const Problem& further : exercise.further_problems()) {
    all.push_back(probe(further.M, further.N, further.K, 1, 0));
  }
  return all;
}

// Returns "129x131x67, alpha 1, beta 0".
std::string describe(const Problem& p) {
  return fmt::format("{}, alpha {}, beta {}{}", p.size(), p.alpha, p.beta,
                     p.is_dense() ? ""
                                  : fmt::format(", rows of A, B and C {}, {} and {} floats apart",
                                                p.lda, p.ldb, p.ldc));
}

// Returns "--size 66x36x40 --lda 43".
std::string asking_for(const Problem& p) {
  std::vector<std::string> words = {"--size", p.size()};
  std::ranges::copy(runner::options_of(p), std::back_inserter(words));
  return fmt::format("{}", fmt::join(words, " "));
}

void end_at(const Problem& problem, Outcome& outcome) {
  outcome.size = problem.size();
  outcome.strided = !problem.is_dense();
  outcome.again = asking_for(problem);
}

Fault last_fault() {
  const machine::Failure failure = machine::last_failure();
  return {failure.kind, failure.action, failure.memory};
}

bool is_timeout(cudaError_t error) { return error == cudaErrorLaunchTimeout; }
bool is_timeout(const std::string& name) {
  return name == cudaGetErrorName(cudaErrorLaunchTimeout);
}

// Tells the line of a thread from the simulated GPU's message on a timeout. The rest of the message is about an
// environment variable that `check` itself sets.
void tell_of_timeout(const std::string& where, Outcome& outcome) {
  outcome.ending = Ending::never_ends;
  const machine::Failure failure = machine::last_failure();
  if (failure.waits_for_ever) {  // the simulated GPU knows this at once
    outcome.message = fmt::format("{}\nat {}\n", failure.text, where);
    return;
  }
  const char* const limit = std::getenv("SIMULATOR_TIMEOUT");
  outcome.message =
      fmt::format("a launch was not done after {} s ('check --seconds' waits longer) at {}\n",
                  limit == nullptr ? "some" : limit, where);
  if (!failure.place.empty()) {
    outcome.message +=
        fmt::format("a thread was at {}; a loop there may never end\n", failure.place);
  }
}

// Tells the learner the meaning of a launch's error.
void tell_of_error(cudaError_t error, const std::string& where, Outcome& outcome) {
  if (is_timeout(error)) return tell_of_timeout(where, outcome);
  const std::string told = machine::last_failure().text;
  outcome.ending = Ending::fault;
  outcome.fault = last_fault();
  outcome.message = fmt::format("{}{} ({}) at {}\n", told.empty() ? "" : told + "\n",
                                cudaGetErrorString(error), cudaGetErrorName(error), where);
}

// Returns the complaint without the name of the verifier's pass, which learners do not know.
std::string for_learners(const Result& result) {
  const results::Judgement& judged = result.judged;
  if (!judged.first_mismatch) return judged.complaint;
  return runner::reading_of_c(result, judged.first_mismatch) +
         runner::describe(*judged.first_mismatch, false);
}

// Runs the exercise's direct tests of functions, if there are any.
void judge_functions(const Exercise& exercise, const runner::CompiledKernel& compiled, Told& told,
                     Outcome& outcome) {
  if (exercise.examination().empty()) return;
  told.begin("questions to its functions");
  auto* const ask = reinterpret_cast<decltype(&examine)>(runner::function_of(compiled, "examine"));
  Examined examined;
  if (ask == nullptr) {
    throw Error(ExitCode::failure,
                fmt::format("{} should define examine()", exercise.examination()));
  }
  ask(examined);
  outcome.examined = examined.answers;
  outcome.remark = examined.remark;
  if (examined.complaint.empty()) return;
  outcome.ending = Ending::wrong_function;
  outcome.message = examined.complaint + "\n";
}

// Runs the file's kernel at small problems, with a search for hazards.
void judge_small_problems(const ladder::Rung& rung, const std::vector<Problem>& problems,
                          const BlockTile& tile, const text::Page& page, Told& told,
                          Outcome& outcome) {
  machine::look_for_hazards(true);
  for (const Problem& problem : problems) {
    told.begin(describe(problem));
    runner::Verifier verifier(problem, {.guard = 256}, rung.arithmetic);
    cudaError_t error = cudaSuccess;
    const runner::Verdict verdict = verifier.check([&](const ladder::Sgemm& sgemm, runner::Values) {
      runner::name_matrices(sgemm);
      error = ladder::launch(rung, sgemm, nullptr);
      if (error == cudaSuccess) error = cudaDeviceSynchronize();
      return error;
    });
    if (outcome.hazards.empty()) outcome.again = asking_for(problem);
    results::add_hazards(machine::take_hazards(), outcome.hazards);
    if (error == cudaSuccess && verdict.correct) continue;
    end_at(problem, outcome);
    if (error != cudaSuccess) return tell_of_error(error, describe(problem), outcome);
    outcome.ending = Ending::wrong_result;
    outcome.message =
        fmt::format("{} at {}\n", for_learners({.judged = runner::judgement_of({}, verdict)}),
                    describe(problem));
    machine::look_for_hazards(false);
    Diagnosis found = diagnose(rung, problem, verifier, tile, narrower(page, 2));
    outcome.causes = std::move(found.causes);
    outcome.map = std::move(found.map);
    return;
  }
  machine::look_for_hazards(false);
  if (outcome.hazards.empty()) return;
  outcome.ending = Ending::hazard;
  outcome.message = outcome.hazards.front().message;
}

void judge_contract(const ladder::Rung& rung, Told& told, Outcome& outcome) {
  for (const runner::ContractCheck& check : runner::contract()) {
    told.begin(fmt::format("the contract, {}", check.name));
    const std::string complaint = runner::complaint_of(check, rung);
    if (complaint.empty()) continue;
    const cudaError_t error = cudaDeviceSynchronize();
    outcome.contract_check = check.name;
    if (is_timeout(error)) return tell_of_timeout(runner::last_problem(), outcome);
    const std::string fault = error == cudaSuccess ? "" : runner::fault_in(check);
    if (!fault.empty()) outcome.fault = last_fault();
    outcome.ending = Ending::broken_contract;
    if (!fault.empty() && check.usual_reason != nullptr)
      outcome.message = fmt::format("{}\n", check.usual_reason);
    outcome.message += fmt::format("{}{}\n", fault.empty() ? "" : fault + "\n", complaint);
    return;
  }
}

// ---- The promise.

// Returns the product to count or to time.
Problem large_problem() {
  const int64_t size = machine::MEASURES_TIME ? machine::DEFAULT_SIZE : 256;
  return results::dense_problem(size, size, size);
}

// Returns the learner's kernel as a rung, with the name and the promise of the ladder's.
ladder::Rung in_place_of(const ladder::Rung& rung, const ladder::Rung& own) {
  ladder::Rung judged = rung;
  judged.launch = own.launch;
  judged.path = own.path;
  judged.takes_transposes = own.takes_transposes;
  judged.launch_and_tell = own.launch_and_tell;
  judged.launch_batch = own.launch_batch;
  return judged;
}

// `with_errors`: computes the errors against an FP64 product, too.
Result measured(const ladder::Rung& rung, const Problem& problem, bool with_errors = false) {
  runner::Matrices matrices({.errors = with_errors});
  return runner::measure(runner::product(rung, problem), matrices, {});
}

// True if claims at their own sizes hold on this device. With far fewer multiprocessors than the simulated one the
// kernel would choose differently.
bool is_like_the_simulated_device() {
  constexpr int FEWEST_MULTIPROCESSORS = 108;
  int multiprocessors = 0;
  const cudaError_t error =
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  return error == cudaSuccess && multiprocessors >= FEWEST_MULTIPROCESSORS;
}

// Returns "64x64x4096", or "64x64x1024, positive data" if the data are not uniform.
std::string problem_in_words(const Problem& p) {
  return p.size() + (p.data == results::Data::uniform
                         ? ""
                         : fmt::format(", {} data", results::name_of(p.data)));
}

// True if a claim's counter is an error, which is computed on request only.
bool is_an_error(const std::string& counter) { return counter.ends_with("_error"); }

std::string size_of(const Result& result) { return result.problem ? result.problem->size() : ""; }

// True if the counted launch gave a wrong result or an error. `outcome` then reports it, and the counters mean nothing.
bool is_wrong(const Result& result, Outcome& outcome) {
  if (result.judged.correct) return false;
  const std::string where = size_of(result);
  if (result.problem) end_at(*result.problem, outcome);
  if (is_timeout(result.judged.error)) {
    tell_of_timeout(where, outcome);
    return true;
  }
  outcome.ending = result.judged.error.empty() ? Ending::wrong_result : Ending::fault;
  if (!result.judged.error.empty()) outcome.fault = last_fault();
  outcome.message =
      fmt::format("{}{}{} at {}\n", result.judged.failure,
                  result.judged.failure.empty() ? "" : "\n", for_learners(result), where);
  return true;
}

void judge_promise(const Exercise& exercise, const ladder::Rung& rung, const Result& result,
                   Told& told, Outcome& outcome) {
  if (is_wrong(result, outcome)) return;
  outcome.claims = result.judged.claims;
  const std::vector<FurtherClaim> further_claims =
      is_like_the_simulated_device() ? exercise.further_claims() : std::vector<FurtherClaim>{};
  for (const FurtherClaim& further : further_claims) {
    const device::Claim claim{further.counter.c_str(), further.buffer.c_str(), further.relation,
                              further.value};
    const std::string problem = problem_in_words(further.problem);
    told.begin(fmt::format("the promise at {}", problem));
    const Result seen = measured(rung, further.problem, is_an_error(further.counter));
    if (is_wrong(seen, outcome)) return;
    results::CheckedClaim checked = runner::check_claim(claim, runner::counted(seen, claim));
    checked.size = problem;
    outcome.claims.push_back(std::move(checked));
  }
  // A device does not count accesses, so such claims cannot be checked there.
  if (machine::MEASURES_TIME) {
    std::erase_if(outcome.claims,
                  [](const results::CheckedClaim& claim) { return !claim.counted; });
  } else if (outcome.claims.empty()) {
    outcome.ending = Ending::broken_promise;
    outcome.message = "none of the exercise's claims could be checked\n";
    return;
  }
  if (std::ranges::all_of(outcome.claims, &results::CheckedClaim::kept)) return;
  outcome.ending = Ending::broken_promise;
  if (!machine::MEASURES_TIME && !result.seen.traffic) {
    outcome.message = fmt::format(
        "it launched no kernel at {}: the result was computed by host code, or copied\n",
        size_of(result));
  }
}

// ---- The gain of a right answer.

// A rung's large product, and its worst request to the exercise's buffer.
struct Seen {
  Result result{};
  std::optional<lens::Request> worst{};
};

Seen seen(const ladder::Rung& rung, const std::string& buffer) {
  if (!buffer.empty()) machine::record_requests({.any = true});
  Seen seen{.result = measured(rung, large_problem())};
  const std::vector<lens::Request> requests = machine::recorded_requests();
  machine::record_requests({});
  for (const lens::Request& request : requests) {
    if (request.buffer != buffer) continue;
    if (!seen.worst || lens::is_worse(request, *seen.worst)) seen.worst = request;
  }
  return seen;
}

void add_picture(const Seen& seen, const std::string& name, const text::Page& page,
                 std::string& pictures) {
  if (!seen.worst) return;
  pictures += (pictures.empty() ? "" : "\n") + name + ":\n\n" + lens::picture({*seen.worst}, page);
}

void tell_worth(const Exercise& exercise, const Seen& own, const text::Page& page,
                Outcome& outcome) {
  results::Run run{.from = runner::provenance({}, false)};
  if (exercise.before != nullptr) {
    const Seen before = seen(*exercise.before, exercise.drawn);
    add_picture(before, fmt::format("{} {}", exercise.before->number, exercise.before->name), page,
                outcome.pictures);
    run.results.push_back(before.result);
  }
  add_picture(own, "yours", page, outcome.pictures);
  run.results.push_back(own.result);
  // Figures that are measured here need no recorded ones.
  results::Recorded recorded;
  if (!machine::MEASURES_TIME) recorded = runner::recorded_for({}, {.ladder = true});
  outcome.worth = results::to_table(run, recorded, page);
  if (run.results.size() > 1) {
    outcome.worth += "\n" + results::worth(run.results[0], run.results[1], recorded, page);
  }
}

// ---- The judging process.

// Returns JSON as text. Bytes that are not UTF-8 are replaced, because anybody may have written the strings.
std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Outcome crashed(const std::string& how, const DoneApart& done) {
  return {.ending = Ending::crashed,
          .message = fmt::format("its host code {}, during: {}\n", how, done.step)};
}

// Refuses an unchanged file. If accesses are not counted it might pass: it computes the right result without the idea.
void refuse_what_is_as_given(const Exercise& exercise, const std::string& source,
                             Outcome& outcome) {
  if (!is_unwritten(exercise, source)) return;
  outcome.ending = Ending::broken_promise;
}

// True if the file holds the header's text itself. The header is then empty for every include (see cut.hpp).
bool holds(const std::string& source, const std::string& header) {
  constexpr std::string_view GUARD = "#ifndef ";
  const std::string text = read_text(header);
  const size_t begin = text.find(GUARD);
  if (begin == text.npos) return false;
  const size_t name = begin + GUARD.size();
  return source.find("#define " + text.substr(name, text.find('\n', name) - name)) != source.npos;
}

// Returns the ladder's code that the file uses in place of its own code: "it includes ...", "it calls ..."; empty for
// none.
std::string borrowed(const Exercise& exercise, const std::string& source,
                     const runner::CompiledKernel& compiled) {
  namespace fs = std::filesystem;
  const auto place = [](const std::string& file) {
    std::error_code none;
    return fs::weakly_canonical(file, none);
  };
  const fs::path project = place(runner::project_folder());
  const fs::path rungs = project / "src/kernels";
  std::vector<fs::path> headers;  // headers whose text belongs in the learner's file
  if (has_solution(exercise)) {
    for (const std::string& file : files_of_solution(exercise)) {
      if (file.ends_with(".hpp") && !holds(source, file)) headers.push_back(place(file));
    }
  }
  for (const std::string& name : compiled.files) {
    const fs::path file = place(name);
    const bool is_a_rung = file.extension() == ".cu" && file.parent_path() == rungs;
    if (is_a_rung || std::ranges::find(headers, file) != headers.end())
      return fmt::format("it includes {}", fs::relative(file, project).string());
  }
  // The given part of a file may use a rung: 12 falls back on 11.
  const std::string given = cut(exercise, hole_of(source));
  for (const std::string& symbol : compiled.imports) {
    if (symbol == "_ZN6ladder3allEv") return "it calls ladder::all()";
    if (symbol == "_ZN6ladder4bestE") return "it uses ladder::best";
    if (symbol.starts_with("_ZN6ladder9rung_withE")) return "it calls ladder::rung_with()";
    for (const ladder::Rung* rung : ladder::all()) {
      const std::string_view rung_name = rung->name;
      const bool is_given = given.find(fmt::format("Rung {};", rung_name)) != given.npos;
      if (!is_given && symbol == fmt::format("_ZN6ladder{}{}E", rung_name.size(), rung_name))
        return fmt::format("it uses ladder::{}", rung_name);
    }
  }
  return "";
}

// Compiles the file. Returns nothing if this fails; `outcome` has the reason.
std::optional<runner::CompiledKernel> compiled(const Exercise& exercise, const std::string& file,
                                               Outcome& outcome) {
  try {
    runner::CompiledKernel compiled = runner::compile_kernel_file(file, exercise.examination());
    const std::string what = borrowed(exercise, read_text(file), compiled);
    if (what.empty()) return compiled;
    outcome.ending = Ending::not_its_own;
    outcome.message = fmt::format(
        "{}: the ladder's own code would run, and none of yours. Write your code between the "
        "marks, in this file\n",
        what);
  } catch (const runner::DoesNotCompile& error) {
    outcome.ending = Ending::does_not_compile;
    outcome.message = "it does not compile\n";
    outcome.compiler_output = error.words();
  }
  return std::nullopt;
}

// Returns the file's rung; nullptr if it has none that can run, and `outcome` has the reason.
const ladder::Rung* loaded(const Exercise& exercise, const runner::CompiledKernel& compiled,
                           Outcome& outcome) {
  try {
    return &runner::load(compiled);
  } catch (const runner::UnusableKernel& error) {
    outcome.ending = Ending::does_not_compile;
    outcome.message = error.why() + "\n";
    if (!error.has_a_rung()) {
      outcome.message = fmt::format(
          "it compiles, but the entry at its end is gone: write `extern const Rung {}{{...}};` "
          "there, as it was given ('reset' keeps your file and gives you a new one)\n",
          exercise.rung().name);
    }
  }
  return nullptr;
}

Outcome judge_here(const Exercise& exercise, const std::string& source,
                   const runner::CompiledKernel& compiled, const JudgeOptions& options,
                   Told& told) {
  Outcome outcome;
  told.begin("loading it, and constructing its static variables");
  const ladder::Rung* const own_rung = loaded(exercise, compiled, outcome);
  if (own_rung == nullptr) return outcome;
  const ladder::Rung own = in_place_of(exercise.rung(), *own_rung);
  judge_functions(exercise, compiled, told, outcome);
  if (outcome.ending != Ending::right) return outcome;
  judge_small_problems(own, probes(exercise), tile_of_source(source), options.page, told, outcome);
  if (outcome.ending != Ending::right) return outcome;
  told.begin("the product whose accesses are counted or whose time is taken");
  const Seen own_run = seen(own, options.with_worth ? exercise.drawn : "");
  judge_promise(exercise, own, own_run.result, told, outcome);
  if (outcome.ending == Ending::right) refuse_what_is_as_given(exercise, source, outcome);
  // The contract comes last: it takes most of the time, and an answer without the idea must be written anew anyway.
  if (outcome.ending == Ending::right) judge_contract(own, told, outcome);
  if (outcome.ending == Ending::right && options.with_worth) {
    told.begin("the comparison with the rung before");
    tell_worth(exercise, own_run, options.page, outcome);
  }
  return outcome;
}

// Returns the judging process's report: an outcome, or the reason why there is none.
std::string judged_as_json(const Exercise& exercise, const std::string& source,
                           const runner::CompiledKernel& compiled, const JudgeOptions& options,
                           Told& told) {
  try {
    told.begin("opening the device");
    setenv("SIMULATOR_TIMEOUT", fmt::format("{}", options.kernel_seconds).c_str(), 0);
    const std::string lack = runner::lack_of(machine::open(), exercise.rung());
    if (!lack.empty()) {
      throw Error(ExitCode::no_device,
                  lack + "; './sgemm_runner learn skip' goes on with the next exercise");
    }
    runner::forbid_what_judged_code_may_not();
    Outcome outcome;
    try {
      outcome = judge_here(exercise, source, compiled, options, told);
    } catch (const runner::Threw& threw) {
      outcome = {.ending = Ending::crashed, .message = fmt::format("{}\n", threw.what())};
    } catch (const runner::CudaFailure& failure) {  // a call of ours reports the kernel's error
      outcome = {.ending = Ending::fault,
                 .fault = last_fault(),
                 .message = fmt::format("{} at {}\n", failure.in_words(), runner::last_problem())};
    }
    return text_of(json_of(outcome));
  } catch (const std::exception&) {
    const Error error = runner::caught_error();
    return text_of({{"failed", error.what()}, {"code", error.code()}});
  }
}

// Returns the failure of the judging process as an outcome.
Outcome lost(const DoneApart& done) {
  using End = DoneApart::End;
  switch (done.end) {
    case End::timed_out:
      return {.ending = Ending::never_ends,
              .message = fmt::format(
                  "it was ended after {:.3g} s of: {}; it spent the time in host code, or in a "
                  "kernel that cannot report its line\n",
                  done.seconds, done.step)};
    case End::too_much_memory:
      return crashed(fmt::format("took more than {:.3g} GiB of memory",
                                 static_cast<double>(done.bytes) / 0x1p30),
                     done);
    case End::started_a_process:
      return crashed("tried to start another process", done);
    case End::signalled:
      return crashed(fmt::format("ended the process by a signal, {} ({})", strsignal(done.number),
                                 done.number),
                     done);
    default:
      return crashed(fmt::format("ended the process with exit code {}", done.number), done);
  }
}

// Reads the process's report. The judged code runs in the same process, so a report that no judge writes comes from it.
Outcome read(const DoneApart& done) {
  const auto json = nlohmann::ordered_json::parse(done.said, nullptr, false);
  if (json.contains("failed") && json.contains("code") && json["failed"].is_string() &&
      json["code"].is_number_integer()) {
    throw Error(json["code"].get<ExitCode>(), json["failed"].get<std::string>());
  }
  try {
    return outcome_from(json);
  } catch (const std::exception&) {
    return crashed("overwrote its judge's report", done);
  }
}

}  // namespace

Outcome judge_answer(const Exercise& exercise, const std::string& file,
                     const JudgeOptions& options) {
  if (!std::filesystem::exists(file)) {
    throw Error(ExitCode::usage, fmt::format("there is no file '{}'", file));
  }
  const Clock::time_point begin = Clock::now();
  Outcome outcome;
  const auto ready = compiled(exercise, file, outcome);
  const double compile_seconds = seconds_since(begin);
  if (ready) {
    const std::string source = read_text(file);
    const DoneApart done = runner::do_apart(bounds_of(options), [&](Told& told) {
      told.say(judged_as_json(exercise, source, *ready, options, told));
    });
    runner::stop_if_interrupted();
    outcome = done.end == DoneApart::End::done ? read(done) : lost(done);
    outcome.printed = done.printed;
    outcome.run_seconds = seconds_since(begin) - compile_seconds;
  }
  outcome.compile_seconds = compile_seconds;
  return outcome;
}

}  // namespace workshop
