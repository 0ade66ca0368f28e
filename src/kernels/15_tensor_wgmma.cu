// Rung 15: Hopper's way to feed its tensor cores.
//
// Rung 14's tensor cores wait: operands take the way through registers, and the same warps that multiply also copy. Hopper
// has machinery for each of these jobs, and this rung lets each do its own.
//
//   TMA        One thread asks for a whole tile of A and B with one instruction. A copy engine brings it into shared memory,
//              already swizzled. What lies outside the matrix arrives as zeros.
//   mbarrier   Counts the bytes that have arrived. A warp that needs a tile waits for its barrier.
//   wgmma      Four warps multiply 64 x 128 x 16 with one instruction that reads both operands from shared memory. It works while
//              the warps go on.
//
// A block has three warpgroups. The producer issues copies and the two consumers multiply:
//
//     producer     wait empty 0 | copy to 0 | wait empty 1 | copy to 1 | ...
//     consumers    wait full 0 | multiply 0 | free 0 | wait full 1 | multiply 1 | free 1 | ...
//
// The stages form a ring. Each has two barriers: `full` when its bytes have arrived, `empty` when all consumer warps are done with
// it. A barrier's phase tells one round of the ring from the next: its parity is 0, 1, 0, 1, ...
//
// The arithmetic is rung 14's: three products of FP16 parts, the big ones in a fresh accumulator for each 64 k. A consumer keeps the
// tensor core busy while it rounds:
//
//     tensor core   hi hi 0 | small 0 | hi hi 1 | small 1 | hi hi 2 ...
//     threads                 sum += acc          sum += acc
//
// The blocks are persistent: one for each multiprocessor, which computes tile after tile. While the consumers write a tile, the
// producer already fetches the next one.
//
// In shared memory a row of A has 64 elements of k, 128 bytes; a row of B has 64 columns. wgmma takes 16-bit matrices in either
// order, so B stays as it lies in memory.
#include <cuda_fp16.h>

#include <algorithm>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "device/tensor_map.hpp"
#include "device/vector_access.cuh"
#include "device/warpgroup.cuh"
#include "device/wgmma.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tensor/split_lines.cuh"
#include "kernels/tensor/tile_sums.cuh"
#include "kernels/tensor/warpgroup_rows.cuh"
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/stream_workspace.hpp"
#include "kernels/tuned/turned_copies.cuh"

namespace ladder {
namespace {

constexpr int BM = 128, BK = 64;    // the block's tile; BN is 128, or 64 for small products
constexpr int MM = 64, MK = 16;     // one wgmma multiplies 64 x BN x 16
constexpr int BOX = 64;             // columns of B in a tensor copy: 128 bytes
constexpr int CONSUMERS = BM / MM;  // warpgroups
constexpr int THREADS = (CONSUMERS + 1) * WARPGROUP;
constexpr float LO_SCALE = 2048;     // 2^11
constexpr int64_t LEAST_K = 32;      // below, FP32's own errors are smaller than those of two parts
constexpr int64_t MOST_K = 1 << 22;  // beyond, the parts of one row of tiles would take 2 GB

// A and B in parts, row by row as the matrices.
struct Parts {
  __half* A;  // (2: hi and lo, m: height, k: pitch_a)
  __half* B;  // (2: hi and lo, k: K, n: pitch_b)
  Lines lines;
  int64_t height, depth, width;                // the matrices' sizes; depth and width made even
  int64_t pitch_a, pitch_b, plane_a, plane_b;  // as tensor copies want

  // For split_kernel(). Each splits two neighbours into hi and lo, and returns the scaled numbers.
  __device__ float2 split_a(float2 x, float scale, int64_t row, int64_t k) const {
    return split(x, {scale, scale}, &A[row * pitch_a + k], plane_a);
  }
  __device__ float2 split_b(float2 x, float2 scale, int64_t k, int64_t col) const {
    return split(x, scale, &B[k * pitch_b + col], plane_b);
  }

