// The library's functions in C: they check the arguments in the order of their list, turn column-major products into row-major ones, and
// launch `best` or a rung.
#include "sgemm_ladder.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <limits>

#include "kernels/best/best.hpp"
#include "kernels/column_major.hpp"
#include "kernels/ladder.hpp"
#include "kernels/tuned/count_workspace.hpp"
#include "kernels/tuned/workspace_scope.hpp"
#include "library/complaint.hpp"

namespace library {
namespace {

using ladder::Call, ladder::Op, ladder::Rung, ladder::Sgemm, ladder::WorkspaceScope;

constexpr int64_t FLOAT_BYTES = sizeof(float);

// A query computes nothing, so its pointers may be null.
enum class Purpose { product, query };

// The arguments of all functions. A single product has one batch and no strides.
struct Arguments {
  int order, trans_a, trans_b;
  int64_t m, n, k;
  float alpha;
  const float* A;
  int64_t lda, stride_a;
  const float* B;
  int64_t ldb, stride_b;
  float beta;
  const float* C;
  int64_t ldc, stride_c;
  int64_t batch;
  const sgemm_ladder_options* options;
  Purpose purpose;
  size_t* bytes;  // of a query, for its answer

  bool is_query() const { return purpose == Purpose::query; }
  bool is_row_major() const { return order == SGEMM_LADDER_ROW_MAJOR; }
  bool is_empty() const { return m == 0 || n == 0 || batch == 0; }
};

// A matrix as it lies in memory: `lines` rows of a row-major matrix, or columns of a column-major one, with `length` elements each.
struct Lines {
  int64_t lines, length;
  const char* length_name;  // of the argument
};

// Returns how a matrix of rows x cols lies in memory, transposed or not.
Lines lines_of(const Arguments& a, bool is_transposed, int64_t rows, const char* rows_name,
               int64_t cols, const char* cols_name) {
  return a.is_row_major() != is_transposed ? Lines{rows, cols, cols_name}
                                           : Lines{cols, rows, rows_name};
}
Lines lines_of_a(const Arguments& a) {
  return lines_of(a, a.trans_a != SGEMM_LADDER_NO_TRANS, a.m, "m", a.k, "k");
}
Lines lines_of_b(const Arguments& a) {
  return lines_of(a, a.trans_b != SGEMM_LADDER_NO_TRANS, a.k, "k", a.n, "n");
}
Lines lines_of_c(const Arguments& a) { return lines_of(a, false, a.m, "m", a.n, "n"); }

// Computes the elements from a matrix's first to behind its last one. Returns false if they have no addresses.
bool span_of(const Lines& x, int64_t ld, int64_t* elements) {
  *elements = 0;
  if (x.lines == 0 || x.length == 0) return true;
  int64_t bytes = 0;
  return !__builtin_mul_overflow(x.lines - 1, ld, elements) &&
         !__builtin_add_overflow(*elements, x.length, elements) &&
         !__builtin_mul_overflow(*elements, FLOAT_BYTES, &bytes);
}

// The checks of single arguments. Each returns false, and leaves the complaint, if the argument is not allowed.

bool is_transpose(const char* name, int value) {
  if (value >= SGEMM_LADDER_NO_TRANS && value <= SGEMM_LADDER_CONJ_TRANS) return true;
  complain_of(
      name, "is %d; 111 (no transpose), 112 (transpose) and 113 (conjugate transpose) are allowed",
      value);
  return false;
}

bool is_not_negative(const char* name, int64_t value) {
  if (value >= 0) return true;
  complain_of(name, "is %" PRId64 "; it must be at least 0", value);
  return false;
}

bool is_leading_dimension(const char* name, int64_t value, const Lines& x) {
  int64_t elements = 0;
  if (value < std::max<int64_t>(1, x.length)) {
    if (x.length < 1) {
      complain_of(name, "is %" PRId64 "; it must be at least 1", value);
    } else {
      complain_of(name, "is %" PRId64 "; it must be at least %s, which is %" PRId64, value,
                  x.length_name, x.length);
    }
    return false;
  }
  if (span_of(x, value, &elements)) return true;
  complain_of(
      name, "is %" PRId64 "; the matrix would be larger than the memory that a pointer can address",
      value);
  return false;
}

bool is_matrix(const char* name, const float* value, bool is_needed, bool is_query) {
  if (value == nullptr && is_needed && !is_query) {
    complain_of(name, "is null; it must be a pointer to device memory");
    return false;
  }
  if (reinterpret_cast<uintptr_t>(value) % alignof(float) == 0) return true;
  complain_of(name, "is %p; it must be a multiple of 4", static_cast<const void*>(value));
  return false;
}

bool is_stride(const char* name, int64_t value, int64_t batch, int64_t ld, const Lines& x) {
  if (!is_not_negative(name, value)) return false;
  int64_t elements = 0, last = 0, bytes = 0;
  static_cast<void>(span_of(x, ld, &elements));
  if (batch <= 1 || (!__builtin_mul_overflow(batch - 1, value, &last) &&
                     !__builtin_add_overflow(last, elements, &last) &&
                     !__builtin_mul_overflow(last, FLOAT_BYTES, &bytes)))
    return true;
  complain_of(
      name,
      "is %" PRId64 "; %" PRId64
      " matrices at this distance would be larger than the memory that a pointer can address",
      value, batch);
  return false;
}

bool keeps_results_apart(const Arguments& a) {
  int64_t elements = 0;
  static_cast<void>(span_of(lines_of_c(a), a.ldc, &elements));
  if (a.batch <= 1 || a.is_empty() || a.stride_c >= elements) return true;
  complain_of("stride_c", "is %" PRId64 "; it must be at least %" PRId64 ", or the results overlap",
              a.stride_c, elements);
  return false;
}

bool are_options(const sgemm_ladder_options* o) {
  if (o == nullptr) return true;
  constexpr size_t KNOWN = sizeof(sgemm_ladder_options);
  if (o->struct_size < KNOWN) {
    complain_of("options",
                "has a struct_size of %zu; it must be sizeof(sgemm_ladder_options), which is %zu",
                o->struct_size, KNOWN);
    return false;
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(o);
  constexpr size_t MOST = 4096;  // else the size was never set
  if (o->struct_size > MOST ||
      std::any_of(bytes + KNOWN, bytes + o->struct_size, [](unsigned char b) { return b != 0; })) {
    complain_of("options",
                "has a struct_size of %zu, and sets options that version " SGEMM_LADDER_VERSION_TEXT
                " does not know; it knows %zu bytes",
                o->struct_size, KNOWN);
    return false;
  }
  if (o->algorithm != SGEMM_LADDER_BEST && o->algorithm != SGEMM_LADDER_STREAM_K &&
      o->algorithm != SGEMM_LADDER_TENSOR_FP32) {
    complain_of("options",
                "has the algorithm %" PRId32
                "; 0 (best), 12 (stream_k) and 16 (tensor_fp32) are allowed",
                o->algorithm);
    return false;
  }
  if (o->reserved != 0) {
    complain_of("options", "has %" PRId32 " as reserved; it must be 0", o->reserved);
    return false;
  }
  if (reinterpret_cast<uintptr_t>(o->workspace) % WorkspaceScope::ALIGNMENT != 0) {
    complain_of("options", "has the workspace %p; it must be a multiple of 256", o->workspace);
    return false;
  }
  if (o->workspace == nullptr && o->workspace_bytes != 0) {
    complain_of("options", "has no workspace, and workspace_bytes is %zu; it must be 0 then",
                o->workspace_bytes);
    return false;
  }
  return true;
}

bool has_place_for_answer(const Arguments& a) {
  if (!a.is_query() || a.bytes != nullptr) return true;
  complain_of("bytes", "is null; it must be the address of a size_t");
  return false;
}

bool are_allowed(const Arguments& a) {
  if (a.order != SGEMM_LADDER_ROW_MAJOR && a.order != SGEMM_LADDER_COL_MAJOR) {
    complain_of("order", "is %d; 101 (row-major) and 102 (column-major) are allowed", a.order);
    return false;
  }
  const bool reads = !a.is_empty() && ladder::has_product(a.alpha, a.k);
  return is_transpose("trans_a", a.trans_a) && is_transpose("trans_b", a.trans_b) &&
         is_not_negative("m", a.m) && is_not_negative("n", a.n) && is_not_negative("k", a.k) &&
         is_matrix("A", a.A, reads, a.is_query()) &&
         is_leading_dimension("lda", a.lda, lines_of_a(a)) &&
         is_stride("stride_a", a.stride_a, a.batch, a.lda, lines_of_a(a)) &&
         is_matrix("B", a.B, reads, a.is_query()) &&
         is_leading_dimension("ldb", a.ldb, lines_of_b(a)) &&
         is_stride("stride_b", a.stride_b, a.batch, a.ldb, lines_of_b(a)) &&
         is_matrix("C", a.C, !a.is_empty(), a.is_query()) &&
         is_leading_dimension("ldc", a.ldc, lines_of_c(a)) &&
         is_stride("stride_c", a.stride_c, a.batch, a.ldc, lines_of_c(a)) &&
         keeps_results_apart(a) && is_not_negative("batch", a.batch) && are_options(a.options) &&
         has_place_for_answer(a);
}

// Returns the pointer for a matrix that a query does not name.
const float* aligned_pointer() { return reinterpret_cast<const float*>(uintptr_t{256}); }

// Returns the call of the ladder.
Call call_of(const Arguments& a) {
  const auto op = [](int trans) {
    return trans == SGEMM_LADDER_NO_TRANS ? Op::none : Op::transpose;
  };
  const auto pointer = [&](const float* given) {
    return given == nullptr && a.is_query() ? aligned_pointer() : given;
  };
  Call call(Sgemm{.M = a.m,
                  .N = a.n,
                  .K = a.k,
                  .alpha = a.alpha,
                  .A = pointer(a.A),
                  .lda = a.lda,
                  .B = pointer(a.B),
                  .ldb = a.ldb,
                  .beta = a.beta,
                  .C = const_cast<float*>(pointer(a.C)),  // const in a query, which does not write
                  .ldc = a.ldc,
                  .op_a = op(a.trans_a),
                  .op_b = op(a.trans_b)});
  call.batch = a.batch;
  call.stride_a = a.stride_a;
  call.stride_b = a.stride_b;
  call.stride_c = a.stride_c;
  return a.is_row_major() ? call : ladder::by_rows(call);
}

// An error of CUDA within a call of ours. Restores what the program may ask of CUDA: if it had no error before, it has none now.
class CudaErrors {
 public:
  sgemm_ladder_status status_of(cudaError_t error) const {
    if (error == cudaSuccess) return SGEMM_LADDER_OK;
    if (before_ == cudaSuccess) static_cast<void>(cudaGetLastError());
    const char* const name = cudaGetErrorName(error);
    const char* const text = cudaGetErrorString(error);
    switch (error) {
      case cudaErrorMemoryAllocation:
        complain("the device has too little free memory for the workspace (%s)", name);
        return SGEMM_LADDER_OUT_OF_MEMORY;
      case cudaErrorNoKernelImageForDevice:
        complain(
            "the library was not compiled for this GPU (%s); name it in CMAKE_CUDA_ARCHITECTURES",
            name);
        return SGEMM_LADDER_NOT_SUPPORTED;
      default:
        complain(error == before_ ? "CUDA failed, as it had before this call: %s (%s)"
                                  : "CUDA failed: %s (%s)",
                 text, name);
        return SGEMM_LADDER_CUDA_ERROR;
    }
  }

 private:
  const cudaError_t before_ = cudaPeekAtLastError();
};

// Checks that the current device can run the rung.
sgemm_ladder_status check_device(const Rung& rung, const CudaErrors& errors) {
  int id = 0, major = 0, minor = 0;
  cudaError_t error = cudaGetDevice(&id);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, id);
  if (error != cudaSuccess) return errors.status_of(error);
  if (ladder::suffices(10 * major + minor, rung.needs)) return SGEMM_LADDER_OK;
  const int needs = rung.needs.compute_capability;
  complain("the current GPU has compute capability %d.%d; %s needs %d.%d%s", major, minor,
           rung.number == Rung::NO_NUMBER ? "sgemm_ladder" : rung.name, needs / 10, needs % 10,
           rung.needs.exactly ? "" : " or later");
  return SGEMM_LADDER_NOT_SUPPORTED;
}

const Rung& rung_of(const sgemm_ladder_options* options) {
  const int algorithm = options == nullptr ? int{SGEMM_LADDER_BEST} : options->algorithm;
  return algorithm == SGEMM_LADDER_BEST ? ladder::best : ladder::rung_with(algorithm);
}

// Runs a call. Of a query, only stores the bytes of its workspace.
sgemm_ladder_status run(const Arguments& a, cudaStream_t stream) {
  if (!are_allowed(a)) return SGEMM_LADDER_INVALID_ARGUMENT;
  if (a.is_query()) *a.bytes = 0;
  if (a.is_empty()) return SGEMM_LADDER_OK;
  const CudaErrors errors;
  const Rung& rung = rung_of(a.options);
  const sgemm_ladder_status unfit = check_device(rung, errors);
  if (unfit != SGEMM_LADDER_OK) return unfit;
  const Call call = call_of(a);

  const bool has_workspace = a.options != nullptr && a.options->workspace != nullptr;
  if (!a.is_query() && !has_workspace) return errors.status_of(ladder::launch(rung, call, stream));
  int64_t bytes = 0;
  const cudaError_t error = ladder::count_workspace(rung, call, &bytes);
  if (error != cudaSuccess) return errors.status_of(error);
  if (a.is_query()) {
    *a.bytes = static_cast<size_t>(bytes);
    return SGEMM_LADDER_OK;
  }
  if (a.options->workspace_bytes < static_cast<size_t>(bytes)) {
    complain_of("options", "has a workspace of %zu bytes; this call needs %" PRId64,
                a.options->workspace_bytes, bytes);
    return SGEMM_LADDER_INVALID_ARGUMENT;
  }
  const WorkspaceScope lent(a.options->workspace, bytes);
  return errors.status_of(ladder::launch(rung, call, stream));
}

}  // namespace
}  // namespace library

