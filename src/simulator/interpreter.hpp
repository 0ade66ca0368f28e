// Warps and blocks at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/memory_access.hpp"
#include "simulator/module.hpp"
#include "simulator/program.hpp"

namespace simulator {

/// What stops a warp for a while, or for good.
enum class Pause { exited, at_barrier, out_of_time };

/// One warp with its place in the program.
///
/// Lanes that part at a branch run one way after the other and meet again at the branch's immediate
/// post-dominator: the scheme of GPUs before Volta (Fung et al., "Dynamic Warp Formation", 2007, describe
/// it). The stack holds the groups of lanes that wait for their turn.
class WarpRunner {
 public:
  WarpRunner(const Program& program, BlockContext& context, uint32_t number);

  /// Sets the warp to the kernel's first instruction.
  void start(std::byte* registers, std::byte* local, uint32_t lanes);

  /// Runs until the warp exits, reaches a barrier, or has passed `turns` basic blocks.
  Pause run(uint64_t turns);

  /// After Pause::at_barrier: the basic block that ends in it.
  const BasicBlock& barrier() const { return program_.blocks[block_]; }
  /// Goes on behind the barrier; `result` is what a reducing barrier gives.
  void pass_barrier(uint32_t result);

  uint32_t barrier_id() const;
  /// Threads that the barrier waits for; 0: all of the block.
  uint32_t barrier_threads() const;
  /// Lanes whose predicate a reducing barrier counts.
  uint32_t barrier_votes() const;
  uint32_t lanes() const { return warp_.live; }
  const Warp& warp() const { return warp_; }

 private:
  struct Waiting {
    uint32_t block;
    uint32_t reconverge;
    uint32_t lanes;
  };

  void execute_block(const BasicBlock& block);
  void enter(uint32_t block);
  void resume_waiting();
  void wait_for_all(uint32_t meet);
  void part(const BasicBlock& block, uint32_t taken_lanes, uint32_t taken);
  void leave_indirect(const BasicBlock& block);
  void leave_exit(const BasicBlock& block);
  bool reach_barrier(const BasicBlock& block);
  uint32_t guard_lanes(const BasicBlock& block) const;

  const Program& program_;
  Warp warp_;
  uint32_t block_ = 0;
  uint32_t reconverge_ = Program::END;
  std::vector<Waiting> waiting_;
  std::vector<uint32_t> predicates_;
};

/// Memory that one host thread uses for one block after the other.
class BlockRunner {
 public:
  BlockRunner(const Program& program, Worker& worker, const LaunchShape& shape,
              const std::byte* parameters);

  /// Runs the block with this linear number to its end. Throws a complete Fault.
  void run(uint64_t linear_block);

 private:
  void start_warps();
  bool run_warps();
  void release_barriers();
  void release(uint32_t id, const std::vector<size_t>& arrived);
  [[noreturn]] void fail(const WarpFault& fault, const Warp& warp) const;
  [[noreturn]] void fail_mismatched_barriers(const WarpRunner& a, const WarpRunner& b) const;

  const Program& program_;
  BlockContext context_;
  std::vector<std::byte> shared_storage_;
  std::unique_ptr<std::byte[]> register_storage_;
  std::byte* registers_ = nullptr;  // within it, aligned
  std::vector<std::byte> local_;
  enum class State { ready, waiting, exited };
  std::vector<WarpRunner> warps_;
  std::vector<State> states_;
  std::vector<uint32_t> arrivals_;  // threads that arrived without waiting, by barrier
};

/// Set by interrupt(); running blocks look at it now and then.
bool interrupted();

}  // namespace simulator
