// The first step of rung 16: A and B are split into FP16 parts, each element once.
//
// A line is scaled before it is split (known_lines.cuh). The scale is guessed from a sample of the line. If the guess is wrong, the
// line is lost, and FP64 computes it. So nothing waits for a pass that would find the largest element first.
//
// A matrix's lines lie in memory either along k, as A's rows do, or across k, as B's columns do; a transposed A or B is the other way
// round. A block works on a piece: 8 lines x 1024 of k, or 64 lines x 128 of k. It adds what it has learned of the lines to their
// records. The parts lie as the matrix does.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "device/vector_access.cuh"
#include "kernels/ladder.hpp"
#include "kernels/tensor/known_lines.cuh"
#include "kernels/tuned/launch_after.cuh"
#include "kernels/tuned/launch_kernel.hpp"

namespace ladder {

/// The parts of A and B of all products of a batch, row by row as A and B lie in memory, and what is known about their lines.
/// A matrix that all products share is split once.
struct SameScaleParts {
  // A: (matrix, 2: hi and lo, m: M, k: pitch_a), or if A is transposed (matrix, 2: hi and lo, k: K, m: pitch_a).
  // B: (matrix, 2: hi and lo, k: K, n: pitch_b), or if B is transposed (matrix, 2: hi and lo, n: N, k: pitch_b).
  __half *A, *B;
  int64_t pitch_a, pitch_b, plane_a, plane_b;  // as tensor copies want
  LineRecords of_rows, of_cols;
  uint4* zeros;  // memory that begins at zero, with the records that are added to
  int64_t zeros_count;
};

constexpr int ONCE_WARPS = 8, ONCE_THREADS = ONCE_WARPS * 32;
constexpr int ROW_PIECE = 1024;                     // of k; a warp works on a row
constexpr int COL_PIECE = 128, COLS_OF_PIECE = 64;  // half a warp works on a row of 64 columns
constexpr int SAMPLED_PLACES = 32;                  // of a line

/// One of the matrices, as a list of lines: the rows of op(A) or the columns of op(B).
struct LinesToSplit {
  const float* elements;
  int64_t ld;     // from a line to the next, or from a k to the next
  int64_t lines;  // how many
  int64_t K;
  __half* hi;            // the first element of the parts
  int64_t pitch, to_lo;  // of the parts: from a row to the next, and from hi to lo
  LineRecords records;   // of the lines
};

/// Returns the lines of the i-th matrix A, or of the i-th matrix B.
__device__ inline LinesToSplit rows_to_split(const Call& call, const SameScaleParts& parts,
                                             int64_t i) {
  const Sgemm p = call.product_at(i);
  __half* hi = parts.A + i * 2 * parts.plane_a;
  return {p.A, p.lda, p.M, p.K, hi, parts.pitch_a, parts.plane_a, parts.of_rows.of_product(i)};
}
__device__ inline LinesToSplit cols_to_split(const Call& call, const SameScaleParts& parts,
                                             int64_t i) {
  const Sgemm p = call.product_at(i);
  __half* hi = parts.B + i * 2 * parts.plane_b;
  return {p.B, p.ldb, p.N, p.K, hi, parts.pitch_b, parts.plane_b, parts.of_cols.of_product(i)};
}

/// Stores two words in one access. Written as an assignment, nvcc makes two stores of some of them.
__device__ inline void store2_at_once(__half* to, unsigned first, unsigned second) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(first), "r"(second) : "memory");
}

/// The parts of four neighbours, two in a word.
struct PartsOfFour {
  unsigned hi[2], lo[2];
  float4 scaled;  // the numbers themselves

  __device__ void store(__half* to, int64_t to_lo) const {
    store2_at_once(to, hi[0], hi[1]);
    store2_at_once(to + to_lo, lo[0], lo[1]);
  }
};

/// Scales and splits four neighbours.
__device__ inline PartsOfFour split4(float4 x, float4 scale) {
  x = {x.x * scale.x, x.y * scale.y, x.z * scale.z, x.w * scale.w};
  const __half2 first = __floats2half2_rn(x.x, x.y), second = __floats2half2_rn(x.z, x.w);
  const float2 a = __half22float2(first), b = __half22float2(second);
  const __half2 first_lo = __floats2half2_rn(x.x - a.x, x.y - a.y);
  const __half2 second_lo = __floats2half2_rn(x.z - b.x, x.w - b.y);
  const auto bits = [](const __half2& h) { return *reinterpret_cast<const unsigned*>(&h); };
  return {{bits(first), bits(second)}, {bits(first_lo), bits(second_lo)}, x};
}

/// What the warps of a block tell each other.
struct alignas(16) SplitNotes {
  unsigned numbers[4 * ONCE_WARPS][COLS_OF_PIECE];  // samples, and later facts
  int exponents[COLS_OF_PIECE];
  unsigned largest_of_block;
};

