// Rung 3: a block fetches what its threads share once, into shared memory.
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
// of Bs, one in each bank: no conflicts. Elements beyond the edge of a matrix are staged as zeros,
// so the inner loop needs no tests.
//
// What is left for the next rung: two shared loads for each multiply-add. The arithmetic waits for
// them.
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 32;
constexpr int BN = 32;
constexpr int BK = 32;
constexpr int THREADS = BM * BN;
static_assert(BN == 32 && BK == 32, "a warp must fill exactly one row of As, of Bs and of C");
static_assert(BM == BK, "each thread stages one element of As and one of Bs");

__global__ void __launch_bounds__(THREADS)
    shared_tile_kernel(const Sgemm p, const int64_t tiles_n) {
  __shared__ float As[BM][BK];
  __shared__ float Bs[BK][BN];

  const int y = threadIdx.x / 32;
  const int x = threadIdx.x % 32;
  const int64_t row = (blockIdx.x / tiles_n) * BM + y;
  const int64_t col = (blockIdx.x % tiles_n) * BN + x;

  float sum = 0.0f;
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    As[y][x] = row < p.M && k0 + x < p.K ? p.A[row * p.lda + k0 + x] : 0.0f;
    Bs[y][x] = k0 + y < p.K && col < p.N ? p.B[(k0 + y) * p.ldb + col] : 0.0f;
    __syncthreads();  // the tiles are complete

    for (int k = 0; k < BK; ++k) sum += As[y][k] * Bs[k][x];
    __syncthreads();  // nobody may overwrite the tiles while a neighbour still reads them
  }

  if (row >= p.M || col >= p.N) return;
  float* c = &p.C[row * p.ldc + col];
  *c = blend(p.alpha, sum, p.beta, c);
}

cudaError_t launch_shared_tile(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  shared_tile_kernel<<<grid_of(ceil_div(p.M, BM) * tiles_n), THREADS, 0, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

}  // namespace

// In a step along K the block does 2 * 32^3 operations on 2 * 32^2 floats: 8 operations a byte,
// less the share of C. At K = 32 that is one load of A, one of B and one store of C: 16/3.
extern const Rung shared_tile{
    .number = 3,
    .name = "shared_tile",
    .idea =
        "a block stages 32 x 32 tiles of A and B in shared memory and uses each element 32 times",
    .promise = {.whole_tiles = 32,
                .claims = {{Counter::load_sectors_per_request, 'A', Relation::equal, 4},
                           {Counter::load_sectors_per_request, 'B', Relation::equal, 4},
                           {Counter::store_sectors_per_request, 'C', Relation::equal, 4},
                           {Counter::flops_per_global_byte, '-', Relation::at_least, 16.0 / 3},
                           {Counter::shared_bank_conflicts, '-', Relation::equal, 0}}},
    .launch = launch_shared_tile,
};

}  // namespace ladder
