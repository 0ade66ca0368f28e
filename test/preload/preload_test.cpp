// Calls cuBLAS as a program does that was started with LD_PRELOAD=libsgemm_ladder_cublas.so. On the simulated GPU the stand-ins in this
// folder count the calls that reach them. On a real one NVIDIA's cuBLAS is behind the library, where nothing counts: the tests of results
// run there. CMakeLists.txt runs each suite with one value of SGEMM_LADDER:
//
//   Answers    12 and 16   the ladder answers all that it can
//   Threads    12          the same from many threads
//   Automatic  unset       it answers what cuBLAS should take longer for
//   Reduced    fp32        it also answers what allows TF32
//   Off        off
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "standin.hpp"

#ifdef SIMULATED_GPU
namespace {

std::atomic<int> allocations_left = 1 << 30;  // of the memory pool

}  // namespace

// The linker gives the preloaded library this function in place of the simulated GPU's.
extern "C" cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  using Function = cudaError_t(void**, size_t, cudaStream_t);
  static auto* const real = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, "cudaMallocAsync"));
  return real(pointer, --allocations_left < 0 ? size_t{1} << 60 : bytes, stream);
}
#endif

namespace {

namespace cublas = preload::cublas;
using cublas::Handle, cublas::Value;

constexpr float NOT_A_NUMBER = std::numeric_limits<float>::quiet_NaN();
constexpr float CANARY = 12345;

void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

// Floats in memory that the host and the device read.
class Floats {
 public:
  explicit Floats(int64_t count, float value = 0) : count_(count) {
    check(cudaMallocManaged(&data_,
                            static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(float)));
    for (int64_t i = 0; i < count; ++i) data_[i] = value;
  }
  ~Floats() { cudaFree(data_); }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  float* data() const { return data_; }
  int64_t count() const { return count_; }

  void fill(unsigned seed) {
    for (int64_t i = 0; i < count_; ++i) {
      seed = seed * 1664525U + 1013904223U;
      data_[i] = static_cast<float>(seed >> 8) / static_cast<float>(1 << 23) - 1;
    }
  }

 private:
  int64_t count_;
  float* data_ = nullptr;
};

// The addresses of a batch's matrices, where the host and the device reach them. The matrices lie in the opposite order, so that they are at
// equal distances only for one who computes with negative ones.
class Addresses {
 public:
  Addresses(float* last, int64_t stride, int batch) {
    check(cudaMallocManaged(&data_, static_cast<size_t>(batch) * sizeof(float*)));
    for (int i = 0; i < batch; ++i) data_[i] = last + (batch - 1 - i) * stride;
  }
  ~Addresses() { check(cudaFree(data_)); }
  Addresses(const Addresses&) = delete;
  Addresses& operator=(const Addresses&) = delete;
  float** of_floats() const { return data_; }
  void** of_anything() const { return reinterpret_cast<void**>(data_); }

 private:
  float** data_ = nullptr;
};

class CublasHandle {
 public:
  CublasHandle() { cublasCreate_v2(&handle_); }
  ~CublasHandle() { cublasDestroy_v2(handle_); }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  operator Handle() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};

enum class Function {
  sgemm,
  sgemm_64,
  gemm_ex,
  gemm_ex_64,
  strided,
  strided_64,
  strided_ex,
  strided_ex_64,
  pointers,
  pointers_64,
  pointers_ex,
  pointers_ex_64
};
constexpr struct {
  Function function;
  const char* name;
} FUNCTIONS[] = {{Function::sgemm, "cublasSgemm_v2"},
                 {Function::sgemm_64, "cublasSgemm_v2_64"},
                 {Function::gemm_ex, "cublasGemmEx"},
                 {Function::gemm_ex_64, "cublasGemmEx_64"},
                 {Function::strided, "cublasSgemmStridedBatched"},
                 {Function::strided_64, "cublasSgemmStridedBatched_64"},
                 {Function::strided_ex, "cublasGemmStridedBatchedEx"},
                 {Function::strided_ex_64, "cublasGemmStridedBatchedEx_64"},
                 {Function::pointers, "cublasSgemmBatched"},
                 {Function::pointers_64, "cublasSgemmBatched_64"},
                 {Function::pointers_ex, "cublasGemmBatchedEx"},
                 {Function::pointers_ex_64, "cublasGemmBatchedEx_64"}};

bool is_batched(Function f) { return f >= Function::strided; }

// A call, and all that a caller may set of it.
struct Call {
  Function function = Function::sgemm;
  Value trans_a = cublas::OP_N, trans_b = cublas::OP_N;
  int m = 1, n = 1, k = 1;
  float alpha = 1, beta = 0;
  int gap = 3;     // of the leading dimensions
  int offset = 0;  // of the matrices' first elements, in floats
  int batch = 1;
  bool has_device_scalars = false;
  bool has_no_factors = false;  // the addresses of A and B are null
  Value type = cublas::REAL_32F, compute = cublas::COMPUTE_32F;
};

std::string text_of(const Call& c) {
  return std::string(FUNCTIONS[static_cast<size_t>(c.function)].name) + " " + "NTC"[c.trans_a] +
         "NTC"[c.trans_b] + " " + std::to_string(c.m) + "x" + std::to_string(c.n) + "x" +
         std::to_string(c.k) + " alpha " + std::to_string(c.alpha) + " beta " +
         std::to_string(c.beta) + " offset " + std::to_string(c.offset) + " batch " +
         std::to_string(c.batch) + (c.has_device_scalars ? " device scalars" : "");
}

// The matrices of a call, and what its result must be.
class Problem {
 public:
  explicit Problem(const Call& call)
      : c_(call),
        rows_a_(call.trans_a == cublas::OP_N ? call.m : call.k),
        cols_a_(call.trans_a == cublas::OP_N ? call.k : call.m),
        rows_b_(call.trans_b == cublas::OP_N ? call.k : call.n),
        cols_b_(call.trans_b == cublas::OP_N ? call.n : call.k),
        lda_(rows_a_ + call.gap),
        ldb_(rows_b_ + call.gap),
        ldc_(call.m + call.gap),
        stride_a_(int64_t{lda_} * cols_a_ + 1),
        stride_b_(int64_t{ldb_} * cols_b_ + 5),
        stride_c_(int64_t{ldc_} * call.n + 2),
        A_(stride_a_ * call.batch + call.offset),
        B_(stride_b_ * call.batch + call.offset),
        C_(stride_c_ * call.batch + call.offset, CANARY),
        scalars_(2) {
    A_.fill(1);
    B_.fill(2);
    scalars_.data()[0] = call.alpha;
    scalars_.data()[1] = call.beta;
    Floats old(C_.count());
    old.fill(3);
    for (int64_t i = 0; i < call.batch; ++i)
      for (int64_t col = 0; col < call.n; ++col)
        for (int64_t row = 0; row < call.m; ++row)
          c_at(i, row, col) = call.beta == 0 ? NOT_A_NUMBER : old.data()[at(i, row, col)];
    before_.assign(C_.data(), C_.data() + C_.count());
  }

