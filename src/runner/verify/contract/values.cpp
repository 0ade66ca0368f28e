// Values of alpha, beta and the elements: any float, also NaN. No value may be dropped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "runner/verify/contract/trial.hpp"

namespace runner::contract_checks {
namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Problem;

constexpr float INFINITE = std::numeric_limits<float>::infinity();
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();

std::string alpha_and_beta(const Rung& rung) {
  for (const Factors f : {Factors{2, 0}, {-0.5F, 1.5F}, {0, 2}, {0, 0}, {1, 1}, {1, -1}}) {
    for (const Problem& p : {dense({33, 65, 40}, f), padded({128, 64, 32}, f, 4, 4, 4)}) {
      if (auto found = complaint_of(rung, p); !found.empty()) return found;
    }
  }
  return "";
}

// Checks that a NaN in A or B does not reach C if alpha is 0.
std::string alpha_zero_reads_neither_factor(const Rung& rung) {
  GuardedMatrix nan(40, 40, 40, GUARDED);
  nan.poison();
  const Problem p = dense({33, 40, 40}, {0, 2});
  return complaint_of(rung, p, GUARDED, "A and B full of NaN", [&](Sgemm sgemm, Values) {
    sgemm.A = nan.data();
    sgemm.B = nan.data();
    return launch_and_wait(rung, sgemm);
  });
}

// Checks a product without steps: alpha has nothing to scale, even if it is a NaN.
std::string nothing_to_sum_times_anything(const Rung& rung) {
  const DeviceBuffer<float> c(1);
  for (const float alpha :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const auto& [beta, want] : {std::pair{2.0F, 6.0F}, {0.0F, 0.0F}}) {
      float value = 3;
      check(cudaMemcpy(c.data(), &value, sizeof value, cudaMemcpyHostToDevice));
      const Sgemm sgemm{.M = 1,
                        .N = 1,
                        .K = 0,
                        .alpha = alpha,
                        .A = nullptr,
                        .lda = 1,
                        .B = nullptr,
                        .ldb = 1,
                        .beta = beta,
                        .C = c.data(),
                        .ldc = 1};
      const std::string where =
          fmt::format("1x1x0, alpha {}, beta {}, no A and no B, C 3 before", alpha, beta);
      if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess) {
        return fmt::format("{} at {}", describe(error), where);
      }
      check(cudaMemcpy(&value, c.data(), sizeof value, cudaMemcpyDeviceToHost));
      if (!(value == want)) {
        return fmt::format("C[0][0] is {}, should be {} at {}", value, want, where);
      }
    }
  }
  return "";
}

// --- elements with values of our own --------------------------------------------------------------------

// A product of matrices that are kept on the host.
struct Elements {
  Shape shape;
  float alpha = 1, beta = 0;
  std::vector<float> A, B, C;

  float& a(int64_t row, int64_t k) { return A[static_cast<size_t>(row * shape.K + k)]; }
  float& b(int64_t k, int64_t col) { return B[static_cast<size_t>(k * shape.N + col)]; }
  float& c(int64_t row, int64_t col) { return C[static_cast<size_t>(row * shape.N + col)]; }
};

// Returns small integers, whose product FP32 forms exactly.
Elements small_integers(const Shape& s) {
  Elements e{.shape = s,
             .A = std::vector<float>(static_cast<size_t>(s.M * s.K)),
             .B = std::vector<float>(static_cast<size_t>(s.K * s.N)),
             .C = std::vector<float>(static_cast<size_t>(s.M * s.N))};
  const auto fill = [](std::vector<float>& values, uint64_t seed) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<int64_t>(random_bits(seed, i) % 7) - 3);
  };
  fill(e.A, 1);
  fill(e.B, 2);
  fill(e.C, 3);
  return e;
}

void scale(std::vector<float>& values, float factor) {
  for (float& value : values) value *= factor;
}

// Makes one element of each row of A `value` and the others 0, so an element of C is one product, rounded once.
void one_in_each_row(Elements& e, float value) {
  e.A.assign(e.A.size(), 0.0F);
  for (int64_t i = 0; i < e.shape.M; ++i) e.a(i, i * 5 % e.shape.K) = value;
}

// Returns the result in FP64, in which the values below neither overflow nor round.
std::vector<double> exact_result(Elements& e) {
  const auto [M, N, K] = e.shape;
  std::vector<double> want(e.C.size());
  std::vector<double> sums(static_cast<size_t>(N));
  for (int64_t i = 0; i < M; ++i) {
    std::ranges::fill(sums, 0.0);
    for (int64_t k = 0; k < K; ++k) {
      const double a = e.a(i, k);
      for (int64_t j = 0; j < N; ++j) sums[static_cast<size_t>(j)] += a * e.b(k, j);
    }
    for (int64_t j = 0; j < N; ++j) {
      double& w = want[static_cast<size_t>(i * N + j)];
      w = e.alpha * sums[static_cast<size_t>(j)];
      if (e.beta != 0) w += static_cast<double>(e.beta) * e.c(i, j);
    }
  }
  return want;
}

