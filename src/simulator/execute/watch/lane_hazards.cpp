#include "simulator/execute/watch/lane_hazards.hpp"

#include <bit>
#include <string>
#include <tuple>
#include <utility>

#include "simulator/execute/state/worker.hpp"
#include "simulator/hazards/describe.hpp"

namespace simulator {
namespace {

std::string lane_text(int lane) { return "lane " + std::to_string(lane); }

const Program& program_of(const Warp& w) { return w.block->worker->program; }

}  // namespace

void report_hazard(const Warp& w, HazardKind kind, uint32_t instruction, uint32_t other, int lane,
                   uint64_t address, const std::function<void(Message&)>& describe) {
  const BlockContext& block = *w.block;
  const Dim3& at = block.block;
  const uint64_t number = at.x + uint64_t{block.grid.x} * (at.y + uint64_t{block.grid.y} * at.z);
  const uint32_t thread = w.first_thread + static_cast<uint32_t>(lane);
  const LaunchState& launch = block.worker->launch;
  const uint64_t key =
      hazard_key(kind, launch.watched->line_of(instruction), launch.watched->line_of(other));
  launch.watched->found.add(key, {number, address, thread}, [&] {
    const Program& program = block.worker->program;
    Hazard hazard = instruction == other ? hazard_at(kind, program, instruction)
                                         : hazard_between(kind, program, instruction, other);
    hazard.message.where = place_of(program, instruction, at, thread_at(block.block_size, thread));
    describe(hazard.message);
    return hazard;
  });
}

// --- shuffles and masks -------------------------------------------------------------------------------

namespace {

// Returns the error of the read, and advice.
std::pair<std::string, std::string> describe_absence(const Warp& w, const AbsentRead& read) {
  const std::string absent = lane_text(read.source);
  switch (read.absence) {
    case Absence::no_thread:
      return {"there is no " + absent + ": the block has " +
                  std::to_string(w.block->block_size.count()) + " threads",
              "make the block a multiple of 32 threads, or keep the steps within its lanes"};
    case Absence::exited:
      return {absent + " has exited",
              "let all lanes come to " + line_of(program_of(w), read.instruction) +
                  ", without an early return; give those without data a neutral value, such as 0"};
    case Absence::elsewhere:
      return {absent + " does not come to it", "move the shuffle out of the `if`, so that " +
                                                   absent +
                                                   " executes it too, and name it in the mask"};
    case Absence::not_named:
      return {"the mask does not name " + absent,
              "a mask that names all lanes that are read, 0xffffffff where the whole warp takes "
              "part"};
  }
  return {};
}

}  // namespace

void report_absent_lane(const Warp& w, const AbsentRead& read, uint32_t use) {
  const auto describe = [&](Message& message) {
    const Program& program = program_of(w);
    const auto [reason, advice] = describe_absence(w, read);
    message.what = "shuffle from an absent lane in " + program.demangled + ": " +
                   lane_text(read.lane) + " reads " + lane_text(read.source) + " with " +
                   intrinsic_of(program, read.instruction) + ", but " + reason;
    message.where += ", mask " + mask_text(read.mask);
    if (line_of(program, use) != line_of(program, read.instruction))
      message.where += ", used at " + line_of(program, use);
    message.advice = advice;
  };
  report_hazard(w, HazardKind::absent_lane, read.instruction, use, read.lane, 0, describe);
}

void report_mask_without_caller(const Warp& w, uint32_t instruction, int lane, uint32_t mask) {
  report_hazard(
      w, HazardKind::false_mask, instruction, instruction, lane, 0, [&](Message& message) {
        const std::string call = intrinsic_of(program_of(w), instruction);
        message.what = "false mask in " + program_of(w).demangled + ": " + lane_text(lane) +
                       " calls " + call + " with a mask that does not name " + lane_text(lane);
        message.where += ", mask " + mask_text(mask);
        message.advice =
            "a mask with the bit of each lane that makes the call, 0xffffffff where the "
            "whole warp does; or keep the others from it";
      });
}

void report_masks_that_differ(const Warp& w, uint32_t instruction, int lane, uint32_t mask,
                              int other, uint32_t other_mask) {
  report_hazard(
      w, HazardKind::false_mask, instruction, instruction, lane, 0, [&](Message& message) {
        const std::string call = intrinsic_of(program_of(w), instruction);
        message.what = "false mask in " + program_of(w).demangled + ": " + lane_text(lane) +
                       " calls " + call + " together with " + lane_text(other) +
                       ", which names another mask";
        message.where += ", masks " + mask_text(mask) + " and " + mask_text(other_mask);
        message.advice =
            "the same mask in all lanes that it names: from __ballot_sync before the `if`, or a "
            "constant";
      });
}

void report_lanes_that_never_come(const Warp& w, uint32_t instruction, int lane, uint32_t mask,
                                  uint32_t absent, std::optional<uint32_t> elsewhere) {
  const auto describe = [&](Message& message) {
    const Program& program = program_of(w);
    const std::string first = lane_text(std::countr_zero(absent));
    const int count = std::popcount(absent);
    const std::string s = count == 1 ? "s" : "";
    message.what = "false mask in " + program.demangled + ": " +
                   intrinsic_of(program, instruction) + " names " +
                   (count == 1 ? first + ", which"
                               : std::to_string(count) + " lanes (" + first + " first) that");
    message.what += elsewhere ? " wait" + s + " at " + line_of(program, *elsewhere) + " instead"
                              : " take" + s + " another branch and never come" + s;
    message.where += ", mask " + mask_text(mask);
    message.advice =
        "move the call out of the `if`, or name just the lanes that go in: mask = "
        "__ballot_sync(0xffffffff, condition) before it";
  };
  report_hazard(w, HazardKind::false_mask, instruction, elsewhere.value_or(instruction), lane, 0,
                describe);
}

// --- barriers -----------------------------------------------------------------------------------------

void check_barrier(const BarrierUse& one, const BarrierUse& other) {
  const bool is_same = one.instruction == other.instruction && one.threads == other.threads;
  if (is_same && one.threads % WARP == 0) return;
  const Program& program = program_of(one.warp);
  // Ordered by line, so that it is one hazard in any order of arrival.
  const HazardContext& launch = *one.warp.block->worker->launch.watched;
  const auto is_before = [&](const BarrierUse& a, const BarrierUse& b) {
    const SourceLine& line = program.sources[a.instruction].where;
    const SourceLine& other_line = program.sources[b.instruction].where;
    return std::tie(line.file, line.line, a.instruction) <
           std::tie(other_line.file, other_line.line, b.instruction);
  };
  const bool is_odd = one.threads % WARP != 0;
  const BarrierUse* const first = !is_odd && is_before(other, one) ? &other : &one;
  const BarrierUse* const second = first == &one ? &other : &one;
  const auto report = [&](const std::string& what, const std::string& where,
                          const std::string& advice) {
    const int lane = std::countr_zero(first->warp.active);
    report_hazard(first->warp, HazardKind::forbidden_barrier, first->instruction,
                  is_odd ? first->instruction : second->instruction, lane, 0,
                  [&](Message& message) {
                    message.what = "forbidden barrier in " + program.demangled + ": " + what;
                    message.where += where;
                    message.advice = advice;
                  });
  };
  const auto threads_text = [](const BarrierUse& use) {
    return use.threads == 0 ? std::string("all threads") : std::to_string(use.threads) + " threads";
  };
  const std::string number = "barrier " + std::to_string(one.number);
  const auto all = static_cast<uint32_t>(one.warp.block->block_size.count());
  const auto threads_of = [&](const BarrierUse& use) {
    return use.threads == 0 ? all : use.threads;
  };
  if (is_odd) {
    report(number + " waits for " + threads_text(one) + ", which is no multiple of 32", "",
           "a number of threads that is a multiple of 32: a barrier counts whole warps");
  } else if (threads_of(one) != threads_of(other)) {
    report("one warp waits at " + number + " for " + threads_text(*first) + ", another for " +
               threads_text(*second),
           ", and " + line_of(program, second->instruction),
           "the same number of threads wherever " + number + " is used");
  } else if (one.reduces != other.reduces) {
    report("one warp votes at " + number + " while another only waits there",
           ", and " + line_of(program, second->instruction),
           "__syncthreads_count, _and or _or for all threads of the block, or for none");
  } else if (one.number == 0 && one.threads == 0 &&
             launch.line_of(one.instruction) != launch.line_of(other.instruction)) {
    report(
        "threads of one block meet at different __syncthreads(), which CUDA's guide forbids",
        ", while others are at " + line_of(program, second->instruction),
        "one __syncthreads() that all threads reach, outside of the `if`, in place of these two");
  }
}

// --- the barrier of a cluster -------------------------------------------------------------------------

void check_cluster_wait(const Warp& w, uint32_t instruction, uint32_t lanes) {
  if (lanes == 0) return;
  report_hazard(w, HazardKind::forbidden_barrier, instruction, instruction, std::countr_zero(lanes),
                0, [&](Message& message) {
                  message.what = program_of(w).demangled +
                                 " waits at the cluster's barrier without having arrived";
                  message.advice =
                      "barrier_arrive() before each barrier_wait(), or cluster.sync() for both";
                });
}

void check_cluster_arrival(const Warp& w, uint32_t instruction, uint32_t lanes) {
  if (lanes == 0) return;
  report_hazard(w, HazardKind::forbidden_barrier, instruction, instruction, std::countr_zero(lanes),
                0, [&](Message& message) {
                  message.what = program_of(w).demangled +
                                 " arrives at the cluster's barrier again without a wait";
                  message.advice = "one barrier_wait() after each barrier_arrive()";
                });
}

}  // namespace simulator
