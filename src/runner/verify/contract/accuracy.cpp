// The contract on numbers of every kind: results are within the bound and errors within the rung's limits. A result
// that FP32 computes exactly is exact.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/values/data.hpp"
#include "runner/verify/contract/trial.hpp"
#include "runner/verify/inputs.hpp"
#include "runner/verify/product_trial.hpp"

namespace runner::contract_checks {
namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Data;
using results::Problem;

Trial trial_of(const Rung& rung) {
  return [&rung](const Sgemm& sgemm, Values) { return launch_and_wait(rung, sgemm); };
}

// Returns the complaint about a problem. Integers do not depend on the data, so only the first kind of data runs their
// pass.
std::string complaint_of(const Rung& rung, const Problem& p) {
  const std::vector<Values> passes = p.data == results::EVERY_DATA.front()
                                         ? std::vector{Values::reals, Values::integers}
                                         : std::vector{Values::reals};
  Verifier verifier(p, GUARDED, rung.arithmetic, MOST_COMPLETE_PRODUCTS, passes);
  const Verdict verdict = verifier.check(trial_of(rung));
  if (!verdict.correct) return verdict.complaint;
  if (!rung.arithmetic.limits) return "";
  const auto reference = verifier.errors_of(trial_of(*ladder::all().front()));
  return excess_of(errors_beside(reference, verdict.errors, rung.arithmetic, p.data));
}

// A short sum, sums longer than a tile, and one so long that errors pile up.
constexpr Shape SHAPES[] = {{33, 65, 16}, {33, 65, 40}, {64, 40, 300}, {9, 17, 3000}};

std::string numbers_of_every_kind(const Rung& rung) {
  const WithoutHazards they_are_looked_for_elsewhere;
  for (const Data data : results::EVERY_DATA) {
    for (const Shape& shape : SHAPES) {
      Problem p = dense(shape, {1, 0});
      p.data = data;
      if (const std::string found = complaint_of(rung, p); !found.empty())
        return fmt::format("{} at {}, {} data", found, describe(p), results::name_of(data));
    }
  }
  return "";
}

// Returns an integer of exactly this many bits. Its lowest bit is set.
float integer(int bits, uint64_t random) {
  const uint64_t magnitude = random % (uint64_t{1} << bits) | (uint64_t{1} << (bits - 1)) | 1;
  return static_cast<float>(magnitude) * (random >> 63 != 0 ? -1.0F : 1.0F);
}

struct Bits {
  int a, b;
};
constexpr Bits EXACT_PRODUCTS[] = {{24, 1},  {1, 24}, {23, 1}, {12, 12},
                                   {13, 11}, {12, 1}, {11, 11}};

// Multiplies matrices in which each row of A has one element that is not zero. So each element of C is one product, of
// at most 24 bits.
std::string inexact_product(const Rung& rung, size_t K, const Bits& bits) {
  constexpr size_t M = 40, N = 72;
  const auto place = [&](size_t row) { return row * 7 % K; };
  std::vector<float> a(M * K), b(K * N);
  for (size_t i = 0; i < M; ++i) a[i * K + place(i)] = integer(bits.a, random_bits(1, i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = integer(bits.b, random_bits(2, i));
  const DeviceFloats A(a), B(b), C(std::vector<float>(M * N));
  const auto k = static_cast<int64_t>(K);
  const Sgemm sgemm{.M = M,
                    .N = N,
                    .K = k,
                    .alpha = 1,
                    .A = A.data(),
                    .lda = k,
                    .B = B.data(),
                    .ldb = N,
                    .beta = 0,
                    .C = C.data(),
                    .ldc = N};
  const std::string where =
      fmt::format("{}x{}x{}, one product of {} by {} bits in each sum", M, N, K, bits.a, bits.b);
  if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess)
    return fmt::format("{} at {}", describe(error), where);
  const std::vector<float> got = C.read();
  for (size_t i = 0; i < M; ++i) {
    for (size_t j = 0; j < N; ++j) {
      const float want = a[i * K + place(i)] * b[place(i) * N + j], element = got[i * N + j];
      if (!(element == want))
        return fmt::format("C[{}][{}] is {:.9g}, should be {:.9g} at {}", i, j, element, want,
                           where);
    }
  }
  return "";
}

std::string exact_where_fp32_is(const Rung& rung) {
  if (rung.arithmetic.exact_bits < ladder::FP32.exact_bits) return "";
  const WithoutHazards they_are_looked_for_elsewhere;
  for (const size_t K : {size_t{20}, size_t{64}, size_t{200}}) {
    for (const Bits& bits : EXACT_PRODUCTS) {
      if (auto found = inexact_product(rung, K, bits); !found.empty()) return found;
    }
  }
  return "";
}

constexpr ContractCheck CHECKS[] = {
    {"numbers of every kind", numbers_of_every_kind},
    {"exact where FP32 is", exact_where_fp32_is},
};

}  // namespace

std::span<const ContractCheck> of_accuracy() { return CHECKS; }

}  // namespace runner::contract_checks
