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
#include "kernels/tuned/stream_workspace.hpp"

namespace ladder {

/// A matrix of rows x cols, row-major, and the place for its transpose, whose rows are `to_ld` floats apart, a multiple of 4.
struct MatrixToTurn {
  const float* from;
  int64_t ld, rows, cols;
  float* to;
  int64_t to_ld;
  bool vector;  // `from` and its rows lie at multiples of 16 bytes

  static constexpr int SIDE = 64;  // of a block's tile
  __host__ __device__ int64_t tiles() const { return ceil_div(rows, SIDE) * ceil_div(cols, SIDE); }
};

constexpr int TURN_THREADS = 256;

/// Turns two matrices, a tile a block. Either may have no tiles.
static __global__ void __launch_bounds__(TURN_THREADS)
    turn_kernel(const MatrixToTurn first, const MatrixToTurn second) {
  constexpr int SIDE = MatrixToTurn::SIDE, LANES = SIDE / 4, ROWS_AT_A_TIME = TURN_THREADS / LANES;
  __shared__ float tile[SIDE][SIDE + 1];  // one more, so that a column lies in different banks
  const bool is_first = blockIdx.x < first.tiles();
  const MatrixToTurn m = is_first ? first : second;
  const int64_t number = blockIdx.x - (is_first ? 0 : first.tiles());
  const int64_t tiles_across = ceil_div(m.cols, SIDE);
  const int64_t first_row = number / tiles_across * SIDE, first_col = number % tiles_across * SIDE;
  const int line = threadIdx.x / LANES, four = threadIdx.x % LANES * 4;

#pragma unroll
  for (int row = line; row < SIDE; row += ROWS_AT_A_TIME) {
    if (first_row + row >= m.rows) break;
    const float* from = &m.from[(first_row + row) * m.ld + first_col + four];
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
    *reinterpret_cast<float4*>(&m.to[(first_col + col) * m.to_ld + first_row + four]) = {
        at(0), at(1), at(2), at(3)};
  }
}

/// Returns the same product with its sides exchanged if C is a vector and the large matrix then need not be turned; otherwise `p`.
inline Sgemm with_better_sides(const Sgemm& p) {
  const bool of_a_row = p.M == 1 && p.op_b == Op::transpose;
  const bool of_a_column = p.N == 1 && p.op_a == Op::transpose && p.ldc == 1;
  if (!of_a_row && !of_a_column) return p;
  Sgemm q = p;
  q.M = p.N;
  q.N = p.M;
  q.A = p.B;
  q.lda = p.ldb;
  q.op_a = p.op_b == Op::none ? Op::transpose : Op::none;
  q.B = p.A;
  q.ldb = p.lda;
  q.op_b = p.op_a == Op::none ? Op::transpose : Op::none;
  q.ldc = of_a_row ? 1 : p.M;
  if (of_a_row && q.op_b == Op::transpose) {  // a row without gaps is a column too
    q.op_b = Op::none;
    q.ldb = 1;
  }
  if (of_a_column && q.op_a == Op::transpose && q.lda == 1) {
    q.op_a = Op::none;
    q.lda = p.K;
  }
  return q;
}

/// Returns the product without transposes: the transposed ones of A and B are places in the layout.
inline Sgemm turned(const Sgemm& p, WorkspaceLayout& layout) {
  Sgemm q = p;
  q.op_a = q.op_b = Op::none;
  if (p.op_a == Op::transpose) {
    q.lda = ceil_div(p.K, 4) * 4;
    q.A = layout.place<float>(p.M * q.lda);
  }
  if (p.op_b == Op::transpose) {
    q.ldb = ceil_div(p.N, 4) * 4;
    q.B = layout.place<float>(p.K * q.ldb);
  }
  return q;
}

/// Launches a product of any operations, with a LAUNCH that takes none.
template <cudaError_t (*LAUNCH)(const Sgemm&, cudaStream_t)>
cudaError_t launch_turned(const Sgemm& given, cudaStream_t stream) {
  const Sgemm p = with_better_sides(given);
  if (!p.has_transposes()) return LAUNCH(p, stream);
  WorkspaceLayout counted(nullptr);
  turned(p, counted);
  if (counted.floats() == 0) {  // no product, so A and B are not read
    return LAUNCH(turned(p, counted), stream);
  }
  const StreamWorkspace workspace(counted.floats(), stream);
  if (workspace.error() != cudaSuccess) return workspace.error();
  WorkspaceLayout layout(workspace.data());
  const Sgemm q = turned(p, layout);
  const auto to_turn = [](Op op, const float* from, int64_t ld, int64_t rows, int64_t cols,
                          const float* to, int64_t to_ld) {
    const bool vector = is_vector_aligned(from, ld, 16);
    return op == Op::none
               ? MatrixToTurn{}
               : MatrixToTurn{from, ld, rows, cols, const_cast<float*>(to), to_ld, vector};
  };
  const MatrixToTurn a = to_turn(p.op_a, p.A, p.lda, p.K, p.M, q.A, q.lda);
  const MatrixToTurn b = to_turn(p.op_b, p.B, p.ldb, p.N, p.K, q.B, q.ldb);
  turn_kernel<<<grid_of(a.tiles() + b.tiles()), TURN_THREADS, 0, stream>>>(a, b);
  const cudaError_t error = cudaGetLastError();
  return error != cudaSuccess ? error : LAUNCH(q, stream);
}

/// Returns the path of a product of any operations, by a PATH for none: a turned copy is always aligned.
template <const char* (*PATH)(const Sgemm&)>
const char* path_turned(const Sgemm& given) {
  const Sgemm p = with_better_sides(given);
  WorkspaceLayout counted(nullptr);
  return PATH(p.has_transposes() ? turned(p, counted) : p);
}

}  // namespace ladder
