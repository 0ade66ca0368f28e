// Rung 12: the work is divided, not the matrix.
//
// Rung 11 gives each block a tile, so the last wave of blocks may leave most of the device idle: 2560 x 2560 is 200
// tiles of 128 x 256, and 132 multiprocessors need two rounds for the work of one and a half. Smaller tiles fill the
// rounds better but are slower. And 64 x 64 is only eight of the smallest tiles, however long K is. Here all steps
// along K of all tiles form one line, and each block takes an equal share of it; a share may begin and end within a
// tile (stream-K: Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix Multiplication
// on the GPU", PPoPP 2023).
//
//   split_plan.hpp       the share of each block, for a given tile and number of blocks
//   split_search.hpp     the choice of tile and number of blocks, for a shape and a device
//   tile_times.hpp       the estimated time of each choice
//   stream_k_kernel.cuh  rung 11's main loop over a block's share; parts of tiles go to a workspace, and
//                        a second kernel adds the parts of each tile, in the order of k
//   few_rows.cuh         for M <= 8, too few rows for tiles
//   few_cols.cuh         for N <= 8
//   few_k.cuh            for K <= 8
//   turned_copies.cuh    for transposed matrices
//
// If it is faster to divide nothing, rung 11's kernel computes the product, with the tile that is fastest for this K. It also computes the
// small products of a batch together.
//
// On an H200 this is 121 % of cuBLAS at 1536^3, 111 % at 2560^3, 118 % at 3072^3, 105 to 107 % at 4096^3,
// 6144^3 and 8192^3, and 163 % at 64 x 64 x 65536; but 100 % at 2049^3, 95 % at 16384 x 1 x 16384 and 91 % at
// 1 x 4096 x 4096.
//
// The order in which parts are added depends on the plan only, so a result never changes from run to run. Atomic
// additions would come in any order.
#include "device/async_copy.cuh"
#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tuned/few_cols.cuh"
#include "kernels/tuned/few_k.cuh"
#include "kernels/tuned/few_rows.cuh"
#include "kernels/tuned/launch_after.cuh"
#include "kernels/tuned/launch_kernel.hpp"
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/split_plan.hpp"    // exercise: in place
#include "kernels/tuned/split_search.hpp"  // exercise: in place
#include "kernels/tuned/stream_k_kernel.cuh"
#include "kernels/tuned/stream_k_plan.hpp"
#include "kernels/tuned/stream_workspace.hpp"
#include "kernels/tuned/tile_table.hpp"
#include "kernels/tuned/turned_copies.cuh"

