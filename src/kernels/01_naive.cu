// Rung 1: one thread computes one element of C, without a thought for memory.
//
// A warp is 32 threads with consecutive threadIdx.x, and here x walks down the rows. So in every step of the loop the
// 32 lanes of a warp request
//
//      A[row + 0][k]   A[row + 1][k]   A[row + 2][k]  ...   32 addresses, lda floats apart
//      B[k][col]       B[k][col]       B[k][col]      ...   one address: a broadcast
//
// Memory answers in sectors of 32 bytes. The load from A touches 32 of them to use 4 bytes of each;
// the load from B touches one. C is written the way A is read.
//
// What is left for the next rung: the same loads, in an order that slides along memory instead of
// leaping.
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 32, BN = 32;  // the block's tile
constexpr int THREADS = BM * BN;
static_assert(BM == 32, "a warp must be one column of the block's tile of C");

__global__ void __launch_bounds__(THREADS) naive_kernel(const Sgemm p, const int64_t tiles_m) {
  // exercise b: begin
  // exercise a: begin
  const int64_t row = (blockIdx.x % tiles_m) * BM + threadIdx.x;  // x -> row: the lanes leap
  const int64_t col = (blockIdx.x / tiles_m) * BN + threadIdx.y;
  // exercise a: end
  if (row >= p.M || col >= p.N) return;

  float sum = 0.0f;
#pragma unroll 8  // loads of several steps are under way at once; a device waits long for each
  for (int64_t k = 0; k < p.K; ++k) sum += p.A[row * p.lda + k] * p.B[k * p.ldb + col];

  float* c = &p.C[row * p.ldc + col];
  *c = blend(p.alpha, sum, p.beta, c);
  // exercise b: end
}

cudaError_t launch_naive(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_m = ceil_div(p.M, BM);
  naive_kernel<<<grid_of(tiles_m * ceil_div(p.N, BN)), dim3(BM, BN), 0, stream>>>(p, tiles_m);
  return cudaGetLastError();
}

}  // namespace

extern const Rung naive{
    .number = 1,
    .name = "naive",
    .idea = "one thread per element of C, threadIdx.x walks down the rows",
    .promise = {.whole_tiles = 32,
                .claims = {{"load_sectors_per_request", "A", Relation::equal, 32},
                           {"load_sectors_per_request", "B", Relation::equal, 1},
                           {"store_sectors_per_request", "C", Relation::equal, 32}}},
    .launch = launch_naive,
};

}  // namespace ladder
