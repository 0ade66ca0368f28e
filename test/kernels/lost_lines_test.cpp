// Rung 16 keeps FP32's accuracy for data that parts cannot hold: rows of A or columns of B with elements of every
// size, an infinity, a NaN, a few elements alone. FP64 computes such a line, and no other element may suffer. And rungs 14 to 16 keep
// it for products that cancel.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/choose/select.hpp"
#include "runner/verify/contract/trial.hpp"
#include "runner/verify/inputs.hpp"
#include "runner/verify/product_trial.hpp"
#include "test/kernels/every_rung.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;
using runner::contract_checks::DeviceFloats;
using runner::contract_checks::launch_and_wait;

constexpr float INFINITE = std::numeric_limits<float>::infinity();
constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr float BESIDE_C = -12345.0F;  // between the rows of C
constexpr double SAFE_SUM = 0x1p126;   // below this |A||B|, no sum of any of the terms overflows

struct Shape {
  int64_t M, N, K;
  int64_t pad =
      0;  // more floats from row to row, and before the first element: odd numbers take the scalar path
  float alpha = 1, beta = 0;
};

// A product of matrices that are kept on the host.
struct Elements {
  Shape shape;
  std::vector<float> A, B, C;

  explicit Elements(const Shape& s)
      : shape(s), A(size(s.M, lda())), B(size(s.K, ldb())), C(size(s.M, ldc()), BESIDE_C) {
    for (int64_t i = 0; i < s.M; ++i)
      for (int64_t k = 0; k < s.K; ++k) a(i, k) = normal(1, i * s.K + k);
    for (int64_t k = 0; k < s.K; ++k)
      for (int64_t j = 0; j < s.N; ++j) b(k, j) = normal(2, k * s.N + j);
    for (int64_t i = 0; i < s.M; ++i)
      for (int64_t j = 0; j < s.N; ++j)
        c(i, j) = s.beta == 0 ? NOT_A_NUMBER : normal(3, i * s.N + j);
  }

  int64_t lda() const { return shape.K + shape.pad; }
  int64_t ldb() const { return shape.N + shape.pad; }
  int64_t ldc() const { return shape.N + shape.pad; }
  float& a(int64_t row, int64_t k) { return A[at(row, lda(), k)]; }
  float& b(int64_t k, int64_t col) { return B[at(k, ldb(), col)]; }
  float& c(int64_t row, int64_t col) { return C[at(row, ldc(), col)]; }
  size_t at(int64_t row, int64_t ld, int64_t col) const {
    return static_cast<size_t>(shape.pad + row * ld + col);
  }

  // Returns a sum of four uniform numbers, which is nearly normal.
  static float normal(uint64_t seed, int64_t i) {
    const uint64_t random = runner::random_bits(seed, static_cast<uint64_t>(i));
    double sum = -2;
    for (int part = 0; part < 4; ++part)
      sum += static_cast<double>(random >> (16 * part) & 0xffff) / 0x1p16;
    return static_cast<float>(sum + static_cast<double>(random % 1021) * 0x1p-30);
  }
  static uint64_t random(uint64_t seed, int64_t line, int64_t k) {
    return runner::random_bits(seed ^ 0xABCD,
                               static_cast<uint64_t>(line) << 32 | static_cast<uint64_t>(k));
  }

 private:
  size_t size(int64_t rows, int64_t ld) const { return static_cast<size_t>(shape.pad + rows * ld); }
};

// --- the data -----------------------------------------------------------------------------------------------

// Calls change(element, line, k) for the elements of every `step`-th row of A, or column of B, from `first` on.
template <typename CHANGE>
void rows(Elements& e, int64_t first, int64_t step, const CHANGE& change) {
  for (int64_t i = first; i < e.shape.M; i += step)
    for (int64_t k = 0; k < e.shape.K; ++k) change(e.a(i, k), i, k);
}
template <typename CHANGE>
void cols(Elements& e, int64_t first, int64_t step, const CHANGE& change) {
  for (int64_t k = 0; k < e.shape.K; ++k)
    for (int64_t j = first; j < e.shape.N; j += step) change(e.b(k, j), j, k);
}

