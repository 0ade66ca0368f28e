#include "distributed/product/product.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace distributed {
namespace {

// The memory for one panel of each factor, and for its messages. There are two: one is multiplied while the other is filled.
struct Buffers {
  Buffers(const PanelSource& a, const PanelSource& b, Pieces& pieces)
      : panel_a(pieces.next(a.panel_floats())),
        panel_b(pieces.next(b.panel_floats())),
        sent_a(pieces.next(a.sent_floats())),
        sent_b(pieces.next(b.sent_floats())),
        received_a(pieces.next(a.received_floats())),
        received_b(pieces.next(b.received_floats())) {}

  float* panel(Side side) const { return side == Side::a ? panel_a : panel_b; }

  float *const panel_a, *const panel_b, *const sent_a, *const sent_b, *const received_a,
                                                                          *const received_b;
  const Event filled, used;
};

constexpr int64_t SUMMED_PIECES = 4;  // of memory: a panel of A and one of B in two buffers

// All device memory of a product. Without a memory it counts how much that is.
struct Memory {
  Memory(const PanelSource& a, const PanelSource& b, float* memory)
      : pieces(memory),
        sums(pieces.next(WireSums::floats(SUMMED_PIECES))),
        buffers{Buffers(a, b, pieces), Buffers(a, b, pieces)} {}

  Pieces pieces;
  float* const sums;
  const std::array<Buffers, 2> buffers;
};

int64_t floats_of(const PanelSource& a, const PanelSource& b) {
  return Memory(a, b, nullptr).pieces.used();
}

// What has sums: a message, or else a panel in memory.
struct Summed {
  std::optional<Message> message;
  Side side;
  int64_t panel;
};

// Two points in a stream.
struct Span {
  bool is_product;
  int64_t panel;
  Event begin, end;
};

LocalProduct local_product(const Product& whole, int64_t m, int64_t n, int64_t k, const Panel& a,
                           const Panel& b, float beta) {
  LocalProduct p = local(whole);
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = a.data;
  p.lda = a.ld;
  p.b = b.data;
  p.ldb = b.ld;
  p.beta = beta;
  return p;
}

// Returns the product of some rows and columns.
LocalProduct block_of(LocalProduct p, int64_t row, int64_t rows, int64_t col, int64_t cols) {
  if (p.a != nullptr) p.a += p.trans_a ? row * p.lda : row;
  if (p.b != nullptr) p.b += p.trans_b ? col : col * p.ldb;
  p.c += row + col * p.ldc;
  p.m = rows;
  p.n = cols;
  return p;
}

PanelSource source_of(Side side, const Product& p, const Grid& grid, int rank) {
  return side == Side::a ? PanelSource(side, p.a, p.c.rows, grid, rank, p.panel, p.is_reproducible)
                         : PanelSource(side, p.b, p.c.cols, grid, rank, p.panel, p.is_reproducible);
}

class Multiplication {
 public:
  Multiplication(const Product& product, const Grid& grid, int rank, Transport& transport,
                 Workspace& workspace)
      : p_(product),
        transport_(transport),
        rows_(product.c.rows_on(grid, rank)),
        cols_(product.c.cols_on(grid, rank)),
        a_(source_of(Side::a, product, grid, rank)),
        b_(source_of(Side::b, product, grid, rank)),
        rank_(rank),
        products_(workspace.products()),
        messages_(workspace.messages()),
        memory_(a_, b_, workspace.floats(floats_of(a_, b_))),
        sums_(SUMMED_PIECES, memory_.sums, messages_) {}

  Times run() {
    const auto begin = std::chrono::steady_clock::now();
    begin_.record(products_);
    const int64_t panels = (p_.k + p_.panel - 1) / p_.panel;
    if (panels == 0 || p_.alpha == 0) {
      launch(0, a_.panel(0, 0, nullptr), b_.panel(0, 0, nullptr), p_.beta);
    } else {
      fill(0);
      for (int64_t i = 0; i < panels; ++i) {
        // For the panel before the last, so that the host is not far ahead.
        transport_.wait(buffers(i).used);
        use(i);
        if (i + 1 < panels) fill(i + 1);
      }
    }
    end_.record(products_);
    transport_.wait(end_);
    throw_if_changed();
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
    return {whole.count(), timed_spans(), received_floats_ * static_cast<int64_t>(sizeof(float))};
  }

