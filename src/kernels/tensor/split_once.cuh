// The first step of rung 16: A and B are split into FP16 parts, each element once.
//
// A line is scaled before it is split (known_lines.cuh). The scale is guessed from a sample of the line. If the guess is wrong, the
// line is lost, and FP64 computes it. So nothing waits for a pass that would find the largest element first.
//
// A block works on a piece: 8 rows of A x 1024 of k, or 64 columns of B x 128 of k. It adds what it has learned of the lines to their
// records.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/known_lines.cuh"
#include "kernels/tensor/launch_after.cuh"

namespace ladder {

/// The parts of A and B, row by row as the matrices, and what is known about their lines.
struct SameScaleParts {
  __half* A;                                   // (2: hi and lo, m: M, k: pitch_a)
  __half* B;                                   // (2: hi and lo, k: K, n: pitch_b)
  LineRecord* records;                         // of the M rows of A and then the N columns of B
  int64_t pitch_a, pitch_b, plane_a, plane_b;  // multiples of 8, as tensor copies want
};

constexpr int ONCE_WARPS = 8, ONCE_THREADS = ONCE_WARPS * 32;
constexpr int ROW_PIECE = 1024;                     // of k; a warp works on a row
constexpr int COL_PIECE = 128, COLS_OF_PIECE = 64;  // half a warp works on a row of 64 columns
constexpr int SAMPLED_PLACES = 32;                  // of a line

/// Stores two words in one access. Written as an assignment, nvcc makes two stores of some of them.
__device__ inline void store2_at_once(__half* to, unsigned first, unsigned second) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(first), "r"(second) : "memory");
}

/// Splits four neighbours, and writes their parts. Returns the scaled numbers.
__device__ inline float4 split4(float4 x, float4 scale, __half* hi, int64_t to_lo) {
  x = {x.x * scale.x, x.y * scale.y, x.z * scale.z, x.w * scale.w};
  const __half2 first = __floats2half2_rn(x.x, x.y), second = __floats2half2_rn(x.z, x.w);
  const float2 a = __half22float2(first), b = __half22float2(second);
  const __half2 first_lo = __floats2half2_rn(x.x - a.x, x.y - a.y);
  const __half2 second_lo = __floats2half2_rn(x.z - b.x, x.w - b.y);
  const auto bits = [](const __half2& h) { return *reinterpret_cast<const unsigned*>(&h); };
  store2_at_once(hi, bits(first), bits(second));
  store2_at_once(hi + to_lo, bits(first_lo), bits(second_lo));
  return x;
}

/// What the warps of a block tell each other.
struct alignas(16) SplitNotes {
  unsigned numbers[4 * ONCE_WARPS][COLS_OF_PIECE];  // samples, and later facts
  int exponents[COLS_OF_PIECE];
  unsigned largest_of_block;
};

/// Splits a row of A for each warp. VECTOR: A is aligned to 16 bytes.
template <bool VECTOR>
__device__ __forceinline__ void split_rows(const Sgemm& p, const SameScaleParts& parts, int64_t row,
                                           int first_k, SplitNotes& notes) {
  constexpr int COUNT = ROW_PIECE / 128;  // times four neighbours for each lane
  const int lane = threadIdx.x % 32, depth = row < p.M ? static_cast<int>(p.K) : 0;
  const float* a = &p.A[row * p.lda];
  float4 x[COUNT];  // all loads first, so that none waits for another
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int k = first_k + 128 * i + 4 * lane;
    x[i] = load4<VECTOR>(a + k, depth - k);
  }
  const int place = static_cast<int>(lane * p.K / SAMPLED_PLACES) & ~3;
  const float4 sample = load4<VECTOR>(a + place, depth - place);
  unsigned largest = max(max(LineFacts::magnitude_of(sample.x), LineFacts::magnitude_of(sample.y)),
                         max(LineFacts::magnitude_of(sample.z), LineFacts::magnitude_of(sample.w)));
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
  }
  if (lane == 0) atomicMax(&notes.largest_of_block, largest);
  __syncthreads();  // all warps have added their samples
  if (row >= p.M) return;
  const int exponent = guess_exponent(largest, notes.largest_of_block);
  const float scale = power_of_two(exponent);
  __half* hi = &parts.A[row * parts.pitch_a];
  LineSoFar facts;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int k = first_k + 128 * i + 4 * lane;
    if (k >= depth) break;
    const float4 scaled = split4(x[i], {scale, scale, scale, scale}, hi + k, parts.plane_a);
    facts.add(x[i].x, scaled.x);
    facts.add(x[i].y, scaled.y);
    facts.add(x[i].z, scaled.z);
    facts.add(x[i].w, scaled.w);
  }
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) facts.add_lane(distance);
  wait_for_end_of_previous_kernel();  // the records are zero
  if (lane > 0) return;
  parts.records[row].add_atomically(facts);
  if (first_k == 0) parts.records[row].exponent = exponent;
}