// An element of any size.
void any_size(float& x, int64_t line, int64_t k) {
  x = std::ldexp(x, static_cast<int>(Elements::random(5, line, k) % 121) - 60);
}
// Half of the elements are far below the others.
void halves(float& x, int64_t line, int64_t k) {
  if (Elements::random(6, line, k) % 2 == 0) x *= 0x1p-18F;
}
// Scales the whole line.
void scaled(float& x, int64_t line, int64_t) {
  x = std::ldexp(x, static_cast<int>(Elements::random(7, line, 0) % 91) - 45);
}
void zero(float& x, int64_t, int64_t) { x = 0; }
void subnormal(float& x, int64_t, int64_t) { x *= 0x1p-127F; }

// Three elements of a line are not zero, or `count` of them.
template <int COUNT>
void sparse(float& x, int64_t line, int64_t k, int64_t K) {
  for (int i = 0; i < COUNT; ++i)
    if (static_cast<int64_t>(Elements::random(8, line, i) % static_cast<uint64_t>(K)) == k) return;
  x = 0;
}
// The samples of a long line see none of these places.
bool is_hidden(int64_t k, int64_t K) { return K >= 512 ? k % (K / 32) > 8 : false; }
int64_t hidden_place(int64_t K) { return K >= 512 ? K / 32 + 9 : K - 1; }

// Makes terms cancel: the second half of K has the same rows of A, and the opposite of B. What is left is `rest` of it.
void cancel_halves(Elements& e, float rest) {
  const int64_t half = e.shape.K / 2;
  rows(e, 0, 1, [&](float& x, int64_t i, int64_t k) {
    if (k >= half) x = k < 2 * half ? e.a(i, k - half) : 0;
  });
  for (int64_t k = half; k < 2 * half; ++k)
    for (int64_t j = 0; j < e.shape.N; ++j) e.b(k, j) = rest * e.b(k, j) - e.b(k - half, j);
}
// Makes neighbours cancel in these rows of A, and columns of B alike.
void neighbours(Elements& e) {
  for (int64_t k = 0; k + 1 < e.shape.K; k += 2)
    for (int64_t j = 0; j < e.shape.N; ++j) e.b(k + 1, j) = e.b(k, j) * (1 + 0x1p-12F);
}
template <typename IS_MEANT>
void cancel_neighbours(Elements& e, const IS_MEANT& is_meant) {
  neighbours(e);
  for (int64_t i = 0; i < e.shape.M; ++i) {
    if (!is_meant(i)) continue;
    for (int64_t k = 0; k + 1 < e.shape.K; k += 2) e.a(i, k + 1) = -e.a(i, k);
    if (e.shape.K % 2 == 1) e.a(i, e.shape.K - 1) = 0;
  }
}

template <typename IS_MEANT>
void cancel_neighbours_of_columns(Elements& e, const IS_MEANT& is_meant) {
  for (int64_t i = 0; i < e.shape.M; ++i)
    for (int64_t k = 0; k + 1 < e.shape.K; k += 2) e.a(i, k + 1) = e.a(i, k) * (1 + 0x1p-12F);
  for (int64_t j = 0; j < e.shape.N; ++j) {
    if (!is_meant(j)) continue;
    for (int64_t k = 0; k + 1 < e.shape.K; k += 2) e.b(k + 1, j) = -e.b(k, j);
    if (e.shape.K % 2 == 1) e.b(e.shape.K - 1, j) = 0;
  }
}

// A line of every kind, so that all of them meet.
void every_kind(Elements& e) {
  const auto plant = [&](float& x, int64_t line, int64_t k) {
    const int64_t K = e.shape.K;
    switch (line % 11) {
      case 1:
        return any_size(x, line, k);
      case 2:
        return halves(x, line, k);
      case 3:
        return zero(x, line, k);
      case 4:
        return subnormal(x, line, k);
      case 5:
        return sparse<3>(x, line, k, K);
      case 6:
        x = k == hidden_place(K) ? 0x1p20F : x;
        return;
      case 7:
        x = k == K / 2 && line % 2 == 0 ? NOT_A_NUMBER : x;
        return;
      default:
        return scaled(x, line, k);
    }
  };
  rows(e, 0, 1, plant);
  cols(e, 0, 1, plant);
}

