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

/// Returns the checks of one subject. contract() returns all of them, in this order.
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

// Guard bands on the simulator too, so that a stray access shows as it does on a GPU.
inline constexpr Layout GUARDED{.guard = 256};

/// Returns a problem whose rows follow each other without a gap.
results::Problem dense(const Shape& shape, Factors factors);
/// Returns the same with more floats from one row of A, B and C to the next: `a`, `b` and `c` more.
results::Problem padded(const Shape& shape, Factors factors, int64_t a, int64_t b, int64_t c);

/// Which of A and B are transposed.
struct Transposes {
  bool a = false, b = false;
};
/// Returns the problem with these transposes; its matrices are dense.
results::Problem transposed(results::Problem problem, const Transposes& which);
/// Returns no transposes, and if the rung takes transposes all others too.
std::vector<Transposes> forms_of(const ladder::Rung& rung);

/// Returns "33x65x40, lda 40, ldb 65, ldc 65, alpha 1, beta 0".
std::string describe(const results::Problem& problem);
/// Returns "A 4 bytes past a 256-byte boundary, B on a 256-byte boundary, C on a 256-byte boundary".
std::string describe_offsets(const results::Problem& problem);
using runner::describe;  // of a cudaError_t

/// True for the reference without a CUDA device: Eigen, which works on the host, waits, and takes the host's memory.
bool works_on_the_host(const ladder::Rung& rung);

/// Launches, waits, and returns the first error of both.
cudaError_t launch_and_wait(const ladder::Rung& rung, const ladder::Sgemm& sgemm,
                            cudaStream_t stream = nullptr);

/// Returns the verifier's complaint about `trial`, with the problem and the place of the matrices; empty if the result
/// is right.
std::string complaint_of(const ladder::Rung& rung, const results::Problem& problem, Layout layout,
                         const std::string& where, const Trial& trial);
/// Returns the complaint about the kernel itself. A launch that waits for the device is a complaint too.
std::string complaint_of(const ladder::Rung& rung, const results::Problem& problem,
                         Layout layout = GUARDED);
/// Returns the same with integers only and without a search for hazards: for many problems that differ little.
std::string exact_complaint_of(const ladder::Rung& rung, const results::Problem& problem);

/// While it lives, the machine does not look for hazards.
class WithoutHazards {
 public:
  WithoutHazards() { machine::look_for_hazards(false); }
  ~WithoutHazards() { machine::look_for_hazards(before_); }
  WithoutHazards(const WithoutHazards&) = delete;
  WithoutHazards& operator=(const WithoutHazards&) = delete;

 private:
  bool before_ = machine::looks_for_hazards();
};

/// Floats in device memory, copied from the host's memory and back.
class DeviceFloats {
 public:
  explicit DeviceFloats(std::span<const float> values);
  float* data() const { return buffer_.data(); }
  std::vector<float> read() const;

 private:
  DeviceBuffer<float> buffer_;
};

}  // namespace runner::contract_checks