/// Splits 64 columns of B. VECTOR: B is aligned to 16 bytes.
template <bool VECTOR>
__device__ __forceinline__ void split_columns(const Sgemm& p, const SameScaleParts& parts,
                                              int64_t first_col, int first_k, SplitNotes& notes) {
  constexpr int ROWS_AT_A_TIME = ONCE_THREADS / 16, COUNT = COL_PIECE / ROWS_AT_A_TIME;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, K = static_cast<int>(p.K);
  const int my_row = threadIdx.x / 16, my_col = threadIdx.x % 16 * 4;
  const int64_t col = first_col + my_col;
  const int count = part_inside(p.N - col, 4);
  const float* b = &p.B[col];
  const auto load = [&](int k) { return load4<VECTOR>(b + k * p.ldb, k < K ? count : 0); };
  const auto tell = [&](int row, unsigned x, unsigned y, unsigned z, unsigned w) {
    *reinterpret_cast<uint4*>(&notes.numbers[row][my_col]) = {x, y, z, w};
  };

  float4 x[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) x[i] = load(first_k + i * ROWS_AT_A_TIME + my_row);
  unsigned largest[4] = {};
#pragma unroll
  for (int i = my_row; i < SAMPLED_PLACES; i += ROWS_AT_A_TIME) {
    const float4 sample = load(static_cast<int>(i * p.K / SAMPLED_PLACES));
    largest[0] = max(largest[0], LineFacts::magnitude_of(sample.x));
    largest[1] = max(largest[1], LineFacts::magnitude_of(sample.y));
    largest[2] = max(largest[2], LineFacts::magnitude_of(sample.z));
    largest[3] = max(largest[3], LineFacts::magnitude_of(sample.w));
  }
  tell(my_row, largest[0], largest[1], largest[2], largest[3]);
  __syncthreads();  // all samples are there
  unsigned of_column = 0;
  if (threadIdx.x < COLS_OF_PIECE) {
#pragma unroll
    for (int row = 0; row < ROWS_AT_A_TIME; ++row) {
      of_column = max(of_column, notes.numbers[row][threadIdx.x]);
    }
    atomicMax(&notes.largest_of_block, of_column);
  }
  __syncthreads();  // the block's largest sample is known
  if (threadIdx.x < COLS_OF_PIECE) {
    notes.exponents[threadIdx.x] = guess_exponent(of_column, notes.largest_of_block);
  }
  __syncthreads();  // all exponents are there
  const int4 exponent = *reinterpret_cast<const int4*>(&notes.exponents[my_col]);
  const float4 scale = {power_of_two(exponent.x), power_of_two(exponent.y),
                        power_of_two(exponent.z), power_of_two(exponent.w)};
  LineSoFar facts[4];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int k = first_k + i * ROWS_AT_A_TIME + my_row;
    if (k >= K || count <= 0) break;
    const float4 scaled = split4(x[i], scale, &parts.B[k * parts.pitch_b + col], parts.plane_b);
    facts[0].add(x[i].x, scaled.x);
    facts[1].add(x[i].y, scaled.y);
    facts[2].add(x[i].z, scaled.z);
    facts[3].add(x[i].w, scaled.w);
  }
