#include "simulator/decode/control_flow.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "simulator/decode/call_inlining.hpp"
#include "simulator/decode/opcodes.hpp"

namespace simulator {
namespace {

Leave leave_of(const ptx::Instruction& instruction) {
  switch (classify(instruction.opcode).family) {
    case Family::branch:
      return instruction.guard.empty() ? Leave::jump : Leave::branch;
    case Family::indirect:
      return Leave::indirect;
    case Family::exit:
      return Leave::exit;
    case Family::barrier:
      return Leave::barrier;
    case Family::call:
      return Leave::call;
    case Family::function_return:
      return Leave::function_return;
    case Family::registers:
      return Leave::registers;
    case Family::grid_wait:
      return Leave::grid_wait;
    default:
      return Leave::next;
  }
}

size_t label_position(const ptx::Function& function, const std::string& label) {
  const auto found = function.labels.find(label);
  if (found == function.labels.end()) {
    throw std::runtime_error(function.name + ": a branch to " + label + ", which is no label");
  }
  return found->second;
}

std::vector<size_t> branch_positions(const ptx::Function& function,
                                     const ptx::Instruction& instruction) {
  std::vector<size_t> positions;
  if (instruction.opcode[0] == "bra") {
    positions.push_back(label_position(function, instruction.operands.at(0).name));
  } else if (instruction.opcode[0] == "brx") {
    for (const std::string& label : function.branch_targets.at(instruction.operands.at(1).name)) {
      positions.push_back(label_position(function, label));
    }
  }
  return positions;
}

std::set<size_t> find_leaders(const ptx::Function& function) {
  std::set<size_t> leaders{0};
  for (size_t i = 0; i < function.body.size(); ++i) {
    if (classify(function.body[i].opcode).gathers) leaders.insert(i);
    const Leave leave = leave_of(function.body[i]);
    // A warp that waits for registers or for the grid has done everything before.
    if (leave == Leave::registers || leave == Leave::grid_wait) leaders.insert(i);
    if (leave == Leave::next) continue;
    leaders.insert(i + 1);
    for (const size_t position : branch_positions(function, function.body[i]))
      leaders.insert(position);
  }
  for (const auto& [label, position] : function.labels) {
    if (label.starts_with(FUNCTION_LABEL)) leaders.insert(position);
  }
  leaders.erase(function.body.size());
  return leaders;
}

// Immediate post-dominators by the iteration of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm",
// 2001) on the reversed graph. Its entry is a virtual end after every exit.
class PostDominators {
 public:
  explicit PostDominators(std::vector<FlowBlock>& blocks) : blocks_(blocks), end_(blocks.size()) {}

  void find() {
    const size_t count = blocks_.size();
    std::vector<std::vector<size_t>> successors(count);
    std::vector<std::vector<size_t>> predecessors(count + 1);
    for (size_t b = 0; b < count; ++b) {
      // A block that only returns counts as the end: lanes do not wait there for others, so lanes that go on to a
      // barrier find them exited.
      for (const uint32_t s : blocks_[b].successors) {
        successors[b].push_back(only_returns(blocks_[s]) ? end_ : s);
      }
      const bool leaves =
          blocks_[b].leave == Leave::exit || blocks_[b].leave == Leave::function_return;
      if (leaves) successors[b].push_back(end_);
    }
    connect_endless_loops(successors);
    for (size_t b = 0; b < count; ++b) {
      for (const size_t s : successors[b]) predecessors[s].push_back(b);
    }
    number_from_end(predecessors);

    immediate_.assign(count + 1, UNKNOWN);
    immediate_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (const size_t b : order_) {
        if (b == end_) continue;
        size_t meet = UNKNOWN;
        for (const size_t s : successors[b]) {
          if (immediate_[s] == UNKNOWN) continue;
          meet = meet == UNKNOWN ? s : intersect(meet, s);
        }
        if (meet != immediate_[b]) {
          immediate_[b] = meet;
          changed = true;
        }
      }
    }
    for (size_t b = 0; b < count; ++b) {
      const size_t meet = immediate_[b];
      blocks_[b].reconverge = meet >= end_ ? Program::END : static_cast<uint32_t>(meet);
    }
  }

 private:
  static bool only_returns(const FlowBlock& block) {
    return block.leave == Leave::exit && block.last - block.first <= 1 && block.successors.empty();
  }

