// Rung 16: FP32's accuracy for any data, and tiles for any size.
//
// Rung 15 is fast if its data are good. One row that two FP16 parts cannot hold sends whole tiles to FP64, all columns of them. Its scale
// is checked by a kernel of its own, which splits some lines a second time. And its tiles of 64 columns starve the tensor cores, because
// they read too much of shared memory for each product. This rung changes all three.
//
//   Data    A row or a column that parts cannot hold is lost alone: FP64 computes just that line (known_lines.cuh,
//           fp64_leftovers.cuh). So a guessed scale needs no second look: if it is wrong, the line is lost (split_once.cuh).
//   Sums    hi and lo have the same scale. One accumulator takes all three products of 64 k, the small ones first:
//
//               acc = lo hi  ->  acc += hi lo  ->  acc += hi hi  ->  sum += acc, which rounds
//
//           It replaces rung 15's two, which leaves registers for a third warpgroup.
//   Tiles   of 64, 128 or 192 rows and 128 columns, whichever fill the device best (tile_rows.hpp).
//
// The warpgroups of a tile of 128 or 192 rows have 64 rows each, and take turns: one rounds while another one multiplies.
//
//     tensor core    group 0, step 0 | group 1, step 0 | group 0, step 1 | group 1, step 1 | ...
//     group 0                        | sum += acc      |                 | sum += acc
//     group 1                                          | sum += acc      |                 | ...
//
// In a tile of 64 rows two warpgroups share the rows. Each takes every second step, and in the end the second one hands its sums to the
// first.
//
// A and B may be transposed. wgmma reads FP16 in either order, so nothing is turned: the copies, the descriptions and the instruction differ.
//
// The kernels are launched one behind the other, and each begins while the one before it ends:
//
//   clear     makes the records of the lines zero, if K is long
//   split     A and B into parts, which lie as A and B do; records what it learns of the lines
//   product   TMA fills a ring of stages, wgmma multiplies out of it; persistent blocks compute tile after tile, as in rung 15
//   add       the sums over the parts of K, if K was divided
//   leftover  the lost lines, and bands of C in doubt, in FP64. Usually there are none.
//
// What is left: the split takes a sixth of the time and does nothing but wait for memory. From 4096 on the device's power is the
// limit. docs/tensor.md tells what was tried.
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
#include "kernels/tensor/finish_lines.cuh"
#include "kernels/tensor/fp64_leftovers.cuh"
#include "kernels/tensor/fp64_tiles.cuh"
#include "kernels/tensor/split_once.cuh"
#include "kernels/tensor/tile_rows.hpp"
#include "kernels/tensor/tile_sums.cuh"
#include "kernels/tensor/warpgroup_rows.cuh"
#include "kernels/tuned/launch_kernel.hpp"
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/stream_workspace.hpp"
#include "kernels/tuned/workspace_scope.hpp"

namespace ladder {
namespace {

constexpr int BN = TensorFp32Sizes::BN, BK = TensorFp32Sizes::BK;  // BM is 64, 128 or 192
constexpr int MM = 64, MK = 16;  // one wgmma multiplies 64 x BN x 16
constexpr int BOX = 64;          // lines across k in a tensor copy: 128 bytes
constexpr int WARPS = WARPGROUP / 32;

// Tensor cores cut off where FP32 rounds, so a sum of 64 k is too small by a unit in its last place on average. This factor gives it
// back. It is 1 for lines with few significant bits, whose sums may be exact.
constexpr float REGAIN = 1 + 0x1p-23f;

// Warpgroups that multiply. Each has 64 rows. If there are only 64, two warpgroups share them and take every second step each.
template <int BM>
constexpr bool SHARE_ROWS = BM == MM;
template <int BM>
constexpr int CONSUMERS = SHARE_ROWS<BM> ? 2 : BM / MM;
template <int BM>
constexpr int THREADS = (CONSUMERS<BM> + 1) * WARPGROUP;
template <int BM>
constexpr int CONSUMER_REGISTERS = CONSUMERS<BM> == 2 ? 240 : 160;  // of a thread

// The parts of LINES lines over BK of k, as tensor copies leave them. A line lies along k, as the rows of A do, or across k, as the columns
// of B do; if A or B is transposed, it is the other way round.
template <int LINES, bool ACROSS_K>
struct Parts {
  static constexpr Contiguous ORDER = Contiguous::in_k;
  static constexpr int TO_LO = LINES * BK * sizeof(__half);  // bytes from hi to lo
  static constexpr int TO_NEXT = MK * sizeof(__half);        // bytes from 16 of k to the next
  __half parts[2][LINES][BK];                                // (2: hi and lo, line, k)