 private:
  int64_t begin_of(int64_t panel) const { return panel * p_.panel; }
  int64_t end_of(int64_t panel) const { return std::min(p_.k, (panel + 1) * p_.panel); }
  const PanelSource& source(Side side) const { return side == Side::a ? a_ : b_; }
  static int64_t piece(Side side, int64_t panel) {
    return panel % 2 * 2 + (side == Side::a ? 0 : 1);
  }
  const Buffers& buffers(int64_t panel) const {
    return memory_.buffers[static_cast<size_t>(panel % 2)];
  }

  std::vector<TimedSpan> timed_spans() const {
    std::vector<TimedSpan> timed;
    timed.reserve(spans_.size());
    for (const Span& span : spans_)
      timed.push_back({span.is_product, span.panel, span.begin.seconds_since(begin_),
                       span.end.seconds_since(begin_)});
    return timed;
  }

  const Span& begin_span(bool is_product, int64_t panel, cudaStream_t stream) {
    const Span& span = spans_.emplace_back(is_product, panel);
    span.begin.record(stream);
    return span;
  }

  // Brings a panel of each factor.
  void fill(int64_t panel) {
    const Buffers& to = buffers(panel);
    to.used.hold(messages_);
    const int64_t begin = begin_of(panel), end = end_of(panel);
    const Span& span = begin_span(false, panel, messages_);
    const std::vector<Message> of_a = a_.pack(begin, end, to.sent_a, to.received_a, messages_);
    const std::vector<Message> of_b = b_.pack(begin, end, to.sent_b, to.received_b, messages_);
    std::vector<Message> all = of_a;
    all.insert(all.end(), of_b.begin(), of_b.end());
    sums_.write(all, rank_, messages_);
    transport_.deliver(all, messages_);
    change_if_planted(all);
    sums_.compare(all, rank_, static_cast<int64_t>(summed_.size()), messages_);
    for (const Message& message : all) {
      summed_.push_back({message, {}, panel});
      if (message.sender != rank_ && message.data != nullptr) received_floats_ += message.floats;
    }
    a_.unpack(begin, end, of_a, to.panel_a, messages_);
    b_.unpack(begin, end, of_b, to.panel_b, messages_);
    for (const Side side : {Side::a, Side::b}) {
      const int64_t floats = source(side).brought_floats(begin, end);
      if (floats > 0) sums_.keep(piece(side, panel), to.panel(side), floats, messages_);
    }
    span.end.record(messages_);
    to.filled.record(messages_);
  }

  // Multiplies a panel of each factor, and adds the product to C.
  void use(int64_t panel) {
    const Buffers& from = buffers(panel);
    from.filled.hold(products_);
    const Span& span = begin_span(true, panel, products_);
    const int64_t begin = begin_of(panel), end = end_of(panel);
    launch(end - begin, a_.panel(begin, end, from.panel_a), b_.panel(begin, end, from.panel_b),
           panel == 0 ? p_.beta : 1);
    for (const Side side : {Side::a, Side::b}) {
      const int64_t floats = source(side).brought_floats(begin, end);
      if (floats == 0) continue;
      if (is_faulty(Faulty::panel)) change(from.panel(side) + floats / 3, products_);
      sums_.compare(piece(side, panel), from.panel(side), floats,
                    static_cast<int64_t>(summed_.size()), products_);
      summed_.push_back({std::nullopt, side, panel});
    }
    span.end.record(products_);
    from.used.record(products_);
  }

  // Changes an element of a message that was received, if that fault is planted.
  void change_if_planted(const std::vector<Message>& messages) const {
    for (const Message& m : messages)
      if (m.sender != rank_ && m.data != nullptr && is_faulty(Faulty::wire))
        change(m.data + (m.floats - FLOATS_OF_SUMS) / 2, messages_);
  }
  static void change(float* element, cudaStream_t stream) {
    check(cudaMemsetAsync(element, 0x3f, sizeof *element, stream));  // to 0.747
  }

