// The functions of one level, in one place.
#include "simulator/execute/level/level.hpp"

#include "simulator/execute/level/arithmetic.hpp"
#include "simulator/execute/level/async_copies.hpp"
#include "simulator/execute/level/block_runner.hpp"
#include "simulator/execute/level/cluster_runner.hpp"
#include "simulator/execute/level/matrix.hpp"
#include "simulator/execute/level/mbarriers.hpp"
#include "simulator/execute/level/memory_choice.hpp"
#include "simulator/execute/level/warp_instructions.hpp"
#include "simulator/execute/scalar/texture_fetch.hpp"

BEGIN_LEVEL

extern const InstructionSet INSTRUCTIONS;
const InstructionSet INSTRUCTIONS{
    .arithmetic = find_arithmetic,
    .warp = find_warp_instruction,
    .special_register = find_special_register,
    .pack = find_pack,
    .load = find_load,
    .store = find_store,
    .atomic = find_atomic,
    .matrix_product = find_matrix_product,
    .matrix_load = find_matrix_load,
    .matrix_store = find_matrix_store,
    .warpgroup_product = find_warpgroup_product,
    .warpgroup_fence = fence_products,
    .warpgroup_commit = commit_products,
    .warpgroup_wait = await_products,
    .async_copy = find_async_copy,
    .async_commit = commit_copies,
    .async_wait = await_copies,
    .async_wait_all = await_all_copies,
    .mbarrier = find_mbarrier_instruction,
    .bulk_load = bulk_load,
    .bulk_store = bulk_store,
    .bulk_reduction = find_bulk_reduction,
    .copy_to_block = copy_to_block,
    .remote_store = find_remote_store,
    .tensor_load = tensor_load,
    .tensor_store = tensor_store,
    .bulk_commit = commit_bulk_stores,
    .bulk_wait = await_bulk_stores,
    .bulk_wait_read = await_bulk_reads,
    .parameter_load = find_parameter_load,
    .texture_fetch = fetch_texture,
    .nothing = do_nothing,
    .fence = execute_fence,
    .unknown = execute_unknown,
    .guarded = execute_guarded,
    .polling = execute_polling,
};

std::unique_ptr<Block> make_block(const Program& program, Worker& worker, const LaunchShape& shape,
                                  const std::byte* parameters);
std::unique_ptr<Block> make_block(const Program& program, Worker& worker, const LaunchShape& shape,
                                  const std::byte* parameters) {
  if (shape.cluster.count() > 1)
    return std::make_unique<ClusterRunner>(program, worker, shape, parameters);
  return std::make_unique<BlockRunner>(program, worker, shape, parameters);
}

END_LEVEL