  static __host__ cudaError_t make_map(const __half* data, int64_t matrices, int64_t lines,
                                       int64_t K, int64_t pitch, CUtensorMap* map) {
    return make_tensor_map({.data = data,
                            .size = {K, lines, 2 * matrices},
                            .stride = {pitch, lines * pitch},
                            .box = {BK, LINES, 2}},
                           map);
  }
  __device__ void load(const CUtensorMap& map, int matrix, int64_t line, int64_t k,
                       Mbarrier& full) {
    load_tensor<3>(parts, map, {static_cast<int>(k), static_cast<int>(line), 2 * matrix}, full);
  }
  // Describes hi from a line on, for wgmma: rows of 128 bytes, eight of them 1024 bytes.
  __device__ uint64_t describe_hi(int line) const {
    return describe_matrix(shared_address(parts[0][line]), 0, 1024, Swizzle::bytes_128);
  }
};

template <int LINES>
struct Parts<LINES, true> {
  static constexpr Contiguous ORDER = Contiguous::across_k;
  static constexpr int TO_LO = BK * BOX * sizeof(__half);
  static constexpr int TO_NEXT = MK * BOX * sizeof(__half);
  __half parts[LINES / BOX][2][BK][BOX];  // (line / BOX, 2: hi and lo, k, line)

  static __host__ cudaError_t make_map(const __half* data, int64_t matrices, int64_t lines,
                                       int64_t K, int64_t pitch, CUtensorMap* map) {
    return make_tensor_map({.data = data,
                            .size = {lines, K, 2 * matrices},
                            .stride = {pitch, K * pitch},
                            .box = {BOX, BK, 2}},
                           map);
  }
  __device__ void load(const CUtensorMap& map, int matrix, int64_t line, int64_t k,
                       Mbarrier& full) {
#pragma unroll
    for (int box = 0; box < LINES / BOX; ++box) {
      load_tensor<3>(parts[box], map,
                     {static_cast<int>(line) + box * BOX, static_cast<int>(k), 2 * matrix}, full);
    }
  }
  // `line`: a multiple of BOX. The next BOX lines lie in the next box.
  __device__ uint64_t describe_hi(int line) const {
    return describe_matrix(shared_address(parts[line / BOX]), sizeof(parts[0]), 1024,
                           Swizzle::bytes_128);
  }
};

template <int BM, bool TRANS_A, bool TRANS_B>
struct Stage {
  using PartsOfA = Parts<BM, TRANS_A>;
  using PartsOfB = Parts<BN, !TRANS_B>;
  static constexpr int A_TO_LO = PartsOfA::TO_LO, B_TO_LO = PartsOfB::TO_LO;
  PartsOfA A;
  PartsOfB B;
};

template <int BM>
constexpr int STAGES = BM == 64    ? 4
                       : BM == 128 ? 3
                                   : 2;

template <int BM, bool TRANS_A, bool TRANS_B>
struct Shared {
  Stage<BM, TRANS_A, TRANS_B> stages[STAGES<BM>];
  Mbarrier full[STAGES<BM>];     // the copies have arrived
  Mbarrier empty[STAGES<BM>];    // the consumers are done
  Mbarrier turn[CONSUMERS<BM>];  // it is this warpgroup's turn
  KnownLines<BN> known[CONSUMERS<BM>];
  float sums[SHARE_ROWS<BM> ? BN / 2 : 1][WARPGROUP];  // of the second warpgroup, for the first one
};

template <int BM>
constexpr int SHARED_BYTES = sizeof(Shared<BM, false, false>);  // transposed or not
static_assert(SHARED_BYTES<64> <= 227 * 1024 && SHARED_BYTES<128> <= 227 * 1024 &&
                  SHARED_BYTES<192> <= 227 * 1024,
              "a block of compute capability 9.0 has no more");

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

// The work of a block: every gridDim.x-th tile of every part of K of every product.
template <int BM>
struct Work {
  const Call& call;
  const Sums& sums;
  const int64_t K;

