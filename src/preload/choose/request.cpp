#include "preload/choose/request.hpp"

namespace preload {
namespace {

// Larger sizes, leading dimensions and strides are left to cuBLAS, so that no product of two of them overflows.
constexpr int64_t MOST = int64_t{1} << 30, MOST_STRIDE = int64_t{1} << 56;

bool is_operation(cublas::Value value) {
  return value == cublas::OP_N || value == cublas::OP_T || value == cublas::OP_C;
}

bool is_size(int64_t value) { return value >= 1 && value <= MOST; }

bool is_matrix(const float* x) {
  return x != nullptr && reinterpret_cast<uintptr_t>(x) % alignof(float) == 0;
}

// Returns how a matrix of rows x cols lies in memory.
Lines lines_of(const Request& r, int64_t rows, int64_t cols) {
  return r.is_row_major ? Lines{cols, rows} : Lines{rows, cols};
}
Lines lines_of(const Request& r, cublas::Value trans, int64_t rows, int64_t cols) {
  return trans == cublas::OP_N ? lines_of(r, rows, cols) : lines_of(r, cols, rows);
}

bool has_room(const Lines& x, int64_t ld) { return ld >= x.length && ld <= MOST; }

bool is_stride(const Request& r, int64_t stride) {
  return r.batch == 1 || (stride >= 0 && stride <= MOST_STRIDE / r.batch);
}

// True if the products' results do not overlap.
bool keeps_results_apart(const Request& r) {
  const Lines d = lines_of(r, r.m, r.n);
  return r.batch == 1 || r.stride_d >= (d.count - 1) * r.ldd + d.length;
}

// True if C may be read while D is written: it is D, or another matrix.
bool is_c_fit(const Request& r) {
  if (!is_matrix(r.C) || !has_room(lines_of(r, r.m, r.n), r.ldc) || !is_stride(r, r.stride_c))
    return false;
  return !r.is_in_place() || (r.ldc == r.ldd && (r.batch == 1 || r.stride_c == r.stride_d));
}

bool are_matrices(const Request& r) {
  if (r.has_pointers()) {
    return r.pointers.A != nullptr && r.pointers.B != nullptr &&
           has_room(lines_of(r, r.m, r.n), r.ldc);
  }
  return is_matrix(r.A) && is_stride(r, r.stride_a) && is_matrix(r.B) && is_stride(r, r.stride_b) &&
         is_matrix(r.D) && has_room(lines_of(r, r.m, r.n), r.ldd) && is_stride(r, r.stride_d) &&
         keeps_results_apart(r) && is_c_fit(r) && (r.bias == nullptr || is_matrix(r.bias)) &&
         is_stride(r, r.stride_bias);
}

}  // namespace

bool is_well_formed(const Request& r) {
  return is_operation(r.trans_a) && is_operation(r.trans_b) && is_size(r.m) && is_size(r.n) &&
         is_size(r.k) && is_size(r.batch) && r.alpha != nullptr && r.beta != nullptr &&
         has_room(lines_of(r, r.trans_a, r.m, r.k), r.lda) &&
         has_room(lines_of(r, r.trans_b, r.k, r.n), r.ldb) && are_matrices(r);
}

Lines lines_of_a(const Request& r) { return lines_of(r, r.trans_a, r.m, r.k); }
Lines lines_of_b(const Request& r) { return lines_of(r, r.trans_b, r.k, r.n); }

}  // namespace preload
