// Rung 8: the lanes of a warp never access different words of one bank of shared memory.
//
// Shared memory has 32 banks, each 4 bytes wide: word w lies in bank w mod 32. If lanes access different words of one
// bank, it serves them one after the other. A 16-byte load is served eight lanes at a time, so these eight must cover
// the 32 banks. This rung keeps rung 6's loads, since rung 7's do not pay on devices before compute capability 10.0.
// Rung 6 conflicts in two places:
//
//   loads from Bs        rung 6: lane l reads columns 8l .. 8l + 3, then 8l + 4 .. 8l + 7
//     lane               0       1       2       3       4       5  ...
//     banks, rung 6      0-3     8-11    16-19   24-27   0-3     8-11    two lanes a bank
//     banks, rung 8      0-3     4-7     8-11    12-15   16-19   20-23   one
//       A thread takes columns 4l .. 4l + 3 and 64 + 4l .. 64 + 4l + 3: two groups of four, each
//       next to a group of the neighbouring lane.
//
//   stores to As         lanes 2r and 2r + 1 hold k .. k + 3 and k + 4 .. k + 7 of row r of A
//     rung 6             As[k][r] and As[k + 4][r] are 4 * 128 words apart: the same bank
//     rung 8             a row of As has 132 floats: 4 * 132 words apart is 16 banks further
//
// The two groups of four mend the stores to C as well: a warp writes whole sectors, 16 a request.
//
// On an H200 at 4096^3 this is 78 % of cuBLAS; rung 6 reaches 70 %.
//
// What is left for the next rung: a warp's tile is 2 x 16 threads' tiles, so for each k the warp reads few elements
// of As and many of Bs.
#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 128, BK = 8;  // the block's tile
constexpr int TM = 8, TN = 8;              // the thread's tile
constexpr int THREADS = (BM / TM) * (BN / TN);
static_assert(BM * BK == 4 * THREADS && BK * BN == 4 * THREADS,
              "each thread stages one float4 of As and one of Bs");

// exercise a: begin
// A row of As is padded. The lanes of a transposing store cover 16 rows of A at two values
// of k, four apart: 4 * A_STRIDE must be 16 modulo the 32 banks.
constexpr int A_STRIDE = BM + 4;
static_assert(4 * A_STRIDE % 32 == 16, "a transposing store must fill all banks once");
static_assert(A_STRIDE % 4 == 0, "each row of As must begin on a 16-byte boundary");
// exercise a: end

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    conflict_free_kernel(const Sgemm p, const int64_t tiles_n) {
  alignas(16) __shared__ float As[BK][A_STRIDE];  // (k: BK, m: BM), transposed
  alignas(16) __shared__ float Bs[BK][BN];        // (k: BK, n: BN)

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // exercise c: begin
  // This thread stages four neighbours along k of A and four neighbours along n of B.
  const int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  const bool a_inside = tile_row + a_row < p.M;
  const int b_count = part_inside(p.N - tile_col, BN) - b_col;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];  // (m: 1, k: 4) of (BM, BK)
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];    // (k: 1, n: 4) of (BK, BN)

  // It computes rows row .. row + 7 of TN / 4 groups of four columns, COL_GROUP apart.
  const int row = threadIdx.x / (BN / TN) * TM;
  // exercise b: begin
  // The first groups of all threads lie side by side; the second groups follow.
  constexpr int COL_GROUP = BN / (TN / 4);
  const int col = threadIdx.x % (BN / TN) * 4;
  // exercise b: end
  float sum[TM][TN] = {};  // (m: TM, n: TN)

  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    const int depth = part_inside(p.K - k0, BK);
    const float4 a4 = load4<VECTOR>(a, a_inside ? depth - a_k : 0);
    const float4 b4 = load4<VECTOR>(b, b_k < depth ? b_count : 0);
    As[a_k + 0][a_row] = a4.x;
    As[a_k + 1][a_row] = a4.y;
    As[a_k + 2][a_row] = a4.z;
    As[a_k + 3][a_row] = a4.w;
    *reinterpret_cast<float4*>(&Bs[b_k][b_col]) = b4;
    a += BK;
    b += BK * p.ldb;
    __syncthreads();  // the tiles are complete

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_k_rows[TM], b_k_cols[TN];  // (m: TM), (n: TN)
#pragma unroll
      for (int g = 0; g < TM / 4; ++g) fetch4(&a_k_rows[4 * g], &As[k][row + 4 * g]);
#pragma unroll
      for (int g = 0; g < TN / 4; ++g) fetch4(&b_k_cols[4 * g], &Bs[k][col + g * COL_GROUP]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a_k_rows[i] * b_k_cols[j];
      }
    }
    __syncthreads();  // nobody may overwrite the tiles while a neighbour still reads them
  }

  const int64_t height = p.M - tile_row;
  const int width = part_inside(p.N - tile_col, BN);
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    if (row + i >= height) return;
#pragma unroll
    for (int g = 0; g < TN / 4; ++g) {
      const int c_col = col + g * COL_GROUP;
      store4<VECTOR>(&p.C[(tile_row + row + i) * p.ldc + tile_col + c_col], width - c_col, p.alpha,
                     &sum[i][4 * g], p.beta);
    }
  }
  // exercise c: end
}

cudaError_t launch_conflict_free(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  const dim3 grid = grid_of(ceil_div(p.M, BM) * tiles_n);
  if (is_vector_aligned(p, 16)) {
    conflict_free_kernel<true><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  } else {
    conflict_free_kernel<false><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  }
  return cudaGetLastError();
}

const char* path_conflict_free(const Sgemm& p) {
  return is_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

extern const Rung conflict_free{
    .number = 8,
    .name = "conflict_free",
    .idea = "padded rows of As, split columns of Bs: no two lanes want different words of one bank",
    .promise = {.whole_tiles = 4,  // tiles may be partly filled, in accesses of 16 bytes
                .claims = {{"load_bytes_per_lane", "A", Relation::equal, 16},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"shared_loads_per_ffma", "", Relation::at_most, 1.0 / 16},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_conflict_free,
    .path = path_conflict_free,
};

}  // namespace ladder
