// Rung 9: between the block's tile and the thread's tile there is the warp's tile, and its shape matters.
//
// If several lanes read the same address, shared memory serves them together. So the cost of a warp's loads depends on
// the number of different words that its 32 lanes read. A square tile needs the fewest:
//
//                        rung 8: 2 x 16 lanes, 16 x 128 of C     rung 9: 4 x 8 lanes, 64 x 64 of C
//     words for each k   16 of As + 128 of Bs                    64 of As + 64 of Bs
//     multiply-adds      2048                                    4096
//
// For this the thread's tile grows to 16 x 8: 24 elements serve 128 multiply-adds; in rung 8, 16 elements serve 64. A
// block has half as many threads, each with up to twice the registers.
//
// There is a second saving. Shared memory serves a 16-byte load a quarter of a warp at a time, but half a warp at a
// time if neighbouring lanes share addresses. WarpLanes numbers the lanes so that neighbours share addresses of both
// operands. All loads of a warp for one k then take 12 wavefronts (turns of shared memory); rung 8 takes 24 for as much.
//
//     lane of      0  2  8 10 16 18 24 26      a thread's rows: four at 4 * row of lane, and again
//     each         1  3  9 11 17 19 25 27      16, 32 and 48 further on; its columns: four at
//     thread's     4  6 12 14 20 22 28 30      4 * column of lane, and again 32 further on
//     tile         5  7 13 15 21 23 29 31
//
// The tile is also twice as deep, BK = 16: half as many waits for global memory. (Rung 10 does not wait and goes back
// to 8.)
//
// Sectors and bytes are the same as in rung 8, as the report shows. Only the loads from shared memory change.
//
// On an H200 this is 77 % of cuBLAS at 4096^3 (rung 8: 78 %) and 83 % at 2048^3 (rung 8: 80 %): alone, the step hardly
// pays. A multiprocessor holds 8 warps of this rung but 16 of rung 8, and fewer warps hide less of the waits for global
// memory. Once the next rung has removed the waits, the larger tile shows its worth (93 %).
//
// What is left for the next rung: before each barrier the block waits for global memory, and only the
// other block on the multiprocessor can use that time.
#include "device/vector_access.cuh"
#include "device/warp_lanes.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 128, BK = 16;  // the block's tile
constexpr int WM = 64, WN = 64;             // the warp's tile
constexpr int TM = 16, TN = 8;              // the thread's tile: groups of four rows, four columns

using Lanes = WarpLanes<WM / TM, WN / TN>;
constexpr int ROW_GROUP = WM / (TM / 4);  // from one group of four rows to the next
constexpr int COL_GROUP = WN / (TN / 4);
constexpr int WARPS_N = BN / WN;
constexpr int THREADS = (BM / WM) * WARPS_N * 32;

// As in rung 8, a transposing store covers 16 rows of A at two values of k, four apart.
constexpr int A_STRIDE = BM + 4;
static_assert(4 * A_STRIDE % 32 == 16, "a transposing store must fill all banks once");
static_assert(A_STRIDE % 4 == 0, "each row of As must begin on a 16-byte boundary");

constexpr int A_DEPTH = 8;  // the block stages A_DEPTH k of A_ROWS rows of A at a time
constexpr int A_ROWS = THREADS / (A_DEPTH / 4);
constexpr int B_ROWS = THREADS / (BN / 4);
static_assert(BM % A_ROWS == 0 && BK % A_DEPTH == 0 && BK % B_ROWS == 0,
              "the block stages whole rows");

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    warp_tile_kernel(const Sgemm p, const int64_t tiles_n) {
  alignas(16) __shared__ float As[BK][A_STRIDE];  // (k: BK, m: BM), transposed
  alignas(16) __shared__ float Bs[BK][BN];        // (k: BK, n: BN)

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread stages four neighbours along k of every A_ROWS-th row of A, again A_DEPTH further on, and four
  // neighbours along n of every B_ROWS-th row of B.
  const int a_row = threadIdx.x / (A_DEPTH / 4), a_k = threadIdx.x % (A_DEPTH / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  const int a_rows = part_inside(p.M - tile_row, BM) - a_row;
  const int b_count = part_inside(p.N - tile_col, BN) - b_col;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];  // (m: 1, k: 4) of (A_ROWS, A_DEPTH)
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];    // (k: 1, n: 4) of (B_ROWS, BN)

  // It computes groups of 4 x 4 elements. The first group begins at (row, col) of the tile.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  // exercise a: begin
  const int row = warp / WARPS_N * WM + 4 * Lanes::row(lane);
  const int col = warp % WARPS_N * WN + 4 * Lanes::col(lane);
  // exercise a: end
  float sum[TM][TN] = {};  // (m: TM, n: TN)

  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    const int depth = part_inside(p.K - k0, BK);
    // All loads are under way before the first is used.
    constexpr int A_PASSES = BM / A_ROWS, A_LOADS = A_PASSES * (BK / A_DEPTH);
    constexpr int B_LOADS = BK / B_ROWS;
    float4 a4[A_LOADS], b4[B_LOADS];  // each (1, 4)
