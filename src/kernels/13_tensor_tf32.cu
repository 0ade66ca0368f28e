// Rung 13: the tensor core. Fast, and not FP32.
//
// Rungs 1 to 12 end at the rate of the FP32 pipe: 128 multiply-adds a clock on each multiprocessor. Beside it lies a
// unit that multiplies small matrices. With mma.sync a warp computes D = A B + C at once, here 16 x 8 x 8: 1024
// multiply-adds in one instruction. But A and B must be TF32, which has FP32's range and 10 bits of fraction instead of
// 23: its steps are 8192 times as wide. docs/tensor.md shows the errors.
//
// The operands of the instruction lie in the registers of all 32 lanes. A lane's part is its fragment. With
// g = lane / 4 and t = lane % 4, lane l holds
//
//         A (16 x 8)             B (8 x 8)            C and D (16 x 8)
//
//          t     t + 4              g                   2t, 2t + 1
//       g  a0    a2            t    b0              g   c0  c1
//   g + 8  a1    a3        t + 4    b1          g + 8   c2  c3
//
// ldmatrix loads four matrices of 8 rows x 16 bytes from shared memory; a row may lie anywhere. Lane l receives word
// l % 4 of row l / 4 of each matrix. That is a TF32 fragment of A: one instruction for a0 to a3. A row of B runs along n,
// and a lane needs elements of column g. ldmatrix .trans transposes units of 16 bits only: it would tear FP32 numbers
// apart. So plain loads fetch B. A fragment's column g may hold any column of B, if column g of C's fragment then stands
// for that column of C. So one load of a lane takes four neighbours of a row, one for each of four fragments. The lanes
// with an even g take the first 16 columns, so that the c0 of four fragments are four neighbours of C, and a store fills
// whole sectors.
//
//     columns of 32             0 - 3   4 - 7   8 - 11   12 - 15   16 - 19   20 - 23   24 - 27   28 - 31
//     lanes with g =              0       2       4         6         1         3         5         7
//     in fragments             0 1 2 3   0 .. 3
//
// Both ways of loading must meet 32 different banks:
//
//   A   a row has 32 floats and fills all banks. The 16-byte piece q of row m lies at place q ^ (m % 8), so that the
//       pieces q of eight rows lie at eight different places
//   B   a row has 128 floats and 4 of padding: the rows of t = 0 to 3 begin 4 banks apart. In a quarter of the warp, t
//       takes four values and g takes two. The columns for the two values of g lie 16 apart
//
// The tensor core ignores the low 13 bits of an operand. So to_tf32() first enlarges each operand by about half a step.
// The kernel copies tiles as rung 10 does. If A, B and C are not all aligned to 16 bytes, it moves all of them a float
// at a time (path "scalar").
//
// On an H200 at 4096^3 this is 359 % of cuBLAS's SGEMM, and 45 % of cuBLAS in TF32. A kernel of mma.sync alone, which
// loads nothing, reaches four fifths of cuBLAS in TF32. cuBLAS uses wgmma, an instruction of Hopper.
//
// What is left for the next rung: the accuracy.
#include "device/async_copy.cuh"
#include "device/tensor_core.cuh"
#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 128, BK = 32;  // the block's tile
constexpr int WM = 64, WN = 64;             // the warp's tile
constexpr int MM = 16, MN = 8, MK = 8;      // one mma.sync
constexpr int STAGES = 3;

constexpr int WARPS_N = BN / WN;
constexpr int THREADS = (BM / WM) * WARPS_N * 32;

constexpr int PIECES = BK / 4;  // pieces of 16 bytes in a row of A
static_assert(PIECES == 8, "a row of A fills the banks once");
constexpr int B_STRIDE = BN + 4;
static_assert(B_STRIDE % 32 == 4,
              "the pieces of four rows of B must lie side by side in the banks");
static_assert(WN / MN % 4 == 0, "a lane loads four neighbours of a row of B");

constexpr int A_ROWS = THREADS / PIECES;  // rows of A that the block copies at a time
constexpr int B_ROWS = THREADS / (BN / 4);
static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "the block copies whole rows");