namespace ladder {
namespace {

// exercise table: begin
constexpr const auto& TABLE = STREAM_K_TABLE;

constexpr TimedTiles tiles(bool vector) { return divided_tiles(vector); }
// exercise table: end

template <size_t CHOICE>
struct Variant {
  static constexpr Tile tile = TABLE[CHOICE].tile;
};

template <bool VECTOR>
constexpr auto LAUNCHES = launches_of<std::size(TABLE)>(
    [](auto choice) { return launch_stream_k_variant<Variant<choice>, VECTOR>; });

using SkinnyKernel = void (*)(Sgemm, int64_t strips, int64_t depth, float* sums);

// Launches few_rows_kernel or few_cols_kernel. `strips` blocks cover C. If the device holds more blocks at once
// (`resident_blocks`), K is divided among them, in multiples of `chunk`.
cudaError_t launch_skinny(SkinnyKernel kernel, const Sgemm& p, int64_t strips, int64_t chunk,
                          int64_t resident_blocks, cudaStream_t stream) {
  static_assert(FewRows::THREADS == FewCols::THREADS);
  constexpr int64_t LEAST_DIVIDED = 256;  // a shorter K takes a block less time than to add parts
  const int64_t most_parts =
      resident_blocks > strips && p.K >= LEAST_DIVIDED ? resident_blocks / strips : 1;
  const int64_t depth = ceil_div(ceil_div(p.K, most_parts), chunk) * chunk;
  const int64_t parts = p.K == 0 ? 1 : ceil_div(p.K, depth);
  if (parts == 1)
    return launch_kernel(kernel, grid_of(strips), FewRows::THREADS, 0, stream, p, strips, depth,
                         nullptr);
  const StreamWorkspace sums(parts * p.M * p.N, stream);
  if (sums.error() != cudaSuccess) return sums.error();
  const cudaError_t error = launch_kernel(kernel, grid_of(strips * parts), FewRows::THREADS, 0,
                                          stream, p, strips, depth, sums.data());
  if (error != cudaSuccess) return error;
  return launch_after(add_few_rows_kernel, grid_of(ceil_div(p.M * p.N, 256)), 256, 0, stream, p,
                      sums.data(), parts);
}

template <int ROWS, bool VECTOR>
cudaError_t launch_few_rows(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  return launch_skinny(few_rows_kernel<ROWS, VECTOR>, p, ceil_div(p.N, FewRows::COLS),
                       FewRows::CHUNK, int64_t{FewRows::blocks(ROWS)} * multiprocessors, stream);
}

template <bool VECTOR>
cudaError_t launch_few_rows(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  // exercise rows: begin
  if (p.M <= 1) return launch_few_rows<1, VECTOR>(p, multiprocessors, stream);
  if (p.M <= 2) return launch_few_rows<2, VECTOR>(p, multiprocessors, stream);
  if (p.M <= 4) return launch_few_rows<4, VECTOR>(p, multiprocessors, stream);
  // exercise rows: end
  return launch_few_rows<FewRows::MAX_ROWS, VECTOR>(p, multiprocessors, stream);
}

template <int COLS, bool VECTOR>
cudaError_t launch_few_cols(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  return launch_skinny(few_cols_kernel<COLS, VECTOR>, p, ceil_div(p.M, FewCols::ROWS),
                       FewCols::CHUNK, int64_t{FewCols::BLOCKS} * multiprocessors, stream);
}

template <bool VECTOR>
cudaError_t launch_few_cols(const Sgemm& p, int multiprocessors, cudaStream_t stream) {
  // exercise columns: begin
  if (p.N <= 1) return launch_few_cols<1, VECTOR>(p, multiprocessors, stream);
  if (p.N <= 2) return launch_few_cols<2, VECTOR>(p, multiprocessors, stream);
  if (p.N <= 4) return launch_few_cols<4, VECTOR>(p, multiprocessors, stream);
  // exercise columns: end
  return launch_few_cols<FewCols::MAX_COLS, VECTOR>(p, multiprocessors, stream);
}

template <int DEPTH, bool VECTOR>
cudaError_t launch_few_k(const Sgemm& p, cudaStream_t stream) {
  const int64_t strips = ceil_div(p.N, FewK::COLS);
  return launch_kernel(few_k_kernel<DEPTH, VECTOR>, grid_of(strips * ceil_div(p.M, FewK::ROWS)),
                       FewK::THREADS, 0, stream, p, strips);
}

template <bool VECTOR>
cudaError_t launch_few_k(const Sgemm& p, cudaStream_t stream) {
  // exercise short: begin
  if (p.K <= 1) return launch_few_k<1, VECTOR>(p, stream);
  if (p.K <= 2) return launch_few_k<2, VECTOR>(p, stream);
  if (p.K <= 4) return launch_few_k<4, VECTOR>(p, stream);
  // exercise short: end
  return launch_few_k<FewK::MAX_K, VECTOR>(p, stream);
}

enum class Shape { few_rows, few_cols, few_k, tiles };

Shape shape_of(const Sgemm& p) {
  if (p.M <= FewRows::MAX_ROWS) return Shape::few_rows;
  if (p.N <= FewCols::MAX_COLS) return Shape::few_cols;
  return p.K <= FewK::MAX_K ? Shape::few_k : Shape::tiles;
}

// True if the matrices that the shape's kernel accesses 16 bytes at a time are aligned to 16 bytes.
bool is_aligned(const Sgemm& p) {
  switch (shape_of(p)) {
    case Shape::few_rows:
      return is_vector_aligned(p.A, p.lda, 16) && is_vector_aligned(p.B, p.ldb, 16);
    case Shape::few_cols:
      return is_vector_aligned(p.A, p.lda, 16);
    case Shape::few_k:
    case Shape::tiles:
      break;
  }
  return are_b_and_c_vector_aligned(p, 16);
}

cudaError_t launch_stream_k(const Sgemm& p, cudaStream_t stream) {
  Device device{};
  const cudaError_t error = describe_device(&device);
  if (error != cudaSuccess) return error;

  const bool vector = is_aligned(p);
  if (shape_of(p) == Shape::few_rows) {
    return vector ? launch_few_rows<true>(p, device.multiprocessors, stream)
                  : launch_few_rows<false>(p, device.multiprocessors, stream);
  }
  if (shape_of(p) == Shape::few_cols) {
    return vector ? launch_few_cols<true>(p, device.multiprocessors, stream)
                  : launch_few_cols<false>(p, device.multiprocessors, stream);
  }
  if (shape_of(p) == Shape::few_k)
    return vector ? launch_few_k<true>(p, stream) : launch_few_k<false>(p, stream);
  thread_local LastResults<PlanKey, ProductPlan> last;
  const ProductPlan plan = last.of({p.M, p.N, p.K, vector, device}, [&] {
    return plan_product(whole_tiles(vector), tiles(vector), p.M, p.N, p.K, device);
  });
  return plan.is_whole
             ? launch_tuned_choice(plan.choice, Call(p), vector, device.multiprocessors, stream)
             : launch_stream_k_choice(plan.split, p, vector, device.multiprocessors, stream);
}

// Launches the products of a batch together if they are so small that this is faster, as a rule. Otherwise one after the other.
cudaError_t launch_batch_stream_k(const Call& call, cudaStream_t stream) {
  Device device{};
  cudaError_t error = describe_device(&device);
  if (error != cudaSuccess) return error;
  WorkspaceLayout counted(nullptr);
  const Call sized = turned(with_better_sides(call), counted);
  const Sgemm& p = sized.product;
  const bool vector =
      are_b_and_c_vector_aligned(p, 16) && sized.stride_b % 4 == 0 && sized.stride_c % 4 == 0;
  const BatchPlan plan = plan_batch(p.M, p.N, p.K, vector, call.batch, device);
  if (plan.is_together) {
    return turn_and_launch(call, stream, [&](const Call& turned, cudaStream_t on) {
      return launch_tuned_choice(plan.choice, turned, vector, device.multiprocessors, on);
    });
  }
  for (int64_t i = 0; i < call.batch && error == cudaSuccess; ++i)
    error = launch_turned<launch_stream_k>(call.product_at(i), stream);
  return error;
}

const char* path_stream_k(const Sgemm& p) {
  const bool vector = is_aligned(p);
  switch (shape_of(p)) {
    case Shape::few_rows:
      return vector ? "few rows, float4" : "few rows, scalar";
    case Shape::few_cols:
      return vector ? "few columns, float4" : "few columns, scalar";
    case Shape::few_k:
      return vector ? "short K, float4" : "short K, scalar";
    case Shape::tiles:
      break;
  }
  return vector ? "float4" : "scalar";
}

}  // namespace

cudaError_t launch_stream_k_choice(const SplitPlan& plan, const Sgemm& p, bool vector,
                                   int multiprocessors, cudaStream_t stream) {
  return (vector ? LAUNCHES<true> : LAUNCHES<false>)[plan.choice](p, plan, multiprocessors, stream);
}

extern const Rung stream_k{
    .number = 12,
    .name = "stream_k",
    .idea = "blocks take equal shares of the work, wherever in a tile they begin and end",
    .promise = {.whole_tiles = 128,
                .claims = {{"load_bytes_per_lane", "A", Relation::equal, 4},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"async_copy_share", "A", Relation::equal, 1},
                           {"async_copy_share", "B", Relation::equal, 1},
                           {"shared_wavefronts_per_ffma", "", Relation::at_most, 0.29},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_turned<launch_stream_k>,
    .path = path_turned<path_stream_k>,
    .needs = {.compute_capability = ASYNC_COPY_NEEDS},
    .takes_transposes = true,
    .launch_batch = launch_batch_stream_k,
};

}  // namespace ladder
