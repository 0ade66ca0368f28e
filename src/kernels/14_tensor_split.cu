// Rung 14: FP32 back out of FP16.
//
// Rung 13 rounds A and B to 11 bits and loses the rest. Here nothing is rounded away: each element is the sum of two
// FP16 numbers, a big part and a small one, and A B is a sum of products of parts,
//
//     x = hi + lo / 2048          A B = hi hi  +  (hi lo + lo hi) / 2048  +  lo lo / 2^22
//
//     x    1 0 1 1 0 1 0 0 1 1 1 0 1 0 0 1 1 1 0 1 1 0 1     23 bits
//     hi   |--- 11 bits ---|                                 the nearest FP16 number
//     lo                   |--- 11 bits and a sign ---|      what remains, times 2048
//
// The last product is below 2^-22 of the first: FP32 would round it away too, so it is not computed. Three products on
// tensor cores are still much faster than one in FP32, since FP16 is multiplied twice as fast as TF32.
//
// Two things need care.
//
//   Range   FP16 reaches from 2^-14 to 65504. So each row of A and each column of B is scaled by a power of two first
//           (line_facts.cuh).
//   Sums    Tensor cores add in FP32, but they cut off where FP32 rounds. Every addition errs toward zero, and the
//           errors of a long sum pile up. So a sum stays in the tensor core for 64 k only. An FP32 addition, which
//           rounds, then adds it to a sum in registers. The small products have accumulators of their own: the
//           errors there weigh 2048 times less.
//
//     k  0 ........ 63 | 64 ...... 127 | 128 ..
//        hi hi ->  acc |    ->  acc    |         fresh every time
//        sum = 0 + acc |   sum += acc  |         FP32 additions
//        (hi lo + lo hi) -> small ------------->
//
// The steps are kernels of their own, on one stream:
//
//   split     A and B into parts, in a workspace; collects the largest and the smallest magnitude of each row and column, and
//             their squares (split_lines.cuh)
//   judge     splits the rows and columns anew whose scale was guessed too large
//   product   the sum of three products; K is divided if C has too few tiles for the device
//   add       the sums over the parts of K, if it was divided
//   FP64      computes anew the tiles for which parts are not accurate enough: with elements outside FP16's range even
//             after scaling, a few large elements among small ones, terms that cancel, infinities or NaN (finish and
//             cancellation.cuh). If no tile needs it, it costs a few microseconds. (fp64_tiles.cuh)
//
// In shared memory a row of A holds the big parts of 64 k and then the small parts. A row of B holds the big parts of one
// k and then the small parts. ldmatrix loads A's fragments. ldmatrix .trans transposes 16-bit matrices and loads B's.
//
// What is left for the next rungs: mma.sync reaches less than two thirds of the speed of an H200's tensor cores, and its
// operands must pass through registers.
#include <cuda_fp16.h>

#include "device/async_copy.cuh"
#include "device/tensor_core.cuh"
#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tensor/split_lines.cuh"
#include "kernels/tensor/tile_sums.cuh"
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/stream_workspace.hpp"
#include "kernels/tuned/turned_copies.cuh"

