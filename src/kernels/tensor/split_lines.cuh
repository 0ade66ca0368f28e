// The first steps of a product by parts: A and B are split into FP16 parts, and facts about each row of A and each column of B
// are collected.
//
// A line is scaled before it is split (line_facts.cuh). Its largest element would be known only after a pass over all of A and B.
// So split_kernel() guesses the scale from 32 places of the line, reads A and B once, and finds the largest element on the way.
// judge_kernel() then splits the few lines anew whose largest element is too large for the guess. In most products there are none.
//
// Where a part lies in memory differs by rung, so the kernels leave that to the rung's struct, here called PARTS:
//
//     lines                              what is known about the lines
//     height, depth, width               how many rows of A, steps of k and columns of B have parts: no fewer than the matrices
//                                        have. Elements outside the matrices are split too, as zeros. Depth and width are even.
//     split_a(x, scale, row, k)          splits two neighbours of a row of A, writes their parts, and returns the scaled values
//     split_b(x, scale, k, col)          the same for two neighbours of a row of B; `scale` has two values
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/line_facts.cuh"
#include "kernels/tuned/launch_after.cuh"

namespace ladder {

/// What is known about the M rows of A and then the N columns of B. The three arrays lie one behind the other.
struct Lines {
  LineFacts* facts;
  unsigned long long* energies;  // the sums of the scaled squares
  int* exponents;                // line i is scaled by 2^exponents[i]

  __device__ Line line(int64_t i) const { return line_of(facts[i], energies[i], exponents[i]); }
};

// A block of split_kernel() works on a piece of A or of B. Each warp reads 64 neighbours of a row at a time, two a lane.
constexpr int A_PIECE_ROWS = 8, A_PIECE_DEPTH = 512;
constexpr int B_PIECE_DEPTH = 128, B_PIECE_COLS = 64;
constexpr int SPLIT_WARPS = 8;
constexpr int SAMPLES = 32;  // places of a line

__device__ inline unsigned largest_of_warp(unsigned magnitude) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2)
    magnitude = max(magnitude, __shfl_xor_sync(~0u, magnitude, distance));
  return magnitude;
}

/// Sums over the block for each of its 64 columns, two a lane. Warps 0 and 1 return the sum of column 2 lane + warp.
__device__ inline float sum_of_column(float2 mine) {
  __shared__ float of_warp[SPLIT_WARPS][2][32];  // the even columns first, then the odd ones
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  of_warp[warp][0][lane] = mine.x;
  of_warp[warp][1][lane] = mine.y;
  __syncthreads();  // all warps have written their sums
  float sum = 0;
  if (warp < 2) {
#pragma unroll
    for (const auto& of_one : of_warp) sum += of_one[warp][lane];
  }
  return sum;
}

/// Splits a warp's part of a row of A, up to A_PIECE_DEPTH elements from `first_k` on. Adds the facts to `facts`, and returns the sum of
/// the scaled squares. Both are the lane's own. VECTOR: A, B and C are aligned to 8 bytes.
template <bool VECTOR, typename PARTS>
__device__ __forceinline__ float split_row(const Sgemm& p, const PARTS& parts, int64_t row,
                                           int64_t first_k, int exponent, LineFacts* facts) {
  const float scale = row < p.M ? power_of_two(exponent) : 0;
  const int64_t mine = first_k + threadIdx.x % 32 * 2;
  float2 x[A_PIECE_DEPTH / 64];  // all loads first, so that none waits for another
#pragma unroll
  for (int i = 0; i < A_PIECE_DEPTH / 64; ++i) {
    const int64_t k = mine + 64 * i;
    x[i] = load2<VECTOR>(&p.A[row * p.lda + k], row < p.M ? part_inside(p.K - k, 2) : 0);
  }
  float energy = 0;
#pragma unroll
  for (int i = 0; i < A_PIECE_DEPTH / 64; ++i) {
    if (mine + 64 * i >= parts.depth) break;
    facts->add(x[i].x);
    facts->add(x[i].y);
    const float2 scaled = parts.split_a(x[i], scale, row, mine + 64 * i);
    energy += scaled.x * scaled.x + scaled.y * scaled.y;
  }
  return energy;
}