// True if `got` is `want` in FP32. Beyond FP32's range the conversion gives an infinity, as the product does.
bool is_same(double want, float got) {
  return std::isnan(want) ? std::isnan(got) : static_cast<float>(want) == got;
}

std::string complaint_of(const Rung& rung, Elements& e, const char* about) {
  const auto [M, N, K] = e.shape;
  const DeviceFloats A(e.A), B(e.B), C(e.C);
  const std::string where =
      fmt::format("{}x{}x{}, alpha {}, beta {}, {}", M, N, K, e.alpha, e.beta, about);
  const Sgemm sgemm{.M = M,
                    .N = N,
                    .K = K,
                    .alpha = e.alpha,
                    .A = A.data(),
                    .lda = K,
                    .B = B.data(),
                    .ldb = N,
                    .beta = e.beta,
                    .C = C.data(),
                    .ldc = N};
  if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess)
    return fmt::format("{} at {}", describe(error), where);
  const std::vector<float> got = C.read();
  const std::vector<double> want = exact_result(e);
  for (size_t i = 0; i < got.size(); ++i) {
    if (is_same(want[i], got[i])) continue;
    const auto at = static_cast<int64_t>(i);
    return fmt::format("C[{}][{}] is {:.9g}, should be {:.9g} at {}", at / N, at % N, got[i],
                       static_cast<float>(want[i]), where);
  }
  return "";
}

struct Case {
  const char* about;
  void (*plant)(Elements& e);
};

constexpr Shape PLANTED_SHAPES[] = {{132, 68, 36}, {33, 65, 40},  {3, 257, 300},
                                    {257, 3, 300}, {24, 40, 600}, {1, 1, 1}};

// True if the rung's arithmetic takes these inputs. Every arithmetic takes NaN and infinities.
bool is_in_range(const Elements& e, const ladder::Arithmetic& arithmetic) {
  const auto takes = [&](float x) {
    const float magnitude = std::abs(x);
    return x == 0 || !std::isfinite(x) ||
           (magnitude >= arithmetic.least_input && magnitude <= arithmetic.largest_input);
  };
  return std::ranges::all_of(e.A, takes) && std::ranges::all_of(e.B, takes);
}

std::string first_complaint(const Rung& rung, std::span<const Case> cases) {
  const WithoutHazards they_are_looked_for_elsewhere;
  for (const Shape& s : PLANTED_SHAPES) {
    const Elements plain = small_integers(s);
    for (const Case& planted : cases) {
      Elements e = plain;
      planted.plant(e);
      if (!is_in_range(e, rung.arithmetic)) continue;
      if (auto found = complaint_of(rung, e, planted.about); !found.empty()) return found;
    }
  }
  return "";
}

// Powers of two, with which each result stays exact.
constexpr Case FACTORS[] = {
    {"integers", [](Elements& e) { e.alpha = -1; }},
    {"integers", [](Elements& e) { e.alpha = -1, e.beta = 1; }},
    {"integers", [](Elements& e) { e.beta = -1; }},
    {"integers", [](Elements& e) { e.alpha = -1, e.beta = -1; }},
    {"integers", [](Elements& e) { e.alpha = -0.5F, e.beta = 0.25F; }},
    {"C of multiples of 2^24", [](Elements& e) { e.beta = 0x1p-24F, scale(e.C, 0x1p24F); }},
    {"C of multiples of 2^24", [](Elements& e) { e.beta = -0x1p-24F, scale(e.C, 0x1p24F); }},
    {"C of multiples of 2^100", [](Elements& e) { e.beta = 0x1p-100F, scale(e.C, 0x1p100F); }},
    {"A of multiples of 2^24", [](Elements& e) { e.alpha = 0x1p-24F, scale(e.A, 0x1p24F); }},
    {"A of multiples of 2^100", [](Elements& e) { e.alpha = -0x1p-100F, scale(e.A, 0x1p100F); }},
    {"C of multiples of 2^-100", [](Elements& e) { e.beta = 0x1p100F, scale(e.C, 0x1p-100F); }},
    {"integers", [](Elements& e) { e.alpha = NOT_A_NUMBER; }},
    {"integers", [](Elements& e) { e.alpha = INFINITE; }},
    {"integers", [](Elements& e) { e.beta = NOT_A_NUMBER; }},
    {"integers", [](Elements& e) { e.beta = -INFINITE; }},
};

std::string factors_of_every_kind(const Rung& rung) { return first_complaint(rung, FACTORS); }