struct Case {
  const char* name;
  void (*plant)(Elements& e);
};

const Case CASES[] = {
    {"OrdinaryLines", [](Elements&) {}},
    {"LinesOfEveryKind", every_kind},
    {"ScaledLines", [](Elements& e) { rows(e, 0, 1, scaled), cols(e, 0, 1, scaled); }},
    {"RowsOfEverySize", [](Elements& e) { rows(e, 3, 7, any_size); }},
    {"ColumnsOfEverySize", [](Elements& e) { cols(e, 5, 9, any_size); }},
    {"BothOfEverySize", [](Elements& e) { rows(e, 0, 5, any_size), cols(e, 0, 6, any_size); }},
    {"AllOfEverySize", [](Elements& e) { rows(e, 0, 1, any_size), cols(e, 0, 1, any_size); }},
    {"RowsWithSmallHalves", [](Elements& e) { rows(e, 2, 3, halves); }},
    {"ColumnsWithSmallHalves", [](Elements& e) { cols(e, 2, 3, halves); }},
    {"HugeElementsInRows",
     [](Elements& e) {
       for (int64_t i = 1; i < e.shape.M; i += 4)
         e.a(i, hidden_place(e.shape.K)) = std::ldexp(1.3F, static_cast<int>(i % 30));
     }},
    {"HugeElementsInColumns",
     [](Elements& e) {
       for (int64_t j = 1; j < e.shape.N; j += 4)
         e.b(hidden_place(e.shape.K), j) = std::ldexp(1.3F, static_cast<int>(j % 30));
     }},
    {"SmallSamples",
     [](Elements& e) {
       rows(e, 0, 3,
            [&](float& x, int64_t, int64_t k) { x *= is_hidden(k, e.shape.K) ? 1 : 0x1p-12F; });
       cols(e, 0, 3,
            [&](float& x, int64_t, int64_t k) { x *= is_hidden(k, e.shape.K) ? 1 : 0x1p-12F; });
     }},
    {"LargeSamples",
     [](Elements& e) {
       rows(e, 0, 3,
            [&](float& x, int64_t, int64_t k) { x *= is_hidden(k, e.shape.K) ? 0x1p-12F : 1; });
       cols(e, 0, 3,
            [&](float& x, int64_t, int64_t k) { x *= is_hidden(k, e.shape.K) ? 0x1p-12F : 1; });
     }},
    {"NaNInARow", [](Elements& e) { e.a(e.shape.M / 2, e.shape.K / 2) = NOT_A_NUMBER; }},
    {"NaNInAColumn", [](Elements& e) { e.b(e.shape.K / 2, e.shape.N / 2) = NOT_A_NUMBER; }},
    {"InfinitiesInBoth",
     [](Elements& e) {
       e.a(0, 0) = INFINITE;
       e.a(e.shape.M - 1, e.shape.K - 1) = -INFINITE;
       e.b(e.shape.K - 1, 0) = INFINITE;
       e.b(0, e.shape.N - 1) = -INFINITE;
     }},
    {"NaNMeetsZeroLines",
     [](Elements& e) {
       rows(e, 1, 3, zero);
       cols(e, 1, 3, zero);
       e.a(0, 1) = NOT_A_NUMBER;
       e.b(1, 0) = INFINITE;
     }},
    {"ZeroLines", [](Elements& e) { rows(e, 0, 2, zero), cols(e, 1, 3, zero); }},
    {"ZeroesAlone", [](Elements& e) { rows(e, 0, 1, zero); }},
    {"SparseRows",
     [](Elements& e) {
       rows(e, 0, 2, [&](float& x, int64_t i, int64_t k) { sparse<3>(x, i, k, e.shape.K); });
     }},
    {"SparseColumns",
     [](Elements& e) {
       cols(e, 0, 2, [&](float& x, int64_t j, int64_t k) { sparse<3>(x, j, k, e.shape.K); });
     }},
    {"SparseLinesOfEverySize",
     [](Elements& e) {
       rows(e, 0, 1, [&](float& x, int64_t i, int64_t k) {
         sparse<30>(x, i, k, e.shape.K);
         if (Elements::random(9, i, k) % 5 == 0) x *= 0x1p-16F;
       });
       cols(e, 0, 1, [&](float& x, int64_t j, int64_t k) {
         sparse<30>(x, j, k, e.shape.K);
         if (Elements::random(10, j, k) % 5 == 0) x *= 0x1p-16F;
       });
     }},
    // The large elements of a row meet zeros in some columns, which only its few small elements reach.
    {"SmallElementsOfRowsAlone",
     [](Elements& e) {
       const int64_t K = e.shape.K;
       rows(e, 0, 1, [&](float& x, int64_t, int64_t k) {
         x *= k < K / 2 ? 1 : k >= K - 4 ? 0x1p-19F : 0;
       });
       cols(e, 0, 2, [&](float& x, int64_t, int64_t k) { x *= k < K / 2 ? 0 : 1; });
     }},
    {"SmallElementsOfColumnsAlone",
     [](Elements& e) {
       const int64_t K = e.shape.K;
       cols(e, 0, 1, [&](float& x, int64_t, int64_t k) {
         x *= k < K / 2 ? 1 : k >= K - 4 ? 0x1p-19F : 0;
       });
       rows(e, 0, 2, [&](float& x, int64_t, int64_t k) { x *= k < K / 2 ? 0 : 1; });
     }},
    {"ZerosAtTheSamples",
     [](Elements& e) {
       const int64_t K = e.shape.K;
       rows(e, 0, 1, [&](float& x, int64_t i, int64_t k) {
         x = is_hidden(k, K) ? std::ldexp(x, static_cast<int>(i % 5) * 11 - 22) : 0;
       });
       cols(e, 0, 2, [&](float& x, int64_t, int64_t k) { x = is_hidden(k, K) ? x * 0x1p18F : 0; });
     }},
    {"ZerosAtTheSamplesOfSome",
     [](Elements& e) {
       const int64_t K = e.shape.K;
       rows(e, 0, 1, [&](float& x, int64_t i, int64_t k) {
         const int exponent = static_cast<int>(i % 5) * 11 - 22;
         if (i % 8 != 0) x = is_hidden(k, K) ? std::ldexp(x, exponent) : 0;
       });
     }},
    {"SubnormalLines", [](Elements& e) { rows(e, 0, 4, subnormal), cols(e, 0, 5, subnormal); }},
    {"SubnormalRowsTimesLargeColumns",
     [](Elements& e) {
       rows(e, 0, 2, subnormal);
       cols(e, 0, 1, [](float& x, int64_t, int64_t) { x *= 0x1p100F; });
     }},
    {"ProductsThatUnderflow",
     [](Elements& e) {
       rows(e, 0, 2, [](float& x, int64_t, int64_t) { x *= 0x1p-70F; });
       cols(e, 0, 2, [](float& x, int64_t, int64_t) { x *= 0x1p-57F; });
     }},
};

