// Rung 6: every access moves 16 bytes, to and from global memory and out of shared memory.
//
// Rung 5 spends an instruction on each 4 bytes. A float4 load fetches four neighbours in one
// instruction. The same bytes take a quarter of the load instructions, and the free issue slots go to
// multiply-adds.
//
// Global memory only asks for alignment: the kernel reads rows of A and B four floats at a time. In shared memory a
// thread's eight elements of an operand must be neighbours too. Its eight columns of Bs are; its eight rows of As are
// not, so As is stored transposed, k first:
//
//   A:  row r: [k k+1 k+2 k+3]   one 16-byte load     As[k    ][... r ...]   four 4-byte stores,
//                                                     As[k + 1][... r ...]   once for each element
//   a[0..7] = As[k][row .. row + 7]                   two 16-byte loads, for each k
//
// A 16-byte access must begin on a 16-byte boundary. If a pointer or a leading dimension does not allow that, the same
// kernel loads and stores global memory a float at a time (path "scalar").
//
// On an H200 at 4096^3 this is 70 % of cuBLAS; rung 5 reaches 59 %.
//
// What is left for the next rungs: lanes that access different words of one bank of shared memory wait for each other.
// This rung's lanes do so in the transposing stores and in the loads from Bs. And a store to C still uses only half of
// each of its 32 sectors, since a thread's two groups of four lie side by side.
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

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    vector_float4_kernel(const Sgemm p, const int64_t tiles_n) {
  alignas(16) __shared__ float As[BK][BM];  // (k: BK, m: BM), transposed
  alignas(16) __shared__ float Bs[BK][BN];  // (k: BK, n: BN)

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread stages four neighbours along k of A and four neighbours along n of B.
  const int a_row = threadIdx.x / (BK / 4), a_k = threadIdx.x % (BK / 4) * 4;
  const int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  const bool a_inside = tile_row + a_row < p.M;
  const int b_count = part_inside(p.N - tile_col, BN) - b_col;
  const float* a = &p.A[(tile_row + a_row) * p.lda + a_k];  // (m: 1, k: 4) of (BM, BK)
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];    // (k: 1, n: 4) of (BK, BN)

  // It computes TM x TN elements: sum[i][j] is element (row + i, col + j) of the tile.
  const int row = threadIdx.x / (BN / TN) * TM;
  const int col = threadIdx.x % (BN / TN) * TN;
  float sum[TM][TN] = {};  // (m: TM, n: TN)

  // exercise b: begin
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    const int depth = part_inside(p.K - k0, BK);
    const float4 a4 = load4<VECTOR>(a, a_inside ? depth - a_k : 0);
    const float4 b4 = load4<VECTOR>(b, b_k < depth ? b_count : 0);
    // exercise a: begin
    As[a_k + 0][a_row] = a4.x;
    As[a_k + 1][a_row] = a4.y;
    As[a_k + 2][a_row] = a4.z;
    As[a_k + 3][a_row] = a4.w;
    *reinterpret_cast<float4*>(&Bs[b_k][b_col]) = b4;
    // exercise a: end
    a += BK;
    b += BK * p.ldb;
    __syncthreads();  // the tiles are complete

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
  // exercise b: end

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

cudaError_t launch_vector_float4(const Sgemm& p, cudaStream_t stream) {
  const int64_t tiles_n = ceil_div(p.N, BN);
  const dim3 grid = grid_of(ceil_div(p.M, BM) * tiles_n);
  if (is_vector_aligned(p, 16)) {
    vector_float4_kernel<true><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  } else {
    vector_float4_kernel<false><<<grid, THREADS, 0, stream>>>(p, tiles_n);
  }
  return cudaGetLastError();
}

const char* path_vector_float4(const Sgemm& p) {
  return is_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

// A load of 16 bytes a lane touches 16 sectors and uses all of them, so this rung does not aim at fewer sectors a request.
extern const Rung vector_float4{
    .number = 6,
    .name = "vector_float4",
    .idea = "16-byte loads and stores: a quarter of the instructions for the same bytes",
    .promise = {.whole_tiles = 128,
                .claims = {{"load_bytes_per_lane", "A", Relation::equal, 16},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"load_sectors_per_request", "B", Relation::equal, 16},
                           {"shared_loads_per_ffma", "", Relation::at_most, 1.0 / 16},
                           {"shared_bank_conflicts", "", Relation::at_least, 1},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_vector_float4,
    .path = path_vector_float4,
};

}  // namespace ladder
