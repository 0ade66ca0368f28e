// Transposed matrices for rungs whose kernels read A and B only as those of a product without transposes: the matrix is turned first.
//
// The turned copy lies in a workspace, and the rung multiplies it. That takes 8 bytes of memory traffic for each element, beside 2 N or 2 M
// operations, so it matters for small products and for products with few rows or columns. If C is a vector, the large matrix is not turned:
// the sides change places instead, C' = op(B)' op(A)'. (Rung 16 turns nothing: wgmma reads either order.)
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tuned/launch_kernel.hpp"
#include "kernels/tuned/stream_workspace.hpp"

namespace ladder {

/// `count` matrices of rows x cols, row-major, and the places for their transposes, whose rows are `to_ld` floats apart, a multiple of 4.
struct MatricesToTurn {
  const float* from;
  int64_t ld, rows, cols;
  int64_t count, from_stride;  // from a matrix to the next
  float* to;
  int64_t to_ld, to_stride;
  bool vector;  // each `from` and its rows lie at multiples of 16 bytes

  static constexpr int SIDE = 64;  // of a block's tile
  __host__ __device__ int64_t tiles_of_one() const {
    return ceil_div(rows, SIDE) * ceil_div(cols, SIDE);
  }
  __host__ __device__ int64_t tiles() const { return count * tiles_of_one(); }
};

constexpr int TURN_THREADS = 256;

/// Turns the matrices of both, a tile a block. Either may have no tiles.
static __global__ void __launch_bounds__(TURN_THREADS)
    turn_kernel(const MatricesToTurn first, const MatricesToTurn second) {
  constexpr int SIDE = MatricesToTurn::SIDE, LANES = SIDE / 4,
                ROWS_AT_A_TIME = TURN_THREADS / LANES;
  __shared__ float tile[SIDE][SIDE + 1];  // one more: at most two lanes meet in a bank
  const bool is_first = blockIdx.x < first.tiles();
  const MatricesToTurn m = is_first ? first : second;
  const int64_t number = blockIdx.x - (is_first ? 0 : first.tiles());
  const int64_t matrix = number / m.tiles_of_one(), in_matrix = number % m.tiles_of_one();
  const int64_t tiles_across = ceil_div(m.cols, SIDE);
  const int64_t first_row = in_matrix / tiles_across * SIDE;
  const int64_t first_col = in_matrix % tiles_across * SIDE;
  const int line = threadIdx.x / LANES, four = threadIdx.x % LANES * 4;

#pragma unroll
  for (int row = line; row < SIDE; row += ROWS_AT_A_TIME) {
    if (first_row + row >= m.rows) break;
    const float* from =
        &m.from[matrix * m.from_stride + (first_row + row) * m.ld + first_col + four];
    const int count = part_inside(m.cols - first_col - four, 4);
    const float4 x = m.vector ? load4<true>(from, count) : load4<false>(from, count);
    tile[row][four] = x.x;
    tile[row][four + 1] = x.y;
    tile[row][four + 2] = x.z;
    tile[row][four + 3] = x.w;
  }
  __syncthreads();  // the tile is there
#pragma unroll
  for (int col = line; col < SIDE; col += ROWS_AT_A_TIME) {
    if (first_col + col >= m.cols || first_row + four >= m.rows) break;
    // A row of the copy has room for a whole vector. What lies behind the matrix's end is never read.
    const auto at = [&](int i) { return first_row + four + i < m.rows ? tile[four + i][col] : 0; };
    float* to = &m.to[matrix * m.to_stride + (first_col + col) * m.to_ld + first_row + four];
    *reinterpret_cast<float4*>(to) = {at(0), at(1), at(2), at(3)};
  }
}

/// Returns the same call, in which a vector without gaps is not called transposed: as a row and as a column it is the same.
inline Call without_idle_transposes(Call call) {
  Sgemm& p = call.product;
  if (p.M == 1 && p.op_a == Op::transpose && p.lda == 1) {
    p.op_a = Op::none;
    p.lda = p.K;
  }
  if (p.N == 1 && p.op_b == Op::transpose) {
    p.op_b = Op::none;
    p.ldb = 1;
  }
  return call;
}

/// Returns the same call with its sides exchanged if C is a vector and the large matrix then need not be turned; otherwise `call`.
inline Call with_better_sides(const Call& given) {
  const Call call = without_idle_transposes(given);
  const Sgemm& p = call.product;
  const bool of_a_row = p.M == 1 && p.op_b == Op::transpose;
  const bool of_a_column = p.N == 1 && p.op_a == Op::transpose && p.ldc == 1;
  if (!of_a_row && !of_a_column) return call;
  const auto other = [](Op op) { return op == Op::none ? Op::transpose : Op::none; };
  Call exchanged = call;
  exchanged.stride_a = call.stride_b;
  exchanged.stride_b = call.stride_a;
  Sgemm& q = exchanged.product;
  q.M = p.N;
  q.N = p.M;
  q.A = p.B;
  q.lda = p.ldb;
  q.op_a = other(p.op_b);
  q.B = p.A;
  q.ldb = p.lda;
  q.op_b = other(p.op_a);
  q.ldc = of_a_row ? 1 : p.M;
  return without_idle_transposes(exchanged);
}

/// Returns the call without transposes: transposed A and B are places in the layout. Matrices that products share stay shared.
inline Call turned(const Call& call, WorkspaceLayout& layout) {
  Call result = call;
  Sgemm& p = result.product;
  const auto place = [&](int64_t stride, int64_t rows, int64_t cols, int64_t* ld,
                         int64_t* new_stride) {
    *ld = ceil_div(cols, 4) * 4;
    *new_stride = stride == 0 ? 0 : rows * *ld;
    return layout.place<float>((stride == 0 ? 1 : call.batch) * rows * *ld);
  };
  if (p.op_a == Op::transpose) p.A = place(call.stride_a, p.M, p.K, &p.lda, &result.stride_a);
  if (p.op_b == Op::transpose) p.B = place(call.stride_b, p.K, p.N, &p.ldb, &result.stride_b);
  p.op_a = p.op_b = Op::none;
  return result;
}

/// Launches a call of any operations by launch(call, stream), which takes none.
template <typename LAUNCH>
cudaError_t turn_and_launch(const Call& given, cudaStream_t stream, const LAUNCH& launch) {
  const Call call = with_better_sides(given);
  const Sgemm& p = call.product;
  if (!p.has_transposes()) return launch(call, stream);
  WorkspaceLayout counted(nullptr);
  const Call sized = turned(call, counted);
  if (p.K == 0) return launch(sized, stream);  // A and B are not read
  const StreamWorkspace workspace(counted.floats(), stream);
  if (workspace.error() != cudaSuccess) return workspace.error();
  WorkspaceLayout layout(workspace.data());
  const Call result = turned(call, layout);
  const auto to_turn = [&](Op op, const float* from, int64_t ld, int64_t rows, int64_t cols,
                           int64_t stride, const float* to, int64_t to_ld, int64_t to_stride) {
    if (op == Op::none) return MatricesToTurn{};
    return MatricesToTurn{.from = from,
                          .ld = ld,
                          .rows = rows,
                          .cols = cols,
                          .count = stride == 0 ? 1 : call.batch,
                          .from_stride = stride,
                          .to = const_cast<float*>(to),  // a place of the workspace
                          .to_ld = to_ld,
                          .to_stride = to_stride,
                          .vector = is_vector_aligned(from, ld, 16) && stride % 4 == 0};
  };
  const Sgemm& q = result.product;
  const MatricesToTurn a = to_turn(p.op_a, p.A, p.lda, p.K, p.M, call.stride_a,  //
                                   q.A, q.lda, result.stride_a);
  const MatricesToTurn b = to_turn(p.op_b, p.B, p.ldb, p.N, p.K, call.stride_b,  //
                                   q.B, q.ldb, result.stride_b);
  const cudaError_t error =
      launch_kernel(turn_kernel, grid_of(a.tiles() + b.tiles()), TURN_THREADS, 0, stream, a, b);
  return error != cudaSuccess ? error : launch(result, stream);
}

/// Launches a product of any operations, with a LAUNCH that takes none.
template <cudaError_t (*LAUNCH)(const Sgemm&, cudaStream_t)>
cudaError_t launch_turned(const Sgemm& p, cudaStream_t stream) {
  return turn_and_launch(
      Call(p), stream, [](const Call& call, cudaStream_t on) { return LAUNCH(call.product, on); });
}

/// Returns the path of a product of any operations, by a PATH for none: a turned copy is always aligned.
template <const char* (*PATH)(const Sgemm&)>
const char* path_turned(const Sgemm& p) {
  WorkspaceLayout counted(nullptr);
  return PATH(turned(with_better_sides(Call(p)), counted).product);
}

}  // namespace ladder
