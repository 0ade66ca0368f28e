#include "runner/verify/guarded_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "app/interrupt.hpp"
#include "app/parallel.hpp"
#include "kernels/ladder.hpp"

namespace runner {
namespace {

constexpr int64_t FLOATS_PER_PIECE = int64_t{1} << 24;  // 64 MiB of host memory at a time
constexpr int64_t ALIGNMENT = 64;                       // floats in 256 bytes

int64_t round_up(int64_t value, int64_t multiple) {
  return ladder::ceil_div(value, multiple) * multiple;
}

std::string floats_text(int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "float" : "floats");
}

}  // namespace

GuardedMatrix::GuardedMatrix(int64_t rows, int64_t cols, int64_t ld, Layout layout, int64_t offset,
                             Copies copies)
    : rows_(cols == 0 ? 0 : rows),
      cols_(cols),
      ld_(ld),
      copies_(copies),
      before_(round_up(layout.guard, ALIGNMENT) + offset),
      after_(layout.guard) {
  const int64_t elements = floats();
  if (elements > 0) buffer_ = DeviceBuffer<float>(before_ + elements + after_);
}

int64_t GuardedMatrix::rows_per_piece() const {
  return std::clamp<int64_t>(FLOATS_PER_PIECE / std::max<int64_t>(1, ld_), 1,
                             std::max<int64_t>(1, rows_));
}

void GuardedMatrix::poison() {
  if (buffer_.size() == 0) return;
  check(cudaMemset(buffer_.data(), POISON_BITS & 0xFF,
                   static_cast<size_t>(buffer_.size()) * sizeof(float)));
}

void GuardedMatrix::fill(int64_t matrix, const Inputs& inputs, Operand operand, bool transposed) {
  const int64_t most = rows_per_piece();
  std::vector<float> piece(static_cast<size_t>(floats_in_rows(most)),
                           std::bit_cast<float>(POISON_BITS));
  for (int64_t first = 0; first < rows_; first += most) {
    stop_if_interrupted();
    const int64_t rows = std::min(most, rows_ - first);
    parallel_for(rows, std::max<int64_t>(1, (1 << 16) / cols_), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const std::span row(piece.data() + i * ld_, static_cast<size_t>(cols_));
        if (transposed) {
          inputs.fill_col(operand, first + i, row);
        } else {
          inputs.fill_row(operand, first + i, row);
        }
      }
    });
    check(cudaMemcpy(data() + matrix * copies_.stride + first * ld_, piece.data(),
                     static_cast<size_t>(floats_in_rows(rows)) * sizeof(float),
                     cudaMemcpyHostToDevice));
  }
}

void GuardedMatrix::read(
    int64_t matrix,
    const std::function<void(int64_t first, int64_t rows, const float* elements)>& visit) const {
  const int64_t most = rows_per_piece();
  std::vector<float> piece(static_cast<size_t>(floats_in_rows(most)));
  for (int64_t first = 0; first < rows_; first += most) {
    const int64_t rows = std::min(most, rows_ - first);
    check(cudaMemcpy(piece.data(), data() + matrix * copies_.stride + first * ld_,
                     static_cast<size_t>(floats_in_rows(rows)) * sizeof(float),
                     cudaMemcpyDeviceToHost));
    visit(first, rows, piece.data());
  }
}

std::optional<std::string> GuardedMatrix::damage_around() const {
  if (buffer_.size() == 0) return std::nullopt;
  if (auto found = damage_in(0, before_)) return found;
  return damage_in(before_ + floats(), buffer_.size());
}

std::optional<std::string> GuardedMatrix::damage_between_rows() const {
  const bool has_gaps = ld_ != cols_ || (count() > 1 && copies_.stride != floats_in_rows(rows_));
  if (buffer_.size() == 0 || !has_gaps) return std::nullopt;
  return damage_in(before_, before_ + floats());
}

// Searches the floats [first, last) of the allocation.
std::optional<std::string> GuardedMatrix::damage_in(int64_t first, int64_t last) const {
  const int64_t end_of_elements = before_ + floats();
  std::vector<float> piece(
      static_cast<size_t>(std::clamp<int64_t>(last - first, 0, FLOATS_PER_PIECE)));
  for (int64_t start = first; start < last; start += FLOATS_PER_PIECE) {
    const int64_t count = std::min(FLOATS_PER_PIECE, last - start);
    check(cudaMemcpy(piece.data(), buffer_.data() + start,
                     static_cast<size_t>(count) * sizeof(float), cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = start + i;
      if (is_poison(piece[static_cast<size_t>(i)])) continue;
      if (at < before_) return floats_text(before_ - at) + " before its first element";
      if (at >= end_of_elements) {
        return floats_text(at - end_of_elements + 1) + " past its last element";
      }
      const int64_t matrix = copies_.count > 1 ? (at - before_) / copies_.stride : 0;
      const int64_t place = at - before_ - matrix * copies_.stride;
      const std::string of_product = copies_.count > 1 ? fmt::format(" of product {}", matrix) : "";
      if (place >= floats_in_rows(rows_))
        return fmt::format("{} past the last element{}",
                           floats_text(place - floats_in_rows(rows_) + 1), of_product);
      const int64_t row = place / ld_, col = place % ld_;
      if (col >= cols_)
        return fmt::format("in the padding behind row {}{}, at column {}", row, of_product, col);
    }
  }
  return std::nullopt;
}

}  // namespace runner
