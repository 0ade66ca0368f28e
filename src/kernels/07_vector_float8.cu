// Rung 7: a thread fetches 32 bytes at a time.
//
// If 16 bytes an instruction are good, are 32 better? That depends on the device. From compute capability 10.0 on a
// load can be 32 bytes wide (ld.global.v8.f32): one instruction instead of rung 6's two (load_width_test.py checks it).
// For older devices, such as an H200 (9.0), the compiler splits it:
//
//   lane         0               1               2                       a request of rung 6:
//   bytes   | 0 .. 15 16 .. 31 | 32 .. 47  ...  |                        32 lanes x 16 bytes
//   load 1    ^^^^^^^            ^^^^^^^           32 sectors, half used  = 16 sectors, all used
//   load 2            ^^^^^^^             ^^^^^^   the same 32 sectors again
//
// The two loads together use every byte. If the first request's sectors are still in L1 when the second request comes,
// memory delivers no byte in vain. But each request occupies L1 for twice the sectors: it uses 50 % of the bytes that it
// fetches; a request of rung 6 uses all. So the report rightly shows worse traffic for this rung, which gains elsewhere.
//
// The tile is twice as deep (BK = 16), so that a thread has 8 elements of each operand to fetch, and there are half as
// many barriers. Without alignment to 32 bytes the rung takes the path "scalar".
//
// On an H200 at 4096^3 this is 72 % of cuBLAS; rung 6 reaches 70 %. The wide loads are hardly the cause: on that card a
// copy of 1 GiB moves 3.77 TB/s in 32-byte pieces and 4.27 TB/s in 16-byte ones. The deeper tile, with half as many
// waits, is the likelier cause.
//
// What is left for the next rung: the same bank conflicts and half-used stores as in rung 6.
#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 128, BK = 16;  // the block's tile
constexpr int TM = 8, TN = 8;               // the thread's tile
constexpr int THREADS = (BM / TM) * (BN / TN);
static_assert(BM * BK == 8 * THREADS && BK * BN == 8 * THREADS,
              "each thread stages one float8 of As and one of Bs");

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    vector_float8_kernel(const Sgemm p, const int64_t tiles_n) {
  alignas(16) __shared__ float As[BK][BM];  // (k: BK, m: BM), transposed
  alignas(16) __shared__ float Bs[BK][BN];  // (k: BK, n: BN)

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread stages eight neighbours along k of A and eight neighbours along n of B.
  // exercise a: begin
  const int a_row = threadIdx.x / (BK / 8), a_k = threadIdx.x % (BK / 8) * 8;
  const int b_k = threadIdx.x / (BN / 8), b_col = threadIdx.x % (BN / 8) * 8;
  // exercise a: end
  const bool a_inside = tile_row + a_row < p.M;
  const int b_count = part_inside(p.N - tile_col, BN) - b_col;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];  // (m: 1, k: 8) of (BM, BK)
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];    // (k: 1, n: 8) of (BK, BN)

  // It computes TM x TN elements: sum[i][j] is element (row + i, col + j) of the tile.
  const int row = threadIdx.x / (BN / TN) * TM;
  const int col = threadIdx.x % (BN / TN) * TN;
  float sum[TM][TN] = {};  // (m: TM, n: TN)

  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    const int depth = part_inside(p.K - k0, BK);
    // exercise b: begin
    const float8 a8 = load8<VECTOR>(a, a_inside ? depth - a_k : 0);
    const float8 b8 = load8<VECTOR>(b, b_k < depth ? b_count : 0);
    As[a_k + 0][a_row] = a8.low.x;
    As[a_k + 1][a_row] = a8.low.y;
    As[a_k + 2][a_row] = a8.low.z;
    As[a_k + 3][a_row] = a8.low.w;
    As[a_k + 4][a_row] = a8.high.x;
    As[a_k + 5][a_row] = a8.high.y;
    As[a_k + 6][a_row] = a8.high.z;
    As[a_k + 7][a_row] = a8.high.w;
    *reinterpret_cast<float4*>(&Bs[b_k][b_col]) = b8.low;
    *reinterpret_cast<float4*>(&Bs[b_k][b_col + 4]) = b8.high;
    a += BK;
    b += BK * p.ldb;
    __syncthreads();  // the tiles are complete

    // exercise b: end
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_k_rows[TM], b_k_cols[TN];  // (m: TM), (n: TN)
#pragma unroll
      for (int g = 0; g < TM / 4; ++g) fetch4(&a_k_rows[4 * g], &As[k][row + 4 * g]);
#pragma unroll
      for (int g = 0; g < TN / 4; ++g) fetch4(&b_k_cols[4 * g], &Bs[k][col + 4 * g]);
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
      store4<VECTOR>(&p.C[(tile_row + row + i) * p.ldc + tile_col + col + 4 * g],
                     width - (col + 4 * g), p.alpha, &sum[i][4 * g], p.beta);
    }
  }
}

cudaError_t launch_vector_float8(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  const dim3 grid = grid_of(ceil_div(p.M, BM) * tiles_n);
  if (is_vector_aligned(p, 32)) {
    vector_float8_kernel<true><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  } else {
    vector_float8_kernel<false><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  }
  return cudaGetLastError();
}

const char* path_vector_float8(const Sgemm& p) {
  return is_vector_aligned(p, 32) ? "float8" : "scalar";
}

}  // namespace

// The claims are for compute capability 9.0, which the simulated device has too. There a lane makes two loads of 16
// bytes, and neighbouring lanes lie 32 bytes apart. So each request touches 32 sectors and uses half of each.
extern const Rung vector_float8{
    .number = 7,
    .name = "vector_float8",
    .idea = "32-byte loads: one instruction from compute capability 10.0 on, two before",
    .promise = {.whole_tiles = 128,
                .claims = {{"load_bytes_per_lane", "A", Relation::equal, 16},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"load_sectors_per_request", "A", Relation::equal, 32},
                           {"load_sectors_per_request", "B", Relation::equal, 32},
                           {"shared_loads_per_ffma", "", Relation::at_most, 1.0 / 16},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_vector_float8,
    .path = path_vector_float8,
};

}  // namespace ladder
