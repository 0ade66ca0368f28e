#include "distributed/product/product.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sgemm_ladder.h"

namespace distributed {
namespace {

// The memory for one panel of each factor, and for its messages. There are two: one is multiplied while the other is filled.
struct Buffers {
  Buffers(const PanelSource& a, const PanelSource& b)
      : panel_a(a.panel_floats()),
        panel_b(b.panel_floats()),
        sent_a(a.sent_floats()),
        sent_b(b.sent_floats()),
        received_a(a.received_floats()),
        received_b(b.received_floats()) {}
  DeviceFloats panel_a, panel_b, sent_a, sent_b, received_a, received_b;
  Event filled, used;
};

// Two points in a stream.
struct Span {
  Event begin, end;
  double seconds() const { return end.seconds_since(begin); }
};

double sum_of(const std::deque<Span>& spans) {
  double sum = 0;
  for (const Span& span : spans) sum += span.seconds();
  return sum;
}

class Multiplication {
 public:
  Multiplication(const Product& product, const Grid& grid, int rank, Transport& transport)
      : p_(product),
        transport_(transport),
        rows_(product.c.rows_on(grid, rank)),
        cols_(product.c.cols_on(grid, rank)),
        a_(Side::a, product.a, product.c.rows, grid, rank, product.panel),
        b_(Side::b, product.b, product.c.cols, grid, rank, product.panel),
        rank_(rank),
        buffers_{Buffers(a_, b_), Buffers(a_, b_)},
        sums_(a_.most_messages() + b_.most_messages()) {}

  Times run() {
    const auto begin = std::chrono::steady_clock::now();
    const int64_t panels = (p_.k + p_.panel - 1) / p_.panel;
    if (panels == 0 || p_.alpha == 0) {
      launch(0, nullptr, nullptr, p_.beta);
    } else {
      fill(0);
      for (int64_t i = 0; i < panels; ++i) {
        use(i);
        if (i + 1 < panels) fill(i + 1);
      }
    }
    transport_.wait(products_);
    throw_if_wrong();
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
    return {whole.count(), sum_of(product_spans_), sum_of(communication_spans_)};
  }

 private:
  int64_t begin_of(int64_t panel) const { return panel * p_.panel; }
  int64_t end_of(int64_t panel) const { return std::min(p_.k, (panel + 1) * p_.panel); }
  Buffers& buffers(int64_t panel) { return buffers_[static_cast<size_t>(panel % 2)]; }

  // Brings a panel of each factor.
  void fill(int64_t panel) {
    Buffers& to = buffers(panel);
    to.used.hold(messages_);
    const int64_t begin = begin_of(panel), end = end_of(panel);
    const Span& span = communication_spans_.emplace_back();
    span.begin.record(messages_);
    const std::vector<Message> of_a =
        a_.pack(begin, end, to.sent_a.data(), to.received_a.data(), messages_);
    const std::vector<Message> of_b =
        b_.pack(begin, end, to.sent_b.data(), to.received_b.data(), messages_);
    std::vector<Message> all = of_a;
    all.insert(all.end(), of_b.begin(), of_b.end());
    sums_.write(all, rank_, messages_);
    transport_.deliver(all, messages_);
    sums_.compare(all, rank_, messages_);
    sent_.insert(sent_.end(), all.begin(), all.end());
    a_.unpack(begin, end, of_a, to.panel_a.data(), messages_);
    b_.unpack(begin, end, of_b, to.panel_b.data(), messages_);
    span.end.record(messages_);
    to.filled.record(messages_);
  }

  // Multiplies a panel of each factor, and adds the product to C.
  void use(int64_t panel) {
    const Buffers& from = buffers(panel);
    from.filled.hold(products_);
    const Span& span = product_spans_.emplace_back();
    span.begin.record(products_);
    launch(end_of(panel) - begin_of(panel), from.panel_a.data(), from.panel_b.data(),
           panel == 0 ? p_.beta : 1);
    span.end.record(products_);
    from.used.record(products_);
  }

  void throw_if_wrong() {
    const std::optional<WrongMessage> wrong = sums_.wrong();
    if (!wrong) return;
    const Message& message = sent_[static_cast<size_t>(wrong->number)];
    throw std::runtime_error(
        std::string("a message of rank ") + std::to_string(message.sender) + " for the " +
        (message.line.is_row ? "row " : "column ") + std::to_string(message.line.index) +
        " of the grid changed on its way" +
        (wrong->element ? ": element " + std::to_string(*wrong->element) + " of " +
                              std::to_string(message.floats - FLOATS_OF_SUMS)
                        : ""));
  }

  void launch(int64_t k, const float* a, const float* b, float beta) const {
    const auto op = [](const Factor& factor) {
      return factor.is_transposed ? SGEMM_LADDER_TRANS : SGEMM_LADDER_NO_TRANS;
    };
    sgemm_ladder_options options = SGEMM_LADDER_OPTIONS_INIT;
    options.algorithm = p_.algorithm;
    const sgemm_ladder_status status = sgemm_ladder_sgemm_ex(
        SGEMM_LADDER_COL_MAJOR, op(p_.a), op(p_.b), rows_, cols_, k, p_.alpha, a, a_.ld(k), 0, b,
        b_.ld(k), 0, beta, p_.c_data, std::max<int64_t>(1, p_.ldc), 0, 1, products_, &options);
    if (status != SGEMM_LADDER_OK) throw std::runtime_error(sgemm_ladder_last_error());
  }

  const Product& p_;
  Transport& transport_;
  const int64_t rows_, cols_;  // of this process's part of C
  const PanelSource a_, b_;
  const int rank_;
  std::array<Buffers, 2> buffers_;
  WireSums sums_;
  std::vector<Message> sent_;  // so far, by all processes
  const Stream products_, messages_;
  std::deque<Span> product_spans_, communication_spans_;
};

}  // namespace

Times multiply(const Product& product, const Grid& grid, int rank, Transport& transport) {
  return Multiplication(product, grid, rank, transport).run();
}

}  // namespace distributed
