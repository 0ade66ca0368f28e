// ladder::launch refuses senseless arguments, and the list is in order.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernels/ladder.hpp"
#include "promise/can_be_broken.hpp"
#include "runner/machine/device_buffer.hpp"

namespace {

using ladder::Sgemm;

class LaunchRules : public testing::Test {
 protected:
  LaunchRules() {
    EXPECT_EQ(cudaMemset(memory_.data(), 0, static_cast<size_t>(memory_.size()) * sizeof(float)),
              cudaSuccess);
  }

  runner::DeviceBuffer<float> memory_{64};
  const ladder::Rung& rung_ = *ladder::all().back();

  Sgemm sound() const {
    return {.M = 4,
            .N = 4,
            .K = 4,
            .alpha = 1,
            .A = memory_.data(),
            .lda = 4,
            .B = memory_.data() + 16,
            .ldb = 4,
            .beta = 0,
            .C = memory_.data() + 32,
            .ldc = 4};
  }
  cudaError_t launch_with(void (*change)(Sgemm&)) const {
    Sgemm p = sound();
    change(p);
    return ladder::launch(rung_, p, nullptr);
  }
};

TEST_F(LaunchRules, TakesASoundProblem) {
  EXPECT_EQ(ladder::launch(rung_, sound(), nullptr), cudaSuccess);
}

TEST_F(LaunchRules, RefusesNegativeSizes) {
  EXPECT_EQ(launch_with([](Sgemm& p) { p.M = -1; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.N = -1; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.K = -1; }), cudaErrorInvalidValue);
}

TEST_F(LaunchRules, RefusesLeadingDimensionsShorterThanARow) {
  EXPECT_EQ(launch_with([](Sgemm& p) { p.lda = 3; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.ldb = 3; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.ldc = 3; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.K = 0, p.lda = 0; }), cudaErrorInvalidValue);
}

TEST_F(LaunchRules, RefusesNullWhereAMatrixIsNeeded) {
  EXPECT_EQ(launch_with([](Sgemm& p) { p.A = nullptr; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.B = nullptr; }), cudaErrorInvalidValue);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.C = nullptr; }), cudaErrorInvalidValue);
}

