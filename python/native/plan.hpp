// Turns a product of arrays with any strides into calls of sgemm_ladder. Knows neither Python nor CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace python {

/// An array of floats. The element with the indices i, j, ... lies at data + i * strides[0] + j * strides[1] + ...
struct Array {
  float* data = nullptr;
  std::vector<int64_t> shape, strides;

  size_t dims() const { return shape.size(); }
  bool is_empty() const;
};

/// The arguments of a call of sgemm_ladder_sgemm_ex().
struct Call {
  int order = 0, trans_a = 0, trans_b = 0;
  int64_t m = 0, n = 0, k = 0;
  const float* A = nullptr;
  int64_t lda = 0, stride_a = 0;
  const float* B = nullptr;
  int64_t ldb = 0, stride_b = 0;
  float* C = nullptr;
  int64_t ldc = 0, stride_c = 0;
  int64_t batch = 1;
};

/// The elements of a factor are neighbours neither along its rows nor along its columns.
struct WithoutLines : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Returns the calls that compute the matrices c = a b. The last two dimensions are a matrix's rows and columns. The dimensions before them
/// count matrices: those of a and b are stretched to the ones of c, as NumPy's are. As few calls as possible: matrices at equal distances
/// are one batch, and the rows of matrices that share b are the rows of one product.
///
/// Throws WithoutLines for a factor, and std::invalid_argument if the shapes do not fit, if the elements of c are neighbours neither along
/// its rows nor along its columns, or if elements of c lie in the same place.
std::vector<Call> calls_for(const Array& a, const Array& b, const Array& c);

/// Lines of floats to be copied: `height` lines of `width` floats, which begin at equal distances in both places.
struct Block {
  float* to = nullptr;
  int64_t to_pitch = 0;  // from a line to the next, in floats; at least the width
  const float* from = nullptr;
  int64_t from_pitch = 0;
  int64_t width = 0, height = 0;
};

/// Returns the blocks that copy a matrix to another of the same shape, one after the other. `from` may be stretched (its strides may be 0),
/// and its lines may overlap. `to` must be a result of calls_for(). Throws std::invalid_argument if both strides of `from` are negative.
std::vector<Block> blocks_for(const Array& from, const Array& to);

/// True if a matrix's elements are neighbours along its rows or along its columns, and its lines lie one behind the other. Throws
/// std::invalid_argument if the array has fewer than two dimensions.
bool has_lines(const Array& x);

}  // namespace python
