#include "runner/trial/subject_trial.hpp"

#include <cuda_profiler_api.h>

#include "app/error.hpp"
#include "runner/trial/judge.hpp"
#include "runner/trial/kernel_file.hpp"
#include "runner/trial/lab_trial.hpp"
#include "runner/trial/provenance.hpp"
#include "runner/verify/product.hpp"
#include "runner/verify/verifier.hpp"

namespace runner {

Candidate candidate_of(const Subject& subject) {
  return subject.kernel_file.empty() ? candidate_of(*subject.rung) : stranger(*subject.rung);
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
