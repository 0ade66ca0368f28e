// Every rung keeps BLAS's contract: any shape, leading dimension, alignment, alpha and beta.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "kernels/ladder.hpp"
#include "runner/machine.hpp"
#include "runner/verify.hpp"
#include "test/kernels/every_rung.hpp"

namespace {

using ladder::Rung;
using ladder::Sgemm;
using runner::Layout;
using runner::Problem;
using runner::Values;

// The guard bands are asked for on the simulator too, so that a stray access shows as it does on a GPU.
constexpr Layout ALIGNED{.guard = 256, .offset = 0};
constexpr Layout UNALIGNED{.guard = 256, .offset = 1};

struct Shape {
  int64_t M, N, K;
};

// Tiny, ragged, skinny, and multiples of the tiles' sizes. None is square, so that swapped indices show.
constexpr Shape SHAPES[] = {
    {1, 1, 1},       {1, 1, 257},    {2, 3, 5},      {31, 33, 35},   {33, 31, 1},    {64, 32, 96},
    {65, 129, 33},   {1, 127, 65},   {127, 1, 65},   {3, 257, 4},    {257, 3, 130},  {128, 64, 8},
    {129, 130, 131}, {128, 256, 64}, {256, 128, 32}, {1, 1024, 64},  {1024, 1, 64},  {4, 300, 512},
    {16, 200, 16},   {200, 16, 300}, {64, 48, 1024}, {300, 270, 70}, {100, 100, 99},
};

struct Factors {
  float alpha, beta;
};
constexpr Factors FACTORS[] = {{2, 0}, {-0.5, 1.5}, {0, 2}, {0, 0}, {1, 1}, {1, -1}};

Problem dense(const Shape& s, Factors f) {
  Problem p = runner::dense_problem(s.M, s.N, s.K);
  p.alpha = f.alpha;
  p.beta = f.beta;
  p.seed = 7;
  return p;
}

Problem padded(const Shape& s, Factors f, int64_t a, int64_t b, int64_t c) {
  Problem p = dense(s, f);
  p.lda += a;
  p.ldb += b;
  p.ldc += c;
  return p;
}

class Contract : public testing::TestWithParam<const Rung*> {
 protected:
  void expect_right(const Problem& p, Layout layout) {
    const auto verdict = runner::Verifier(p, layout).check([&](const Sgemm& sgemm, Values) {
      const cudaError_t error = ladder::launch(*GetParam(), sgemm, nullptr);
      return error != cudaSuccess ? error : cudaDeviceSynchronize();
    });
    EXPECT_TRUE(verdict.correct) << verdict.complaint << "\n  at " << p.size() << " lda " << p.lda
                                 << " ldb " << p.ldb << " ldc " << p.ldc << " alpha " << p.alpha
                                 << " beta " << p.beta << " offset " << layout.offset;
  }
};

TEST_P(Contract, DenseShapes) {
  for (const Shape& s : SHAPES) expect_right(dense(s, {1, 0}), ALIGNED);
}

TEST_P(Contract, PaddedUnalignedShapesWithAlphaAndBeta) {
  for (const Shape& s : SHAPES) expect_right(padded(s, {-0.5, 1.5}, 3, 5, 7), UNALIGNED);
}

TEST_P(Contract, AlphaAndBeta) {
  for (const Factors f : FACTORS) {
    expect_right(dense({33, 65, 40}, f), ALIGNED);
    expect_right(padded({128, 64, 32}, f, 4, 4, 4), ALIGNED);
  }
}

// Each matrix alone off the vector paths' alignment, by its address or by its leading dimension.
TEST_P(Contract, EveryLeadingDimension) {
  for (const int64_t a : {0, 1, 4}) {
    for (const int64_t b : {0, 2, 8}) {
      for (const int64_t c : {0, 3, 4})
        expect_right(padded({132, 68, 36}, {1, 1}, a, b, c), ALIGNED);
    }
  }
}

TEST_P(Contract, EveryAlignment) {
  for (const int64_t offset : {1, 2, 3, 4, 8})
    expect_right(dense({128, 64, 32}, {1, 0}), {256, offset});
}

TEST_P(Contract, NothingToSum) {
  expect_right(dense({33, 65, 0}, {1, 0}), ALIGNED);
  expect_right(dense({33, 65, 0}, {1, 2.5}), ALIGNED);
}

TEST_P(Contract, NothingToCompute) {
  expect_right(dense({0, 65, 7}, {1, 0}), ALIGNED);
  expect_right(dense({33, 0, 7}, {1, 2}), ALIGNED);
  expect_right(dense({0, 0, 0}, {1, 0}), ALIGNED);
}

// alpha = 0 reads neither A nor B: a NaN in them must not reach C.
TEST_P(Contract, AlphaZeroReadsNeitherFactor) {
  runner::GuardedMatrix nan(40, 40, 40, ALIGNED);
  nan.poison();
  const Problem p = dense({33, 40, 40}, {0, 2});
  const auto verdict = runner::Verifier(p, ALIGNED).check([&](Sgemm sgemm, Values) {
    sgemm.A = nan.data();
    sgemm.B = nan.data();
    const cudaError_t error = ladder::launch(*GetParam(), sgemm, nullptr);
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
  });
  EXPECT_TRUE(verdict.correct) << verdict.complaint;
}

// Without a product alpha has nothing to scale, be it a NaN.
TEST_P(Contract, NothingToSumTimesAnything) {
  const runner::DeviceBuffer<float> c(1);
  for (const float alpha :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const auto& [beta, want] : {std::pair{2.0f, 6.0f}, {0.0f, 0.0f}}) {
      float value = 3;
      ASSERT_EQ(cudaMemcpy(c.data(), &value, sizeof value, cudaMemcpyHostToDevice), cudaSuccess);
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
      ASSERT_EQ(ladder::launch(*GetParam(), sgemm, nullptr), cudaSuccess);
      ASSERT_EQ(cudaMemcpy(&value, c.data(), sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
      EXPECT_EQ(value, want) << "alpha " << alpha << " beta " << beta;
    }
  }
}

// Vector accesses at an edge of a matrix that is also the end of its memory.
TEST_P(Contract, NothingBeyondTheEndOfMemory) {
  for (const Shape& s : {Shape{165, 18, 48}, {129, 2, 33}, {13, 255, 7}, {5, 6, 131}}) {
    Problem p = dense(s, {1, 1});
    const auto whole = [](int64_t ld) { return (ld + 3) / 4 * 4; };
    p.lda = whole(p.lda);
    p.ldb = whole(p.ldb);
    p.ldc = whole(p.ldc);
    expect_right(p, {0, 0});
  }
}

TEST_P(Contract, SameResultEveryTime) {
  const Problem p = dense({129, 130, 131}, {1, 0});
  runner::Verifier verifier(p, ALIGNED);
  std::vector<float> first;
  for (int run = 0; run < 3; ++run) {
    const Sgemm sgemm = verifier.prepare(Values::reals);
    ASSERT_EQ(ladder::launch(*GetParam(), sgemm, nullptr), cudaSuccess);
    std::vector<float> c(static_cast<size_t>(p.M * p.N));
    ASSERT_EQ(cudaMemcpy(c.data(), sgemm.C, c.size() * sizeof(float), cudaMemcpyDeviceToHost),
              cudaSuccess);
    if (run == 0) first = c;
    EXPECT_EQ(c, first);
  }
}

TEST_P(Contract, WorksOnAStreamOfItsOwn) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  const auto verdict =
      runner::Verifier(dense({70, 50, 30}, {1, 1}), ALIGNED).check([&](const Sgemm& s, Values) {
        const cudaError_t error = ladder::launch(*GetParam(), s, stream);
        return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
      });
  EXPECT_TRUE(verdict.correct) << verdict.complaint;
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// Rows so far apart that an index into A, B or C does not fit in 32 bits. A matrix takes 9 GB, which a
// device has and the host of a simulated one may not: these tests exist in the CUDA build alone.
class Beyond32Bits : public Contract {};

TEST_P(Beyond32Bits, EveryMatrix) {
  if (runner::machine::open().memory_bytes < 40'000'000'000) GTEST_SKIP() << "needs 40 GB";
  constexpr int64_t FAR = (int64_t{1} << 30) + 1;
  expect_right({.M = 3, .N = 40, .K = 40, .lda = FAR, .ldb = 48, .ldc = 48, .seed = 7}, ALIGNED);
  expect_right({.M = 40, .N = 40, .K = 3, .lda = 48, .ldb = FAR, .ldc = 48, .seed = 7}, ALIGNED);
  expect_right({.M = 3, .N = 40, .K = 40, .lda = 48, .ldb = 48, .ldc = FAR, .seed = 7}, ALIGNED);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Beyond32Bits);  // no rung in the simulator's build

INSTANTIATE_TEST_SUITE_P(Ladder, Contract, rungs_from(0), name_of);
INSTANTIATE_TEST_SUITE_P(Ladder, Beyond32Bits,
                         rungs_from(runner::machine::measures_time
                                        ? 0
                                        : static_cast<int>(ladder::all().size())),
                         name_of);

}  // namespace
