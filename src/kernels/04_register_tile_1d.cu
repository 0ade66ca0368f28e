// Rung 4: a thread computes eight elements of a column of C and keeps them in registers.
//
// Rung 3 pays two shared loads for each multiply-add. Here a thread owns TM = 8 rows of one column,
// so an element of Bs that it has loaded serves eight multiply-adds:
//
//        Bs[k][col]                       for each k: 1 load of Bs, 8 of As, 8 multiply-adds
//            |
//   As[row + 0][k] --> sum[0]             (rung 3: 1 load of Bs, 1 of As, 1 multiply-add)
//   As[row + 1][k] --> sum[1]
//        ...                              the eight sums are independent, so one need not wait
//   As[row + 7][k] --> sum[7]             for the other
//
// The lanes of a warp take 32 neighbouring columns. A load from As is a broadcast; a load from Bs reads one word in each
// bank. A block of 512 threads computes 64 x 64 elements of C, four times as many as in rung 3. Its shared tiles are only
// BK = 8 deep, so each thread stages exactly one element of As and one of Bs.
//
// Rung 3's prefetch into registers is gone: the sums need the registers, and while one block waits, other blocks on the
// multiprocessor work. Rung 10 prefetches again, without registers.
//
// On an H200 at 4096^3 this is 33 % of cuBLAS; rung 3 reaches 19 %.
//
// What is left for the next rung: the elements of As are not reused. The source asks for nine shared
// loads for eight multiply-adds, and nvcc, which fetches four k of As at once, still needs three.
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 64, BN = 64, BK = 8;  // the block's tile
constexpr int TM = 8;                    // the thread's tile: rows of one column
constexpr int THREADS = BM / TM * BN;
static_assert(BN % 32 == 0, "a warp must lie within one row of Bs and of C");
static_assert(BM * BK == THREADS && BK * BN == THREADS,
              "each thread stages one element of As and one of Bs");

__global__ void __launch_bounds__(THREADS)
    register_tile_1d_kernel(const Sgemm p, const int64_t tiles_n) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread stages element (a_row, a_k) of As and (b_k, b_col) of Bs.
  const int a_row = threadIdx.x / BK, a_k = threadIdx.x % BK;
  const int b_k = threadIdx.x / BN, b_col = threadIdx.x % BN;
  const bool a_inside = tile_row + a_row < p.M;
  const bool b_inside = tile_col + b_col < p.N;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];

  // It computes TM rows of one column: sum[i] is element (row + i, col) of the tile.
  // exercise a: begin
  const int row = threadIdx.x / BN * TM;
  const int col = threadIdx.x % BN;
  // exercise a: end
  float sum[TM] = {};

  // exercise b: begin
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    As[a_row][a_k] = a_inside && k0 + a_k < p.K ? *a : 0.0f;
    Bs[b_k][b_col] = b_inside && k0 + b_k < p.K ? *b : 0.0f;
    a += BK;
    b += BK * p.ldb;
    __syncthreads();  // the tiles are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b_k_col = Bs[k][col];
#pragma unroll
      for (int i = 0; i < TM; ++i) sum[i] += As[row + i][k] * b_k_col;
    }
    __syncthreads();  // nobody may overwrite the tiles while a neighbour still reads them
  }
  // exercise b: end

  if (tile_col + col >= p.N) return;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    if (tile_row + row + i >= p.M) return;
    float* c = &p.C[(tile_row + row + i) * p.ldc + tile_col + col];
    *c = blend(p.alpha, sum[i], p.beta, c);
  }
}

cudaError_t launch_register_tile_1d(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  register_tile_1d_kernel<<<grid_of(ceil_div(p.M, BM) * tiles_n), THREADS, 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

}  // namespace

// The source asks for nine loads for eight multiply-adds. A compiler may fetch several k of a row of As with one wide
// load, hence at_most.
extern const Rung register_tile_1d{
    .number = 4,
    .name = "register_tile_1d",
    .idea = "a thread computes 8 rows of one column, so each load of Bs serves 8 multiply-adds",
    .promise = {.whole_tiles = 32,
                .claims = {{"load_sectors_per_request", "A", Relation::equal, 4},
                           {"load_sectors_per_request", "B", Relation::equal, 4},
                           {"store_sectors_per_request", "C", Relation::equal, 4},
                           {"shared_loads_per_ffma", "", Relation::at_most, 9.0 / 8},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_register_tile_1d,
};

}  // namespace ladder