/// Splits a block's part of 64 columns of B, up to B_PIECE_DEPTH rows from `first_k` on. Otherwise like split_row(), for the lane's two
/// columns from `col` on.
template <bool VECTOR, typename PARTS>
__device__ __forceinline__ float2 split_columns(const Sgemm& p, const PARTS& parts, int64_t first_k,
                                                int64_t col, float2 scale, LineFacts (&facts)[2]) {
  const int count = part_inside(p.N - col, 2);
  float2 energy{};
  if (col >= parts.width) return energy;
  const int64_t mine = first_k + threadIdx.x / 32;
  float2 x[B_PIECE_DEPTH / SPLIT_WARPS];
#pragma unroll
  for (int i = 0; i < B_PIECE_DEPTH / SPLIT_WARPS; ++i) {
    const int64_t k = mine + SPLIT_WARPS * i;
    x[i] = load2<VECTOR>(&p.B[k * p.ldb + col], k < p.K ? count : 0);
  }
#pragma unroll
  for (int i = 0; i < B_PIECE_DEPTH / SPLIT_WARPS; ++i) {
    const int64_t k = mine + SPLIT_WARPS * i;
    if (k >= parts.depth) break;
    facts[0].add(x[i].x);
    facts[1].add(x[i].y);
    const float2 scaled = parts.split_b(x[i], scale, k, col);
    energy.x += scaled.x * scaled.x;
    energy.y += scaled.y * scaled.y;
  }
  return energy;
}

/// Splits A and B by guessed scales, and collects the facts on each row of A and each column of B. The first `pieces_a` blocks
/// work on A. VECTOR as above.
template <bool VECTOR, typename PARTS>
static __global__ void __launch_bounds__(SPLIT_WARPS * 32)
    split_kernel(const Sgemm p, const PARTS parts, const int64_t pieces_a) {
  wait_for_previous_kernel();
  const Lines& lines = parts.lines;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (blockIdx.x < pieces_a) {
    const int64_t pieces_k = ceil_div(p.K, A_PIECE_DEPTH);
    const int64_t row = blockIdx.x / pieces_k * A_PIECE_ROWS + warp;
    const int64_t first_k = blockIdx.x % pieces_k * A_PIECE_DEPTH;
    if (row >= parts.height) return;
    const int64_t k = lane * p.K / SAMPLES & ~int64_t{1};
    const float2 x = load2<VECTOR>(&p.A[row * p.lda + k], row < p.M ? part_inside(p.K - k, 2) : 0);
    const unsigned sample = max(LineFacts::magnitude_of(x.x), LineFacts::magnitude_of(x.y));
    const int exponent = LineFacts::guess_exponent(largest_of_warp(sample));
    LineFacts facts{};
    float energy = split_row<VECTOR>(p, parts, row, first_k, exponent, &facts);
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      energy += __shfl_xor_sync(~0u, energy, distance);
      facts.add_lane(distance);
    }
    if (lane > 0 || row >= p.M) return;
    lines.facts[row].add_atomically(facts);
    atomicAdd(&lines.energies[row], static_cast<unsigned long long>(energy));
    if (first_k == 0) lines.exponents[row] = exponent;
    return;
  }

  // The even columns first, then the odd ones: neighbouring lanes meet neighbouring banks.
  __shared__ unsigned samples[2][32];
  __shared__ LineFacts of_block[2][32];
  if (warp < 2) {
    samples[warp][lane] = 0;
    of_block[warp][lane] = {};
  }
  __syncthreads();  // nobody may add to them before they are empty

  const int64_t pieces_n = ceil_div(p.N, B_PIECE_COLS);
  const int64_t first_k = (blockIdx.x - pieces_a) / pieces_n * B_PIECE_DEPTH;
  const int64_t col = (blockIdx.x - pieces_a) % pieces_n * B_PIECE_COLS + 2 * lane;
  const int count = part_inside(p.N - col, 2);
  unsigned largest[2] = {};