  __device__ unsigned tiles() const { return static_cast<unsigned>(sums.tiles_m * sums.tiles_n); }
  __device__ unsigned parts() const { return static_cast<unsigned>(sums.parts); }
  __device__ unsigned count() const {
    return tiles() * parts() * static_cast<unsigned>(call.batch);
  }
  __device__ TilePlace place(unsigned i) const { return place_of_tile<BM, BN>(sums, i % tiles()); }
  __device__ unsigned part(unsigned i) const { return i / tiles() % parts(); }
  __device__ unsigned product(unsigned i) const { return i / (tiles() * parts()); }
  __device__ int64_t first_k(unsigned i) const { return part(i) * sums.chunk; }
  __device__ int64_t end_k(unsigned i) const { return min(first_k(i) + sums.chunk, K); }
};

template <int BM, bool TRANS_A, bool TRANS_B>
__device__ __forceinline__ void produce(const Work<BM>& work, const CUtensorMap& map_a,
                                        const CUtensorMap& map_b,
                                        Shared<BM, TRANS_A, TRANS_B>& shared) {
  Ring<STAGES<BM>> ring;
  for (unsigned i = blockIdx.x; i < work.count(); i += gridDim.x) {
    const TilePlace at = work.place(i);
    const int product = static_cast<int>(work.product(i));
    const int matrix_a = work.call.stride_a == 0 ? 0 : product;
    const int matrix_b = work.call.stride_b == 0 ? 0 : product;
    for (int64_t k = work.first_k(i); k < work.end_k(i); k += BK) {
      auto& stage = shared.stages[ring.stage];
      Mbarrier& full = shared.full[ring.stage];
      wait(shared.empty[ring.stage], ring.parity ^ 1);  // in the first round all stages are free
      expect(full, sizeof stage);
      stage.A.load(map_a, matrix_a, at.row, k, full);
      stage.B.load(map_b, matrix_b, at.col, k, full);
      ring.next();
    }
  }
}

// `vector`: A, B and C are aligned to 16 bytes.
template <int BM, bool TRANS_A, bool TRANS_B>
__device__ __forceinline__ void consume(bool vector, const Leftovers& left_of_all,
                                        const Work<BM>& work,
                                        Shared<BM, TRANS_A, TRANS_B>& shared) {
  using ThisStage = Stage<BM, TRANS_A, TRANS_B>;
  constexpr bool SHARE = SHARE_ROWS<BM>;
  // All lanes of a warp have the same group. The shuffle lets the compiler know.
  const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / WARPGROUP, 0);
  const int thread = threadIdx.x % WARPGROUP, first_row = SHARE ? 0 : group * MM;
  const bool speaks = threadIdx.x % 32 == 0;  // for its warp
  const bool is_whole = work.sums.of_parts == nullptr;
  const uint64_t first_a = shared.stages[0].A.describe_hi(first_row);
  const uint64_t first_b = shared.stages[0].B.describe_hi(0);
  Ring<STAGES<BM>> ring;
  const int next_group = group + 1 == CONSUMERS<BM> ? 0 : group + 1;
  // The parity of the turn to wait for. One warpgroup need not wait for its first turn.
  int turn = group == (SHARE ? 1 : 0) ? 1 : 0;
  const auto wait_for_turn = [&] {
    wait(shared.turn[group], turn);
    turn ^= 1;
  };
  // d = a b over 64 k, or d += a b if `adds`. `a` and `b` describe a part of A and B.
  const auto multiply_parts = [](float(&d)[BN / 2], uint64_t a, uint64_t b, bool adds) {
    using A = typename ThisStage::PartsOfA;
    using B = typename ThisStage::PartsOfB;
#pragma unroll
    for (int k = 0; k < BK / MK; ++k) {
      multiply_async<Factor::f16, BN, A::ORDER, B::ORDER>(d, moved(a, k * A::TO_NEXT),
                                                          moved(b, k * B::TO_NEXT), k > 0 || adds);
    }
  };
  const auto pass_turn = [&] {
    if (speaks) arrive(shared.turn[next_group]);
  };

