// Rung 11: the tile that suits the shape, and a main loop in which 92 of 100 instructions multiply.
//
// Rung 10 has one tile for all problems. A large problem needs a large tile: 128 x 256 elements of C need 384 elements
// of A and B for each k; for as large a part of C, two blocks of rung 10 need 512. A small problem needs small tiles, or
// most multiprocessors stand idle: 1024 x 1024 has only 32 tiles of 128 x 256. And if one small tile must keep a
// multiprocessor busy, its warps divide K among themselves.
//
//   tile_table.hpp     for each size of tile the fastest variant that bench/tune found, with its rate
//   choose_tile.hpp    picks the tile for a shape: the shortest time of the busiest multiprocessor
//   tuned_kernel.cuh   the kernel: a tile for each block
//   block_product.cuh  the kernel's main loop: rung 10's loop with every size a parameter, and with
//                      changes that make nearly every instruction a multiply-add
//   thread_tile.cuh    a thread's sums: the order of its multiply-adds, and long sums made of short
//                      ones, which round less
//   place_of           blocks that run at the same time compute a square region of C, so that they
//                      find each other's rows and columns in L2
//
// A needs no alignment, since it is copied a float at a time. If B or C is not aligned to 16 bytes, both are moved a
// float at a time too (path "scalar").
//
// On an H200 this is 170 % of cuBLAS at 128^3, 196 % at 256^3, 117 % at 1024^3, 104 to 106 % at 2048^3, 4096^3, 6144^3
// and 8192^3, and 102 % at 16384^3, where the power limit slows the card; but 96 % at 2560^3 and 93 % at 2049^3.
//
// For a small problem the report shows more bytes fetched for each operation than in rung 10: small tiles share less.
// They are faster all the same, since every multiprocessor has one.
//
// What is left for the next rung: a grid whose last wave is nearly empty, and shapes with too few
// tiles of any size.
#include "device/async_copy.cuh"
#include "device/vector_access.cuh"
#include "kernels/alignment.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tuned/choose_tile.hpp"  // exercise: in place
#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/tile_table.hpp"
#include "kernels/tuned/tuned_kernel.cuh"
#include "kernels/tuned/turned_copies.cuh"

namespace ladder {
namespace {

// exercise table: begin
constexpr const auto& TABLE = TUNED_TABLE;
// exercise table: end

template <size_t CHOICE>
struct Variant {
  static constexpr Tile tile = TABLE[CHOICE].tile;
};

template <bool VECTOR>
constexpr auto LAUNCHES = launches_of<std::size(TABLE)>(
    [](auto choice) { return launch_tuned_variant<Variant<choice>, VECTOR>; });

cudaError_t launch_tuned(const Sgemm& p, cudaStream_t stream) {
  Device device{};
  const cudaError_t error = describe_device(&device);
  if (error != cudaSuccess) return error;
  const size_t choice = choose_tile(TABLE, p.M, p.N, device);
  return launch_tuned_choice(choice, Call(p), are_b_and_c_vector_aligned(p, 16),
                             device.multiprocessors, stream);
}

const char* path_tuned(const Sgemm& p) {
  return are_b_and_c_vector_aligned(p, 16) ? "float4" : "scalar";
}

}  // namespace

cudaError_t launch_tuned_choice(size_t choice, const Call& call, bool vector, int multiprocessors,
                                cudaStream_t stream) {
  return (vector ? LAUNCHES<true> : LAUNCHES<false>)[choice](call, multiprocessors, stream);
}

extern const Rung tuned{
    .number = 11,
    .name = "tuned",
    .idea = "a tile for each shape, from a table found by search, and a main loop of multiply-adds",
    .promise = {.whole_tiles = 128,
                .claims = {{"async_copy_share", "A", Relation::equal, 1},
                           {"async_copy_share", "B", Relation::equal, 1},
                           {"load_bytes_per_lane", "A", Relation::equal, 4},
                           {"load_bytes_per_lane", "B", Relation::equal, 16},
                           {"shared_wavefronts_per_ffma", "", Relation::at_most, 0.29},
                           {"shared_bank_conflicts", "", Relation::equal, 0},
                           {"local_bytes", "", Relation::equal, 0}}},
    .launch = launch_turned<launch_tuned>,
    .path = path_turned<path_tuned>,
    .needs = {.compute_capability = ASYNC_COPY_NEEDS},
    .takes_transposes = true,
};

}  // namespace ladder