  Value run(Handle handle) const {
    cublasSetPointerMode_v2(
        handle, c_.has_device_scalars ? cublas::POINTERS_TO_DEVICE : cublas::POINTERS_TO_HOST);
    const float* const alpha = c_.has_device_scalars ? scalars_.data() : &c_.alpha;
    const float* const beta = c_.has_device_scalars ? scalars_.data() + 1 : &c_.beta;
    const float* const A = A_.data() + c_.offset;
    const float* const B = B_.data() + c_.offset;
    float* const C = C_.data() + c_.offset;
    const Value type = c_.type;
    constexpr Value DEFAULT_ALGO = -1;
    const auto [trans_a, trans_b] = std::pair(c_.trans_a, c_.trans_b);
    switch (c_.function) {
      case Function::sgemm:
        return cublasSgemm_v2(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, lda_, B, ldb_,
                              beta, C, ldc_);
      case Function::sgemm_64:
        return cublasSgemm_v2_64(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, lda_, B,
                                 ldb_, beta, C, ldc_);
      case Function::gemm_ex:
        return cublasGemmEx(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, type, lda_, B,
                            type, ldb_, beta, C, type, ldc_, c_.compute, DEFAULT_ALGO);
      case Function::gemm_ex_64:
        return cublasGemmEx_64(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, type, lda_, B,
                               type, ldb_, beta, C, type, ldc_, c_.compute, DEFAULT_ALGO);
      case Function::strided:
        return cublasSgemmStridedBatched(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, lda_,
                                         stride_a_, B, ldb_, stride_b_, beta, C, ldc_, stride_c_,
                                         c_.batch);
      case Function::strided_64:
        return cublasSgemmStridedBatched_64(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A,
                                            lda_, stride_a_, B, ldb_, stride_b_, beta, C, ldc_,
                                            stride_c_, c_.batch);
      case Function::strided_ex:
        return cublasGemmStridedBatchedEx(
            handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, type, lda_, stride_a_, B, type,
            ldb_, stride_b_, beta, C, type, ldc_, stride_c_, c_.batch, c_.compute, DEFAULT_ALGO);
      case Function::strided_ex_64:
        return cublasGemmStridedBatchedEx_64(
            handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A, type, lda_, stride_a_, B, type,
            ldb_, stride_b_, beta, C, type, ldc_, stride_c_, c_.batch, c_.compute, DEFAULT_ALGO);
      default:
        return run_with_pointers(handle, alpha, beta);
    }
  }

  // Returns "" if C is right: each element within FP32's bound, and nothing else written.
  std::string complaint() const {
    std::vector<bool> is_result(before_.size());
    for (int64_t i = 0; i < c_.batch; ++i) {
      for (int64_t col = 0; col < c_.n; ++col) {
        for (int64_t row = 0; row < c_.m; ++row) {
          double sum = 0, magnitude = 0;
          for (int64_t l = 0; l < c_.k; ++l) {
            const double product = a_at(i, row, l) * b_at(i, l, col);
            sum += product;
            magnitude += std::abs(product);
          }
          const int64_t place = at(i, row, col);
          is_result[static_cast<size_t>(place)] = true;
          const double old =
              c_.beta == 0 ? 0 : c_.beta * double{before_[static_cast<size_t>(place)]};
          const double want = c_.alpha * sum + old;
          const double bound =
              2 * (c_.k + 2) * 0x1p-23 * (std::abs(c_.alpha) * magnitude + std::abs(old)) + 1e-30;
          const double got = double{C_.data()[place]};
          if (!(std::abs(got - want) <= bound))
            return "element " + std::to_string(row) + "," + std::to_string(col) + " of product " +
                   std::to_string(i) + " is " + std::to_string(got) + ", not " +
                   std::to_string(want);
        }
      }
    }
    for (size_t i = 0; i < before_.size(); ++i)
      if (!is_result[i] && C_.data()[i] != CANARY)
        return "float " + std::to_string(i) + " was written";
    return "";
  }

