// Shared parts of the contract's checks: problems, their descriptions, and trials of a kernel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/ladder.hpp"
#include "results/values/problem.hpp"
#include "runner/machine/device_buffer.hpp"
#include "runner/machine/machine.hpp"
#include "runner/verify/contract/contract.hpp"
#include "runner/verify/verifier.hpp"

namespace runner::contract_checks {

/// The checks, by subject. contract() returns all of them, in this order.
std::span<const ContractCheck> of_shapes();
std::span<const ContractCheck> of_values();
std::span<const ContractCheck> of_accuracy();
std::span<const ContractCheck> of_order();
std::span<const ContractCheck> of_far_places();

struct Shape {
  int64_t M, N, K;
};

struct Factors {
  float alpha, beta;
};

// The guard bands are asked for on the simulator too, so that a stray access shows as it does on a GPU.
inline constexpr Layout GUARDED{.guard = 256};

/// A problem whose rows follow each other without a gap.
results::Problem dense(const Shape& shape, Factors factors);
/// The same with some more floats from one row of A, B and C to the next.
results::Problem padded(const Shape& shape, Factors factors, int64_t a, int64_t b, int64_t c);

/// "33x65x40, lda 40, ldb 65, ldc 65, alpha 1, beta 0"
std::string describe(const results::Problem& problem);
/// "A 4 bytes past a 256-byte boundary, B on a 256-byte boundary, C on a 256-byte boundary"
std::string describe_offsets(const results::Problem& problem);
using runner::describe;  // of a cudaError_t

/// True of the reference without a CUDA device: Eigen, which works on the host, waits, and takes the host's memory.
bool works_on_the_host(const ladder::Rung& rung);

/// Launches, waits, and returns the first error of both.
cudaError_t launch_and_wait(const ladder::Rung& rung, const ladder::Sgemm& sgemm,
                            cudaStream_t stream = nullptr);

/// The verifier's complaint about `trial`, with the problem and the place of the matrices; empty if the result is right.
std::string complaint_of(const ladder::Rung& rung, const results::Problem& problem, Layout layout,
                         const std::string& where, const Trial& trial);
/// The same of the kernel itself. That its launch waits for the device is a complaint too.
std::string complaint_of(const ladder::Rung& rung, const results::Problem& problem,
                         Layout layout = GUARDED);
/// The same with integers alone and without a look for hazards: for many problems that differ little.
std::string exact_complaint_of(const ladder::Rung& rung, const results::Problem& problem);

/// While it lives, hazards are not looked for.
class WithoutHazards {
 public:
  WithoutHazards() { machine::look_for_hazards(false); }
  ~WithoutHazards() { machine::look_for_hazards(before_); }
  WithoutHazards(const WithoutHazards&) = delete;
  WithoutHazards& operator=(const WithoutHazards&) = delete;

 private:
  bool before_ = machine::looks_for_hazards();
};

/// Floats in device memory, filled from the host's and read back.
class DeviceFloats {
 public:
  explicit DeviceFloats(std::span<const float> values);
  float* data() const { return buffer_.data(); }
  std::vector<float> read() const;

 private:
  DeviceBuffer<float> buffer_;
};

}  // namespace runner::contract_checks