  void throw_if_changed() {
    const std::optional<Changed> changed = sums_.changed();
    if (!changed) return;
    const Summed& summed = summed_[static_cast<size_t>(changed->number)];
    throw std::runtime_error(summed.message ? text_of(*summed.message, changed->element)
                                            : text_of_panel(summed, changed->element));
  }

  static std::string text_of(const Message& message, const std::optional<int64_t>& element) {
    return "a message of rank " + std::to_string(message.sender) + " for the " +
           (message.line.is_row ? "row " : "column ") + std::to_string(message.line.index) +
           " of the grid changed on its way" +
           (element ? ": element " + std::to_string(*element) + " of " +
                          std::to_string(message.floats - FLOATS_OF_SUMS)
                    : "");
  }

  std::string text_of_panel(const Summed& summed, const std::optional<int64_t>& element) const {
    std::string text = "panel " + std::to_string(summed.panel) + " of " +
                       (summed.side == Side::a ? "A" : "B") +
                       " changed in memory while it was multiplied";
    if (!element) return text;
    const Place place =
        source(summed.side).place_of(begin_of(summed.panel), end_of(summed.panel), *element);
    return text + ": element (" + std::to_string(place.row) + ", " + std::to_string(place.col) +
           ")";
  }

  void launch(int64_t k, const Panel& a, const Panel& b, float beta) const {
    if (is_faulty(Faulty::product)) check(cudaErrorLaunchFailure);
    if (!p_.is_reproducible) {
      multiply_with_ladder(local_product(p_, rows_, cols_, k, a, b, beta), p_.algorithm, products_);
      return;
    }
    const int64_t row_block = p_.c.rows.block, col_block = p_.c.cols.block;
    for (int64_t col = 0; col < cols_; col += col_block)
      for (int64_t row = 0; row < rows_; row += row_block)
        multiply_with_ladder(
            block_of(local_product(p_, rows_, cols_, k, a, b, beta), row,
                     std::min(row_block, rows_ - row), col, std::min(col_block, cols_ - col)),
            p_.algorithm, products_);
  }

  const Product& p_;
  Transport& transport_;
  const int64_t rows_, cols_;  // of this process's part of C
  const PanelSource a_, b_;
  const int rank_;
  const cudaStream_t products_, messages_;
  const Memory memory_;
  const WireSums sums_;
  std::vector<Summed> summed_;  // so far: a change has the number of its place here
  int64_t received_floats_ = 0;
  const Event begin_, end_;
  std::deque<Span> spans_;
};

}  // namespace

LocalProduct local(const Product& p) {
  return {.m = p.m,
          .n = p.n,
          .k = p.k,
          .trans_a = p.a.is_transposed,
          .trans_b = p.b.is_transposed,
          .alpha = p.alpha,
          .beta = p.beta,
          .a = p.a.data,
          .lda = p.a.ld,
          .b = p.b.data,
          .ldb = p.b.ld,
          .c = p.c_data,
          .ldc = std::max<int64_t>(1, p.ldc)};
}

Times multiply(const Product& product, const Grid& grid, int rank, Transport& transport,
               Workspace& workspace) {
  Multiplication multiplication(product, grid, rank, transport, workspace);
  try {
    return multiplication.run();
  } catch (...) {
    transport.abort();  // messages may still use the buffers
    throw;
  }
}

void reserve(const Product& p, const Grid& grid, int rank, Workspace& workspace) {
  workspace.floats(floats_of(source_of(Side::a, p, grid, rank), source_of(Side::b, p, grid, rank)));
}

int64_t bytes_of_product(const Product& p, const Grid& grid, int rank) {
  const PanelSource a = source_of(Side::a, p, grid, rank), b = source_of(Side::b, p, grid, rank);
  const int64_t k = std::min(p.k, p.panel);
  const int64_t workspace =
      workspace_bytes(local_product(p, p.c.rows_on(grid, rank), p.c.cols_on(grid, rank), k,
                                    a.panel(0, k, nullptr), b.panel(0, k, nullptr), p.beta),
                      p.algorithm);
  return floats_of(a, b) * static_cast<int64_t>(sizeof(float)) + workspace;
}

}  // namespace distributed