  void make_inputs_nan() const {
    for (int64_t i = 0; i < A_.count(); ++i) A_.data()[i] = NOT_A_NUMBER;
  }
  float* result() const { return C_.data() + c_.offset; }

 private:
  Value run_with_pointers(Handle handle, const float* alpha, const float* beta) const {
    constexpr Value DEFAULT_ALGO = -1;
    const auto [trans_a, trans_b] = std::pair(c_.trans_a, c_.trans_b);
    const Value type = c_.type;
    const bool none = c_.has_no_factors;
    const Addresses A(none ? nullptr : A_.data() + c_.offset, none ? 0 : stride_a_, c_.batch);
    const Addresses B(none ? nullptr : B_.data() + c_.offset, none ? 0 : stride_b_, c_.batch);
    const Addresses C(C_.data() + c_.offset, stride_c_, c_.batch);
    Value status = cublas::INVALID_VALUE;
    switch (c_.function) {
      case Function::pointers:
        status =
            cublasSgemmBatched(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A.of_floats(),
                               lda_, B.of_floats(), ldb_, beta, C.of_floats(), ldc_, c_.batch);
        break;
      case Function::pointers_64:
        status =
            cublasSgemmBatched_64(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A.of_floats(),
                                  lda_, B.of_floats(), ldb_, beta, C.of_floats(), ldc_, c_.batch);
        break;
      case Function::pointers_ex:
        status =
            cublasGemmBatchedEx(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha, A.of_anything(),
                                type, lda_, B.of_anything(), type, ldb_, beta, C.of_anything(),
                                type, ldc_, c_.batch, c_.compute, DEFAULT_ALGO);
        break;
      default:
        status =
            cublasGemmBatchedEx_64(handle, trans_a, trans_b, c_.m, c_.n, c_.k, alpha,
                                   A.of_anything(), type, lda_, B.of_anything(), type, ldb_, beta,
                                   C.of_anything(), type, ldc_, c_.batch, c_.compute, DEFAULT_ALGO);
    }
    cudaStream_t stream = nullptr;
    cublasGetStream_v2(handle, &stream);
    check(cudaStreamSynchronize(stream));  // before the addresses go
    return status;
  }

  int64_t at(int64_t i, int64_t row, int64_t col) const {
    return c_.offset + i * stride_c_ + row + col * ldc_;
  }
  float& c_at(int64_t i, int64_t row, int64_t col) const { return C_.data()[at(i, row, col)]; }
  double a_at(int64_t i, int64_t row, int64_t col) const {
    const float* a = A_.data() + c_.offset + i * stride_a_;
    return double{c_.trans_a == cublas::OP_N ? a[row + col * lda_] : a[col + row * lda_]};
  }
  double b_at(int64_t i, int64_t row, int64_t col) const {
    const float* b = B_.data() + c_.offset + i * stride_b_;
    return double{c_.trans_b == cublas::OP_N ? b[row + col * ldb_] : b[col + row * ldb_]};
  }