/// Splits a line along k for each warp, from first_line on. VECTOR: the matrix is aligned to 16 bytes.
template <bool VECTOR>
__device__ __forceinline__ void split_along_k(const LinesToSplit& m, int64_t first_line,
                                              int first_k, SplitNotes& notes) {
  constexpr int COUNT = ROW_PIECE / 128;  // times four neighbours for each lane
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int64_t line = first_line + warp;
  const int depth = line < m.lines ? static_cast<int>(m.K) : 0;
  const float* a = &m.elements[line * m.ld];
  float4 x[COUNT];  // all loads first, so that none waits for another
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int k = first_k + 128 * i + 4 * lane;
    x[i] = load4<VECTOR>(a + k, depth - k);
  }
  const int place = static_cast<int>(lane * m.K / SAMPLED_PLACES) & ~3;
  const float4 sample = load4<VECTOR>(a + place, depth - place);
  unsigned largest = max(max(LineFacts::magnitude_of(sample.x), LineFacts::magnitude_of(sample.y)),
                         max(LineFacts::magnitude_of(sample.z), LineFacts::magnitude_of(sample.w)));
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    largest = max(largest, __shfl_xor_sync(~0u, largest, distance));
  }
  if (lane == 0) atomicMax(&notes.largest_of_block, largest);
  __syncthreads();  // all warps have added their samples
  if (line >= m.lines) return;
  const int exponent = guess_exponent(largest, notes.largest_of_block);
  const float scale = power_of_two(exponent);
  LineSoFar facts;
#pragma unroll
  for (int i = 0; i < COUNT; ++i) {
    const int k = first_k + 128 * i + 4 * lane;
    if (k >= depth) break;
    const PartsOfFour four = split4(x[i], {scale, scale, scale, scale});
    four.store(&m.hi[line * m.pitch + k], m.to_lo);
    const float4 scaled = four.scaled;
    facts.add(x[i].x, scaled.x);
    facts.add(x[i].y, scaled.y);
    facts.add(x[i].z, scaled.z);
    facts.add(x[i].w, scaled.w);
  }
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) facts.add_lane(distance);
  wait_for_end_of_previous_kernel();  // the records are zero, if they are added to
  if (lane == 0) m.records.put(line, first_k / ROW_PIECE, LineRecord::of(facts, exponent));
}