namespace ladder {
namespace {

constexpr int BM = 128, BN = 64, BK = 64;  // the block's tile
constexpr int WM = 64, WN = 32;            // the warp's tile
constexpr int MM = 16, MN = 8, MK = 16;    // one mma.sync
constexpr int STAGES = 2;
constexpr float LO_SCALE = 2048;     // 2^11
constexpr int64_t LEAST_K = 32;      // below, FP32's own errors are smaller than those of two parts
constexpr int64_t MOST_K = 1 << 22;  // beyond, the parts of one row of tiles would take 2 GB

constexpr int BLOCKS = 2;  // on a multiprocessor: one computes while the other waits

constexpr int WARPS_N = BN / WN;
constexpr int THREADS = (BM / WM) * WARPS_N * 32;

// Writes the parts of two neighbours: hi, and lo `distance` elements further on. Returns the neighbours' scaled values.
__device__ float2 split(float2 x, float scale_x, float scale_y, __half* hi, int distance) {
  // exercise a: begin
  x.x *= scale_x;
  x.y *= scale_y;
  const __half2 big = __floats2half2_rn(x.x, x.y);
  const float2 rest = {x.x - __low2float(big), x.y - __high2float(big)};  // exact
  *reinterpret_cast<__half2*>(hi) = big;
  *reinterpret_cast<__half2*>(hi + distance) =
      __floats2half2_rn(rest.x * LO_SCALE, rest.y * LO_SCALE);
  // exercise a: end
  return x;
}

// A and B in parts, in the order in which the product's blocks read them: the elements that a block reads for 64 k lie side by side.
// Height, depth and width are multiples of BM, BK and BN. All elements outside the matrices are zero.
struct Parts {
  __half* A;  // (k / BK, m: height, 2: hi and lo, k % BK)
  __half* B;  // (n / BN, k: depth, 2: hi and lo, n % BN)
  Lines lines;
  int64_t height, depth, width;

