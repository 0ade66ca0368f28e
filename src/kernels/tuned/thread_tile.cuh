// A thread's tile of sums in rungs 11 and 12. It lies in registers.
//
// Each of a multiprocessor's four schedulers issues one instruction a clock, and a multiply-add takes one clock if the
// register file delivers its three operands in time. It seems to deliver one a clock from each of two banks, the even
// and the odd registers (docs/tuning.md gives the measurements behind this). So
//
//   - Each multiply-add shares one operand with the previous one, which still holds it: the
//     multiply-adds go through the tile in a serpentine. Along a row a[i] stays; at a turn b[j] stays.
//   - The other two operands, b[j] and sum[i][j], must lie in different banks. b[j] comes from shared
//     memory, four at a time, into four registers side by side: it lies in bank j % 2. The compiler
//     chooses the registers of the sums, but four sums that are stored at once must lie side by side
//     too. So every store of sums swaps neighbours (swap_pairs), and sum[i][j] lies in bank (j + 1) % 2.
#pragma once

#include "kernels/tuned/tile.hpp"

namespace ladder {

/// sum += a * b, an outer product of TM and TN elements, in a serpentine.
template <int TM, int TN>
__device__ __forceinline__ void multiply_add(float (&sum)[TM][TN], const float (&a)[TM],
                                             const float (&b)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int step = 0; step < TN; ++step) {
      const int j = i % 2 == 0 ? step : TN - 1 - step;
      sum[i][j] += a[i] * b[j];
    }
  }
}

/// Returns four neighbours with the two of each pair swapped.
__device__ __forceinline__ float4 swap_pairs(const float* four) {
  return {four[1], four[0], four[3], four[2]};
}

/// Returns the place of an element of a row whose pairs swap_pairs() has swapped.
__device__ constexpr int swapped(int element) { return element ^ 1; }

/// Adds four neighbours that swap_pairs() has swapped to `four`.
__device__ __forceinline__ void add_swapped(float* four, float4 swapped) {
  four[0] += swapped.y;
  four[1] += swapped.x;
  four[2] += swapped.w;
  four[3] += swapped.z;
}

/// Makes long sums out of short ones, so that they round less.
///
/// A chain of K additions rounds K times, each time in proportion to the sum so far: on random data the error grows
/// like K. A chain that is cut into pieces of n, each of which begins at zero, has the error of n + K / n additions.
///
/// The totals of the pieces lie in shared memory, since the registers are full. Each total is accessed only once in a
/// few hundred steps along K.
template <Tile T>
class SumOfChains {
 public:
  /// `shared`: T.threads() * T.TM * T.TN floats on an 8-byte boundary; each thread uses its own part. `depth` is the
  /// number of products that a thread adds to each sum. A chain of at most WORTH_A_CUT products is not cut.
  __device__ SumOfChains(float* shared, int64_t depth)
      : totals_(reinterpret_cast<float2*>(shared) + threadIdx.x),
        steps_(T.chain == 0 || depth <= WORTH_A_CUT ? INT32_MAX : T.chain / (T.BK / T.slices)) {}

  /// The number of tiles along K in a chain.
  __device__ int steps() const { return steps_; }

  /// Adds `sum` to the total and sets it to zero.
  __device__ __forceinline__ void take(float (&sum)[T.TM][T.TN]) {
    give(sum);
    for_each_pair(sum, [](float2* total, float& first, float& second) {
      *total = {second, first};
      first = second = 0.0f;
    });
    empty_ = false;
  }

  /// Adds the total to `sum`.
  __device__ __forceinline__ void give(float (&sum)[T.TM][T.TN]) const {
    if (empty_) return;
    for_each_pair(sum, [](const float2* total, float& first, float& second) {
      first += total->y;
      second += total->x;
    });
  }

 private:
  static constexpr int WORTH_A_CUT = 512;

  /// Calls visit(total, first, second) for each pair of neighbours; never if the variant cuts no chains.
  template <typename Visit>
  __device__ __forceinline__ void for_each_pair(float (&sum)[T.TM][T.TN],
                                                const Visit& visit) const {
    if constexpr (T.chain > 0) {
#pragma unroll
      for (int i = 0; i < T.TM; ++i) {
#pragma unroll
        for (int j = 0; j < T.TN; j += 2) {
          visit(totals_ + (i * T.TN + j) / 2 * T.threads(), sum[i][j], sum[i][j + 1]);
        }
      }
    }
  }

  float2* totals_;
  int steps_;
  bool empty_ = true;
};

}  // namespace ladder