struct Stage {
  float A[BM][BK];        // (m: BM, k: BK), the pieces of a row swizzled
  float B[BK][B_STRIDE];  // (k: BK, n: BN)
};
// The smallest devices (compute capability 8.6) have room for three stages in a block, but not for four. On an H200 a
// multiprocessor holds two such blocks.
constexpr int SHARED_BYTES = STAGES * sizeof(Stage);
static_assert(SHARED_BYTES <= 99 * 1024, "a multiprocessor of compute capability 8.6 has no more");

// The place of a 16-byte piece in its row of A.
__device__ int swizzle(int row, int piece) { return (piece ^ row % PIECES) * 4; }

template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, 2)
    tensor_tf32_kernel(const Sgemm p, const int64_t tiles_n) {
  extern __shared__ __align__(16) unsigned char shared[];
  Stage* stages = reinterpret_cast<Stage*>(shared);

  const int64_t tile_row = (blockIdx.x / tiles_n) * BM;
  const int64_t tile_col = (blockIdx.x % tiles_n) * BN;

  // This thread copies a piece of every A_ROWS-th row of A and of every B_ROWS-th row of B.
  const int a_row = threadIdx.x / PIECES, a_piece = threadIdx.x % PIECES;
  const int b_k = threadIdx.x / (BN / 4), b_col = threadIdx.x % (BN / 4) * 4;
  const int a_rows = part_inside(p.M - tile_row, BM) - a_row;
  const int b_count = part_inside(p.N - tile_col, BN) - b_col;
  const float* a = &p.A[(tile_row + a_row) * p.lda + 4 * a_piece];  // (m: 1, k: 4) of (A_ROWS, BK)
  const float* b = &p.B[b_k * p.ldb + tile_col + b_col];            // (k: 1, n: 4) of (B_ROWS, BN)

  const bool has_all = a_row + a_rows == BM && b_col + b_count == BN;  // rows and columns
  const auto copy_tile = [&](int64_t k0, Stage& stage) {
    const int depth = part_inside(p.K - k0, BK);
    if (VECTOR && has_all && depth == BK) {  // nearly always: no copy needs a test
#pragma unroll
      for (int r = 0; r < BM; r += A_ROWS) {
        copy_async4(&stage.A[a_row + r][swizzle(a_row + r, a_piece)], a + r * p.lda + k0);
      }
#pragma unroll
      for (int r = 0; r < BK; r += B_ROWS) {
        copy_async4(&stage.B[b_k + r][b_col], b + (k0 + r) * p.ldb);
      }
      return;
    }
#pragma unroll
    for (int r = 0; r < BM; r += A_ROWS) {
      copy_async4<VECTOR>(&stage.A[a_row + r][swizzle(a_row + r, a_piece)], a + r * p.lda + k0,
                          r < a_rows ? depth - 4 * a_piece : 0);
    }
#pragma unroll
    for (int r = 0; r < BK; r += B_ROWS) {
      copy_async4<VECTOR>(&stage.B[b_k + r][b_col], b + (k0 + r) * p.ldb,
                          b_k + r < depth ? b_count : 0);
    }
  };

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / WARPS_N * WM, warp_col = warp % WARPS_N * WN;
  const int g = lane / 4, t = lane % 4;
  float sum[WM / MM][WN / MN][4] = {};  // (m: WM / MM, n: WN / MN, c0 to c3)

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (stage * BK < p.K) copy_tile(stage * BK, stages[stage]);
    commit_async();
  }

  int stage = 0;
  for (int64_t k0 = 0; k0 < p.K; k0 += BK) {
    wait_async<STAGES - 2>();
    __syncthreads();  // this tile has arrived, and all threads are done with the previous one

    const int64_t next = k0 + (STAGES - 1) * BK;
    if (next < p.K) copy_tile(next, stages[stage == 0 ? STAGES - 1 : stage - 1]);
    commit_async();  // even if empty, so that the count of groups stays right

    const Stage& tile = stages[stage];
#pragma unroll
    for (int k = 0; k < BK; k += MK) {
      uint32_t a_fragments[WM / MM][4], b_fragments[WN / MN][2];
      // exercise a: begin
      // Lane l passes the address of row l % 8 of matrix l / 8. The matrices are a0, a1 (8 rows below), a2 (4 k on), a3.
#pragma unroll
      for (int i = 0; i < WM / MM; ++i) {
        const int row = warp_row + i * MM + lane % 16;
        load_matrices<4>(a_fragments[i], &tile.A[row][swizzle(row, k / 4 + lane / 16)]);
#pragma unroll
        for (uint32_t& element : a_fragments[i]) element = to_tf32(__uint_as_float(element));
      }
      // exercise a: end
      // exercise b: begin
      // Element b0 is in row t of B, b1 in row t + 4. Fragments 0 to 3 share columns 0 to 31, fragments 4 to 7 the rest.
#pragma unroll
      for (int half = 0; half < 2; ++half) {
#pragma unroll
        for (int j = 0; j < WN / MN; j += 4) {
          float four[4];
          fetch4(four, &tile.B[k + t + 4 * half][warp_col + j * MN + 16 * (g % 2) + 4 * (g / 2)]);
#pragma unroll
          for (int q = 0; q < 4; ++q) b_fragments[j + q][half] = to_tf32(four[q]);
        }
      }
      // exercise b: end
#pragma unroll
      for (int i = 0; i < WM / MM; ++i) {
#pragma unroll
        for (int j = 0; j < WN / MN; ++j) {
          multiply_fragments<Factor::tf32, MK>(sum[i][j], a_fragments[i], b_fragments[j],
                                               sum[i][j]);
        }
      }
    }
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }

  // exercise c: begin
  const int64_t height = p.M - tile_row;
  const int width = part_inside(p.N - tile_col, BN);
