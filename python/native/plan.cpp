#include "plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "sgemm_ladder.h"

namespace python {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

// Returns "(2, 3)".
std::string in_words(const std::vector<int64_t>& numbers) {
  std::string text = "(";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

// The last two dimensions of an array.
struct Matrix {
  int64_t rows, cols;
  int64_t row_stride, col_stride;  // from a row to the next, and from a column to the next
};

Matrix matrix_of(const Array& x) {
  const size_t d = x.dims();
  return {x.shape[d - 2], x.shape[d - 1], x.strides[d - 2], x.strides[d - 1]};
}

// Returns the distance between the lines of a matrix of `lines` with `length` elements each; nothing if the elements of a line are no
// neighbours, or the lines overlap. The stride of a single line or element says nothing, and nor do those of an empty matrix.
std::optional<int64_t> distance_of_lines(int64_t lines, int64_t length, int64_t line_stride,
                                         int64_t element_stride) {
  const int64_t least = std::max<int64_t>(1, length);
  if (lines == 0 || length == 0) return least;
  if (length > 1 && element_stride != 1) return std::nullopt;
  if (lines <= 1) return least;
  return line_stride >= least ? std::optional(line_stride) : std::nullopt;
}

std::optional<int64_t> ld_by_rows(const Matrix& x) {
  return distance_of_lines(x.rows, x.cols, x.row_stride, x.col_stride);
}
std::optional<int64_t> ld_by_cols(const Matrix& x) {
  return distance_of_lines(x.cols, x.rows, x.col_stride, x.row_stride);
}

// A factor in a call whose result has this order.
struct Factor {
  int trans;
  int64_t ld;
};

Factor factor_of(const char* name, const Array& array, int order) {
  const Matrix x = matrix_of(array);
  const bool by_rows = order == SGEMM_LADDER_ROW_MAJOR;
  if (const auto ld = by_rows ? ld_by_rows(x) : ld_by_cols(x)) return {SGEMM_LADDER_NO_TRANS, *ld};
  if (const auto ld = by_rows ? ld_by_cols(x) : ld_by_rows(x)) return {SGEMM_LADDER_TRANS, *ld};
  throw WithoutLines(std::string(name) + " has the strides " + in_words(array.strides) +
                     "; the elements of its rows or of its columns must be neighbours in memory, "
                     "so pass a contiguous copy");
}

// A dimension that counts matrices.
struct Count {
  int64_t size;
  int64_t a, b, c;  // strides
};

// Returns an array's stride along c's dimension `i`; 0 if it is stretched there.
int64_t stride_at(const char* name, const Array& x, const Array& c, size_t i) {
  const size_t missing = c.dims() - x.dims();
  if (i < missing) return 0;
  const int64_t size = x.shape[i - missing];
  if (size != 1 && size != c.shape[i]) {
    refuse(std::string(name) + " has the shape " + in_words(x.shape) +
           ", which does not stretch to a result of the shape " + in_words(c.shape));
  }
  return size == 1 ? 0 : x.strides[i - missing];
}

// Returns the dimensions that count matrices, the outermost first. Neighbours that all three arrays pass at equal steps are one.
std::vector<Count> counts_of(const Array& a, const Array& b, const Array& c) {
  std::vector<Count> counts;
  for (size_t i = 0; i + 2 < c.dims(); ++i) {
    const Count inner{c.shape[i], stride_at("a", a, c, i), stride_at("b", b, c, i), c.strides[i]};
    if (inner.size == 1) continue;
    if (!counts.empty()) {
      Count& outer = counts.back();
      if (outer.a == inner.a * inner.size && outer.b == inner.b * inner.size &&
          outer.c == inner.c * inner.size) {
        outer = {outer.size * inner.size, inner.a, inner.b, inner.c};
        continue;
      }
    }
    counts.push_back(inner);
  }
  return counts;
}

// Makes the rows of all matrices along a dimension rows of one product, if they share b and lie at equal distances. Returns false if not.
bool adds_rows(const Count& count, Call& call) {
  if (call.order != SGEMM_LADDER_ROW_MAJOR || call.trans_a != SGEMM_LADDER_NO_TRANS || count.b != 0)
    return false;
  if (call.m == 1) {  // the distance of a single row is free
    if (count.a < std::max<int64_t>(1, call.k) || count.c < call.n) return false;
    call.lda = count.a;
    call.ldc = count.c;
  } else if (count.a != call.m * call.lda || count.c != call.m * call.ldc) {
    return false;
  }
  call.m *= count.size;
  return true;
}

// True if one call can compute the matrices along this dimension: its strides are not negative, and no result begins within another.
bool is_batch(const Count& count, const Call& call) {
  const bool by_rows = call.order == SGEMM_LADDER_ROW_MAJOR;
  const int64_t lines = by_rows ? call.m : call.n, length = by_rows ? call.n : call.m;
  return count.a >= 0 && count.b >= 0 && count.c >= (lines - 1) * call.ldc + length;
}

// True if two elements of an array may lie in the same place: a dimension's step is not beyond all that the smaller steps reach.
bool overlaps_itself(const Array& x) {
  std::vector<std::pair<int64_t, int64_t>> steps;  // a step, and how often it is taken
  for (size_t i = 0; i < x.dims(); ++i) {
    if (x.shape[i] > 1) steps.emplace_back(std::abs(x.strides[i]), x.shape[i] - 1);
  }
  std::ranges::sort(steps);
  int64_t reached = 0;
  for (const auto& [step, times] : steps) {
    if (step <= reached) return true;
    reached += step * times;
  }
  return false;
}

void refuse_vector(const char* name, const Array& x) {
  if (x.dims() >= 2) return;
  refuse(std::string(name) + " has the shape " + in_words(x.shape) +
         "; it must have two dimensions or more");
}

void refuse_what_does_not_fit(const Array& a, const Array& b, const Array& c) {
  refuse_vector("a", a);
  refuse_vector("b", b);
  refuse_vector("the result", c);
  const Matrix of_a = matrix_of(a), of_b = matrix_of(b), of_c = matrix_of(c);
  if (of_a.cols != of_b.rows) {
    refuse("a has the shape " + in_words(a.shape) + " and b " + in_words(b.shape) +
           ": a's columns must be as many as b's rows, and " + std::to_string(of_a.cols) +
           " is not " + std::to_string(of_b.rows));
  }
  if (of_c.rows != of_a.rows || of_c.cols != of_b.cols || c.dims() < std::max(a.dims(), b.dims())) {
    refuse("the result has the shape " + in_words(c.shape) + "; a has " + in_words(a.shape) +
           " and b " + in_words(b.shape));
  }
  if (!c.is_empty() && overlaps_itself(c)) {
    refuse("the result has the shape " + in_words(c.shape) + " and the strides " +
           in_words(c.strides) + ", so some of its elements lie in the same place");
  }
}

}  // namespace

bool Array::is_empty() const { return std::ranges::find(shape, 0) != shape.end(); }

std::vector<Block> blocks_for(const Array& from, const Array& to) {
  std::vector<Block> blocks;
  if (from.is_empty()) return blocks;
  const size_t line = to.strides[1] == 1 || to.shape[1] == 1 ? 0 : 1, along = 1 - line;
  const int64_t lines = to.shape[line], width = to.shape[along];
  const int64_t pitch = std::max(to.strides[line], width);
  const int64_t next_line = from.strides[line], next = from.strides[along];
  const auto add = [&](float* target, int64_t target_pitch, const float* source,
                       int64_t source_pitch, int64_t w, int64_t h) {
    blocks.push_back({target, target_pitch, source, source_pitch, w, h});
  };
  const auto place = [&](int64_t i, int64_t j) { return to.data + i * pitch + j; };
  const auto source = [&](int64_t i, int64_t j) { return from.data + i * next_line + j * next; };

  if (next == 1 || width == 1) {
    if (lines == 1 || next_line >= width) {
      add(place(0, 0), pitch, from.data, std::max(next_line, width), width, lines);
    } else if (next_line == 0) {  // the first line, then what is there again and again
      add(place(0, 0), pitch, from.data, width, width, 1);
      for (int64_t done = 1; done < lines; done *= 2)
        add(place(done, 0), pitch, place(0, 0), pitch, width, std::min(done, lines - done));
    } else {
      for (int64_t i = 0; i < lines; ++i) add(place(i, 0), pitch, source(i, 0), width, width, 1);
    }
  } else if (next == 0) {  // the first column, then what is there again and again
    if (next_line >= 1) {
      add(place(0, 0), pitch, from.data, next_line, 1, lines);
    } else {
      for (int64_t i = 0; i < lines; ++i) add(place(i, 0), pitch, source(i, 0), 1, 1, 1);
    }
    for (int64_t done = 1; done < width; done *= 2)
      add(place(0, done), pitch, place(0, 0), pitch, std::min(done, width - done), lines);
  } else if (next_line >= 1 && (next < 0 || width <= lines)) {
    for (int64_t j = 0; j < width; ++j) add(place(0, j), pitch, source(0, j), next_line, 1, lines);
  } else if (next >= 1) {
    for (int64_t i = 0; i < lines; ++i) add(place(i, 0), 1, source(i, 0), next, 1, width);
  } else if (next_line == 0) {
    for (int64_t j = 0; j < width; ++j) add(place(0, j), pitch, source(0, j), 1, 1, 1);
    for (int64_t done = 1; done < lines; done *= 2)
      add(place(done, 0), pitch, place(0, 0), pitch, width, std::min(done, lines - done));
  } else {
    throw std::invalid_argument("c has negative strides in both directions");
  }
  return blocks;
}

bool has_lines(const Array& x) {
  refuse_vector("a tensor", x);
  const Matrix matrix = matrix_of(x);
  return ld_by_rows(matrix) || ld_by_cols(matrix);
}

std::vector<Call> calls_for(const Array& a, const Array& b, const Array& c) {
  refuse_what_does_not_fit(a, b, c);
  std::vector<Count> counts = counts_of(a, b, c);
  if (c.is_empty()) return {};
  const Matrix of_c = matrix_of(c);
  Call call;
  call.order = SGEMM_LADDER_ROW_MAJOR;
  call.m = of_c.rows;
  call.n = of_c.cols;
  call.k = matrix_of(a).cols;
  call.A = a.data;
  call.B = b.data;
  call.C = c.data;
  if (const auto ld = ld_by_rows(of_c)) {
    call.ldc = *ld;
  } else if (const auto ld_of_cols = ld_by_cols(of_c)) {
    call.order = SGEMM_LADDER_COL_MAJOR;
    call.ldc = *ld_of_cols;
  } else {
    refuse("the result has the strides " + in_words(c.strides) +
           "; the elements of its rows or of its columns must be neighbours in memory");
  }
  const Factor of_a = factor_of("a", a, call.order), of_b = factor_of("b", b, call.order);
  call.trans_a = of_a.trans;
  call.lda = of_a.ld;
  call.trans_b = of_b.trans;
  call.ldb = of_b.ld;

  while (!counts.empty() && adds_rows(counts.back(), call)) counts.pop_back();
  for (size_t i = counts.size(); i-- > 0;) {
    if (!is_batch(counts[i], call)) continue;
    call.stride_a = counts[i].a;
    call.stride_b = counts[i].b;
    call.stride_c = counts[i].c;
    call.batch = counts[i].size;
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  std::vector<Call> calls{call};
  for (const Count& count : counts) {
    std::vector<Call> more;
    for (const Call& one : calls) {
      for (int64_t i = 0; i < count.size; ++i) {
        more.push_back(one);
        more.back().A += i * count.a;
        more.back().B += i * count.b;
        more.back().C += i * count.c;
      }
    }
    calls = std::move(more);
  }
  return calls;
}

}  // namespace python