  const Call c_;
  const int rows_a_, cols_a_, rows_b_, cols_b_, lda_, ldb_, ldc_;
  const int64_t stride_a_, stride_b_, stride_c_;
  Floats A_, B_, C_, scalars_;
  std::vector<float> before_;
};

// Returns how many calls reached the stand-ins for these functions.
long forwarded() {
  long sum = standin_lt_calls("cublasLtMatmul");
  for (const auto& one : FUNCTIONS) sum += standin_calls(one.name);
  return sum;
}

// Runs a call and checks its result. Returns true if the ladder answered it.
bool is_answered(Handle handle, const Call& call) {
  SCOPED_TRACE(text_of(call));
  const Problem problem(call);
  const long before = forwarded();
  EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
  cudaStream_t stream = nullptr;
  cublasGetStream_v2(handle, &stream);
  check(cudaStreamSynchronize(stream));
  EXPECT_EQ(problem.complaint(), "");
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  return forwarded() == before;
}

// Returns true for a part of the cases if each takes long: rung 16's kernels take a tenth of a second on the simulated GPU.
bool is_chosen(int number) {
  const char* const mode = std::getenv("SGEMM_LADDER");
  constexpr int SHARE = 7;
  return mode == nullptr || std::string(mode) != "16" || number % SHARE == 0;
}

#define EXPECT_ANSWERED(handle, call) EXPECT_TRUE(is_answered(handle, call)) << text_of(call)
#define EXPECT_FORWARDED(handle, call) \
  EXPECT_TRUE(!is_answered(handle, call) || !standin_counts()) << text_of(call)

// ---- SGEMM_LADDER=12 and =16

TEST(Answers, AllFunctionsTransposesAndScalars) {
  const CublasHandle handle;
  int number = 0;
  for (const auto& one : FUNCTIONS) {
    for (const bool on_device : {false, true}) {
      for (int trans = 0; trans < 4; ++trans) {
        if (!is_chosen(number++)) continue;
        Call call{.function = one.function,
                  .trans_a = trans % 2,
                  .trans_b = trans / 2,
                  .m = 19,
                  .n = 33,
                  .k = 37,
                  .alpha = 1.5F,
                  .beta = trans == 1 ? -0.5F : 0,
                  .has_device_scalars = on_device};
        if (is_batched(one.function)) call.batch = 3;
        EXPECT_ANSWERED(handle, call);
      }
    }
  }
}

TEST(Answers, DoNotReadTheFactorsOfPointersIfAlphaIsZero) {
  const CublasHandle handle;
  EXPECT_ANSWERED(handle, (Call{.function = Function::pointers,
                                .m = 9,
                                .n = 11,
                                .k = 13,
                                .alpha = 0,
                                .beta = 0.5F,
                                .batch = 2,
                                .has_device_scalars = true,
                                .has_no_factors = true}));
}

TEST(Answers, SmallOddAndMisaligned) {
  const CublasHandle handle;
  constexpr int SIZES[][3] = {{1, 1, 1}, {1, 50, 3},   {50, 1, 40},
                              {3, 5, 7}, {64, 64, 64}, {65, 127, 33}};
  int number = 0;
  for (const auto& [m, n, k] : SIZES)
    for (const int offset : {0, 1, 3})
      for (const int gap : {0, 1}) {
        if (!is_chosen(number++)) continue;
        EXPECT_ANSWERED(handle, (Call{.trans_a = offset == 1 ? cublas::OP_C : cublas::OP_N,
                                      .m = m,
                                      .n = n,
                                      .k = k,
                                      .beta = 2,
                                      .gap = gap,
                                      .offset = offset}));
      }
}

TEST(Answers, DeviceScalarsByTheRulesOfBlas) {
  const CublasHandle handle;
  const Call call{.m = 20, .n = 10, .k = 40, .alpha = 0, .beta = 3, .has_device_scalars = true};
  const Problem problem(call);
  problem.make_inputs_nan();  // alpha is 0, so they are not part of the result
  const long before = forwarded();
  EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(forwarded(), before);
  for (int col = 0; col < call.n; ++col)
    for (int row = 0; row < call.m; ++row)
      ASSERT_FALSE(std::isnan(problem.result()[row + col * 23]));
}

TEST(Answers, WhatAllowsTf32) {
  const CublasHandle handle;
  cublasSetMathMode(handle, cublas::TF32_MATH);
  EXPECT_ANSWERED(handle, (Call{.m = 8, .n = 8, .k = 40}));
  EXPECT_ANSWERED(handle, (Call{.function = Function::gemm_ex,
                                .m = 8,
                                .n = 8,
                                .k = 40,
                                .compute = cublas::COMPUTE_32F_FAST_TF32}));
}

// cuBLAS gets the arguments that it refuses, and those for which there is nothing to multiply.
TEST(Answers, NoArgumentsThatAreCublass) {
  const CublasHandle handle;
  constexpr struct {
    Value trans_a, trans_b;
    int m, n, k, lda, ldb, ldc;
  } WRONG[] = {{3, 0, 8, 8, 8, 8, 8, 8},  {0, -1, 8, 8, 8, 8, 8, 8}, {0, 0, -1, 8, 8, 8, 8, 8},
               {0, 0, 8, -1, 8, 8, 8, 8}, {0, 0, 8, 8, -1, 8, 8, 8}, {0, 0, 8, 8, 8, 7, 8, 8},
               {1, 0, 8, 8, 9, 8, 9, 8},  {0, 0, 8, 8, 8, 8, 7, 8},  {0, 0, 8, 8, 8, 8, 8, 7}};
  for (const auto& w : WRONG) {
    const Floats x(100);
    const float one = 1;
    const long before = forwarded();
    EXPECT_EQ(cublasSgemm_v2(handle, w.trans_a, w.trans_b, w.m, w.n, w.k, &one, x.data(), w.lda,
                             x.data(), w.ldb, &one, x.data(), w.ldc),
              cublas::INVALID_VALUE);
    EXPECT_EQ(forwarded(), before + 1);
  }
  Floats x(100);
  const float one = 1;
  EXPECT_EQ(
      cublasSgemm_v2(nullptr, 0, 0, 8, 8, 8, &one, x.data(), 8, x.data(), 8, &one, x.data(), 8),
      cublas::NOT_INITIALIZED);
  EXPECT_EQ(
      cublasSgemm_v2(handle, 0, 0, 8, 8, 8, nullptr, x.data(), 8, x.data(), 8, &one, x.data(), 8),
      cublas::INVALID_VALUE);
  for (const Call& call : {Call{.m = 0, .n = 8, .k = 8}, Call{.m = 8, .n = 8, .k = 0, .beta = 2},
                           Call{.m = 8, .n = 8, .k = 8, .alpha = 0, .beta = 2}})
    EXPECT_FORWARDED(handle, call);
}

TEST(Answers, NoOtherTypes) {
  const CublasHandle handle;
  constexpr Value REAL_16F = 2, COMPUTE_64F = 70;
  for (const auto& one : FUNCTIONS) {
    if (one.function != Function::gemm_ex_64 && one.function != Function::strided_ex &&
        one.function != Function::strided_ex_64 && one.function != Function::pointers_ex)
      continue;
    EXPECT_FORWARDED(handle,
                     (Call{.function = one.function, .m = 8, .n = 8, .k = 8, .type = REAL_16F}));
    EXPECT_FORWARDED(
        handle, (Call{.function = one.function, .m = 8, .n = 8, .k = 8, .compute = COMPUTE_64F}));
  }
}

// The stand-in's cublasGemmEx calls cublasSgemm_v2, and gets the preloaded one.
TEST(Answers, NoCallsOfCublasItself) {
  const CublasHandle handle;
  const long before = standin_calls("cublasSgemm_v2");
  EXPECT_FORWARDED(handle,
                   (Call{.function = Function::gemm_ex, .m = 8, .n = 8, .k = 8, .type = 2}));
  EXPECT_EQ(standin_calls("cublasSgemm_v2"), before + 1);
}

// The matrices' addresses are only known on the device, so the library gathers the matrices there.
TEST(Answers, BatchesOfPointers) {
  const CublasHandle handle;
  for (const int batch : {1, 5}) {
    EXPECT_ANSWERED(handle, (Call{.function = Function::pointers,
                                  .trans_b = cublas::OP_T,
                                  .m = 33,
                                  .n = 30,
                                  .k = 20,
                                  .alpha = -2,
                                  .beta = 0.5F,
                                  .offset = 1,
                                  .batch = batch}));
  }
}

TEST(Answers, WithAWorkspaceThatFitsOrNot) {
  const CublasHandle handle;
  Floats memory(1 << 20, CANARY);
  const Call call{.m = 70, .n = 70, .k = 300, .beta = 1, .has_device_scalars = true};
  EXPECT_EQ(cublasSetWorkspace_v2(handle, memory.data(), (1 << 20) * sizeof(float)),
            cublas::SUCCESS);
  EXPECT_ANSWERED(handle, call);
  EXPECT_NE(memory.data()[0], CANARY);  // the product lies there
  for (int64_t i = 0; i < memory.count(); ++i) memory.data()[i] = CANARY;
  const auto is_untouched = [&] {
    return std::all_of(memory.data(), memory.data() + memory.count(),
                       [](float x) { return x == CANARY; });
  };
  EXPECT_EQ(cublasSetWorkspace_v2(handle, memory.data(), 256), cublas::SUCCESS);
  EXPECT_ANSWERED(handle, call);
  EXPECT_TRUE(is_untouched());
  // cuBLAS takes its own workspace again after cublasSetStream.
  EXPECT_EQ(cublasSetWorkspace_v2(handle, memory.data(), (1 << 20) * sizeof(float)),
            cublas::SUCCESS);
  EXPECT_EQ(cublasSetStream_v2(handle, nullptr), cublas::SUCCESS);
  EXPECT_ANSWERED(handle, call);
  EXPECT_TRUE(is_untouched());
}

#ifdef SIMULATED_GPU
// Without memory for a workspace, cuBLAS computes the call: C holds no part of the ladder's result, and no error stays.
TEST(Answers, NothingWithoutMemory) {
  const CublasHandle handle;
  allocations_left = 0;
  EXPECT_FORWARDED(handle,
                   (Call{.m = 20, .n = 30, .k = 40, .beta = 2, .has_device_scalars = true}));
  EXPECT_FORWARDED(handle, (Call{.function = Function::strided,
                                 .trans_a = cublas::OP_T,
                                 .trans_b = cublas::OP_T,
                                 .m = 130,
                                 .n = 140,
                                 .k = 600,
                                 .beta = 2,
                                 .batch = 3}));
  allocations_left = 1 << 30;
}

// A batch takes all its memory before its first product.
TEST(Answers, NoPartOfABatch) {
  const CublasHandle handle;
  allocations_left = 1;
  EXPECT_ANSWERED(handle, (Call{.function = Function::strided,
                                .trans_a = cublas::OP_T,
                                .trans_b = cublas::OP_T,
                                .m = 33,
                                .n = 34,
                                .k = 600,
                                .beta = 2,
                                .batch = 3}));
  allocations_left = 1 << 30;
}
#endif

TEST(Answers, OnTheHandlesStream) {
  const CublasHandle handle;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cublasSetStream_v2(handle, stream);
  EXPECT_ANSWERED(handle, (Call{.m = 40, .n = 40, .k = 40, .beta = 1}));
  check(cudaStreamDestroy(stream));
}

#ifndef SIMULATED_GPU  // it has no graphs
TEST(Answers, InAGraph) {
  const CublasHandle handle;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cublasSetStream_v2(handle, stream);
  for (const Call& call :
       {Call{.m = 70, .n = 70, .k = 300, .beta = 2},
        Call{.trans_a = cublas::OP_T, .m = 200, .n = 130, .k = 900},
        Call{.function = Function::strided, .m = 33, .n = 34, .k = 600, .batch = 3}}) {
    const Problem problem(call);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
    check(cudaStreamEndCapture(stream, &graph));
    check(cudaGraphInstantiate(&ready, graph, 0));
    EXPECT_NE(problem.complaint(), "");  // it has only been captured
    check(cudaGraphLaunch(ready, stream));
    check(cudaStreamSynchronize(stream));
    EXPECT_EQ(problem.complaint(), "") << text_of(call);
    check(cudaGraphExecDestroy(ready));
    check(cudaGraphDestroy(graph));
  }
  check(cudaStreamDestroy(stream));
}
#endif

// A handle that was made before the preloaded library saw a call, by the real library itself.
TEST(Answers, HandlesMadeBehindItsBack) {
  void* const library = dlopen("libcublas.so.13", RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  Handle handle = nullptr;
  reinterpret_cast<Value (*)(Handle*)>(dlsym(library, "cublasCreate_v2"))(&handle);
  reinterpret_cast<cublas::SetStream*>(dlsym(library, "cublasSetStream_v2"))(handle, nullptr);
  EXPECT_ANSWERED(handle, (Call{.m = 9, .n = 9, .k = 40}));
  cublasDestroy_v2(handle);
  dlclose(library);
}

TEST(Answers, LeavesAnEarlierErrorAlone) {
  const CublasHandle handle;
  void* none = nullptr;
  ASSERT_NE(cudaMalloc(&none, size_t{1} << 60), cudaSuccess);
  const Call call{.m = 8, .n = 8, .k = 40};
  const Problem problem(call);
  const long before = forwarded();
  EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(problem.complaint(), "");
  EXPECT_EQ(forwarded(), before);
}

// Returns the number of wrong answers to `calls` calls from each of eight threads, each on a stream of its own.
int wrong_answers_to_threads(int calls) {
  constexpr int THREADS = 8;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(THREADS);
  for (int t = 0; t < THREADS; ++t) {
    threads.emplace_back([&wrong, calls, t] {
      const CublasHandle handle;
      cudaStream_t stream = nullptr;
      wrong += cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ? 1 : 0;
      cublasSetStream_v2(handle, stream);
      for (int i = 0; i < calls; ++i) {
        const Problem problem(Call{
            .m = 5 + t, .n = 6 + i % 25, .k = 40, .beta = 1, .has_device_scalars = i % 2 == 0});
        const bool is_right = problem.run(handle) == cublas::SUCCESS &&
                              cudaStreamSynchronize(stream) == cudaSuccess &&
                              problem.complaint().empty();
        wrong += is_right ? 0 : 1;
      }
      wrong += cudaStreamDestroy(stream) != cudaSuccess ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return wrong;
}

TEST(Threads, HaveStreamsOfTheirOwn) {
  const long before = forwarded();
  size_t free_before = 0, free_after = 0, all = 0;
  EXPECT_EQ(wrong_answers_to_threads(25), 0);  // loads each kernel
  check(cudaMemGetInfo(&free_before, &all));
  EXPECT_EQ(wrong_answers_to_threads(125), 0);
  check(cudaMemGetInfo(&free_after, &all));
  EXPECT_GE(free_after, free_before);
  EXPECT_EQ(forwarded(), before);
}

TEST(Answers, LeavesNoMemoryBehind) {
  const CublasHandle handle;
  const Problem problem(Call{.m = 20, .n = 20, .k = 40, .has_device_scalars = true});
  size_t before = 0, after = 0, all = 0;
  EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
  check(cudaDeviceSynchronize());
  check(cudaMemGetInfo(&before, &all));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
  check(cudaDeviceSynchronize());
  check(cudaMemGetInfo(&after, &all));
  EXPECT_GE(after, before);
}

// ---- cublasLtMatmul

struct LtCall {
  int m = 19, n = 33, k = 40;
  Value trans_a = cublas::OP_N, trans_b = cublas::OP_N;
  float alpha = 1.5F, beta = 0;
  uint32_t epilogue = cublas::EPILOGUE_DEFAULT;
  bool is_in_place = true;
  bool has_device_scalars = false;
  int32_t order = cublas::ORDER_COL;
  int32_t batch = 1;
  Value compute = cublas::COMPUTE_32F;
  Value type = cublas::REAL_32F;
  const Floats* workspace = nullptr;
  std::function<void(cublas::Descriptor product)> change = [](cublas::Descriptor) {};
};

// Runs a call of cublasLtMatmul, and the same call by the stand-in itself. Returns true if the ladder answered it and both results agree.
bool is_answered(const LtCall& c) {
  const auto place = [&](int rows, int cols) { return int64_t{rows + 2} * (cols + 2); };
  Floats A(place(c.m, c.k) * c.batch), B(place(c.k, c.n) * c.batch), C(place(c.m, c.n) * c.batch),
      D(place(c.m, c.n) * c.batch), want(place(c.m, c.n) * c.batch), bias(int64_t{c.m} * c.batch),
      scalars(2);
  A.fill(1);
  B.fill(2);
  C.fill(3);
  bias.fill(4);
  scalars.data()[0] = c.alpha;
  scalars.data()[1] = c.beta;
  for (const Floats* result : {&D, &want})
    for (int64_t l = 0; l < D.count(); ++l)
      result->data()[l] = c.is_in_place ? C.data()[l] : NOT_A_NUMBER;
  cublas::Descriptor product = nullptr, layouts[3] = {};
  Handle handle = nullptr;
  cublasLtCreate(&handle);
  cublasLtMatmulDescCreate(&product, c.compute, cublas::REAL_32F);
  const auto set = [&](Value attribute, const auto& value) {
    cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value);
  };
  set(cublas::LT_TRANS_A, c.trans_a);
  set(cublas::LT_TRANS_B, c.trans_b);
  set(cublas::LT_POINTER_MODE,
      c.has_device_scalars ? cublas::POINTERS_TO_DEVICE : cublas::POINTERS_TO_HOST);
  set(cublas::LT_EPILOGUE, c.epilogue);
  if ((c.epilogue & cublas::EPILOGUE_BIAS) != 0) {
    set(cublas::LT_BIAS_POINTER, bias.data());
    set(cublas::LT_BIAS_BATCH_STRIDE, int64_t{c.m});
  }
  c.change(product);
  const auto make_layout = [&](size_t i, int rows, int cols) {
    const int64_t ld = (c.order == cublas::ORDER_ROW ? cols : rows) + 1;
    cublasLtMatrixLayoutCreate(&layouts[i], c.type, static_cast<uint64_t>(rows),
                               static_cast<uint64_t>(cols), ld);
    const int64_t stride = place(rows, cols);
    cublasLtMatrixLayoutSetAttribute(layouts[i], cublas::LAYOUT_ORDER, &c.order, sizeof c.order);
    cublasLtMatrixLayoutSetAttribute(layouts[i], cublas::LAYOUT_BATCH_COUNT, &c.batch,
                                     sizeof c.batch);
    cublasLtMatrixLayoutSetAttribute(layouts[i], cublas::LAYOUT_STRIDE, &stride, sizeof stride);
  };
  make_layout(0, c.trans_a == cublas::OP_N ? c.m : c.k, c.trans_a == cublas::OP_N ? c.k : c.m);
  make_layout(1, c.trans_b == cublas::OP_N ? c.k : c.n, c.trans_b == cublas::OP_N ? c.n : c.k);
  make_layout(2, c.m, c.n);
  const float* const alpha = c.has_device_scalars ? scalars.data() : &c.alpha;
  const float* const beta = c.has_device_scalars ? scalars.data() + 1 : &c.beta;
  const auto run = [&](cublas::LtMatmul* matmul, float* result) {
    return matmul(
        handle, product, alpha, A.data(), layouts[0], B.data(), layouts[1], beta,
        c.is_in_place ? result : C.data(), layouts[2], result, layouts[2], nullptr,
        c.workspace == nullptr ? nullptr : c.workspace->data(),
        c.workspace == nullptr ? 0 : static_cast<size_t>(c.workspace->count()) * sizeof(float),
        nullptr);
  };
  const long before = standin_lt_calls("cublasLtMatmul");
  EXPECT_EQ(run(cublasLtMatmul, D.data()), cublas::SUCCESS);
  check(cudaDeviceSynchronize());
  const bool was_answered = standin_lt_calls("cublasLtMatmul") == before;

  void* const library = dlopen("libcublasLt.so.13", RTLD_LAZY | RTLD_NOLOAD);
  EXPECT_EQ(run(reinterpret_cast<cublas::LtMatmul*>(dlsym(library, "cublasLtMatmul")), want.data()),
            cublas::SUCCESS);
  check(cudaDeviceSynchronize());
  dlclose(library);
  const auto is_equal = [](float got, float wanted) {
    const bool is_unwritten = std::isnan(got) && std::isnan(wanted);
    return is_unwritten || std::abs(double{got} - double{wanted}) <= 1e-5;
  };
  EXPECT_TRUE(std::equal(D.data(), D.data() + D.count(), want.data(), is_equal));
  for (const cublas::Descriptor layout : layouts) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(product);
  cublasLtDestroy(handle);
  return was_answered;
}

TEST(Answers, LtMatmulWithEachEpilogue) {
  int number = 0;
  for (const Value epilogue :
       {cublas::EPILOGUE_DEFAULT, cublas::EPILOGUE_BIAS, cublas::EPILOGUE_RELU,
        cublas::EPILOGUE_RELU_BIAS, cublas::EPILOGUE_GELU, cublas::EPILOGUE_GELU_BIAS})
    for (const bool in_place : {false, true})
      for (const bool on_device : {false, true})
        for (const float beta : {0.0F, 0.5F}) {
          if (!is_chosen(number++)) continue;
          SCOPED_TRACE("epilogue " + std::to_string(epilogue) + (in_place ? " in place" : "") +
                       (on_device ? " device scalars" : "") + " beta " + std::to_string(beta));
          LtCall call{.beta = beta,
                      .epilogue = static_cast<uint32_t>(epilogue),
                      .is_in_place = in_place,
                      .has_device_scalars = on_device};
          call.trans_a = in_place ? cublas::OP_T : cublas::OP_N;  // as nn.Linear
          EXPECT_TRUE(is_answered(call));
        }
}

TEST(Answers, LtMatmulInRowsAndBatches) {
  for (const int32_t order : {cublas::ORDER_COL, cublas::ORDER_ROW})
    for (const Value trans_b : {cublas::OP_N, cublas::OP_T})
      for (const int32_t batch : {1, 3}) {
        SCOPED_TRACE("order " + std::to_string(order) + " batch " + std::to_string(batch));
        EXPECT_TRUE(is_answered(LtCall{
            .trans_b = trans_b,
            .beta = 1,
            .epilogue = static_cast<uint32_t>(
                order == cublas::ORDER_COL ? cublas::EPILOGUE_RELU_BIAS : cublas::EPILOGUE_RELU),
            .is_in_place = batch == 1,
            .order = order,
            .batch = batch}));
      }
}

TEST(Answers, LtMatmulInTheWorkspaceOfTheCall) {
  const Floats large(1 << 20, CANARY), small(64, CANARY);
  EXPECT_TRUE(is_answered(LtCall{.has_device_scalars = true, .workspace = &large}));
  EXPECT_NE(large.data()[0], CANARY);
  EXPECT_TRUE(is_answered(LtCall{.has_device_scalars = true, .workspace = &small}));
  EXPECT_EQ(small.data()[0], CANARY);
}

TEST(Answers, NoLtMatmulThatIsCublass) {
  const auto with = [](Value attribute, auto value) {
    return LtCall{.change = [=](cublas::Descriptor product) {
      cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value);
    }};
  };
  constexpr Value RELU_AUX = 130, COMPUTE_64F = 70;
  static const float scale = 1;
  EXPECT_FALSE(is_answered(with(cublas::LT_EPILOGUE, uint32_t{RELU_AUX})));
  EXPECT_FALSE(
      is_answered(with(cublas::LT_EPILOGUE, static_cast<uint32_t>(cublas::EPILOGUE_BIAS + 256))));
  EXPECT_FALSE(is_answered(with(cublas::LT_COMPUTE_TYPE, COMPUTE_64F)));
  EXPECT_FALSE(is_answered(with(cublas::LT_SCALE_TYPE, Value{1})));
  EXPECT_FALSE(is_answered(with(cublas::LT_POINTER_MODE, Value{3})));
  EXPECT_FALSE(is_answered(with(cublas::LT_SM_COUNT_TARGET, int32_t{16})));
  EXPECT_FALSE(is_answered(with(cublas::LT_A_SCALE_POINTER, &scale)));
  EXPECT_FALSE(is_answered(LtCall{.order = 2}));
  EXPECT_FALSE(is_answered(LtCall{.epilogue = cublas::EPILOGUE_BIAS, .order = cublas::ORDER_ROW}));
  EXPECT_FALSE(is_answered(LtCall{.type = 2}));
  const float one = 1;
  EXPECT_EQ(cublasLtMatmul(nullptr, nullptr, &one, nullptr, nullptr, nullptr, nullptr, &one,
                           nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, nullptr),
            cublas::INVALID_VALUE);
}

// ---- SGEMM_LADDER unset

constexpr Call LARGE{.m = 512, .n = 256, .k = 928, .gap = 0};

TEST(Automatic, AnswersWhatIsLarge) {
  const CublasHandle handle;
  standin_do_nothing(1);  // else the loops take long
  const long before = standin_calls("cublasSgemm_v2");
  const Problem problem(LARGE);
  EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
  check(cudaDeviceSynchronize());
  standin_do_nothing(0);
  EXPECT_EQ(standin_calls("cublasSgemm_v2"), before);
  EXPECT_EQ(problem.complaint(), "");  // so the ladder computed it
}

TEST(Automatic, ForwardsWhatIsSmall) {
  const CublasHandle handle;
  for (const auto& one : FUNCTIONS)
    EXPECT_FORWARDED(handle, (Call{.function = one.function, .m = 40, .n = 40, .k = 40}));
  EXPECT_FALSE(is_answered(LtCall{}));
}

TEST(Automatic, ForwardsWhatAllowsTf32) {
  const CublasHandle handle;
  const auto is_forwarded = [&](const Call& call) {
    // The loops of the stand-in would take long, so C stays as it was: nothing but NaNs.
    const Problem problem(call);
    standin_do_nothing(1);
    EXPECT_EQ(problem.run(handle), cublas::SUCCESS);
    check(cudaDeviceSynchronize());
    standin_do_nothing(0);
    return std::isnan(problem.result()[0]);
  };
  constexpr Value TENSOR_OP_MATH = 1, BF16X9_MATH = 4;
  for (const Value mode : {TENSOR_OP_MATH, cublas::TF32_MATH, BF16X9_MATH,
                           cublas::TF32_MATH | cublas::WITHOUT_REDUCED_PRECISION_REDUCTION}) {
    cublasSetMathMode(handle, mode);
    EXPECT_TRUE(is_forwarded(LARGE)) << mode;
  }
  Call pedantic = LARGE;
  pedantic.function = Function::gemm_ex;
  pedantic.compute = cublas::COMPUTE_32F_PEDANTIC;
  EXPECT_FALSE(is_forwarded(pedantic));
  cublasSetMathMode(handle, cublas::PEDANTIC_MATH | cublas::WITHOUT_REDUCED_PRECISION_REDUCTION);
  EXPECT_FALSE(is_forwarded(LARGE));
  for (const Value compute : {cublas::COMPUTE_32F_FAST_16F, cublas::COMPUTE_32F_FAST_16BF,
                              cublas::COMPUTE_32F_FAST_TF32, cublas::COMPUTE_32F_EMULATED_16BFX9}) {
    Call reduced = pedantic;
    reduced.compute = compute;
    EXPECT_TRUE(is_forwarded(reduced)) << compute;
  }
}

// A child that was forked before CUDA began computes as its parent does.
TEST(Automatic, WorksInAForkedChild) {
  const pid_t child = fork();
  if (child == 0) {
    const CublasHandle handle;
    EXPECT_FORWARDED(handle, (Call{.m = 40, .n = 40, .k = 40}));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// ---- SGEMM_LADDER=fp32

TEST(Reduced, IsAnsweredInFp32) {
  const CublasHandle handle;
  EXPECT_FORWARDED(handle, (Call{.m = 40, .n = 40, .k = 40}));  // cuBLAS is faster, in FP32
  cublasSetMathMode(handle, cublas::TF32_MATH);
  EXPECT_ANSWERED(handle, (Call{.m = 40, .n = 40, .k = 40}));
  EXPECT_TRUE(is_answered(LtCall{.compute = cublas::COMPUTE_32F_FAST_TF32}));
}

// ---- SGEMM_LADDER=off

TEST(Off, AnswersNothing) {
  const CublasHandle handle;
  cublasSetMathMode(handle, cublas::TF32_MATH);
  for (const auto& one : FUNCTIONS)
    EXPECT_FORWARDED(handle, (Call{.function = one.function, .m = 40, .n = 40, .k = 40}));
  EXPECT_FALSE(is_answered(LtCall{}));
}

// ---- Calls for the log, which preload_log_test runs and reads.

TEST(Logged, Calls) {
  const CublasHandle handle;
  for (int i = 0; i < 3; ++i)
    is_answered(handle, Call{.trans_a = cublas::OP_T, .m = 8, .n = 9, .k = 40});
  is_answered(handle, Call{.function = Function::strided, .m = 8, .n = 9, .k = 40, .batch = 2});
  is_answered(handle, Call{.m = 8, .n = 0, .k = 40});
  const pid_t child = fork();
  if (child == 0) std::exit(0);  // it has made no call, so it prints nothing
  waitpid(child, nullptr, 0);
}

}  // namespace