#pragma unroll
    for (int i = 0; i < A_LOADS; ++i) {
      const int r = i % A_PASSES * A_ROWS, k = i / A_PASSES * A_DEPTH;
      a4[i] = load4<VECTOR>(a + r * p.lda + k, r < a_rows ? depth - (a_k + k) : 0);
    }
#pragma unroll
    for (int i = 0; i < B_LOADS; ++i) {
      b4[i] = load4<VECTOR>(b + i * B_ROWS * p.ldb, b_k + i * B_ROWS < depth ? b_count : 0);
    }
#pragma unroll
    for (int i = 0; i < A_LOADS; ++i) {
      const int r = a_row + i % A_PASSES * A_ROWS, k = a_k + i / A_PASSES * A_DEPTH;
      As[k + 0][r] = a4[i].x;
      As[k + 1][r] = a4[i].y;
      As[k + 2][r] = a4[i].z;
      As[k + 3][r] = a4[i].w;
    }
#pragma unroll
    for (int i = 0; i < B_LOADS; ++i) {
      *reinterpret_cast<float4*>(&Bs[b_k + i * B_ROWS][b_col]) = b4[i];
    }
    a += BK;
    b += BK * p.ldb;
    __syncthreads();  // the tiles are complete

    // exercise b: begin
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_k_rows[TM], b_k_cols[TN];  // (m: TM), (n: TN)
#pragma unroll
      for (int g = 0; g < TM / 4; ++g) fetch4(&a_k_rows[4 * g], &As[k][row + g * ROW_GROUP]);
#pragma unroll
      for (int g = 0; g < TN / 4; ++g) fetch4(&b_k_cols[4 * g], &Bs[k][col + g * COL_GROUP]);
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a_k_rows[i] * b_k_cols[j];
      }
    }
    // exercise b: end
    __syncthreads();  // nobody may overwrite the tiles while a neighbour still reads them
  }

  const int64_t height = p.M - tile_row;
  const int width = part_inside(p.N - tile_col, BN);
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const int c_row = row + i / 4 * ROW_GROUP + i % 4;
    if (c_row >= height) return;
#pragma unroll
    for (int g = 0; g < TN / 4; ++g) {
      const int c_col = col + g * COL_GROUP;
      store4<VECTOR>(&p.C[(tile_row + c_row) * p.ldc + tile_col + c_col], width - c_col, p.alpha,
                     &sum[i][4 * g], p.beta);
    }
  }
}

cudaError_t launch_warp_tile(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  const dim3 grid = grid_of(ceil_div(p.M, BM) * tiles_n);
  if (is_vector_aligned(p, 16)) {
    warp_tile_kernel<true><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  } else {
    warp_tile_kernel<false><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  }
  return cudaGetLastError();
}

const char* path_warp_tile(const Sgemm& p) {
  return is_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

extern const Rung warp_tile{
    .number = 9,
    .name = "warp_tile",
    .idea =
        "a warp's tile of 64 x 64: lanes share addresses, so shared memory delivers fewer words",
    .promise = {.whole_tiles = 4,  // tiles may be partly filled, in accesses of 16 bytes
                .claims = {{"load_bytes_per_lane", "A", Relation::equal, 16},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"shared_loads_per_ffma", "", Relation::at_most, 6.0 / 128},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_warp_tile,
    .path = path_warp_tile,
};

}  // namespace ladder