/// Splits 64 lines across k, from first_line on. VECTOR: the matrix is aligned to 16 bytes.
template <bool VECTOR>
__device__ __forceinline__ void split_across_k(const LinesToSplit& m, int64_t first_line,
                                               int first_k, SplitNotes& notes) {
  constexpr int ROWS_AT_A_TIME = ONCE_THREADS / 16, COUNT = COL_PIECE / ROWS_AT_A_TIME;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, K = static_cast<int>(m.K);
  const int my_row = threadIdx.x / 16, my_col = threadIdx.x % 16 * 4;
  const int64_t line = first_line + my_col;
  const int count = part_inside(m.lines - line, 4);
  const float* b = &m.elements[line];
  const auto load = [&](int k) { return load4<VECTOR>(b + k * m.ld, k < K ? count : 0); };
  const auto tell = [&](int row, unsigned x, unsigned y, unsigned z, unsigned w) {
    *reinterpret_cast<uint4*>(&notes.numbers[row][my_col]) = {x, y, z, w};
  };

  float4 x[COUNT];
#pragma unroll
  for (int i = 0; i < COUNT; ++i) x[i] = load(first_k + i * ROWS_AT_A_TIME + my_row);
  unsigned largest[4] = {};
#pragma unroll
  for (int i = my_row; i < SAMPLED_PLACES; i += ROWS_AT_A_TIME) {
    const float4 sample = load(static_cast<int>(i * m.K / SAMPLED_PLACES));
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
    const PartsOfFour four = split4(x[i], scale);
    four.store(&m.hi[k * m.pitch + line], m.to_lo);
    const float4 scaled = four.scaled;
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
  wait_for_end_of_previous_kernel();  // the records are zero, if they are added to
  if (threadIdx.x >= COLS_OF_PIECE || first_line + threadIdx.x >= m.lines) return;
  LineSoFar all;
#pragma unroll
  for (int w = 0; w < ONCE_WARPS; ++w) {
    const auto told = [&](int fact) { return notes.numbers[fact * ONCE_WARPS + w][threadIdx.x]; };
    all.largest = max(all.largest, told(0));
    all.fractions |= told(1);
    all.small += told(2);
    all.energy += __uint_as_float(told(3));
  }
  m.records.put(first_line + threadIdx.x, first_k / COL_PIECE,
                LineRecord::of(all, notes.exponents[threadIdx.x]));
}

/// Splits the piece-th piece of the lines. ALONG_K: the lines lie along k.
template <bool VECTOR, bool ALONG_K>
__device__ __forceinline__ void split_piece(const LinesToSplit& m, int64_t piece,
                                            SplitNotes& notes) {
  if constexpr (ALONG_K) {
    const int64_t pieces_k = ceil_div(m.K, ROW_PIECE);
    split_along_k<VECTOR>(m, piece / pieces_k * ONCE_WARPS,
                          static_cast<int>(piece % pieces_k * ROW_PIECE), notes);
  } else {
    const int64_t pieces_n = ceil_div(m.lines, COLS_OF_PIECE);
    split_across_k<VECTOR>(m, piece % pieces_n * COLS_OF_PIECE,
                           static_cast<int>(piece / pieces_n * COL_PIECE), notes);
  }
}
inline int64_t count_pieces(int64_t lines, int64_t K, bool along_k) {
  return along_k ? ceil_div(lines, ONCE_WARPS) * ceil_div(K, ROW_PIECE)
                 : ceil_div(lines, COLS_OF_PIECE) * ceil_div(K, COL_PIECE);
}

/// Splits A and B of the product blockIdx.y. The first `pieces_a` blocks work on A. If no record is added to, also makes the zeros.
template <bool VECTOR, bool TRANS_A, bool TRANS_B>
static __global__ void __launch_bounds__(ONCE_THREADS, 3)
    split_once_kernel(const Call call, const SameScaleParts parts, const int64_t pieces_a) {
  allow_next_kernel();
  __shared__ SplitNotes notes;
  if (threadIdx.x == 0) notes.largest_of_block = 0;
  if (!parts.of_rows.are_added && blockIdx.x == 0 && blockIdx.y == 0) {
    for (int64_t i = threadIdx.x; i < parts.zeros_count; i += ONCE_THREADS) parts.zeros[i] = {};
  }
  __syncthreads();                        // it is zero
  const bool is_first = blockIdx.y == 0;  // which splits the matrices that all products share
  if (blockIdx.x < pieces_a) {
    if (parts.of_rows.are_shared && !is_first) return;
    split_piece<VECTOR, !TRANS_A>(rows_to_split(call, parts, blockIdx.y), blockIdx.x, notes);
  } else {
    if (parts.of_cols.are_shared && !is_first) return;
    split_piece<VECTOR, TRANS_B>(cols_to_split(call, parts, blockIdx.y), blockIdx.x - pieces_a,
                                 notes);
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

/// Describes the records of the lines. If neither matrix has more than a few pieces along K, each piece has a record of its own.
inline void plan_records(const Call& call, SameScaleParts* parts) {
  constexpr int64_t MOST_RECORDS = 8;  // of a line; each sum reads them again
  const Sgemm& p = call.product;
  const auto pieces_of = [&](bool along_k) {
    return ceil_div(p.K, along_k ? ROW_PIECE : COL_PIECE);
  };
  const int64_t of_row = pieces_of(p.op_a == Op::none), of_col = pieces_of(p.op_b == Op::transpose);
  const bool are_added = std::max(of_row, of_col) > MOST_RECORDS;
  const auto pieces = [&](int64_t count) { return are_added ? 1 : static_cast<int>(count); };
  parts->of_rows = {.first = nullptr,
                    .lines = p.M,
                    .pieces = pieces(of_row),
                    .are_added = are_added,
                    .are_shared = call.stride_a == 0};
  parts->of_cols = {.first = nullptr,
                    .lines = p.N,
                    .pieces = pieces(of_col),
                    .are_added = are_added,
                    .are_shared = call.stride_b == 0};
}

/// Launches the split. Records that are added to are made zero first, while the split begins.
template <bool VECTOR>
cudaError_t launch_split_once(const Call& call, const SameScaleParts& parts, cudaStream_t stream) {
  const Sgemm& p = call.product;
  const bool trans_a = p.op_a == Op::transpose, trans_b = p.op_b == Op::transpose;
  const int64_t pieces_a = count_pieces(p.M, p.K, !trans_a);
  const int64_t pieces_b = count_pieces(p.N, p.K, trans_b);
  const dim3 grid = grid_for_batch(pieces_a + pieces_b, call.batch);
  const auto kernel = trans_a ? (trans_b ? split_once_kernel<VECTOR, true, true>
                                         : split_once_kernel<VECTOR, true, false>)
                              : (trans_b ? split_once_kernel<VECTOR, false, true>
                                         : split_once_kernel<VECTOR, false, false>);
  if (!parts.of_rows.are_added)
    return launch_kernel(kernel, grid, ONCE_THREADS, 0, stream, call, parts, pieces_a);
  const cudaError_t error = launch_kernel(clear_kernel, CLEAR_BLOCKS, CLEAR_THREADS, 0, stream,
                                          parts.zeros, parts.zeros_count);
  if (error != cudaSuccess) return error;
  return launch_after(kernel, grid, ONCE_THREADS, 0, stream, call, parts, pieces_a);
}

}  // namespace ladder