// Makes every third row of A or column of B 0, to meet a NaN or an infinity: 0 times either is a NaN.
void zero_rows_of_a(Elements& e) {
  for (int64_t i = 0; i < e.shape.M; i += 3)
    for (int64_t k = 0; k < e.shape.K; ++k) e.a(i, k) = 0;
}
void zero_cols_of_b(Elements& e) {
  for (int64_t j = 0; j < e.shape.N; j += 3)
    for (int64_t k = 0; k < e.shape.K; ++k) e.b(k, j) = 0;
}
void plant_in_a(Elements& e, float value) {
  for (int64_t i = 0; i < e.shape.M; i += 2) e.a(i, i * 7 % e.shape.K) = value;
}
void plant_in_b(Elements& e, float value) {
  for (int64_t j = 0; j < e.shape.N; j += 2) e.b(j * 7 % e.shape.K, j) = value;
}
void plant_in_c(Elements& e, float value) {
  for (size_t i = 0; i < e.C.size(); i += 3) e.C[i] = value;
}

constexpr Case NO_NUMBERS[] = {
    {"a NaN in A", [](Elements& e) { plant_in_a(e, NOT_A_NUMBER); }},
    {"a NaN in A, zeros in B", [](Elements& e) { zero_cols_of_b(e), plant_in_a(e, NOT_A_NUMBER); }},
    {"a NaN in B", [](Elements& e) { plant_in_b(e, NOT_A_NUMBER); }},
    {"a NaN in B, zeros in A", [](Elements& e) { zero_rows_of_a(e), plant_in_b(e, NOT_A_NUMBER); }},
    {"an infinity in A", [](Elements& e) { plant_in_a(e, INFINITE); }},
    // A kernel that computes a tile anew must not blend its other elements with C twice.
    {"an infinity in A", [](Elements& e) { e.beta = 2, plant_in_a(e, INFINITE); }},
    {"an infinity in A, zeros in B",
     [](Elements& e) { zero_cols_of_b(e), plant_in_a(e, -INFINITE); }},
    {"an infinity in B", [](Elements& e) { plant_in_b(e, -INFINITE); }},
    {"an infinity in B, zeros in A",
     [](Elements& e) { zero_rows_of_a(e), plant_in_b(e, INFINITE); }},
    {"a NaN in C", [](Elements& e) { e.beta = 1, plant_in_c(e, NOT_A_NUMBER); }},
    {"an infinity in C", [](Elements& e) { e.beta = -1, plant_in_c(e, INFINITE); }},
    {"a NaN in C", [](Elements& e) { plant_in_c(e, NOT_A_NUMBER); }},
    {"an infinity in C", [](Elements& e) { plant_in_c(e, INFINITE); }},
};

std::string nan_and_infinity(const Rung& rung) { return first_complaint(rung, NO_NUMBERS); }

constexpr Case EXTREMES[] = {
    {"products of 2^200", [](Elements& e) { one_in_each_row(e, 0x1p100F), scale(e.B, 0x1p100F); }},
    {"products of -2^200",
     [](Elements& e) { one_in_each_row(e, -0x1p100F), scale(e.B, 0x1p100F); }},
    {"results of 2^127", [](Elements& e) { one_in_each_row(e, 0x1p63F), scale(e.B, 0x1p62F); }},
    {"subnormal products",
     [](Elements& e) { one_in_each_row(e, 0x1p-100F), scale(e.B, 0x1p-40F); }},
    {"subnormal A", [](Elements& e) { one_in_each_row(e, 0x1p-140F), scale(e.B, 0x1p60F); }},
    {"subnormal B", [](Elements& e) { one_in_each_row(e, 0x1p60F), scale(e.B, 0x1p-140F); }},
    {"subnormal C", [](Elements& e) { one_in_each_row(e, 0), e.beta = 1, scale(e.C, 0x1p-140F); }},
    {"subnormal beta * C",
     [](Elements& e) { one_in_each_row(e, 0), e.beta = 0x1p-40F, scale(e.C, 0x1p-100F); }},
    {"a subnormal alpha",
     [](Elements& e) { one_in_each_row(e, 0x1p60F), e.alpha = 0x1p-140F, scale(e.B, 0x1p40F); }},
    {"a subnormal result", [](Elements& e) { one_in_each_row(e, 1), e.alpha = 0x1p-140F; }},
    {"a subnormal beta",
     [](Elements& e) { one_in_each_row(e, 0), e.beta = 0x1p-140F, scale(e.C, 0x1p120F); }},
};

std::string large_and_small_values(const Rung& rung) { return first_complaint(rung, EXTREMES); }

constexpr ContractCheck CHECKS[] = {
    {"alpha and beta", alpha_and_beta},
    {"factors of every kind", factors_of_every_kind},
    {"NaN and infinity", nan_and_infinity},
    {"large and small values", large_and_small_values},
    {"alpha = 0 reads neither A nor B", alpha_zero_reads_neither_factor},
    {"nothing to sum, times anything", nothing_to_sum_times_anything},
};

}  // namespace

std::span<const ContractCheck> of_values() { return CHECKS; }

}  // namespace runner::contract_checks