#pragma unroll
  for (int i = 0; i < WM / MM; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {  // c0 and c1 lie in row g, c2 and c3 in row g + 8
      const int row = warp_row + i * MM + half * 8 + g;
      if (row >= height) return;
#pragma unroll
      for (int j = 0; j < WN / MN; j += 4) {
#pragma unroll
        for (int side = 0; side < 2; ++side) {  // c0 is column 2 t of a fragment, c1 column 2 t + 1
          const int col = warp_col + j * MN + 16 * side + 4 * t;
          float four[4];
#pragma unroll
          for (int q = 0; q < 4; ++q) four[q] = sum[i][j + q][2 * half + side];
          store4<VECTOR>(&p.C[(tile_row + row) * p.ldc + tile_col + col], width - col, p.alpha,
                         four, p.beta);
        }
      }
    }
  }
  // exercise c: end
}

template <bool VECTOR>
cudaError_t launch_tiles(const Sgemm& p, cudaStream_t stream) {
  const auto kernel = tensor_tf32_kernel<VECTOR>;
  const cudaError_t error =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (error != cudaSuccess) return error;
  const int64_t tiles_n = ceil_div(p.N, BN);
  const dim3 grid = grid_of(ceil_div(p.M, BM) * tiles_n);
  kernel<<<grid, THREADS, SHARED_BYTES, stream>>>(p, tiles_n);
  return cudaGetLastError();
}

cudaError_t launch_tensor_tf32(const Sgemm& p, cudaStream_t stream) {
  return is_vector_aligned(p, 16) ? launch_tiles<true>(p, stream) : launch_tiles<false>(p, stream);
}

const char* path_tensor_tf32(const Sgemm& p) {
  return is_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

extern const Rung tensor_tf32{
    .number = 13,
    .name = "tensor_tf32",
    .idea = "a warp multiplies fragments on the tensor core, in TF32",
    .promise = {.whole_tiles = 4,  // tiles may be partly filled, in accesses of 16 bytes
                .claims = {{"tensor_share", "", Relation::at_least, 0.97},
                           {"async_copy_share", "A", Relation::equal, 1},
                           {"async_copy_share", "B", Relation::equal, 1},
                           {"load_bytes_per_lane", "A", Relation::equal, 16},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"store_bytes_per_lane", "C", Relation::equal, 16},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_tensor_tf32,
    .path = path_tensor_tf32,
    .needs = {.compute_capability = TENSOR_CORE_NEEDS},
    .arithmetic = {.name = "TF32",
                   .bound_factor = 2,
                   .epsilon = 0x1p-10,
                   .exact_bits = 11,
                   .largest_input = 0x1.ffcp127f,
                   .least_input = 0x1p-126f},
};

}  // namespace ladder
