// wgmma between its instruction and the wait that covers it. Results are kept aside until the wait, so that a kernel without the
// wait is wrong here as on a device. See ProductRegister.
#include "simulator/execute/level/matrix.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "simulator/execute/watch/observer.hpp"
#include "simulator/memory/matrix_descriptor.hpp"

BEGIN_LEVEL
namespace {

constexpr Slot REGISTER_BYTES = WARP * sizeof(uint32_t);

size_t register_at(Slot slot) { return static_cast<size_t>(slot / REGISTER_BYTES); }

const Program& program_of(const Warp& w) { return w.block->worker->program; }

std::vector<ProductRegister>& registers_of(Warp& w) {
  std::vector<ProductRegister>& registers = w.products.registers;
  if (registers.empty())
    registers.resize(program_of(w).register_bytes / static_cast<size_t>(REGISTER_BYTES));
  return registers;
}

// Ends a product's reads of shared memory.
void end_reads(const Warp& w, const PendingProduct& product) {
  for (const uint64_t piece : product.pieces)
    w.block->hazards->late_read_ends(product.instruction, w.first_thread, piece,
                                     MatrixDescriptor::PIECE);
}

bool is_copy(const Facts& facts) {
  return facts.family == Family::move && facts.operation == Operation::copy;
}

void enter_step(Warp& w, const Op& op) {
  if (Watch::looks_for_hazards(w)) w.block->hazards->warpgroup_step(op.instruction, w.number);
}

}  // namespace

void fence_products(Warp& w, const Op& op) {
  enter_step(w, op);
  ++w.products.fences;
  for (ProductRegister& one : w.products.registers) one.writer = 0;
}

void commit_products(Warp& w, const Op& op) {
  enter_step(w, op);
  ++w.products.groups;
}

void await_products(Warp& w, const Op& op) {
  enter_step(w, op);
  WarpProducts& products = w.products;
  const uint32_t pending = std::min(products.groups, static_cast<uint32_t>(op.extra));
  products.awaited = std::max(products.awaited, products.groups - pending);
  std::erase_if(products.late, [&](size_t index) {
    ProductRegister& one = products.registers[index];
    if (one.group >= products.awaited) return false;
    std::memcpy(w.registers + index * static_cast<size_t>(REGISTER_BYTES), one.value.data(),
                sizeof one.value);
    one.product = 0;
    return true;
  });
  std::erase_if(products.pending, [&](const PendingProduct& product) {
    if (product.group >= products.awaited) return false;
    end_reads(w, product);
    return true;
  });
}

void end_products(Warp& w) {
  for (const PendingProduct& product : w.products.pending) end_reads(w, product);
  w.products.pending.clear();
}

const uint32_t* accumulator(const Warp& w, Slot slot) {
  if (!w.products.registers.empty()) {
    const ProductRegister& one = w.products.registers[register_at(slot)];
    if (one.product != 0) return one.value.data();
  }
  return lanes_of<uint32_t>(w, slot);
}

uint32_t* late_result(Warp& w, Slot slot, uint32_t instruction) {
  const size_t index = register_at(slot);
  ProductRegister& one = registers_of(w)[index];
  if (one.product == 0) w.products.late.push_back(index);
  one.product = instruction + 1;
  one.group = w.products.groups;
  return one.value.data();
}

void check_product(Warp& w, const Op& op) {
  enter_step(w, op);
  std::vector<ProductRegister>& registers = registers_of(w);
  const auto check = [&](Slot slot) {
    const ProductRegister& one = registers[register_at(slot)];
    if (one.writer != 0)
      w.block->hazards->unfenced_register(op.instruction, w.first_thread, one.writer - 1);
  };
  for (const Slot slot : op.lists->d) check(slot);
  for (const Slot slot : op.lists->a) {
    ProductRegister& one = registers[register_at(slot)];
    check(slot);
    if (one.product != 0)
      w.block->hazards->early_register(one.product - 1, op.instruction, w.first_thread,
                                       RegisterMistake::reads_result);
    one.reader = op.instruction + 1;
    one.reader_group = w.products.groups;
  }
  if (w.products.fences == 0)
    w.block->hazards->unfenced_register(op.instruction, w.first_thread, std::nullopt);
}

void before_instruction(Warp& w, const Op& op) {
  if (!Watch::looks_for_hazards(w)) return;
  const Facts& facts = program_of(w).sources[op.instruction].facts;
  if (facts.family == Family::warpgroup) return;
  const RegisterUse& use = program_of(w).register_use[op.instruction];
  std::vector<ProductRegister>& registers = registers_of(w);
  const auto report = [&](uint32_t product, RegisterMistake kind) {
    w.block->hazards->early_register(product - 1, op.instruction, w.first_thread, kind);
  };
  bool is_renamed = false;  // True if it copies a result that is under way
  for (const int32_t slot : use.reads) {
    if (slot < 0) continue;
    const ProductRegister& one = registers[register_at(slot)];
    if (one.product == 0) continue;
    is_renamed = is_copy(facts);
    if (!is_renamed) report(one.product, RegisterMistake::reads_result);
  }
  for (const int32_t slot : use.writes) {
    if (slot < 0) continue;
    ProductRegister& one = registers[register_at(slot)];
    if (one.product != 0 && !is_renamed) report(one.product, RegisterMistake::writes_result);
    if (one.reader != 0 && one.reader_group >= w.products.awaited)
      report(one.reader, RegisterMistake::writes_factor);
    one.writer = op.instruction + 1;
  }
}

void after_instruction(Warp& w, const Op& op) {
  if (w.products.late.empty() && !Watch::looks_for_hazards(w)) return;
  const SourceInstruction& source = program_of(w).sources[op.instruction];
  if (!is_copy(source.facts)) return;
  const RegisterUse& use = program_of(w).register_use[op.instruction];
  if (use.writes.size() != 1 || use.writes[0] < 0 || source.facts.bytes != 4) return;
  std::vector<ProductRegister>& registers = registers_of(w);
  ProductRegister& to = registers[register_at(use.writes[0])];
  // The compiler moves constants and copies between a fence and a wgmma. They are no mistake of the program.
  to.writer = 0;
  if (use.reads.size() != 1 || use.reads[0] < 0) return;
  const ProductRegister& from = registers[register_at(use.reads[0])];
  to.writer = from.writer;
  if (from.product == 0) return;
  if (to.product == 0) w.products.late.push_back(register_at(use.writes[0]));
  to.product = from.product;
  to.group = from.group;
  to.value = from.value;
}

END_LEVEL
