// Rung 2: the naive kernel with its threads renumbered.
//
// Rung 1 let the lanes of a warp leap down the rows: 32 sectors fetched to use 4 bytes of each.
// Here the block is one-dimensional and the remainder of threadIdx.x is the column, so the lanes
// slide along a row:
//
//      A[row][k]       A[row][k]       A[row][k]  ...   one address: a broadcast, 1 sector
//      B[k][col + 0]   B[k][col + 1]   B[k][col + 2]    128 contiguous bytes: 4 sectors, all used
//
// C is written the way B is read.
//
// What is left for the next rung: coalescing fixes waste, not work. Each thread still fetches a row
// of A and a column of B for itself, though its neighbours in the block fetch the same ones.
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 32, BN = 32;  // the block's tile
constexpr int THREADS = BM * BN;
static_assert(BN % 32 == 0, "a warp must lie within one row of C");

__global__ void __launch_bounds__(THREADS) coalesced_kernel(const Sgemm p, const int64_t tiles_n) {
  // exercise b: begin
  // exercise a: begin
  const int64_t row = (blockIdx.x / tiles_n) * BM + threadIdx.x / BN;
  const int64_t col = (blockIdx.x % tiles_n) * BN + threadIdx.x % BN;  // x -> col: the lanes slide
  // exercise a: end
  if (row >= p.M || col >= p.N) return;

  float sum = 0.0f;
#pragma unroll 8  // loads of several steps are under way at once; a device waits long for each
  for (int64_t k = 0; k < p.K; ++k) sum += p.A[row * p.lda + k] * p.B[k * p.ldb + col];

  float* c = &p.C[row * p.ldc + col];
  *c = blend(p.alpha, sum, p.beta, c);
  // exercise b: end
}

cudaError_t launch_coalesced(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  coalesced_kernel<<<grid_of(ceil_div(p.M, BM) * tiles_n), THREADS, 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

}  // namespace

extern const Rung coalesced{
    .number = 2,
    .name = "coalesced",
    .idea = "the same threads renumbered, so that a warp slides along a row",
    .promise = {.whole_tiles = 32,
                .claims = {{"load_sectors_per_request", "A", Relation::equal, 1},
                           {"load_sectors_per_request", "B", Relation::equal, 4},
                           {"store_sectors_per_request", "C", Relation::equal, 4}}},
    .launch = launch_coalesced,
};

}  // namespace ladder