  for (unsigned i = blockIdx.x; i < work.count(); i += gridDim.x) {
    TilePlace at = work.place(i);
    const Sgemm p = work.call.product_at(work.product(i));
    const Leftovers left = left_of_all.of_product(p, work.product(i));
    const bool lists = is_whole && (!SHARE || group == 0);
    const WhoLists who{.rows = lists && at.col == 0, .cols = lists && group == 0 && at.row == 0};
    at.row += first_row + thread / 32 * 16;  // the warp's rows
    KnownLines<BN>& known = shared.known[group];
    sync_warpgroup(group);  // nobody needs the records of the last tile any more
    read_records<BN>(p, left, at, who, known);
    sync_warpgroup(group);  // all warps have read their records
    const bool are_long = known.my_rows().are_long && known.all_cols().are_long;
    const float regain = are_long ? REGAIN : 1;

    float sum[BN / 2] = {};
    int step = 0;
    for (int64_t k = work.first_k(i); k < work.end_k(i); k += BK, ring.next()) {
      if (SHARE && step++ % CONSUMERS<BM> != group) continue;
      // exercise a: begin
      const auto from_first = static_cast<uint32_t>(ring.stage * sizeof(ThisStage));
      const uint64_t a_hi = same_in_all_lanes(moved(first_a, from_first));
      const uint64_t b_hi = same_in_all_lanes(moved(first_b, from_first));
      const uint64_t a_lo = moved(a_hi, ThisStage::A_TO_LO);
      const uint64_t b_lo = moved(b_hi, ThisStage::B_TO_LO);
      float acc[BN / 2];
      wait(shared.full[ring.stage], ring.parity);
      if (!SHARE) wait_for_turn();
      fence_wgmma();
      multiply_parts(acc, a_lo, b_hi, false);
      multiply_parts(acc, a_hi, b_lo, true);
      multiply_parts(acc, a_hi, b_hi, true);
      commit_wgmma();
      if (!SHARE) pass_turn();
      wait_wgmma<0>();
      if (speaks) arrive(shared.empty[ring.stage]);
#pragma unroll
      for (int j = 0; j < BN / 2; ++j) sum[j] = fmaf(acc[j], regain, sum[j]);  // rounds
      // exercise a: end
    }

    if constexpr (SHARE) {
      // exercise b: begin
      wait_for_turn();
      if (group == 1) {
#pragma unroll
        for (int j = 0; j < BN / 2; ++j) shared.sums[j][thread] = sum[j];
      } else {
#pragma unroll
        for (int j = 0; j < BN / 2; ++j) sum[j] += shared.sums[j][thread];
      }
      __syncwarp();  // all lanes have written or read their sums
      pass_turn();
      // exercise b: end
      if (group == 1) continue;
    }

    const int rows = part_inside(p.M - at.row, 16), cols = part_inside(p.N - at.col, BN);
    if (!is_whole) {
      const Sums sums = work.sums.of_product(p, work.product(i));
      float* to = &sums.of_parts[(work.part(i) * p.M + at.row) * sums.pitch + at.col];
      write_rows<BN, true>(to, sums.pitch, rows, cols, 1, 0, sum);
      continue;
    }
    if (finish_lines<BN>(p, left, known, at, sum)) {
      const int64_t col = at.col + threadIdx.x % 32 * Band::COLS;
      if (threadIdx.x % 32 < BN / Band::COLS && rows > 0 && col < p.N) left.add_band(at.row, col);
    } else if (known.my_rows().any_lost || known.all_cols().any_lost) {
      write_other_lines<BN>(p, known, at, sum);
    } else {
      float* to = &p.C[at.row * p.ldc + at.col];
      if (vector) {
        write_rows<BN, true>(to, p.ldc, rows, cols, p.alpha, p.beta, sum);
      } else {
        write_rows<BN, false>(to, p.ldc, rows, cols, p.alpha, p.beta, sum);
      }
    }
  }
}

// Computes every gridDim.x-th tile of C over a part of K, of all products.
template <int BM, bool TRANS_A, bool TRANS_B>
__global__ void __launch_bounds__(THREADS<BM>, 1)
    tensor_fp32_kernel(const Call call, const bool vector, const Sums sums, const Leftovers left,
                       const __grid_constant__ CUtensorMap map_a,
                       const __grid_constant__ CUtensorMap map_b) {
  end_without_wgmma();
  extern __shared__ __align__(1024) unsigned char memory[];
  auto& shared = *reinterpret_cast<Shared<BM, TRANS_A, TRANS_B>*>(memory);
  const Work<BM> work{call, sums, call.product.K};
  if (threadIdx.x == 0) {
    constexpr int READERS = SHARE_ROWS<BM> ? WARPS : CONSUMERS<BM> * WARPS;  // of a stage
    for (Mbarrier& full : shared.full) init_mbarrier(full, 1);
    for (Mbarrier& empty : shared.empty) init_mbarrier(empty, READERS);
    for (Mbarrier& turn : shared.turn) init_mbarrier(turn, WARPS);
    fence_mbarriers();
  }
  __syncthreads();  // the barriers are ready
  wait_for_previous_kernel();

  if (threadIdx.x / WARPGROUP == CONSUMERS<BM>) {
    keep_registers<24>();
    if (threadIdx.x == CONSUMERS<BM> * WARPGROUP) produce(work, map_a, map_b, shared);
  } else {
    take_registers<CONSUMER_REGISTERS<BM>>();
    consume(vector, left, work, shared);
  }
}

struct Workspace {
  SameScaleParts parts;
  Sums sums;
  Leftovers left;
};

// Places the arrays; returns how many floats they take.
int64_t place_arrays(const Call& call, float* base, Workspace* w) {
  WorkspaceLayout layout(base);
  const Sgemm& p = call.product;
  const int64_t batch = call.batch;
  SameScaleParts& parts = w->parts;
  parts.A = layout.place<__half>(2 * parts.plane_a * parts.of_rows.matrices(batch));
  parts.B = layout.place<__half>(2 * parts.plane_b * parts.of_cols.matrices(batch));
  if (w->sums.parts > 1) w->sums.of_parts = layout.place<float>(batch * w->sums.sums_of_product(p));
  w->left.rows = layout.place<int>(batch * p.M);
  w->left.cols = layout.place<int>(batch * p.N);
  w->left.bands = layout.place<Band>(batch * Leftovers::bands_of(p));
  w->left.sums = layout.place<double>(batch * w->left.sums_of_product());
  const int64_t before = layout.floats();
  w->left.counts = layout.place<LeftoverCounts>(batch);
  w->left.arrived = layout.place<unsigned>(batch * w->left.blocks);
  const int64_t counts_end = layout.floats();
  for (LineRecords* records : {&parts.of_rows, &parts.of_cols}) {
    records->first =
        layout.place<LineRecord>(records->matrices(batch) * records->pieces * records->lines);
  }
  parts.zeros = reinterpret_cast<uint4*>(w->left.counts);
  parts.zeros_count = ((parts.of_rows.are_added ? layout.floats() : counts_end) - before) / 4;
  w->left.of_rows = parts.of_rows;
  w->left.of_cols = parts.of_cols;
  return layout.floats();
}

// Describes the parts, and divides C and K among the blocks.
template <int BM>
Workspace plan(const Call& call, int multiprocessors) {
  Workspace w{};
  const Sgemm& p = call.product;
  divide(p, BM, BN, BK, multiprocessors / call.batch, &w.sums, TensorFp32Sizes::LEAST_STEPS,
         TensorFp32Sizes::MOST_STEPS);
  SameScaleParts& parts = w.parts;
  parts.pitch_a = stride_for_copies(p.cols_of_a());
  parts.pitch_b = stride_for_copies(p.cols_of_b());
  parts.plane_a = p.rows_of_a() * parts.pitch_a;
  parts.plane_b = p.rows_of_b() * parts.pitch_b;
  plan_records(call, &parts);
  w.left.blocks = static_cast<int>(ceil_div(multiprocessors, call.batch));
  return w;
}

// `counts`: where the host wants to know what was left to FP64, or nullptr.
template <int BM, bool TRANS_A, bool TRANS_B>
cudaError_t launch_steps(const Call& call, int multiprocessors, cudaStream_t stream,
                         LeftoverCounts* counts) {
  const auto product = tensor_fp32_kernel<BM, TRANS_A, TRANS_B>;
  static_assert(sizeof(Shared<BM, TRANS_A, TRANS_B>) == SHARED_BYTES<BM>);
  cudaError_t error = allow_dynamic_shared(product, SHARED_BYTES<BM>);
  if (error != cudaSuccess) return error;

  Workspace w = plan<BM>(call, multiprocessors);
  const StreamWorkspace workspace(place_arrays(call, nullptr, &w), stream);
  if (workspace.error() != cudaSuccess) return workspace.error();
  if (WorkspaceScope::only_counts()) return cudaSuccess;  // there is no memory for tensor maps
  place_arrays(call, workspace.data(), &w);
  CUtensorMap map_a, map_b;
  using ThisStage = Stage<BM, TRANS_A, TRANS_B>;
  const Sgemm& p = call.product;
  error = ThisStage::PartsOfA::make_map(w.parts.A, w.parts.of_rows.matrices(call.batch), p.M, p.K,
                                        w.parts.pitch_a, &map_a);
  if (error != cudaSuccess) return error;
  error = ThisStage::PartsOfB::make_map(w.parts.B, w.parts.of_cols.matrices(call.batch), p.N, p.K,
                                        w.parts.pitch_b, &map_b);
  if (error != cudaSuccess) return error;
  const bool vector = is_vector_aligned(call, 16);
  error = vector ? launch_split_once<true>(call, w.parts, stream)
                 : launch_split_once<false>(call, w.parts, stream);
  if (error != cudaSuccess) return error;
  const int64_t work = w.sums.tiles_m * w.sums.tiles_n * w.sums.parts * call.batch;
  if (work > INT32_MAX) return cudaErrorInvalidConfiguration;
  const dim3 grid = grid_of(std::min<int64_t>(work, multiprocessors));
  error = launch_after(product, grid, THREADS<BM>, SHARED_BYTES<BM>, stream, call, vector, w.sums,
                       w.left, map_a, map_b);
  if (error != cudaSuccess) return error;
  if (w.sums.parts > 1) {
    error = launch_add_known_parts(call, w.sums, w.left, stream);
    if (error != cudaSuccess) return error;
  }
  error = launch_fp64_leftovers(call, w.left, stream);
  if (error != cudaSuccess || counts == nullptr) return error;
  return cudaMemcpyAsync(counts, w.left.counts, sizeof *counts, cudaMemcpyDeviceToHost, stream);
}

bool needs_fp64(const Sgemm& p) { return !is_for_tensor_fp32(p.M, p.N, p.K); }

template <bool TRANS_A, bool TRANS_B>
cudaError_t launch_tiles(const Call& call, int multiprocessors, cudaStream_t stream,
                         LeftoverCounts* counts) {
  switch (rows_of_tile(call.product.M, call.product.N, call.batch, multiprocessors)) {
    case 64:
      return launch_steps<64, TRANS_A, TRANS_B>(call, multiprocessors, stream, counts);
    // exercise middle: begin
    case 128:
      return launch_steps<128, TRANS_A, TRANS_B>(call, multiprocessors, stream, counts);
    // exercise middle: end
    default:
      return launch_steps<192, TRANS_A, TRANS_B>(call, multiprocessors, stream, counts);
  }
}

// Launches the products of a call together.
cudaError_t launch_on_tensor_cores(const Call& call, cudaStream_t stream, LeftoverCounts* counts) {
  if (!BUILT_WITH_WGMMA) return cudaErrorNoKernelImageForDevice;
  Device device{};
  const cudaError_t error = describe_device(&device);
  if (error != cudaSuccess) return error;
  const int multiprocessors = device.multiprocessors;
  // exercise transposes: begin
  const bool trans_a = call.product.op_a == Op::transpose;
  const bool trans_b = call.product.op_b == Op::transpose;
  if (trans_a && trans_b) return launch_tiles<true, true>(call, multiprocessors, stream, counts);
  if (trans_a) return launch_tiles<true, false>(call, multiprocessors, stream, counts);
  if (trans_b) return launch_tiles<false, true>(call, multiprocessors, stream, counts);
  // exercise transposes: end
  return launch_tiles<false, false>(call, multiprocessors, stream, counts);
}

// Launches a batch, as many products together as products_together() says.
cudaError_t launch_batch_tensor_fp32(const Call& call, cudaStream_t stream) {
  if (needs_fp64(call.product)) return launch_fp64_tiles(call, nullptr, stream);
  const int64_t together =
      products_together(call.product.M, call.product.N, call.product.K, call.batch);
  cudaError_t error = cudaSuccess;
  for (int64_t i = 0; i < call.batch && error == cudaSuccess; i += together) {
    Call some = call;
    some.product = call.product_at(i);
    some.batch = std::min(together, call.batch - i);
    error = launch_on_tensor_cores(some, stream, nullptr);
  }
  return error;
}

cudaError_t launch_tensor_fp32(const Sgemm& p, cudaStream_t stream) {
  return launch_batch_tensor_fp32(Call(p), stream);
}

cudaError_t launch_and_tell_tensor_fp32(const Sgemm& p, cudaStream_t stream, LeftToFP64* left) {
  LeftoverCounts counts{};
  cudaError_t error = needs_fp64(p) ? launch_fp64_tiles(Call(p), nullptr, stream)
                                    : launch_on_tensor_cores(Call(p), stream, &counts);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess) return error;
  const int64_t rows = counts.rows, cols = counts.cols, bands = counts.bands;
  const int64_t elements = rows * p.N + cols * (p.M - rows) + bands * Band::ROWS * Band::COLS;
  *left = {rows, cols, bands, needs_fp64(p) ? p.M * p.N : std::min(elements, p.M * p.N)};
  return cudaSuccess;
}