#pragma unroll
  for (LineSoFar& of_one : facts) of_one.add_lane(16);
  if (lane < 16) {
    const auto tell_facts = [&](int fact, auto of) {
      tell(fact * ONCE_WARPS + warp, of(facts[0]), of(facts[1]), of(facts[2]), of(facts[3]));
    };
    tell_facts(0, [](const LineSoFar& f) { return f.largest; });
    tell_facts(1, [](const LineSoFar& f) { return f.fractions; });
    tell_facts(2, [](const LineSoFar& f) { return f.small; });
    tell_facts(3, [](const LineSoFar& f) { return __float_as_uint(f.energy); });
  }
  __syncthreads();                    // all warps have told what they know
  wait_for_end_of_previous_kernel();  // the records are zero
  if (threadIdx.x >= COLS_OF_PIECE || first_col + threadIdx.x >= p.N) return;
  LineSoFar all;
#pragma unroll
  for (int w = 0; w < ONCE_WARPS; ++w) {
    const auto told = [&](int fact) { return notes.numbers[fact * ONCE_WARPS + w][threadIdx.x]; };
    all.largest = max(all.largest, told(0));
    all.fractions |= told(1);
    all.small += told(2);
    all.energy += __uint_as_float(told(3));
  }
  LineRecord& record = parts.records[p.M + first_col + threadIdx.x];
  record.add_atomically(all);
  if (first_k == 0) record.exponent = notes.exponents[threadIdx.x];
}

/// Splits A and B. The first `pieces_a` blocks work on A.
template <bool VECTOR>
static __global__ void __launch_bounds__(ONCE_THREADS, 3)
    split_once_kernel(const Sgemm p, const SameScaleParts parts, const int64_t pieces_a) {
  allow_next_kernel();
  __shared__ SplitNotes notes;
  if (threadIdx.x == 0) notes.largest_of_block = 0;
  __syncthreads();  // it is zero
  if (blockIdx.x < pieces_a) {
    const int64_t pieces_k = ceil_div(p.K, ROW_PIECE);
    const int64_t row = blockIdx.x / pieces_k * ONCE_WARPS + threadIdx.x / 32;
    split_rows<VECTOR>(p, parts, row, static_cast<int>(blockIdx.x % pieces_k * ROW_PIECE), notes);
  } else {
    const int64_t pieces_n = ceil_div(p.N, COLS_OF_PIECE), piece = blockIdx.x - pieces_a;
    split_columns<VECTOR>(p, parts, piece % pieces_n * COLS_OF_PIECE,
                          static_cast<int>(piece / pieces_n * COL_PIECE), notes);
  }
}

constexpr int CLEAR_BLOCKS = 32, CLEAR_THREADS = 256;

/// Makes `count` times 16 bytes zero. The split begins at once: it needs them at its end only.
static __global__ void __launch_bounds__(CLEAR_THREADS) clear_kernel(uint4* zeros, int64_t count) {
  allow_next_kernel();
  for (int64_t i = blockIdx.x * CLEAR_THREADS + threadIdx.x; i < count;
       i += CLEAR_BLOCKS * CLEAR_THREADS) {
    zeros[i] = {};
  }
}

/// Launches the split, after a launch of clear_kernel() that makes the records zero.
template <bool VECTOR>
cudaError_t launch_split_once(const Sgemm& p, const SameScaleParts& parts, cudaStream_t stream) {
  const int64_t pieces_a = ceil_div(p.M, ONCE_WARPS) * ceil_div(p.K, ROW_PIECE);
  const int64_t pieces_b = ceil_div(p.N, COLS_OF_PIECE) * ceil_div(p.K, COL_PIECE);
  return launch_after(split_once_kernel<VECTOR>, grid_of(pieces_a + pieces_b), ONCE_THREADS, 0,
                      stream, p, parts, pieces_a);
}

}  // namespace ladder