using library::Arguments, library::begin_call, library::Purpose, library::run;

extern "C" {

sgemm_ladder_status sgemm_ladder_sgemm(int order, int trans_a, int trans_b, int64_t m, int64_t n,
                                       int64_t k, float alpha, const float* A, int64_t lda,
                                       const float* B, int64_t ldb, float beta, float* C,
                                       int64_t ldc, CUstream_st* stream) {
  begin_call("sgemm_ladder_sgemm",
             "order trans_a trans_b m n k alpha A lda B ldb beta C ldc stream");
  const Arguments arguments{
      order, trans_a, trans_b,          m,      n, k, alpha, A, lda, 0, B, ldb, 0, beta, C, ldc, 0,
      1,     nullptr, Purpose::product, nullptr};
  return run(arguments, stream);
}

sgemm_ladder_status sgemm_ladder_sgemm_strided_batched(
    int order, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
    const float* A, int64_t lda, int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b,
    float beta, float* C, int64_t ldc, int64_t stride_c, int64_t batch, CUstream_st* stream) {
  begin_call("sgemm_ladder_sgemm_strided_batched",
             "order trans_a trans_b m n k alpha A lda stride_a B ldb stride_b beta C ldc stride_c "
             "batch stream");
  const Arguments arguments{
      order,  trans_a, trans_b,  m,    n, k,   alpha,    A,     lda,     stride_a,
      B,      ldb,     stride_b, beta, C, ldc, stride_c, batch, nullptr, Purpose::product,
      nullptr};
  return run(arguments, stream);
}

sgemm_ladder_status sgemm_ladder_sgemm_ex(int order, int trans_a, int trans_b, int64_t m, int64_t n,
                                          int64_t k, float alpha, const float* A, int64_t lda,
                                          int64_t stride_a, const float* B, int64_t ldb,
                                          int64_t stride_b, float beta, float* C, int64_t ldc,
                                          int64_t stride_c, int64_t batch, CUstream_st* stream,
                                          const sgemm_ladder_options* options) {
  begin_call("sgemm_ladder_sgemm_ex",
             "order trans_a trans_b m n k alpha A lda stride_a B ldb stride_b beta C ldc stride_c "
             "batch stream options");
  const Arguments arguments{
      order,  trans_a, trans_b,  m,    n, k,   alpha,    A,     lda,     stride_a,
      B,      ldb,     stride_b, beta, C, ldc, stride_c, batch, options, Purpose::product,
      nullptr};
  return run(arguments, stream);
}

sgemm_ladder_status sgemm_ladder_workspace_bytes(int order, int trans_a, int trans_b, int64_t m,
                                                 int64_t n, int64_t k, float alpha, const float* A,
                                                 int64_t lda, int64_t stride_a, const float* B,
                                                 int64_t ldb, int64_t stride_b, float beta,
                                                 const float* C, int64_t ldc, int64_t stride_c,
                                                 int64_t batch, const sgemm_ladder_options* options,
                                                 size_t* bytes) {
  begin_call("sgemm_ladder_workspace_bytes",
             "order trans_a trans_b m n k alpha A lda stride_a B ldb stride_b beta C ldc stride_c "
             "batch options bytes");
  const Arguments arguments{
      order, trans_a, trans_b,  m,    n, k,   alpha,    A,     lda,     stride_a,
      B,     ldb,     stride_b, beta, C, ldc, stride_c, batch, options, Purpose::query,
      bytes};
  return run(arguments, nullptr);
}

const char* sgemm_ladder_error_string(sgemm_ladder_status status) {
  switch (status) {
    case SGEMM_LADDER_OK:
      return "the product was launched";
    case SGEMM_LADDER_INVALID_ARGUMENT:
      return "an argument is not allowed";
    case SGEMM_LADDER_NOT_SUPPORTED:
      return "the current GPU cannot compute this";
    case SGEMM_LADDER_OUT_OF_MEMORY:
      return "the device has too little memory for the workspace";
    case SGEMM_LADDER_CUDA_ERROR:
      return "CUDA failed";
  }
  return "not a status of sgemm_ladder";
}

const char* sgemm_ladder_last_error(void) { return library::complaint(); }

int sgemm_ladder_version(void) { return SGEMM_LADDER_VERSION; }

}  // extern "C"