  __device__ __half* a(int64_t row, int64_t k) const {  // of hi; lo lies BK further on
    return &A[(k / BK * height + row) * (2 * BK) + k % BK];
  }
  __device__ __half* b(int64_t k, int64_t col) const {  // of hi; lo lies BN further on
    return &B[(col / BN * depth + k) * (2 * BN) + col % BN];
  }
  // For split_kernel().
  __device__ float2 split_a(float2 x, float scale, int64_t row, int64_t k) const {
    return split(x, scale, scale, a(row, k), BK);
  }
  __device__ float2 split_b(float2 x, float2 scale, int64_t k, int64_t col) const {
    return split(x, scale.x, scale.y, b(k, col), BN);
  }
};

struct Stage {
  __half A[BM][2 * BK];  // (m: BM, 2: hi and lo, k: BK), the 16-byte pieces of a row swizzled
  __half B[BK][2 * BN];  // (k: BK, 2: hi and lo, n: BN), likewise
};
// The smallest devices (compute capability 8.6) have room for two stages in a block, but not for three.
constexpr int SHARED_BYTES = STAGES * sizeof(Stage);
static_assert(SHARED_BYTES <= 99 * 1024, "a multiprocessor of compute capability 8.6 has no more");

// ldmatrix reads a piece of each of eight rows, which differ in row % 8. These pieces must lie in different banks.
__device__ int swizzle(int row, int piece) { return (piece ^ row % 8) * 8; }

constexpr int A_PIECES = 2 * BK / 8, B_PIECES = 2 * BN / 8;  // of 16 bytes, in a row
constexpr int A_ROWS = THREADS / A_PIECES;  // rows of A that the block copies at a time
constexpr int B_ROWS = THREADS / B_PIECES;
static_assert(A_PIECES % 8 == 0 && B_PIECES % 8 == 0, "eight pieces change places");
static_assert(BM % A_ROWS == 0 && BK % B_ROWS == 0, "the block copies whole rows");

// Computes a tile of C over a part of K.
template <bool VECTOR>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    tensor_split_kernel(const Sgemm p, const Parts parts, const Sums sums) {
  wait_for_previous_kernel();
  extern __shared__ __align__(16) unsigned char shared[];
  Stage* stages = reinterpret_cast<Stage*>(shared);

  const int64_t tiles = sums.tiles_m * sums.tiles_n;
  const int64_t tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
  const auto [tile_row, tile_col] = place_of_tile<BM, BN>(sums, tile);
  const int64_t first_k = part * sums.chunk;
  const int64_t end_k = min(first_k + sums.chunk, parts.depth);

  // This thread copies a piece of every A_ROWS-th row of A and of every B_ROWS-th row of B.
  const int a_row = threadIdx.x / A_PIECES, a_piece = threadIdx.x % A_PIECES;
  const int b_k = threadIdx.x / B_PIECES, b_piece = threadIdx.x % B_PIECES;
  const __half* a = parts.a(tile_row + a_row, first_k) + 8 * a_piece;
  const __half* b = parts.b(first_k + b_k, tile_col) + 8 * b_piece;

  const auto copy_next_tile = [&](Stage& stage) {
#pragma unroll
    for (int r = 0; r < BM; r += A_ROWS) {
      copy_async_16_bytes(&stage.A[a_row + r][swizzle(a_row + r, a_piece)], a + r * (2 * BK));
    }
#pragma unroll
    for (int r = 0; r < BK; r += B_ROWS) {
      copy_async_16_bytes(&stage.B[b_k + r][swizzle(b_k + r, b_piece)], b + r * (2 * BN));
    }
    a += parts.height * (2 * BK);
    b += BK * (2 * BN);
  };

  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / WARPS_N * WM, warp_col = warp % WARPS_N * WN;
  constexpr int MS = WM / MM, NS = WN / MN;
  float sum[MS][NS][4] = {};    // (m: MS, n: NS, c0 to c3)
  float small[MS][NS][4] = {};  // hi lo + lo hi of all k, times 2048

#pragma unroll
  for (int stage = 0; stage < STAGES - 1; ++stage) {
    if (first_k + stage * BK < end_k) copy_next_tile(stages[stage]);
    commit_async();
  }

  int stage = 0;
  for (int64_t k0 = first_k; k0 < end_k; k0 += BK) {
    wait_async<STAGES - 2>();
    __syncthreads();  // this tile has arrived, and all threads are done with the previous one

    const Stage& tile_parts = stages[stage];
    // exercise c: begin
    float acc[MS][NS][4] = {};  // hi hi of these 64 k
#pragma unroll
    for (int k = 0; k < BK; k += MK) {
      uint32_t b_hi[NS][2], b_lo[NS][2];
#pragma unroll
      for (int j = 0; j < NS; j += 2) {  // two fragments at a time
        const int row = k + lane % 16, piece = (warp_col + j * MN) / 8 + lane / 16;
        load_matrices<4, true>(b_hi[j], &tile_parts.B[row][swizzle(row, piece)]);
        load_matrices<4, true>(b_lo[j], &tile_parts.B[row][swizzle(row, BN / 8 + piece)]);
      }
#pragma unroll
      for (int i = 0; i < MS; ++i) {
        uint32_t a_hi[4], a_lo[4];
        const int row = warp_row + i * MM + lane % 16, piece = k / 8 + lane / 16;
        load_matrices<4>(a_hi, &tile_parts.A[row][swizzle(row, piece)]);
        load_matrices<4>(a_lo, &tile_parts.A[row][swizzle(row, BK / 8 + piece)]);
        // exercise b: begin
#pragma unroll
        for (int j = 0; j < NS; ++j) {
          multiply_fragments<Factor::f16, MK>(acc[i][j], a_hi, b_hi[j], acc[i][j]);
        }
#pragma unroll
        for (int j = 0; j < NS; ++j) {
          multiply_fragments<Factor::f16, MK>(small[i][j], a_hi, b_lo[j], small[i][j]);
        }
#pragma unroll
        for (int j = 0; j < NS; ++j) {
          multiply_fragments<Factor::f16, MK>(small[i][j], a_lo, b_hi[j], small[i][j]);
        }
        // exercise b: end
      }
      if (k == 0) {  // while the tensor core is busy
        const bool is_more = k0 + (STAGES - 1) * BK < end_k;
        if (is_more) copy_next_tile(stages[stage == 0 ? STAGES - 1 : stage - 1]);
        commit_async();  // even if empty, so that the count of groups stays right
      }
    }
#pragma unroll
    for (int i = 0; i < MS; ++i) {
#pragma unroll
      for (int j = 0; j < NS; ++j) {
#pragma unroll
        for (int c = 0; c < 4; ++c) sum[i][j][c] += acc[i][j][c];  // rounds
      }
    }
    // exercise c: end
    stage = stage == STAGES - 1 ? 0 : stage + 1;
  }

  // Adds the three products. If K is not divided, the sum is then scaled back to the units of A and B.
  const bool is_whole = sums.of_parts == nullptr;
  const int g = lane / 4, t = lane % 4;
  const int rows = part_inside(p.M - tile_row, BM), cols = part_inside(p.N - tile_col, BN);
#pragma unroll
  for (int i = 0; i < MS; ++i) {
#pragma unroll
    for (int j = 0; j < NS; ++j) {
#pragma unroll
      for (int c = 0; c < 4; ++c) sum[i][j][c] += small[i][j][c] * (1 / LO_SCALE);
    }
  }
  if (is_whole) {
    const auto line = [&](int64_t first, int place, int count) {
      return parts.lines.line(first + min(place, count - 1));
    };
    const auto K = static_cast<float>(p.K);
    bool in_doubt = false;
    Line row_lines[2 * MS], col_lines[2 * NS];  // of this thread
    Energy my_rows, my_cols;
#pragma unroll
    for (int i = 0; i < 2 * MS; ++i) {
      const int row = warp_row + i * MM / 2 + g;
      row_lines[i] = line(tile_row, row, rows);
      if (row < rows) my_rows.add(row_lines[i].total());
    }
#pragma unroll
    for (int j = 0; j < 2 * NS; ++j) {
      const int col = warp_col + j / 2 * MN + 2 * t + j % 2;
      col_lines[j] = line(p.M + tile_col, col, cols);
      if (col < cols) my_cols.add(col_lines[j].total());
    }
    my_rows.share_unit();
    my_cols.share_unit();
    Cancellation cancellation{.energies = my_rows.squares * my_cols.squares};
#pragma unroll
    for (int i = 0; i < MS; ++i) {
      const int row = warp_row + i * MM + g;
#pragma unroll
      for (int j = 0; j < NS; ++j) {
        const int col = warp_col + j * MN + 2 * t;
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          float& x = sum[i][j][c];
          const Line& row_line = row_lines[2 * i + c / 2];
          const Line& col_line = col_lines[2 * j + c % 2];
          const Finished finished = finish(x, K, row_line, col_line);
          const bool is_inside = row + c / 2 * 8 < rows && col + c % 2 < cols;
          in_doubt = in_doubt || (is_inside && finished.is_in_doubt);
          if (is_inside) {
            cancellation.add(x, my_rows.weight(row_line.unscale), my_cols.weight(col_line.unscale));
          }
          x = finished.product;
        }
      }
    }
    const bool cancels = cancellation.is_in_doubt<false>(K);
    in_doubt = __syncthreads_or(in_doubt || cancels) != 0;
    if (in_doubt) {
      if (threadIdx.x < BM / FP64Tile::BM) {
        leave_to_fp64(sums, p, tile_row + threadIdx.x * FP64Tile::BM, tile_col);
      }
      return;
    }
  }
  float* C = is_whole ? p.C : &sums.of_parts[part * p.M * sums.pitch];
  const int64_t ldc = is_whole ? p.ldc : sums.pitch;
  const float alpha = is_whole ? p.alpha : 1, beta = is_whole ? p.beta : 0;
#pragma unroll
  for (int i = 0; i < MS; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp_row + i * MM + half * 8 + g;
      if (row >= rows) return;
#pragma unroll
      for (int j = 0; j < NS; ++j) {
        const int col = warp_col + j * MN + 2 * t;
        store2<VECTOR>(&C[(tile_row + row) * ldc + tile_col + col], cols - col, alpha,
                       &sum[i][j][2 * half], beta);
      }
    }
  }
}