const char* path_tensor_fp32(const Sgemm& p) {
  if (needs_fp64(p)) return "FP64";
  return is_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

extern const Rung tensor_fp32{
    .number = 16,
    .name = "tensor_fp32",
    .idea =
        "any data, any size: lines that parts cannot hold go to FP64 alone, tiles of three heights",
    .promise = {.whole_tiles = 64,
                .claims = {{"tensor_share", "", Relation::at_least, 0.9},
                           {"load_bytes_per_lane", "A", Relation::equal, 16},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}},
                .uniform_data_only = true},  // other data may leave lines to FP64
    .launch = launch_tensor_fp32,
    .path = path_tensor_fp32,
    .needs = {.compute_capability = 90, .exactly = true},
    .arithmetic = {.name = "FP32 from FP16 parts",
                   .bound_factor = 2,
                   .epsilon = 0x1p-23,
                   .exact_bits = 12,
                   .largest_input = FP32.largest_input,
                   .fp16_products = 3,
                   .limits = ErrorLimits{.frobenius = 1.5e-7,
                                         .frobenius_all_positive = 2e-7,
                                         .largest = 0x1p-21,
                                         .share_of_reference = 0.5}},
    // exercise claim: begin
    .takes_transposes = true,
    // exercise claim: end
    .launch_and_tell = launch_and_tell_tensor_fp32,
    .launch_batch = launch_batch_tensor_fp32,
};

}  // namespace ladder
