// Rung 3: a block fetches the rows and columns that its threads share once, into shared memory.
//
// Rung 2 reads each element of A and of B once for every thread that needs it. The 32 x 32 threads
// of a block need only 32 rows of A and 32 columns of B between them, so the block walks along K in
// steps of 32 and stages one tile of each:
//
//         K                      N
//      +--------+             +--+--+
//    M |  [As]->|  32 x 32  K |[Bs] |  32 x 32      each element is fetched once and used 32 times
//      +--------+             | v   |
//                             +-----+
//
// In shared memory the lanes of a warp read one word of As (a broadcast) and 32 neighbouring words
// of Bs, one in each bank: no conflicts. Beyond the end of K zeros are staged, so the inner loop needs
// no tests.
//
// A barrier makes every warp wait for the slowest load; rung 2 has no barrier. So each thread loads its two elements of
// the next tile before it computes with this one, and holds them in registers. On an H200 at 4096^3 that raised the
// rung from 17 % to 19 % of cuBLAS.
//
// What is left for the next rung: two shared loads for each multiply-add. nvcc fetches four k of As at once, since they
// lie side by side. That still leaves five loads for four multiply-adds, and the arithmetic waits for the loads.
#include "device/architecture.hpp"
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 32, BN = 32, BK = 32;  // the block's tile
constexpr int THREADS = BM * BN;
static_assert(BN == 32 && BK == 32, "a warp must fill exactly one row of As, of Bs and of C");
static_assert(BM == BK, "each thread stages one element of As and one of Bs");

// Two blocks of 32 registers a thread fill a multiprocessor of 2048 threads. Smaller multiprocessors hold one block.
constexpr int BLOCKS_PER_SM = blocks_at_most(2, THREADS);

__global__ void __launch_bounds__(THREADS, BLOCKS_PER_SM)
    shared_tile_kernel(const Sgemm p, const int64_t tiles_n) {
  // exercise c: begin
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int y = threadIdx.x / 32;
  const int x = threadIdx.x % 32;
  const int64_t row = (blockIdx.x / tiles_n) * BM + y;
  const int64_t col = (blockIdx.x % tiles_n) * BN + x;

  // A thread beyond the edge of C reads the last row or column instead. Its sum is never stored.
  const float* a = &p.A[min(row, p.M - 1) * p.lda + x];
  const float* b = &p.B[y * p.ldb + min(col, p.N - 1)];
  int64_t left = p.K;  // steps along K that are not staged yet
  float next_a = x < left ? *a : 0.0f;
  float next_b = y < left ? *b : 0.0f;

  float sum = 0.0f;
  // exercise b: begin
  while (left > 0) {
    As[y][x] = next_a;
    Bs[y][x] = next_b;
    __syncthreads();  // the tiles are complete

    left -= BK;
    a += BK;
    b += BK * p.ldb;
    next_a = x < left ? *a : 0.0f;
    next_b = y < left ? *b : 0.0f;

    // exercise a: begin
#pragma unroll
    for (int k = 0; k < BK; ++k) sum += As[y][k] * Bs[k][x];
    __syncthreads();  // nobody may overwrite the tiles while a neighbour still reads them
    // exercise a: end
  }
  // exercise b: end

  if (row >= p.M || col >= p.N) return;
  float* c = &p.C[row * p.ldc + col];
  *c = blend(p.alpha, sum, p.beta, c);
  // exercise c: end
}

cudaError_t launch_shared_tile(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  shared_tile_kernel<<<grid_of(ceil_div(p.M, BM) * tiles_n), THREADS, 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

}  // namespace

// In a step along K the block does 2 * 32^3 operations on 2 * 32^2 floats: 8 operations a byte. The traffic of C lowers
// this number. At K = 32 a block loads a tile of A and one of B and stores one of C: 16/3 operations a byte.
extern const Rung shared_tile{
    .number = 3,
    .name = "shared_tile",
    .idea =
        "a block stages 32 x 32 tiles of A and B in shared memory and uses each element 32 times",
    .promise = {.whole_tiles = 32,
                .claims = {{"load_sectors_per_request", "A", Relation::equal, 4},
                           {"load_sectors_per_request", "B", Relation::equal, 4},
                           {"store_sectors_per_request", "C", Relation::equal, 4},
                           {"flops_per_global_byte", "", Relation::at_least, 16.0 / 3},
                           {"shared_bank_conflicts", "", Relation::equal, 0}}},
    .launch = launch_shared_tile,
};

}  // namespace ladder