static_assert(BM % FP64Tile::BM == 0 && BN == FP64Tile::BN, "a tile is left to FP64 as a whole");

// Places the arrays; returns how many floats they take.
int64_t place_arrays(const Sgemm& p, float* base, Parts& parts, Sums& sums) {
  WorkspaceLayout layout(base);
  parts.A = layout.place<__half>(parts.height * parts.depth * 2);
  parts.B = layout.place<__half>(parts.depth * parts.width * 2);
  place_lines_and_sums(p, layout, &parts.lines, &sums);
  return layout.floats();
}

template <bool VECTOR>
cudaError_t launch_steps(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  const auto product = tensor_split_kernel<VECTOR>;
  cudaError_t error =
      cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (error != cudaSuccess) return error;

  Parts parts{};
  parts.height = ceil_div(p.M, BM) * BM;
  parts.depth = ceil_div(p.K, BK) * BK;
  parts.width = ceil_div(p.N, BN) * BN;
  Sums sums{};
  divide(p, BM, BN, BK, int64_t{BLOCKS} * multiprocessors, &sums);
  const StreamWorkspace workspace(place_arrays(p, nullptr, parts, sums), stream);
  if (workspace.error() != cudaSuccess) return workspace.error();
  place_arrays(p, workspace.data(), parts, sums);
  error = clear(p, parts.lines, sums, stream);
  if (error != cudaSuccess) return error;

  error = launch_split<VECTOR>(p, parts, stream);
  if (error != cudaSuccess) return error;
  const dim3 grid = grid_of(sums.tiles_m * sums.tiles_n * sums.parts);
  error = launch_after(product, grid, THREADS, SHARED_BYTES, stream, p, parts, sums);
  if (error != cudaSuccess) return error;
  return launch_last_steps(p, parts.lines, sums, stream);
}

