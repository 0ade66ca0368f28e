#include "runner/subject.hpp"

#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include "runner/error.hpp"
#include "runner/judge.hpp"
#include "runner/kernel_file.hpp"
#include "runner/lab_trial.hpp"
#include "runner/product.hpp"
#include "runner/provenance.hpp"
#include "runner/select_labs.hpp"
#include "runner/verify.hpp"

namespace runner {

Candidate Subject::candidate() const {
  return kernel_file.empty() ? candidate_of(*rung) : stranger(*rung);
}

results::Result Subject::result() const {
  results::Result result;
  if (lab == nullptr) {
    result.who = candidate().who;
    result.problem = problem;
  } else {
    result.who = identity_of(*lab, *variant, sizes);
  }
  return result;
}

std::string Subject::name() const {
  if (lab != nullptr) return fmt::format("{}/{}", lab->name, variant->name);
  return kernel_file.empty() ? fmt::format("{} {}", rung->number, rung->name) : rung->name;
}

std::string Subject::size() const {
  if (rung != nullptr) return problem.size();
  std::string text;
  for (const auto& [key, value] : sizes.all()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

const std::vector<device::Claim>& Subject::promise() const {
  return rung != nullptr ? rung->promise.claims : variant->claims;
}

std::vector<device::Claim> Subject::claims() const {
  if (rung != nullptr)
    return applies(rung->promise, problem) ? promise() : std::vector<device::Claim>();
  return applies(*lab, sizes) ? promise() : std::vector<device::Claim>();
}

std::vector<std::string> Subject::words() const {
  if (rung != nullptr) return {fmt::format("{}", rung->number), "--size", problem.size()};
  std::vector<std::string> words{name()};
  for (const auto& [key, value] : sizes.all()) {
    words.push_back("--" + key);
    words.push_back(fmt::format("{}", value));
  }
  return words;
}

void load(Subject& subject) {
  if (subject.rung == nullptr && subject.lab == nullptr)
    subject.rung = &load_kernel_file(subject.kernel_file);
}

void with_launch(const Subject& subject, const std::function<void(const machine::Launch&)>& use) {
  if (subject.rung != nullptr) {
    Verifier verifier(subject.problem, {.guard = machine::GUARD});
    const ladder::Sgemm problem = verifier.prepare(Values::reals);
    use(launch_of(*subject.rung, problem));
  } else {
    LabTrial trial(*subject.variant, subject.sizes, machine::GUARD);
    use(trial.launch());
  }
}

results::Result verified(const Subject& subject) {
  results::Result result = subject.result();
  result.date = now();
  if (subject.rung != nullptr) {
    Verifier verifier(subject.problem, {.guard = machine::GUARD});
    const Verdict verdict = verify_product(*subject.rung, verifier, result);
    result.judged = judge(result, verdict, {});
  } else {
    LabTrial(*subject.variant, subject.sizes, machine::GUARD).check(result);
  }
  return result;
}

void launch_once(const Subject& subject) {
  with_launch(subject, [](const machine::Launch& launch) {
    check(cudaDeviceSynchronize());
    check(cudaProfilerStart());
    check(launch(nullptr));
    check(cudaDeviceSynchronize());
    check(cudaProfilerStop());
  });
}

}  // namespace runner