TEST_F(LaunchRules, TakesNullWhereNoMatrixIsNeeded) {
  EXPECT_EQ(launch_with([](Sgemm& p) { p.alpha = 0, p.A = nullptr, p.B = nullptr; }), cudaSuccess);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.K = 0, p.A = nullptr, p.B = nullptr; }), cudaSuccess);
  EXPECT_EQ(launch_with([](Sgemm& p) { p.M = 0, p.A = nullptr, p.C = nullptr; }), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(LaunchRules, KnowsTheRowsOfTransposedMatrices) {
  const ladder::Rung& reference = *ladder::all().front();
  ASSERT_TRUE(reference.takes_transposes);
  const auto launched = [&](int64_t lda, int64_t ldb) {
    Sgemm p = sound();
    p.M = 3, p.N = 4, p.K = 2;
    p.op_a = p.op_b = ladder::Op::transpose;  // A has 2 rows of 3, B 4 rows of 2
    p.lda = lda;
    p.ldb = ldb;
    return ladder::launch(reference, p, nullptr);
  };
  EXPECT_EQ(launched(3, 2), cudaSuccess);
  EXPECT_EQ(launched(2, 2), cudaErrorInvalidValue);
  EXPECT_EQ(launched(3, 1), cudaErrorInvalidValue);
}

// ---- Calls: some are lowered to products, some are refused.

TEST_F(LaunchRules, RunsEachProductOfABatch) {
  constexpr int BATCH = 3, SIZE = 4;
  runner::DeviceBuffer<float> matrices(4 * 2 * SIZE * SIZE * BATCH);
  std::vector<float> host(static_cast<size_t>(matrices.size()), -1.0f);
  constexpr int64_t STRIDE_B = SIZE * SIZE + 5, STRIDE_C = SIZE * SIZE + 3;
  float* const A = matrices.data();  // one for all: the unit matrix
  float* const B = A + SIZE * SIZE;
  float* const C = B + BATCH * STRIDE_B;
  for (int i = 0; i < SIZE * SIZE; ++i) host[static_cast<size_t>(i)] = i % (SIZE + 1) == 0;
  for (int i = 0; i < BATCH * STRIDE_B; ++i)
    host[static_cast<size_t>(SIZE * SIZE + i)] = static_cast<float>(i);
  runner::check(cudaMemcpy(A, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice));
  ladder::Call call({.M = SIZE,
                     .N = SIZE,
                     .K = SIZE,
                     .alpha = 1,
                     .A = A,
                     .lda = SIZE,
                     .B = B,
                     .ldb = SIZE,
                     .beta = 0,
                     .C = C,
                     .ldc = SIZE});
  call.batch = BATCH;
  call.stride_b = STRIDE_B;
  call.stride_c = STRIDE_C;
  ASSERT_EQ(ladder::launch(rung_, call, nullptr), cudaSuccess);
  std::vector<float> found(BATCH * STRIDE_C);
  runner::check(cudaMemcpy(found.data(), C, found.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (int64_t i = 0; i < BATCH * STRIDE_C; ++i) {
    const int64_t at = i % STRIDE_C, product = i / STRIDE_C;
    const bool is_of_a_product = at < SIZE * SIZE;
    EXPECT_EQ(found[static_cast<size_t>(i)],
              is_of_a_product ? static_cast<float>(product * STRIDE_B + at) : -1.0f)
        << i;
  }
}

TEST_F(LaunchRules, RefusesACallThatNoProductIs) {
  using ladder::Call;
  const auto launched = [&](void (*change)(Call&)) {
    Call call(sound());
    call.batch = 2;
    call.stride_c = 16;
    change(call);
    const ladder::Rung& takes_no_transposes = *ladder::all()[2];
    return ladder::launch(takes_no_transposes, call, nullptr);
  };
  EXPECT_EQ(launched([](Call&) {}), cudaSuccess);
  EXPECT_EQ(launched([](Call& c) { c.product.op_a = ladder::Op::transpose; }),
            cudaErrorNotSupported);
  EXPECT_EQ(launched([](Call& c) { c.product.op_b = ladder::Op::transpose; }),
            cudaErrorNotSupported);
  EXPECT_EQ(launched([](Call& c) { c.batch = -1; }), cudaErrorInvalidValue);
  EXPECT_EQ(launched([](Call& c) { c.stride_a = -16; }), cudaErrorInvalidValue);
  EXPECT_EQ(launched([](Call& c) { c.stride_b = -16; }), cudaErrorInvalidValue);
  EXPECT_EQ(launched([](Call& c) { c.stride_c = -16; }), cudaErrorInvalidValue);
  EXPECT_EQ(launched([](Call& c) { c.stride_c = 15; }), cudaErrorInvalidValue) << "they overlap";
  EXPECT_EQ(launched([](Call& c) { c.batch = 1, c.stride_c = 0; }), cudaSuccess);
  EXPECT_EQ(launched([](Call& c) { c.batch = 0, c.product.C = nullptr; }), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST(Grid, RefusesMoreTilesThanADeviceTakes) {
  EXPECT_EQ(ladder::grid_of(2147483647).x, 2147483647u);
  EXPECT_EQ(ladder::grid_of(2147483648).x,
            0u);  // an empty grid: the launch fails, nothing is left out
}

TEST(List, IsInOrderAndComplete) {
  int expected = 0;
  for (const ladder::Rung* rung : ladder::all()) {
    EXPECT_EQ(rung->number, expected++);
    EXPECT_GT(std::strlen(rung->name), 0u);
    EXPECT_GT(std::strlen(rung->idea), 0u);
    EXPECT_NE(rung->launch, nullptr);
  }
}

// A rung without a promise does not say its purpose. Nor does a rung whose claims hold for any kernel.
TEST(List, EveryKernelMakesAPromise) {
  for (const ladder::Rung* rung : ladder::all().subspan(1)) {
    EXPECT_FALSE(rung->promise.empty()) << rung->name;
    EXPECT_GT(rung->promise.whole_tiles, 0) << rung->name;
    for (const ladder::Claim& claim : rung->promise) {
      EXPECT_TRUE(ladder::can_be_broken(claim)) << rung->name << ": " << claim.counter;
    }
  }
}

}  // namespace