bool needs_fp64(const Sgemm& p) { return p.K < LEAST_K || p.K > MOST_K; }

cudaError_t launch_on_tensor_cores(const Sgemm& p, cudaStream_t stream) {
  Device device{};
  const cudaError_t error = describe_device(&device);
  if (error != cudaSuccess) return error;
  return is_vector_aligned(p, 8) ? launch_steps<true>(p, device.multiprocessors, stream)
                                 : launch_steps<false>(p, device.multiprocessors, stream);
}

// FP64 reads transposed matrices as they lie.
cudaError_t launch_tensor_split(const Sgemm& p, cudaStream_t stream) {
  return needs_fp64(p) ? launch_fp64_tiles(Call(p), nullptr, stream)
                       : launch_turned<launch_on_tensor_cores>(p, stream);
}

const char* path_tensor_split(const Sgemm& p) {
  if (needs_fp64(p)) return "FP64";
  return is_vector_aligned(p, 8) ? "float2" : "scalar";
}

}  // namespace

extern const Rung tensor_split{
    .number = 14,
    .name = "tensor_split",
    .idea =
        "FP32's accuracy from the tensor core: each number is two FP16 parts, FP32 adds short sums",
    .promise = {.whole_tiles = 64,
                .claims = {{"tensor_share", "", Relation::at_least, 0.9},
                           {"load_bytes_per_lane", "A", Relation::equal, 8},
                           {"load_bytes_per_lane", "B", Relation::equal, 8},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}},
                .uniform_data_only = true},  // other data may send tiles to FP64
    .launch = launch_tensor_split,
    .path = path_turned<path_tensor_split>,
    .needs = {.compute_capability = TENSOR_CORE_NEEDS},
    .arithmetic = {.name = "FP32 from FP16 parts",
                   .bound_factor = 2,
                   .epsilon = 0x1p-23,
                   .exact_bits = 12,
                   .largest_input = FP32.largest_input,
                   .fp16_products = 3,
                   .limits = ErrorLimits{.frobenius = 1.5e-7,
                                         .frobenius_all_positive = 2.5e-7,
                                         .largest = 0x1p-21}},
    .takes_transposes = true,
};

}  // namespace ladder