 private:
  __device__ static float2 split(float2 x, float2 scale, __half* hi, int64_t to_lo) {
    x = {x.x * scale.x, x.y * scale.y};
    const __half2 big = __float22half2_rn(x);
    const float2 back = __half22float2(big);
    *reinterpret_cast<__half2*>(hi) = big;
    *reinterpret_cast<__half2*>(hi + to_lo) =
        __floats2half2_rn((x.x - back.x) * LO_SCALE, (x.y - back.y) * LO_SCALE);
    return x;
  }
};

template <int BN>
struct Stage {
  __half A[2][BM][BK];             // (2: hi and lo, m: BM, k: BK)
  __half B[BN / BOX][2][BK][BOX];  // (n / BOX, 2: hi and lo, k: BK, n: BOX)
};

template <int BN>
constexpr int STAGES = BN == 128 ? 3 : 4;

template <int BN>
struct Shared {
  Stage<BN> stages[STAGES<BN>];
  Mbarrier full[STAGES<BN>];   // the copies have arrived
  Mbarrier empty[STAGES<BN>];  // the consumers are done
  ColumnsOfTile<BN> columns[CONSUMERS][2];
};

// A place in the ring of stages. `parity` is that of the current round.
template <int COUNT>
struct Ring {
  int stage = 0, parity = 0;
  __device__ void next() {
    if (++stage == COUNT) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// The work of a block: every gridDim.x-th tile of every part of K.
template <int BN>
struct Work {
  const Sums& sums;
  const int64_t K;

  __device__ int64_t count() const { return sums.tiles_m * sums.tiles_n * sums.parts; }
  __device__ TilePlace place(int64_t i) const {
    return place_of_tile<BM, BN>(sums, i % (sums.tiles_m * sums.tiles_n));
  }
  __device__ int64_t part(int64_t i) const { return i / (sums.tiles_m * sums.tiles_n); }
  __device__ int64_t first_k(int64_t i) const { return part(i) * sums.chunk; }
  __device__ int64_t end_k(int64_t i) const { return min(first_k(i) + sums.chunk, K); }
};

template <int BN>
__device__ __forceinline__ void produce(const Work<BN>& work, const CUtensorMap& map_a,
                                        const CUtensorMap& map_b, Shared<BN>& shared) {
  Ring<STAGES<BN>> ring;
  for (int64_t i = blockIdx.x; i < work.count(); i += gridDim.x) {
    const TilePlace at = work.place(i);
    for (int64_t k = work.first_k(i); k < work.end_k(i); k += BK) {
      // exercise a: begin
      Stage<BN>& stage = shared.stages[ring.stage];
      Mbarrier& full = shared.full[ring.stage];
      wait(shared.empty[ring.stage], ring.parity ^ 1);  // in the first round all stages are free
      expect(full, sizeof(Stage<BN>));
      load_tensor<3>(stage.A, map_a, {static_cast<int>(k), static_cast<int>(at.row), 0}, full);
#pragma unroll
      for (int box = 0; box < BN / BOX; ++box) {
        load_tensor<3>(stage.B[box], map_b,
                       {static_cast<int>(at.col) + box * BOX, static_cast<int>(k), 0}, full);
      }
      ring.next();
      // exercise a: end
    }
  }
}

// Describes 64 rows of A for wgmma: rows of 128 bytes, eight of them 1024 bytes.
__device__ uint64_t rows_of_a(const __half* first) {
  return describe_matrix(shared_address(first), 0, 1024, Swizzle::bytes_128);
}
// Describes 16 rows of B. The next 64 columns lie in the next box.
template <int BN>
__device__ uint64_t rows_of_b(const __half* first) {
  return describe_matrix(shared_address(first), sizeof(Stage<BN>::B[0]), 1024, Swizzle::bytes_128);
}

// d = a b over 64 k, or d += a b if `adds`. `a` and `b`: a part of A and B in shared memory.
template <int BN>
__device__ __forceinline__ void multiply_parts(float (&d)[BN / 2], const __half (*a)[BK],
                                               const __half (*b)[BOX], bool adds) {
  // exercise b: begin
#pragma unroll
  for (int k = 0; k < BK; k += MK) {
    multiply_async<Factor::f16, BN, Contiguous::in_k, Contiguous::across_k>(
        d, rows_of_a(&a[0][k]), rows_of_b<BN>(&b[k][0]), k > 0 || adds);
  }
  // exercise b: end
}

template <int BN, bool VECTOR>
__device__ __forceinline__ void consume(const Sgemm& p, const Parts& parts, const Sums& sums,
                                        const Work<BN>& work, Shared<BN>& shared) {
  // All lanes of a warp have the same group. The shuffle lets the compiler know.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / WARPGROUP, 0);
  const bool speaks = threadIdx.x % 32 == 0;  // for its warp
  const bool is_whole = sums.of_parts == nullptr;
  Ring<STAGES<BN>> ring;
  int buffer = 0;
  for (int64_t i = blockIdx.x; i < work.count(); i += gridDim.x) {
    TilePlace at = work.place(i);
    at.row += group * MM + threadIdx.x % WARPGROUP / 32 * 16;  // the warp's rows
    ColumnsOfTile<BN>& columns = shared.columns[group][buffer];
    RowsOfWarp rows_of_warp{};

    float sum[BN / 2] = {};  // hi hi, rounded after every 64 k
    float small[BN / 2];     // hi lo + lo hi of all k, times 2048
    const int64_t first_k = work.first_k(i), end_k = work.end_k(i);
    Ring<STAGES<BN>> before = ring;
    for (int64_t k = first_k; k < end_k; k += BK) {
      const Stage<BN>& stage = shared.stages[ring.stage];
      // exercise c: begin
      float acc[BN / 2];
      wait(shared.full[ring.stage], ring.parity);
      fence_wgmma();
      multiply_parts<BN>(acc, &stage.A[0][group * MM], stage.B[0][0], false);
      commit_wgmma();
      wait_wgmma<1>();  // for the small products of the stage before
      if (k > first_k && speaks) arrive(shared.empty[before.stage]);
      multiply_parts<BN>(small, &stage.A[0][group * MM], stage.B[0][1], k > first_k);
      multiply_parts<BN>(small, &stage.A[1][group * MM], stage.B[0][0], true);
      commit_wgmma();
      if (k == first_k && is_whole) rows_of_warp = read_lines<BN>(p, parts.lines, at, columns);
      wait_wgmma<1>();  // for acc
#pragma unroll
      for (int j = 0; j < BN / 2; ++j) sum[j] += acc[j];
      // exercise c: end
      before = ring;
      ring.next();
    }
    wait_wgmma<0>();
    if (speaks) arrive(shared.empty[before.stage]);

#pragma unroll
    for (int j = 0; j < BN / 2; ++j) sum[j] += small[j] * (1 / LO_SCALE);
    const int rows = part_inside(p.M - at.row, 16), cols = part_inside(p.N - at.col, BN);
    if (is_whole) {
      sync_warpgroup(group);  // all warps have read their lines
      buffer ^=
          1;  // a warp that comes to the next tile early must not overwrite what others still need
      if (finish_rows<BN>(p, parts.lines, rows_of_warp, columns, at, sum)) {
        const int lane = threadIdx.x % 32;
        if (lane < BN / FP64Tile::BN) {
          leave_to_fp64(sums, p, at.row, at.col + lane * FP64Tile::BN, 1);
        }
      } else {
        write_rows<BN, VECTOR>(&p.C[at.row * p.ldc + at.col], p.ldc, rows, cols, p.alpha, p.beta,
                               sum);
      }
    } else {
      float* to = &sums.of_parts[(work.part(i) * p.M + at.row) * sums.pitch + at.col];
      write_rows<BN, VECTOR>(to, sums.pitch, rows, cols, 1, 0, sum);
    }
  }
}

// Computes every gridDim.x-th tile of C over a part of K.
template <int BN, bool VECTOR>
__global__ void __launch_bounds__(THREADS, 1)
    tensor_wgmma_kernel(const Sgemm p, const Parts parts, const Sums sums,
                        const __grid_constant__ CUtensorMap map_a,
                        const __grid_constant__ CUtensorMap map_b) {
  end_without_wgmma();
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<BN>& shared = *reinterpret_cast<Shared<BN>*>(memory);
  const Work<BN> work{sums, p.K};
  if (threadIdx.x == 0) {
    for (Mbarrier& full : shared.full) init_mbarrier(full, 1);
    for (Mbarrier& empty : shared.empty) init_mbarrier(empty, CONSUMERS * WARPGROUP / 32);
    fence_mbarriers();
  }
  __syncthreads();  // the barriers are ready
  wait_for_previous_kernel();

  if (threadIdx.x / WARPGROUP == CONSUMERS) {
    keep_registers<24>();
    if (threadIdx.x == CONSUMERS * WARPGROUP) produce(work, map_a, map_b, shared);
  } else {
    take_registers<240>();
    consume<BN, VECTOR>(p, parts, sums, work, shared);
  }
}

// Places the arrays; returns how many floats they take.
int64_t place_arrays(const Sgemm& p, float* base, Parts& parts, Sums& sums) {
  WorkspaceLayout layout(base);
  parts.A = layout.place<__half>(2 * parts.plane_a);
  parts.B = layout.place<__half>(2 * parts.plane_b);
  place_lines_and_sums(p, layout, &parts.lines, &sums);
  return layout.floats();
}

Parts parts_of(const Sgemm& p) {
  Parts parts{};
  parts.height = p.M;
  parts.depth = ceil_div(p.K, 2) * 2;
  parts.width = ceil_div(p.N, 2) * 2;
  parts.pitch_a = stride_for_copies(p.K);
  parts.pitch_b = stride_for_copies(p.N);
  parts.plane_a = p.M * parts.pitch_a;
  parts.plane_b = parts.depth * parts.pitch_b;
  return parts;
}

template <int BN, bool VECTOR>
cudaError_t launch_steps(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  const auto product = tensor_wgmma_kernel<BN, VECTOR>;
  constexpr int SHARED_BYTES = sizeof(Shared<BN>);
  cudaError_t error =
      cudaFuncSetAttribute(product, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
  if (error != cudaSuccess) return error;

  Parts parts = parts_of(p);
  Sums sums{};
  divide(p, BM, BN, BK, multiprocessors, &sums);
  const StreamWorkspace workspace(place_arrays(p, nullptr, parts, sums), stream);
  if (workspace.error() != cudaSuccess) return workspace.error();
  place_arrays(p, workspace.data(), parts, sums);
  CUtensorMap map_a, map_b;
  error = make_tensor_map({.data = parts.A,
                           .size = {p.K, p.M, 2},
                           .stride = {parts.pitch_a, parts.plane_a},
                           .box = {BK, BM, 2}},
                          &map_a);
  if (error != cudaSuccess) return error;
  error = make_tensor_map({.data = parts.B,
                           .size = {p.N, p.K, 2},
                           .stride = {parts.pitch_b, parts.plane_b},
                           .box = {BOX, BK, 2}},
                          &map_b);
  if (error != cudaSuccess) return error;
  error = clear(p, parts.lines, sums, stream);
  if (error != cudaSuccess) return error;

  error = launch_split<VECTOR>(p, parts, stream);
  if (error != cudaSuccess) return error;
  const int64_t work = sums.tiles_m * sums.tiles_n * sums.parts;
  const dim3 grid = grid_of(std::min<int64_t>(work, multiprocessors));
  error = launch_after(product, grid, THREADS, SHARED_BYTES, stream, p, parts, sums, map_a, map_b);
  if (error != cudaSuccess) return error;
  return launch_last_steps(p, parts.lines, sums, stream);
}

// Tiles of half the width if wide ones leave more than half of the multiprocessors idle.
bool wants_narrow_tiles(const Sgemm& p, int multiprocessors) {
  return 2 * ceil_div(p.M, BM) * ceil_div(p.N, 128) <= multiprocessors;
}

bool needs_fp64(const Sgemm& p) {
  return p.K < LEAST_K || p.K > MOST_K || p.M > INT32_MAX || p.N > INT32_MAX;
}

template <bool VECTOR>
cudaError_t launch_either(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  return wants_narrow_tiles(p, multiprocessors)
             ? launch_steps<64, VECTOR>(p, multiprocessors, stream)
             : launch_steps<128, VECTOR>(p, multiprocessors, stream);
}

cudaError_t launch_on_tensor_cores(const Sgemm& p, cudaStream_t stream) {
  Device device{};
  const cudaError_t error = describe_device(&device);
  if (error != cudaSuccess) return error;
  return is_vector_aligned(p, 8) ? launch_either<true>(p, device.multiprocessors, stream)
                                 : launch_either<false>(p, device.multiprocessors, stream);
}

// FP64 reads transposed matrices as they lie.
cudaError_t launch_tensor_wgmma(const Sgemm& p, cudaStream_t stream) {
  if (!BUILT_WITH_WGMMA) return cudaErrorNoKernelImageForDevice;
  return needs_fp64(p) ? launch_fp64_tiles(Call(p), nullptr, stream)
                       : launch_turned<launch_on_tensor_cores>(p, stream);
}

const char* path_tensor_wgmma(const Sgemm& p) {
  if (needs_fp64(p)) return "FP64";
  return is_vector_aligned(p, 8) ? "float2" : "scalar";
}

}  // namespace

extern const Rung tensor_wgmma{
    .number = 15,
    .name = "tensor_wgmma",
    .idea = "Hopper's way: a copy engine fills a ring of stages, wgmma multiplies out of it",
    .promise = {.whole_tiles = 64,
                .claims = {{"tensor_share", "", Relation::at_least, 0.9},
                           {"load_bytes_per_lane", "A", Relation::equal, 8},
                           {"load_bytes_per_lane", "B", Relation::equal, 8},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}},
                .uniform_data_only = true},  // other data may send tiles to FP64
    .launch = launch_tensor_wgmma,
    .path = path_turned<path_tensor_wgmma>,
    .needs = {.compute_capability = 90, .exactly = true},
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
