#include "simulator/execute/watch/layouts.hpp"

#include "simulator/hazards/describe.hpp"
#include "simulator/memory/matrix_descriptor.hpp"

namespace simulator {
namespace {

// Fills in the names of the instruction and of the start, and the place of each piece. `place_of`: of (row, column).
template <typename PlaceOf>
void record(const Warp& w, uint32_t instruction, lens::Layout layout, PlaceOf&& place_of) {
  const BlockContext& block = *w.block;
  const Program& program = block.worker->program;
  const SourceInstruction& source = program.sources[instruction];
  LaunchState& launch = block.worker->launch;
  if (!launch.layouts->wants(source.where.file, source.where.line)) return;
  layout.kernel = program.demangled;
  layout.file = source.where.file;
  layout.line = source.where.line;
  layout.instruction = source.opcode;
  layout.start_name = shared_place(program, layout.start);
  for (size_t row = 0; row < layout.rows; ++row) {
    for (size_t column = 0; column < layout.columns; ++column)
      layout.places.push_back(place_of(row, column));
  }
  const uint64_t number =
      block.block.x + block.grid.x * (block.block.y + uint64_t{block.grid.y} * block.block.z);
  launch.layouts->add({launch.number, number, w.number}, layout);
}

// `lines`: rows of A or columns of B.
void record_matrix(const Warp& w, const Op& op, lens::Laid laid, Slot descriptor, size_t lines,
                   bool across_k) {
  const MatrixDescriptor matrix(lanes_of<uint64_t>(w, descriptor)[0]);
  const MatrixShape& shape = w.block->worker->program.sources[op.instruction].product;
  const uint64_t element = shape.factor == "tf32" ? 4 : 2;
  const auto k = static_cast<size_t>(shape.k);
  record(w, op.instruction,
         {.laid = laid,
          .start = matrix.start,
          .swizzle = matrix.span == MatrixDescriptor::PIECE ? 0 : matrix.span,
          .leading = matrix.leading,
          .stride = matrix.stride,
          .base = matrix.base,
          .across_k = across_k,
          .element_bytes = element,
          .rows = across_k ? k : lines,
          .columns = across_k ? lines / MatrixDescriptor::LINES : k * element / lens::PIECE_BYTES},
         [&](size_t row, size_t column) {
           return across_k ? matrix.piece_of_k(column * MatrixDescriptor::LINES, row)
                           : matrix.piece_of_line(row, column * lens::PIECE_BYTES);
         });
}

}  // namespace

void record_box(const Warp& w, uint32_t instruction, lens::Laid laid, const TensorMap& map,
                uint64_t offset) {
  record(w, instruction,
         {.laid = laid,
          .start = offset,
          .swizzle = map.mixed_bytes(),
          .element_bytes = map.element_bytes(),
          .rows = map.rows(),
          .columns = map.row_bytes() / lens::PIECE_BYTES},
         [&](size_t row, size_t column) {
           return place_in_row(offset + row * map.pitch(), column * lens::PIECE_BYTES,
                               map.mixed_bytes());
         });
}

void record_matrices(const Warp& w, const Op& op) {
  const MatrixShape& shape = w.block->worker->program.sources[op.instruction].product;
  if (op.lists->a.empty())
    record_matrix(w, op, lens::Laid::a, op.a, static_cast<size_t>(shape.m),
                  (op.extra & A_ACROSS_K) != 0);
  record_matrix(w, op, lens::Laid::b, op.b, static_cast<size_t>(shape.n),
                (op.extra & B_ACROSS_K) != 0);
}

}  // namespace simulator