  static constexpr size_t UNKNOWN = ~size_t{0};

  // Gives the blocks of a loop without an exit a post-dominator, so that each block has one.
  void connect_endless_loops(std::vector<std::vector<size_t>>& successors) const {
    while (true) {
      std::vector<bool> reaches_end(end_ + 1, false);
      reaches_end[end_] = true;
      for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = end_; b-- > 0;) {
          if (reaches_end[b]) continue;
          reaches_end[b] = std::any_of(successors[b].begin(), successors[b].end(),
                                       [&](size_t s) { return reaches_end[s]; });
          changed |= reaches_end[b];
        }
      }
      size_t last = UNKNOWN;
      for (size_t b = 0; b < end_; ++b) {
        if (!reaches_end[b]) last = b;
      }
      if (last == UNKNOWN) return;
      successors[last].push_back(end_);
    }
  }

  // Numbers the blocks in reverse postorder of the reversed graph.
  void number_from_end(const std::vector<std::vector<size_t>>& predecessors) {
    std::vector<bool> seen(end_ + 1, false);
    std::vector<std::pair<size_t, size_t>> stack{{end_, 0}};
    seen[end_] = true;
    while (!stack.empty()) {
      auto& [block, next] = stack.back();
      if (next == predecessors[block].size()) {
        order_.push_back(block);
        stack.pop_back();
        continue;
      }
      const size_t p = predecessors[block][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.emplace_back(p, 0);
      }
    }
    position_.assign(end_ + 1, 0);
    for (size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    std::reverse(order_.begin(), order_.end());
  }

  size_t intersect(size_t a, size_t b) const {
    while (a != b) {
      while (position_[a] < position_[b]) a = immediate_[a];
      while (position_[b] < position_[a]) b = immediate_[b];
    }
    return a;
  }

  std::vector<FlowBlock>& blocks_;
  size_t end_;
  std::vector<size_t> order_, position_, immediate_;
};

}  // namespace

ControlFlow find_control_flow(const ptx::Function& function) {
  ControlFlow flow;
  const std::set<size_t> leaders = find_leaders(function);
  std::map<size_t, uint32_t> block_at;
  for (const size_t leader : leaders) {
    const auto number = static_cast<uint32_t>(block_at.size());
    block_at[leader] = number;
  }
  const auto block_of = [&](size_t position) {  // a label at the very end means the end
    const auto found = block_at.find(position);
    return found == block_at.end() ? static_cast<uint32_t>(block_at.size()) : found->second;
  };
  for (auto leader = leaders.begin(); leader != leaders.end(); ++leader) {
    FlowBlock block;
    block.first = *leader;
    block.last = std::next(leader) == leaders.end() ? function.body.size() : *std::next(leader);
    if (block.last > block.first) {
      block.gathers = classify(function.body[block.first].opcode).gathers;
      const ptx::Instruction& last = function.body[block.last - 1];
      block.leave = leave_of(last);
      block.has_terminator = block.leave != Leave::next;
      for (const size_t position : branch_positions(function, last))
        block.targets.push_back(block_of(position));
      if (!block.targets.empty()) block.taken = block.targets.front();
      const bool falls_through = block.leave == Leave::next || block.leave == Leave::branch ||
                                 block.leave == Leave::barrier || block.leave == Leave::call ||
                                 block.leave == Leave::registers ||
                                 block.leave == Leave::grid_wait || !last.guard.empty();
      // A call returns: its successor in its own function is the next block.
      if (block.leave == Leave::call && last.operands.at(0).kind == ptx::Operand::Kind::symbol)
        block.taken = block_of(label_position(function, last.operands[0].name));
      block.successors = block.targets;
      if (falls_through) block.successors.push_back(static_cast<uint32_t>(flow.blocks.size() + 1));
    }
    flow.blocks.push_back(std::move(block));
  }
  // A kernel may end without a ret.
  FlowBlock end;
  end.first = end.last = function.body.size();
  end.leave = Leave::exit;
  flow.blocks.push_back(end);
  for (const auto& [label, position] : function.labels) {
    if (label.starts_with(FUNCTION_LABEL))
      flow.functions[label.substr(FUNCTION_LABEL.size())] = block_of(position);
  }
  PostDominators(flow.blocks).find();
  return flow;
}

}  // namespace simulator
