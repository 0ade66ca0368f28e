// Rung 10: the next tiles are on their way while this one is computed.
//
// In rung 9 a block loads a tile, waits for it, computes, and loads the next: global memory and the multiply-adds take
// turns. (Rung 3 held one element of the next tile in a register; whole tiles do not fit there.) cp.async copies from
// global to shared memory without a register and without waiting. With STAGES = 4 tiles of shared memory in a ring,
// three are on their way while one is computed:
//
//     time -->          tile 0     tile 1     tile 2     tile 3
//     computed          stage 0    stage 1    stage 2    stage 3
//     being copied      1, 2, 3    2, 3, 0    3, 0, 1    0, 1, 2
//
// Each thread waits for its own copies of a tile, and a barrier makes them visible to all threads. The same barrier
// shows that all threads are done with the previous tile, so its stage may be overwritten. So a tile needs one barrier
// instead of two.
//
// cp.async moves 4, 8 or 16 bytes and keeps their order. So the kernel copies B 16 bytes at a time, but A, which it
// transposes, one element of 4 bytes at a time. Beyond the edges cp.async writes zeros (a copy of 0 bytes). A needs no
// alignment; if B or C is not aligned to 16 bytes, both are moved a float at a time too (path "scalar").
//
// On an H200 at 4096^3 this is 93 % of cuBLAS; rung 9 reaches 77 %.
//
// What is left for the next rung: this tile is one of many, and the best one depends on the shape.
#include "device/async_copy.cuh"
#include "device/vector_access.cuh"
#include "device/warp_lanes.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 128, BK = 8;  // the block's tile
constexpr int WM = 64, WN = 64;            // the warp's tile
constexpr int TM = 16, TN = 8;             // the thread's tile: groups of four rows, four columns
constexpr int STAGES = 4;

using Lanes = WarpLanes<WM / TM, WN / TN>;
constexpr int ROW_GROUP = WM / (TM / 4);  // from one group of four rows to the next
constexpr int COL_GROUP = WN / (TN / 4);
constexpr int WARPS_N = BN / WN;
constexpr int THREADS = (BM / WM) * WARPS_N * 32;

// A warp copies 4 rows of A at 8 values of k: each value of k begins 4 banks after the previous one.
constexpr int A_STRIDE = BM + 4;
static_assert(A_STRIDE % 32 == 4 && BK == 8, "a transposing copy must fill all banks once");

constexpr int A_ROWS = THREADS / BK;  // rows of A that the block copies at a time
constexpr int B_ROWS = THREADS / (BN / 4);
static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "the block copies whole rows");

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    async_pipeline_kernel(const Sgemm p, const int64_t tiles_n) {
  alignas(16) __shared__ float As[STAGES][BK][A_STRIDE];  // (STAGES, k: BK, m: BM), transposed
  alignas(16) __shared__ float Bs[STAGES][BK][BN];        // (STAGES, k: BK, n: BN)

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread copies an element of every A_ROWS-th row of A and four neighbours along n of every B_ROWS-th row of B.
  const int a_row = threadIdx.x / BK, a_k = threadIdx.x % BK;
  const int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  const int a_rows = part_inside(p.M - tile_row, BM) - a_row;
  const int b_count = part_inside(p.N - tile_col, BN) - b_col;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];  // (m: 1, k: 1) of (A_ROWS, BK)
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];    // (k: 1, n: 4) of (B_ROWS, BN)

  const auto copy_tile = [&](int64_t k0, int stage) {
    const int depth = part_inside(p.K - k0, BK);
#pragma unroll
    for (int r = 0; r < BM; r += A_ROWS) {
      copy_async(&As[stage][a_k][a_row + r], a + r * p.lda + k0, r < a_rows && a_k < depth);
    }
#pragma unroll
    for (int r = 0; r < BK; r += B_ROWS) {
      copy_async4<VECTOR>(&Bs[stage][b_k + r][b_col], b + (k0 + r) * p.ldb,
                          b_k + r < depth ? b_count : 0);
    }
  };

  // It computes groups of 4 x 4 elements. The first group begins at (row, col) of the tile.
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / WARPS_N * WM + 4 * Lanes::row(lane);
  const int col = warp % WARPS_N * WN + 4 * Lanes::col(lane);
  float sum[TM][TN] = {};  // (m: TM, n: TN)

  // exercise b: begin
#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage * BK < p.K) copy_tile(stage * BK, stage);
    commit_async();
  }

  int stage = 0;
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    wait_async<STAGES - 2>();
    __syncthreads();  // this tile has arrived, and all threads are done with the previous one

    // exercise a: begin
    const int64_t next = k0 + (STAGES - 1) * BK;
    if (next < p.K) copy_tile(next, stage == 0 ? STAGES - 1 : stage - 1);
    commit_async();  // even if empty, so that the count of groups stays right

    // exercise a: end
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_k_rows[TM], b_k_cols[TN];  // (m: TM), (n: TN)
#pragma unroll
      for (int g = 0; g < TM / 4; ++g) {
        fetch4(&a_k_rows[4 * g], &As[stage][k][row + g * ROW_GROUP]);
      }
#pragma unroll
      for (int g = 0; g < TN / 4; ++g) {
        fetch4(&b_k_cols[4 * g], &Bs[stage][k][col + g * COL_GROUP]);
      }
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a_k_rows[i] * b_k_cols[j];
      }
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }
  // exercise b: end

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

cudaError_t launch_async_pipeline(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  const dim3 grid = grid_of(ceil_div(p.M, BM) * tiles_n);
  if (are_b_and_c_vector_aligned(p, 16)) {
    async_pipeline_kernel<true><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  } else {
    async_pipeline_kernel<false><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  }
  return cudaGetLastError();
}

const char* path_async_pipeline(const Sgemm& p) {
  return are_b_and_c_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

extern const Rung async_pipeline{
    .number = 10,
    .name = "async_pipeline",
    .idea = "cp.async copies the next three tiles while this one is computed",
    .promise = {.whole_tiles = 4,  // tiles may be partly filled, in accesses of 16 bytes
                .claims = {{"async_copy_share", "A", Relation::equal, 1},
                           {"async_copy_share", "B", Relation::equal, 1},
                           {"load_bytes_per_lane", "A", Relation::equal, 4},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"shared_loads_per_ffma", "", Relation::at_most, 6.4 / 128},  // by nvcc
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_async_pipeline,
    .path = path_async_pipeline,
    .needs = {.compute_capability = ASYNC_COPY_NEEDS},
};

}  // namespace ladder