const Case CANCELLING[] = {
    {"CancellingHalves", [](Elements& e) { cancel_halves(e, 0x1p-12F); }},
    {"CancellingHalvesAndZeroLines",
     [](Elements& e) { cancel_halves(e, 0x1p-12F), rows(e, 1, 3, zero), cols(e, 1, 3, zero); }},
    {"CancellingNeighbours",
     [](Elements& e) { cancel_neighbours(e, [](int64_t) { return true; }); }},
    // Rows that cancel beside rows that do not. Those that cancel are the large ones, so their errors are the errors of C.
    {"LargeRowsThatCancel",
     [](Elements& e) {
       cancel_neighbours(e, [](int64_t i) { return i % 3 == 0; });
       rows(e, 0, 3, [](float& x, int64_t, int64_t) { x *= 0x1p10F; });
     }},
    {"LargeColumnsThatCancel",
     [](Elements& e) {
       cancel_neighbours_of_columns(e, [](int64_t j) { return j % 5 == 0; });
       cols(e, 0, 5, [](float& x, int64_t, int64_t) { x *= 0x1p10F; });
     }},
    {"CancellingAndLost",
     [](Elements& e) {
       cancel_halves(e, 0x1p-12F);
       rows(e, 3, 7, any_size);
       cols(e, 3, 40, any_size);
     }},
};

