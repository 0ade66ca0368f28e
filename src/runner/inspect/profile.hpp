// `profile`: compares a device's counters of a kernel with the simulated GPU's, and checks the promise against them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/values/run.hpp"
#include "runner/choose/workload.hpp"
#include "text/page.hpp"

namespace runner {

/// A claim checked against a device's counters, and the origin of the figure.
struct DeviceClaim {
  results::CheckedClaim claim{};
  std::string note{};  // the figure's origin, in a clause; empty for none
};

struct DeviceClaims {
  std::vector<DeviceClaim> checked{};
  std::vector<device::Claim> not_counted{};
};

/// Compares claims with a device's counts, which do not tell buffers apart. Claims on buffers' sectors (or lines) per
/// request become one claim on their sum, each weighted with the simulated GPU's requests of its buffer. Buffers
/// without a claim have the simulated GPU's counts. Without these counts such claims are not judged.
DeviceClaims check_on_device(const std::vector<device::Claim>& claims,
                             const results::Traffic& counted, const results::Traffic* simulated);

/// Profiles the workloads on this machine's device with the Nsight Compute at `ncu`, and checks their promises. `simulated` has
/// the counters of the simulated GPU. Results before a failure or Ctrl-C are in `done`.
void profile_all(const std::vector<Workload>& workloads, const std::string& ncu,
                 const results::Run& simulated, bool with_progress, results::Run& done);

/// Returns the workload's result in the run, or nullptr.
const results::Result* find_result(const results::Run& run, const Workload& workload);

/// Returns one workload's counters and claims: the device's counters beside the simulated GPU's, if these are known.
/// `where` describes the origin of the device's counters: "NVIDIA H200, recorded on 2026-11-21".
std::string profile_text(const Workload& workload, const results::Result& counted,
                         const results::Traffic* simulated, const std::string& where,
                         const text::Page& page);

}  // namespace runner
