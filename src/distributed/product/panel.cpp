#include "distributed/product/panel.hpp"

#include <algorithm>

namespace distributed {
namespace {

void copy(float* to, int64_t to_ld, const float* from, int64_t from_ld, int64_t rows, int64_t cols,
          cudaStream_t stream) {
  const auto bytes = [](int64_t floats) { return static_cast<size_t>(floats) * sizeof(float); };
  check(cudaMemcpy2DAsync(to, bytes(to_ld), from, bytes(from_ld), bytes(rows),
                          static_cast<size_t>(cols), cudaMemcpyDefault, stream));
}

}  // namespace

PanelSource::PanelSource(Side side, const Factor& factor, const Axis& of_c, const Grid& grid,
                         int rank, int64_t most_k, bool are_copied)
    : side_(side),
      factor_(factor),
      of_c_(of_c),
      grid_(grid),
      rank_(rank),
      most_k_(most_k),
      is_here_(!are_copied && !factor.is_on_host && k_axis().processes == 1 &&
               outer_axis() == of_c) {
  // Each element of this process's part goes to one line, so a panel's messages are not longer than this process's part of it.
  const Layout& x = factor.layout;
  const int64_t rows = x.rows_on(grid, rank), cols = x.cols_on(grid, rank);
  const int64_t of_k = k_is_cols() ? cols : rows, outer = k_is_cols() ? rows : cols;
  most_sent_ = outer * std::min(of_k, most_k) + lines() * FLOATS_OF_SUMS;
}

int64_t PanelSource::received_floats() const {
  return is_here_ ? 0 : lines_of_panel() * most_k_ + grid_.size() * FLOATS_OF_SUMS;
}

int64_t PanelSource::ld_of_copy(int64_t width) const {
  return aligned_ld(k_is_cols() ? lines_of_panel() : width);
}

Panel PanelSource::panel(int64_t begin, int64_t end, const float* memory) const {
  if (!is_here_) return {memory, ld_of_copy(end - begin)};
  return {factor_.data + begin * (k_is_cols() ? factor_.ld : 1), factor_.ld};
}

int PanelSource::line_of(int rank) const {
  return side_ == Side::a ? grid_.row_of(rank) : grid_.col_of(rank);
}

Place PanelSource::place_of(int64_t begin, int64_t end, int64_t element) const {
  const int64_t ld = ld_of_copy(end - begin), row = element % ld, col = element / ld;
  const int line = line_of(rank_);
  return k_is_cols() ? Place{of_c_.element_at(row, line), begin + col}
                     : Place{begin + row, of_c_.element_at(col, line)};
}

PanelSource::Parts PanelSource::parts(int sender, int line, int64_t begin, int64_t end) const {
  const Layout& x = factor_.layout;
  const int row = grid_.row_of(sender), col = grid_.col_of(sender);
  if (k_is_cols())
    return {segments_between(x.rows, row, of_c_, line), segments_within(x.cols, col, begin, end)};
  return {segments_within(x.rows, row, begin, end), segments_between(x.cols, col, of_c_, line)};
}

std::vector<Message> PanelSource::pack(int64_t begin, int64_t end, float* sent, float* received,
                                       cudaStream_t stream) const {
  std::vector<Message> messages;
  if (is_here_) return messages;
  for (int line = 0; line < lines(); ++line) {
    for (int sender = 0; sender < grid_.size(); ++sender) {
      const Parts p = parts(sender, line, begin, end);
      if (p.floats() == 0) continue;
      Message message{sender, {side_ == Side::a, line}, nullptr, p.floats() + FLOATS_OF_SUMS};
      if (sender == rank_) {
        message.data = sent;
        for (const Segment& c : p.cols) {
          for (const Segment& r : p.rows) {
            copy(sent, r.length, factor_.data + r.from + c.from * factor_.ld, factor_.ld, r.length,
                 c.length, stream);
            sent += r.length * c.length;
          }
        }
        sent += FLOATS_OF_SUMS;
      } else if (line == line_of(rank_)) {
        message.data = received;
        received += message.floats;
      }
      messages.push_back(message);
    }
  }
  return messages;
}

void PanelSource::unpack(int64_t begin, int64_t end, const std::vector<Message>& messages,
                         float* panel, cudaStream_t stream) const {
  const int64_t ld = ld_of_copy(end - begin);
  for (const Message& message : messages) {
    if (message.line.index != line_of(rank_)) continue;
    const Parts p = parts(message.sender, message.line.index, begin, end);
    const float* from = message.data;
    for (const Segment& c : p.cols) {
      for (const Segment& r : p.rows) {
        copy(panel + r.to + c.to * ld, ld, from, r.length, r.length, c.length, stream);
        from += r.length * c.length;
      }
    }
  }
}

}  // namespace distributed