const Shape SHAPES[] = {{70, 130, 61, 3, -0.5F, 1.5F}, {33, 65, 600, 0, 1, -2}};
// No rung divides this K, and rungs 14 and 15 do not leave all of it to FP64 either.
const Shape WHOLE_K = {70, 130, 200, 1, 1, 0};

// With 132 multiprocessors: tiles of 64 rows, of 64 with a K in many parts, of 128 and of 192.
const Shape LARGE_SHAPES[] = {{200, 130, 40, 1, 1, 1},
                              {64, 64, 4096, 0, 1, 1},
                              {4300, 256, 33, 3, 2, 1},
                              {1920, 1152, 36, 0, 1, 0}};

// --- the judgement ------------------------------------------------------------------------------------------

// Each element in FP64: its value, and |alpha| |A||B| + |beta| |C|.
struct Want {
  std::vector<double> value, magnitude;

  explicit Want(Elements& e) {
    const Shape& s = e.shape;
    value.resize(static_cast<size_t>(s.M * s.N));
    magnitude.resize(value.size());
    std::vector<double> sum(static_cast<size_t>(s.N)), size(sum.size());
    for (int64_t i = 0; i < s.M; ++i) {
      std::fill(sum.begin(), sum.end(), 0);
      std::fill(size.begin(), size.end(), 0);
      for (int64_t k = 0; k < s.K; ++k) {
        const double x = e.a(i, k);
        const float* const b = &e.b(k, 0);
        double* const to = sum.data();
        double* const size_to = size.data();
        for (int64_t j = 0; j < s.N; ++j) {
          const double product = x * b[j];
          to[j] += product;
          size_to[j] += std::fabs(product);
        }
      }
      for (int64_t j = 0; j < s.N; ++j) {
        const auto at = static_cast<size_t>(i * s.N + j);
        const double c = s.beta == 0 ? 0 : static_cast<double>(s.beta) * e.c(i, j);
        value[at] = s.alpha * sum[static_cast<size_t>(j)] + c;
        magnitude[at] = std::abs(s.alpha) * size[static_cast<size_t>(j)] + std::abs(c);
      }
    }
  }
};

// Returns the product of matrices on the device.
Sgemm sgemm_of(const Elements& e, const DeviceFloats& A, const DeviceFloats& B,
               const DeviceFloats& C) {
  const Shape& s = e.shape;
  return {.M = s.M,
          .N = s.N,
          .K = s.K,
          .alpha = s.alpha,
          .A = A.data() + s.pad,
          .lda = e.lda(),
          .B = B.data() + s.pad,
          .ldb = e.ldb(),
          .beta = s.beta,
          .C = C.data() + s.pad,
          .ldc = e.ldc()};
}

// Returns C as the rung computes it.
std::vector<float> product_of(const Rung& rung, const Elements& e) {
  const DeviceFloats A(e.A), B(e.B), C(e.C);
  EXPECT_EQ(launch_and_wait(rung, sgemm_of(e, A, B, C)), cudaSuccess);
  return C.read();
}

