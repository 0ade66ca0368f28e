// Rung 5: a thread computes an 8 x 8 tile of C as a sum of outer products.
//
// Rung 4 reuses each element of Bs, but no element of As. A square tile reuses both: for each k a thread loads 8
// elements of As and 8 of Bs into registers and does 64 multiply-adds with them. That is one load for four
// multiply-adds; rung 4 needs nine for eight.
//
//                 b[0] .. b[7]      <- Bs[k][col ..]
//         a[0]  +--------------+
//          ..   | sum[8][8]    |       for each k: 16 loads, 64 multiply-adds
//         a[7]  +--------------+
//          ^
//          As[row ..][k]
//
// 256 threads compute 128 x 128 elements of C: each element from global memory now serves 128 multiply-adds, twice as
// many as in rung 4.
//
// The square tile has two costs. Neighbouring lanes are now eight columns apart, so they read words of Bs in the same
// banks and wait for each other. And a store to C touches 32 sectors a request. The next rungs mend both.
//
// On an H200 at 4096^3 this is 59 % of cuBLAS; rung 4 reaches 33 %.
//
// What is left for the next rung: every access to global memory, and every store to shared memory, still moves 4 bytes,
// and each takes the issue slot of a multiply-add. (nvcc itself merges four neighbouring loads from shared memory into
// one.)
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 128, BK = 8;  // the block's tile
constexpr int TM = 8, TN = 8;              // the thread's tile
constexpr int THREADS = (BM / TM) * (BN / TN);

constexpr int A_ROWS = THREADS / BK;  // rows of As that the block stages at a time
constexpr int B_ROWS = THREADS / BN;
static_assert(THREADS % BK == 0 && BM % A_ROWS == 0, "the block stages whole rows of As");
static_assert(THREADS % BN == 0 && BK % B_ROWS == 0, "the block stages whole rows of Bs");

__global__ void __launch_bounds__(THREADS, 2)  // two blocks to a multiprocessor
    register_tile_2d_kernel(const Sgemm p, const int64_t tiles_n) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread stages rows a_row, a_row + A_ROWS, ... of As and rows b_k, b_k + B_ROWS, ... of Bs.
  const int a_row = threadIdx.x / BK, a_k = threadIdx.x % BK;
  const int b_k = threadIdx.x / BN, b_col = threadIdx.x % BN;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];

  // It computes TM x TN elements: sum[i][j] is element (row + i, col + j) of the tile.
  const int row = threadIdx.x / (BN / TN) * TM;
  const int col = threadIdx.x % (BN / TN) * TN;
  float sum[TM][TN] = {};

  // exercise b: begin
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
#pragma unroll
    for (int r = 0; r < BM; r += A_ROWS) {
      const bool inside = tile_row + a_row + r < p.M && k0 + a_k < p.K;
      As[a_row + r][a_k] = inside ? a[r * p.lda] : 0.0f;
    }
#pragma unroll
    for (int r = 0; r < BK; r += B_ROWS) {
      const bool inside = k0 + b_k + r < p.K && tile_col + b_col < p.N;
      Bs[b_k + r][b_col] = inside ? b[r * p.ldb] : 0.0f;
    }
    a += BK;
    b += BK * p.ldb;
    __syncthreads();  // the tiles are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      // exercise a: begin
      float a_k_rows[TM], b_k_cols[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) a_k_rows[i] = As[row + i][k];
#pragma unroll
      for (int j = 0; j < TN; ++j) b_k_cols[j] = Bs[k][col + j];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a_k_rows[i] * b_k_cols[j];
      }
      // exercise a: end
    }
    __syncthreads();  // nobody may overwrite the tiles while a neighbour still reads them
  }
  // exercise b: end

#pragma unroll
  for (int i = 0; i < TM; ++i) {
    if (tile_row + row + i >= p.M) return;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      if (tile_col + col + j >= p.N) break;
      float* c = &p.C[(tile_row + row + i) * p.ldc + tile_col + col + j];
      *c = blend(p.alpha, sum[i][j], p.beta, c);
    }
  }
}

cudaError_t launch_register_tile_2d(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  register_tile_2d_kernel<<<grid_of(ceil_div(p.M, BM) * tiles_n), THREADS, 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

}  // namespace

// The source asks for 16 loads for 64 multiply-adds. A compiler may merge neighbouring shared loads into wide ones,
// hence at_most.
extern const Rung register_tile_2d{
    .number = 5,
    .name = "register_tile_2d",
    .idea = "a thread computes an 8 x 8 tile: 16 shared loads serve 64 multiply-adds",
    .promise = {.whole_tiles = 32,
                .claims = {{"load_sectors_per_request", "A", Relation::equal, 4},
                           {"load_sectors_per_request", "B", Relation::equal, 4},
                           {"shared_loads_per_ffma", "", Relation::at_most, 0.25},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_register_tile_2d,
};

}  // namespace ladder
