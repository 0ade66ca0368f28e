// Panels: what a process needs of A and of B for a part of k.
#pragma once

#include <cstdint>
#include <vector>

#include "distributed/gpu/cuda.hpp"
#include "distributed/layout/layout.hpp"
#include "distributed/transport/transport.hpp"
#include "distributed/transport/wire_sums.hpp"

namespace distributed {

/// A factor as it lies on the grid, and this process's part of it.
struct Factor {
  Layout layout;
  const float* data = nullptr;
  int64_t ld = 1;
  bool is_transposed = false;
  bool is_on_host = false;  // pinned memory
};

/// One side of the product. A process multiplies the rows of op(A) that its row of the grid has in C by the columns of op(B) that its
/// column of the grid has in C.
enum class Side { a, b };

/// A panel in device memory, as the local product takes it: transposed or not, as the factor is.
struct Panel {
  const float* data = nullptr;
  int64_t ld = 1;
};

/// An element's row and column in a whole matrix.
struct Place {
  int64_t row = 0, col = 0;
};

/// Brings the panels of a factor to the processes that need them. A process that has all of its panels already uses them where they lie,
/// without messages and copies, unless that is the host's memory.
class PanelSource {
 public:
  /// `of_c` is the dimension of C that the factor shares: C's rows for A, and its columns for B. The panels are at most `most_k` wide.
  /// `are_copied`: panels are copied in any case, so that their alignment does not depend on the grid.
  PanelSource(Side side, const Factor& factor, const Axis& of_c, const Grid& grid, int rank,
              int64_t most_k, bool are_copied);

  /// Returns how many floats this process's panel has at most.
  int64_t panel_floats() const { return brought_floats(0, most_k_); }
  /// Returns how many floats this process receives for a panel at most.
  int64_t received_floats() const;
  /// Returns how many floats this process sends for a panel at most.
  int64_t sent_floats() const { return is_here_ ? 0 : most_sent_; }

  /// Returns the messages for the part of k from `begin` to `end` - 1: the same list on all processes. Packs what this process sends into
  /// `sent`. What it receives will lie in `received`. Each message has room for its sums at its end (wire_sums.hpp).
  std::vector<Message> pack(int64_t begin, int64_t end, float* sent, float* received,
                            cudaStream_t stream) const;
  /// Puts the received messages into the panel's memory, column-major.
  void unpack(int64_t begin, int64_t end, const std::vector<Message>& messages, float* panel,
              cudaStream_t stream) const;
  /// Returns how many floats of that memory the panel takes.
  int64_t brought_floats(int64_t begin, int64_t end) const {
    const int64_t width = end - begin;
    return is_here_ ? 0 : ld_of_copy(width) * (k_is_cols() ? width : lines_of_panel());
  }
  /// Returns the row and column of A or B, as they are stored, of an element of a brought panel.
  Place place_of(int64_t begin, int64_t end, int64_t element) const;
  /// Returns the panel, which lies in this memory if it was brought there.
  Panel panel(int64_t begin, int64_t end, const float* memory) const;

 private:
  // The parts of a factor in a message: rows and columns of the sender's part, and where they go in the panel.
  struct Parts {
    std::vector<Segment> rows, cols;
    int64_t floats() const { return length_of(rows) * length_of(cols); }
  };
  const Axis& k_axis() const { return k_is_cols() ? factor_.layout.cols : factor_.layout.rows; }
  const Axis& outer_axis() const { return k_is_cols() ? factor_.layout.rows : factor_.layout.cols; }
  bool k_is_cols() const { return (side_ == Side::a) != factor_.is_transposed; }
  int64_t lines_of_panel() const { return of_c_.size_on(line_of(rank_)); }
  int64_t ld_of_copy(int64_t width) const;
  Parts parts(int sender, int line, int64_t begin, int64_t end) const;
  int line_of(int rank) const;
  int lines() const { return side_ == Side::a ? grid_.rows : grid_.cols; }

  const Side side_;
  const Factor factor_;
  const Axis of_c_;
  const Grid grid_;
  const int rank_;
  const int64_t most_k_;
  const bool is_here_;  // on all processes
  int64_t most_sent_ = 0;
};

}  // namespace distributed