// Returns the errors of a result. An element of the wrong class, finite or not, fails the test.
results::Errors errors_of(const std::vector<float>& got, const Elements& e, const Want& want) {
  double errors = 0, values = 0, largest = 0;
  int complaints = 0;
  for (int64_t i = 0; i < e.shape.M; ++i) {
    for (int64_t j = 0; j < e.shape.N; ++j) {
      const auto at = static_cast<size_t>(i * e.shape.N + j);
      const double x = got[e.at(i, e.ldc(), j)], w = want.value[at];
      if (std::isfinite(w) && !(want.magnitude[at] < SAFE_SUM)) continue;
      const bool same_class = std::isnan(w)   ? std::isnan(x)
                              : std::isinf(w) ? x == w
                                              : std::isfinite(x);
      if (!same_class && ++complaints <= 3)
        ADD_FAILURE() << "C[" << i << "][" << j << "] is " << x << ", should be " << w;
      if (!same_class || !std::isfinite(w)) continue;
      errors += (x - w) * (x - w);
      values += w * w;
      largest = std::max(largest, std::abs(x - w) / std::max(want.magnitude[at], 0x1p-126));
    }
  }
  for (int64_t i = 0; i + 1 < e.shape.M; ++i) {
    for (int64_t j = e.shape.N; j < e.ldc(); ++j)
      EXPECT_EQ(got[e.at(i, e.ldc(), j)], BESIDE_C) << "wrote beside C, in row " << i;
  }
  results::Errors of{.largest = largest};
  if (values > 0) of.frobenius = std::sqrt(errors / values);
  return of;
}

// Judges what the rung computed.
void expect_accurate(const Rung& rung, Elements& e, const std::vector<float>& got) {
  const Want want(e);
  const results::Errors reference = errors_of(product_of(*ladder::all().front(), e), e, want);
  const results::Errors errors = errors_of(got, e, want);
  EXPECT_EQ(runner::excess_of(
                runner::errors_beside(reference, errors, rung.arithmetic, results::Data::normal)),
            "");
}
void expect_accurate(const Rung& rung, const Shape& shape, void (*plant)(Elements&)) {
  SCOPED_TRACE(testing::Message() << shape.M << "x" << shape.N << "x" << shape.K);
  Elements e(shape);
  plant(e);
  expect_accurate(rung, e, product_of(rung, e));
}

class LostLines : public testing::TestWithParam<std::tuple<const Rung*, Case>> {};

TEST_P(LostLines, AreAsAccurateAsFP32) {
  const auto& [rung, data] = GetParam();
  for (const Shape& shape : SHAPES) expect_accurate(*rung, shape, data.plant);
  expect_accurate(*rung, WHOLE_K, data.plant);
}

std::string name_of(const testing::TestParamInfo<std::tuple<const Rung*, Case>>& tested) {
  const auto& [rung, data] = tested.param;
  return std::string(data.name) + "_" + runner::label(*rung);
}
INSTANTIATE_TEST_SUITE_P(Ladder, LostLines,
                         testing::Combine(testing::Values(ladder::all()[16]),
                                          testing::ValuesIn(CASES)),
                         name_of);
// All three find sums that cancel by the same test (cancellation.cuh).
INSTANTIATE_TEST_SUITE_P(Cancelling, LostLines,
                         testing::Combine(testing::Values(ladder::all()[14], ladder::all()[15],
                                                          ladder::all()[16]),
                                          testing::ValuesIn(CANCELLING)),
                         name_of);

// Returns what rung 16 leaves to FP64 of a product of 100 x 90.
ladder::LeftToFP64 left_of(void (*plant)(Elements&), int64_t K = 128) {
  Elements e({100, 90, K});
  plant(e);
  const DeviceFloats A(e.A), B(e.B), C(e.C);
  const Sgemm sgemm{.M = 100,
                    .N = 90,
                    .K = K,
                    .alpha = 1,
                    .A = A.data(),
                    .lda = e.lda(),
                    .B = B.data(),
                    .ldb = e.ldb(),
                    .beta = 0,
                    .C = C.data(),
                    .ldc = e.ldc()};
  ladder::LeftToFP64 left;
  EXPECT_EQ(ladder::launch_and_tell(*ladder::all()[16], sgemm, nullptr, &left), cudaSuccess);
  EXPECT_EQ(ladder::launch_and_tell(*ladder::all()[12], sgemm, nullptr, &left),
            cudaErrorNotSupported);
  EXPECT_EQ(ladder::launch_and_tell(*ladder::all()[16], sgemm, nullptr, &left), cudaSuccess);
  return left;
}

