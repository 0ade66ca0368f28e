// The choice of `best`, as arithmetic and against recorded times. Its contract is tested with that of the rungs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "kernels/best/best.hpp"

namespace {

using ladder::choose_rung, ladder::Gpu, ladder::H200, ladder::ProductShape;

int chosen(const ProductShape& shape, int64_t batch = 1, const Gpu& gpu = H200) {
  return choose_rung(shape, batch, gpu).best().rung;
}

TEST(Best, TakesTensorCoresForLargeProductsOnly) {
  EXPECT_EQ(chosen({128, 128, 128}), 12);
  EXPECT_EQ(chosen({512, 512, 512}), 12);
  EXPECT_EQ(chosen({1024, 1024, 1024}), 16);
  EXPECT_EQ(chosen({4096, 4096, 4096}), 16);
  EXPECT_EQ(chosen({1, 16384, 16384}), 12);
}

TEST(Best, LeavesAShortKToRungTwelve) {
  EXPECT_EQ(chosen({8192, 8192, 31}), 12);
  EXPECT_EQ(choose_rung({8192, 8192, 31}, 1, H200).count, 1);
  EXPECT_EQ(choose_rung({8192, 8192, 32}, 1, H200).count, 2);
}

TEST(Best, TakesWgmmaWhereTheGpuHasIt) {
  for (const int capability : {80, 86, 89, 100, 120})
    EXPECT_EQ(chosen({4096, 4096, 4096}, 1, {capability, H200.device}), 12) << capability;
}

// The time that is expected of rung 12.
double stream_k_us(const ProductShape& shape) {
  return choose_rung(shape, 1, {.compute_capability = 80, .device = H200.device}).best().us;
}

TEST(Best, CountsTheCopiesOfTransposedMatrices) {
  const ProductShape as_it_lies{700, 700, 700};
  ProductShape transposed = as_it_lies;
  transposed.transposed_a = true;
  EXPECT_GT(stream_k_us(transposed), stream_k_us(as_it_lies) + 2);
  EXPECT_EQ(chosen(as_it_lies), 12);
  EXPECT_EQ(chosen(transposed), 16);  // which copies nothing
}

TEST(Best, CountsAccessesOfFourBytes) {
  ProductShape scalar{500, 500, 500};
  const double us = stream_k_us(scalar);
  scalar.aligned_c = false;
  EXPECT_GT(stream_k_us(scalar), us);
}

TEST(Best, KeepsSmallProductsOfABatchTogether) {
  EXPECT_EQ(chosen({128, 128, 128}, 64), 12);
  EXPECT_LT(choose_rung({128, 128, 128}, 64, H200).best().us,
            32 * choose_rung({128, 128, 128}, 1, H200).best().us);
  EXPECT_EQ(chosen({2048, 2048, 2048}, 4), 16);
  // Rung 16 launches them together, too.
  EXPECT_EQ(chosen({512, 512, 512}), 12);
  EXPECT_EQ(chosen({512, 512, 512}, 32), 16);
}

// The times of one shape: of the rungs, and of cuBLAS.
struct Times {
  double stream_k = 0, tensor_fp32 = 0;
};

// Returns the times of the shapes that a file of bench/shapes.py --times has of both rungs.
std::map<std::array<int64_t, 3>, Times> recorded_times() {
  std::ifstream file(SGEMM_SOURCE_DIR "/bench/baselines/nvidia-h200-shapes.csv");
  std::map<std::array<int64_t, 3>, Times> times;
  for (std::string line; std::getline(file, line);) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    std::string kernel;
    std::array<int64_t, 3> size{};
    double us = 0;
    if (!(words >> kernel >> size[0] >> size[1] >> size[2] >> us)) continue;
    if (kernel == "12_stream_k") times[size].stream_k = us;
    if (kernel == "16_tensor_fp32") times[size].tensor_fp32 = us;
  }
  std::erase_if(times, [](const auto& one) {
    return one.second.stream_k == 0 || one.second.tensor_fp32 == 0;
  });
  return times;
}

// The choice's time over that of the faster rung. The recorded times are facts, so this does not depend on the machine.
TEST(Best, LosesLittleAgainstRecordedTimes) {
  const auto times = recorded_times();
  ASSERT_GE(times.size(), 200);
  double log_regret = 0;
  for (const auto& [size, time] : times) {
    const auto [M, N, K] = size;
    const double taken =
        chosen(ladder::dense_shape(M, N, K)) == 16 ? time.tensor_fp32 : time.stream_k;
    log_regret += std::log(taken / std::min(time.stream_k, time.tensor_fp32));
  }
  EXPECT_LE(std::exp(log_regret / static_cast<double>(times.size())), 1.02);
}

}  // namespace
