#include "runner/trial/launch_once.hpp"

#include <cuda_profiler_api.h>

#include "results/values/date.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/trial/kernel_file.hpp"
#include "runner/trial/provenance.hpp"

namespace runner {

void load(Workload& workload) {
  if (workload.kernel_file.empty()) return;
  const std::string source_file = workload.source_file;
  workload = strangers_product(load_kernel_file(workload.kernel_file), *workload.problem);
  workload.source_file = source_file;
  workload.held_to_contract = nullptr;  // only a look at it, not a full judgement
}

void with_launch(const Workload& workload, const std::function<void(const machine::Launch&)>& use) {
  Matrices matrices;
  use(workload.lay_out(matrices)->launch());
}

results::Result verified(const Workload& workload) {
  results::Result result = workload.result();
  result.date = results::utc_now();
  Matrices matrices;
  workload.lay_out(matrices)->check(result);
  return result;
}

void launch_once(const Workload& workload) {
  with_launch(workload, [](const machine::Launch& launch) {
    check(cudaDeviceSynchronize());
    check(cudaProfilerStart());
    check(launch(nullptr));
    check(cudaDeviceSynchronize());
    check(cudaProfilerStop());
  });
}

}  // namespace runner