TEST(LostLinesOfRung16, AreTold) {
  const auto good = left_of([](Elements&) {});
  EXPECT_EQ(good.rows + good.cols + good.bands + good.elements, 0);

  const auto one_of_each = left_of([](Elements& e) {
    e.a(7, 3) = NOT_A_NUMBER;
    e.b(5, 80) = INFINITE;
  });
  EXPECT_EQ(one_of_each.rows, 1);
  EXPECT_EQ(one_of_each.cols, 1);
  EXPECT_EQ(one_of_each.bands, 0);
  EXPECT_EQ(one_of_each.elements, 90 + 99);

  const auto cancelling = left_of([](Elements& e) { cancel_halves(e, 0x1p-12F); });
  EXPECT_EQ(cancelling.rows + cancelling.cols, 0);
  EXPECT_EQ(cancelling.bands, 7 * 2) << "all";
  EXPECT_EQ(cancelling.elements, 100 * 90) << "no more than C has";

  const auto short_sums = left_of([](Elements&) {}, 5);
  EXPECT_EQ(short_sums.rows + short_sums.cols + short_sums.bands, 0);
  EXPECT_EQ(short_sums.elements, 100 * 90) << "FP64 computes it as a whole";
}

// Computes products of one shape as a batch, and judges each. `shares_a`: all have the first one's A.
void expect_accurate_batch(std::vector<Elements> products, bool shares_a = false) {
  const Rung& rung = *ladder::all()[16];
  const auto all_of = [&](std::vector<float> Elements::* matrix) {
    std::vector<float> all;
    for (const Elements& e : products)
      all.insert(all.end(), (e.*matrix).begin(), (e.*matrix).end());
    return all;
  };
  Elements& first = products.front();
  if (shares_a)
    for (Elements& e : products) e.A = first.A;
  const DeviceFloats A(all_of(&Elements::A)), B(all_of(&Elements::B)), C(all_of(&Elements::C));
  ladder::Call call(sgemm_of(first, A, B, C));
  call.batch = std::ssize(products);
  call.stride_a = shares_a ? 0 : std::ssize(first.A);
  call.stride_b = std::ssize(first.B);
  call.stride_c = std::ssize(first.C);
  ASSERT_EQ(ladder::launch(rung, call, nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  const std::vector<float> got = C.read();
  for (size_t i = 0; i < products.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "product " << i);
    const auto begin = got.begin() + static_cast<int64_t>(i) * call.stride_c;
    expect_accurate(rung, products[i], {begin, begin + call.stride_c});
  }
}

// Each product has data of another kind, so one's lines must not be taken for another's.
TEST(LostLinesOfRung16, AreAsAccurateAsFP32InBatches) {
  std::vector<Elements> products;
  const auto add = [&products](const Case& data, const Shape& shape) {
    products.emplace_back(shape);
    data.plant(products.back());
  };
  for (size_t i = 0; i < std::size(CASES); i += 5) add(CASES[i], SHAPES[0]);
  for (const Case& data : {CANCELLING[0], CANCELLING[5]}) add(data, SHAPES[0]);
  expect_accurate_batch(products);

  products.clear();
  constexpr Shape IN_PARTS{64, 70, 1536, 0, 1, 1};  // K is divided among blocks
  for (const Case& data : {CANCELLING[0], CASES[0], CASES[3], CANCELLING[5]}) add(data, IN_PARTS);
  expect_accurate_batch(products);
}

TEST(LostLinesOfRung16, AreAsAccurateAsFP32InBatchesThatShareAMatrix) {
  std::vector<Elements> products(3, Elements(SHAPES[1]));
  rows(products[0], 3, 7, any_size);
  for (size_t i = 0; i < products.size(); ++i)
    cols(products[i], static_cast<int64_t>(i), 9, any_size);
  expect_accurate_batch(products, true);
}

TEST(LostLinesOfRung16, AreAsAccurateAsFP32InTilesOfEveryHeight) {
  const auto some_rows = [](Elements& e) { rows(e, 3, 1001, any_size); };
  for (const Shape& shape : LARGE_SHAPES) expect_accurate(*ladder::all()[16], shape, some_rows);
}

}  // namespace