#pragma unroll
  for (int i = warp; i < SAMPLES; i += SPLIT_WARPS) {
    const float2 x = load2<VECTOR>(&p.B[i * p.K / SAMPLES * p.ldb + col], count);
    largest[0] = max(largest[0], LineFacts::magnitude_of(x.x));
    largest[1] = max(largest[1], LineFacts::magnitude_of(x.y));
  }
  atomicMax(&samples[0][lane], largest[0]);
  atomicMax(&samples[1][lane], largest[1]);
  __syncthreads();  // all warps have added their samples
  const int exponents[2] = {LineFacts::guess_exponent(samples[0][lane]),
                            LineFacts::guess_exponent(samples[1][lane])};
  const float2 scale = {count > 0 ? power_of_two(exponents[0]) : 0,
                        count > 1 ? power_of_two(exponents[1]) : 0};
  LineFacts facts[2] = {};
  const float2 energy = split_columns<VECTOR>(p, parts, first_k, col, scale, facts);
  of_block[0][lane].add_atomically(facts[0]);
  of_block[1][lane].add_atomically(facts[1]);
  const float sum = sum_of_column(energy);  // with a barrier: all warps have added their facts
  if (warp >= 2 || col + warp >= p.N) return;
  const int64_t mine = p.M + col + warp;
  lines.facts[mine].add_atomically(of_block[warp][lane]);
  atomicAdd(&lines.energies[mine], static_cast<unsigned long long>(sum));
  if (first_k == 0) lines.exponents[mine] = warp == 0 ? exponents[0] : exponents[1];
}

/// Splits the lines anew for which the guessed scale is too large. A block looks at 8 rows of A, a warp for each, or at 64 columns
/// of B, which it splits anew together.
template <bool VECTOR, typename PARTS>
static __global__ void __launch_bounds__(SPLIT_WARPS * 32)
    judge_kernel(const Sgemm p, const PARTS parts, const int64_t groups_a) {
  wait_for_previous_kernel();
  const Lines& lines = parts.lines;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (blockIdx.x < groups_a) {
    const int64_t row = int64_t{blockIdx.x} * SPLIT_WARPS + warp;
    if (row >= p.M) return;
    const int exponent = lines.facts[row].exponent();
    if (lines.exponents[row] <= exponent) return;
    LineFacts known{};
    float energy = 0;
    unsigned long long total = 0;
    for (int64_t k = 0; k < parts.depth; k += A_PIECE_DEPTH) {
      energy = split_row<VECTOR>(p, parts, row, k, exponent, &known);
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2)
        energy += __shfl_xor_sync(~0u, energy, distance);
      total += static_cast<unsigned long long>(energy);
    }
    __syncwarp();  // all lanes have read the row's old exponent
    if (lane > 0) return;
    lines.energies[row] = total;
    lines.exponents[row] = exponent;
    return;
  }

  const int64_t col = (blockIdx.x - groups_a) * B_PIECE_COLS + 2 * lane;
  int exponents[2] = {126, 126};
  bool is_wrong = false;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if (col + i >= p.N) break;
    exponents[i] = lines.facts[p.M + col + i].exponent();
    is_wrong = is_wrong || lines.exponents[p.M + col + i] > exponents[i];
  }
  if (__syncthreads_or(is_wrong) == 0) return;
  const float2 scale = {col < p.N ? power_of_two(exponents[0]) : 0,
                        col + 1 < p.N ? power_of_two(exponents[1]) : 0};
  LineFacts known[2] = {};
  unsigned long long total = 0;
  for (int64_t k = 0; k < parts.depth; k += B_PIECE_DEPTH) {
    const float2 energy = split_columns<VECTOR>(p, parts, k, col, scale, known);
    total += static_cast<unsigned long long>(sum_of_column(energy));
    __syncthreads();  // nobody may write the next sums before these are read
  }
  if (warp >= 2 || col + warp >= p.N) return;
  lines.energies[p.M + col + warp] = total;
  lines.exponents[p.M + col + warp] = warp == 0 ? exponents[0] : exponents[1];
}

/// Launches both kernels. The facts and energies must be zero.
template <bool VECTOR, typename PARTS>
cudaError_t launch_split(const Sgemm& p, const PARTS& parts, cudaStream_t stream) {
  constexpr int THREADS_OF_SPLIT = SPLIT_WARPS * 32;
  const int64_t pieces_a = ceil_div(parts.height, A_PIECE_ROWS) * ceil_div(p.K, A_PIECE_DEPTH);
  const int64_t groups_b = ceil_div(p.N, B_PIECE_COLS);
  const int64_t pieces_b = ceil_div(p.K, B_PIECE_DEPTH) * groups_b;
  split_kernel<VECTOR>
      <<<grid_of(pieces_a + pieces_b), THREADS_OF_SPLIT, 0, stream>>>(p, parts, pieces_a);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) return error;
  const int64_t groups_a = ceil_div(p.M, SPLIT_WARPS);
  return launch_after(judge_kernel<VECTOR, PARTS>, grid_of(groups_a + groups_b), THREADS_OF_SPLIT,
                      0, stream, p, parts, groups_a);
}

}  // namespace ladder
