// The library's functions: results, bad input, workspaces, errors of CUDA, threads. The linker passes some of the library's calls of CUDA
// through this file (--wrap), so that tests can count and refuse them.
#include "sgemm_ladder.h"

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "sgemm_ladder.hpp"

namespace {

// What the library asks of CUDA, and what the tests answer in its place.
struct Watched {
  std::atomic<int> allocations = 0;
  std::atomic<int64_t> live_bytes = 0, most_bytes = 0;  // each allocation in whole 256 bytes
  std::atomic<bool> has_no_memory = false;
  std::atomic<int> compute_capability = 0;  // 0: the device's own
} watched;

#ifdef SIMULATED_GPU
constexpr bool SIMULATED = true;
#else
constexpr bool SIMULATED = false;
#endif

constexpr int64_t whole(size_t bytes) { return (static_cast<int64_t>(bytes) + 255) / 256 * 256; }

std::mutex sizes_mutex;
std::map<void*, size_t> sizes;

}  // namespace

extern "C" {

// The names are the linker's. NOLINTBEGIN(bugprone-reserved-identifier)
cudaError_t __real_cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream);
cudaError_t __real_cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t __real_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

cudaError_t __wrap_cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  ++watched.allocations;
  if (watched.has_no_memory) bytes = size_t{1} << 60;
  const cudaError_t error = __real_cudaMallocAsync(pointer, bytes, stream);
  if (error != cudaSuccess) return error;
  const std::lock_guard lock(sizes_mutex);
  sizes[*pointer] = bytes;
  watched.live_bytes += whole(bytes);
  watched.most_bytes = std::max(watched.most_bytes.load(), watched.live_bytes.load());
  return error;
}

cudaError_t __wrap_cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const std::lock_guard lock(sizes_mutex);
  watched.live_bytes -= whole(sizes[pointer]);
  sizes.erase(pointer);
  return __real_cudaFreeAsync(pointer, stream);
}

cudaError_t __wrap_cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  const int capability = watched.compute_capability;
  if (capability != 0 && attribute == cudaDevAttrComputeCapabilityMajor) {
    *value = capability / 10;
    return cudaSuccess;
  }
  if (capability != 0 && attribute == cudaDevAttrComputeCapabilityMinor) {
    *value = capability % 10;
    return cudaSuccess;
  }
  return __real_cudaDeviceGetAttribute(value, attribute, device);
}
// NOLINTEND(bugprone-reserved-identifier)

}  // extern "C"

namespace {

constexpr int ROW = SGEMM_LADDER_ROW_MAJOR, COL = SGEMM_LADDER_COL_MAJOR;
constexpr int N = SGEMM_LADDER_NO_TRANS, T = SGEMM_LADDER_TRANS, H = SGEMM_LADDER_CONJ_TRANS;

void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

// Floats on the device.
class Floats {
 public:
  explicit Floats(const std::vector<float>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, std::max<size_t>(count_, 1) * sizeof(float)));
    if (count_ > 0)
      check(cudaMemcpy(data_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
  }
  ~Floats() { check(cudaFree(data_)); }
  Floats(const Floats&) = delete;
  Floats& operator=(const Floats&) = delete;
  float* data() const { return data_; }
  std::vector<float> values() const {
    std::vector<float> host(count_);
    if (count_ > 0)
      check(cudaMemcpy(host.data(), data_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  size_t count_;
  float* data_ = nullptr;
};

// A call, with leading dimensions that leave gaps of `gap`, and integers for elements, whose sums are exact.
struct Product {
  int order = ROW, trans_a = N, trans_b = N;
  int64_t m = 1, n = 1, k = 1;
  float alpha = 1, beta = 0;
  int64_t gap = 0, batch = 1;
  int32_t algorithm = SGEMM_LADDER_BEST;
  bool shares_a = false;
  int64_t offset = 0;  // of each matrix from a multiple of 256 bytes

  bool a_lies_as_rows() const { return (order == ROW) == (trans_a == N); }
  bool b_lies_as_rows() const { return (order == ROW) == (trans_b == N); }
  int64_t lda() const { return std::max<int64_t>(1, a_lies_as_rows() ? k : m) + gap; }
  int64_t ldb() const { return std::max<int64_t>(1, b_lies_as_rows() ? n : k) + gap; }
  int64_t ldc() const { return std::max<int64_t>(1, order == ROW ? n : m) + gap; }
  int64_t stride_a() const { return shares_a ? 0 : (a_lies_as_rows() ? m : k) * lda(); }
  int64_t stride_b() const { return (b_lies_as_rows() ? k : n) * ldb(); }
  int64_t stride_c() const { return (order == ROW ? m : n) * ldc(); }
  sgemm_ladder_options options() const {
    sgemm_ladder_options made = SGEMM_LADDER_OPTIONS_INIT;
    made.algorithm = algorithm;
    return made;
  }
  std::string name() const {
    return std::to_string(order) + " " + std::to_string(trans_a) + " " + std::to_string(trans_b) +
           " " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) + " batch " +
           std::to_string(batch) + " algorithm " + std::to_string(algorithm) + " offset " +
           std::to_string(offset);
  }
};

// True if the device can run rung 16.
bool has_tensor_fp32() {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  return major == 9 && minor == 0;
}

std::vector<float> numbers(int64_t count, int seed) {
  std::vector<float> made(static_cast<size_t>(count));
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761u + 1;
  for (float& x : made) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int>(state >> 28) - 8);
  }
  return made;
}

// The matrices of a call, on the device.
struct Matrices {
  explicit Matrices(const Product& p)
      : product(p),
        host_a(numbers(
            p.offset + p.stride_a() * (p.batch - 1) + (p.a_lies_as_rows() ? p.m : p.k) * p.lda(),
            1)),
        host_b(numbers(p.offset + p.stride_b() * p.batch, 2)),
        host_c(numbers(p.offset + p.stride_c() * p.batch, 3)),
        a(host_a),
        b(host_b),
        c(host_c) {}

  sgemm_ladder_status run(const sgemm_ladder_options& options,
                          cudaStream_t stream = nullptr) const {
    const Product& p = product;
    return sgemm_ladder_sgemm_ex(p.order, p.trans_a, p.trans_b, p.m, p.n, p.k, p.alpha,
                                 a.data() + p.offset, p.lda(), p.stride_a(), b.data() + p.offset,
                                 p.ldb(), p.stride_b(), p.beta, c.data() + p.offset, p.ldc(),
                                 p.stride_c(), p.batch, stream, &options);
  }
  sgemm_ladder_status run() const { return run(product.options()); }
  size_t workspace() const {
    const Product& p = product;
    const sgemm_ladder_options options = p.options();
    size_t bytes = 12345;
    EXPECT_EQ(sgemm_ladder_workspace_bytes(
                  p.order, p.trans_a, p.trans_b, p.m, p.n, p.k, p.alpha, a.data() + p.offset,
                  p.lda(), p.stride_a(), b.data() + p.offset, p.ldb(), p.stride_b(), p.beta,
                  c.data() + p.offset, p.ldc(), p.stride_c(), p.batch, &options, &bytes),
              SGEMM_LADDER_OK)
        << sgemm_ladder_last_error();
    return bytes;
  }

  // Returns C as it should be, with its gaps.
  std::vector<float> wanted() const {
    const Product& p = product;
    std::vector<float> want = host_c;
    const auto at = [](bool rows, int64_t ld, int64_t i, int64_t j) {
      return rows ? i * ld + j : i + j * ld;
    };
    const bool rows = p.order == ROW, ta = p.trans_a != N, tb = p.trans_b != N;
    for (int64_t i = 0; i < p.batch; ++i) {
      for (int64_t r = 0; r < p.m; ++r) {
        for (int64_t s = 0; s < p.n; ++s) {
          double sum = 0;
          for (int64_t x = 0; x < p.k; ++x) {
            sum += double{host_a[static_cast<size_t>(p.offset + i * p.stride_a() +
                                                     at(rows != ta, p.lda(), r, x))]} *
                   host_b[static_cast<size_t>(p.offset + i * p.stride_b() +
                                              at(rows != tb, p.ldb(), x, s))];
          }
          float& to =
              want[static_cast<size_t>(p.offset + i * p.stride_c() + at(rows, p.ldc(), r, s))];
          to = static_cast<float>(p.alpha * sum + (p.beta == 0 ? 0 : double{p.beta} * to));
        }
      }
    }
    return want;
  }

  Product product;
  std::vector<float> host_a, host_b, host_c;
  Floats a, b, c;
};

void expect_right(const Matrices& matrices) {
  check(cudaDeviceSynchronize());
  const std::vector<float> got = matrices.c.values(), want = matrices.wanted();
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got[i], want[i]) << matrices.product.name() << ", element " << i;
  }
}

TEST(Library, ComputesWhatBlasComputes) {
  for (const int order : {ROW, COL}) {
    for (const int trans_a : {N, T, H}) {
      for (const int trans_b : {N, T}) {
        for (const int32_t algorithm :
             {SGEMM_LADDER_BEST, SGEMM_LADDER_STREAM_K, SGEMM_LADDER_TENSOR_FP32}) {
          if (algorithm == SGEMM_LADDER_TENSOR_FP32 && !has_tensor_fp32()) continue;
          const Matrices of({.order = order,
                             .trans_a = trans_a,
                             .trans_b = trans_b,
                             .m = 33,
                             .n = 20,
                             .k = 48,
                             .alpha = 2,
                             .beta = -1,
                             .gap = 3,
                             .algorithm = algorithm});
          ASSERT_EQ(of.run(), SGEMM_LADDER_OK) << sgemm_ladder_last_error();
          expect_right(of);
        }
      }
    }
  }
}

TEST(Library, ComputesBatches) {
  for (const int order : {ROW, COL}) {
    for (const bool shares_a : {false, true}) {
      const Matrices of({.order = order,
                         .trans_a = T,
                         .m = 5,
                         .n = 9,
                         .k = 7,
                         .alpha = 1,
                         .beta = 1,
                         .gap = 1,
                         .batch = 4,
                         .shares_a = shares_a});
      const Product& p = of.product;
      ASSERT_EQ(sgemm_ladder_sgemm_strided_batched(
                    p.order, p.trans_a, p.trans_b, p.m, p.n, p.k, p.alpha, of.a.data(), p.lda(),
                    p.stride_a(), of.b.data(), p.ldb(), p.stride_b(), p.beta, of.c.data(), p.ldc(),
                    p.stride_c(), p.batch, nullptr),
                SGEMM_LADDER_OK)
          << sgemm_ladder_last_error();
      expect_right(of);
    }
  }
}

TEST(Library, HasTheRulesOfBlasForNothing) {
  const Floats c({std::numeric_limits<float>::quiet_NaN(), 2, 3, 4});
  // Nothing to do: no pointer is needed.
  EXPECT_EQ(
      sgemm_ladder_sgemm(ROW, N, N, 0, 5, 5, 1, nullptr, 5, nullptr, 5, 0, nullptr, 5, nullptr),
      SGEMM_LADDER_OK);
  EXPECT_EQ(sgemm_ladder_sgemm_strided_batched(ROW, N, N, 2, 2, 2, 1, nullptr, 2, 0, nullptr, 2, 0,
                                               0, nullptr, 2, 0, 0, nullptr),
            SGEMM_LADDER_OK);
  // alpha = 0 and k = 0 do not read A and B; beta = 0 does not read C.
  EXPECT_EQ(
      sgemm_ladder_sgemm(ROW, N, N, 1, 1, 1, 0, nullptr, 1, nullptr, 1, 0, c.data(), 1, nullptr),
      SGEMM_LADDER_OK);
  EXPECT_EQ(sgemm_ladder_sgemm(COL, N, N, 3, 1, 0, 1, nullptr, 3, nullptr, 1, 2, c.data() + 1, 3,
                               nullptr),
            SGEMM_LADDER_OK);
  EXPECT_THAT(c.values(), testing::ElementsAre(0, 4, 6, 8));
}

// Calls whose workspaces differ in kind, for this device.
std::vector<Product> workspaces() {
  const int32_t twelve = SGEMM_LADDER_STREAM_K, sixteen = SGEMM_LADDER_TENSOR_FP32;
  std::vector<Product> all{
      {.m = 8, .n = 8, .k = 8, .algorithm = twelve},                     // none
      {.m = 2, .n = 40, .k = 3000, .algorithm = twelve},                 // parts of few rows
      {.m = 40, .n = 3, .k = 3000, .algorithm = twelve},                 // of few columns
      {.m = 64, .n = 64, .k = 1000, .algorithm = twelve},                // parts of tiles
      {.trans_a = T, .m = 64, .n = 64, .k = 1000, .algorithm = twelve},  // a copy and parts
      {.order = COL, .trans_a = T, .trans_b = T, .m = 65, .n = 63, .k = 500, .algorithm = twelve},
      {.trans_b = T, .m = 1, .n = 70, .k = 900, .algorithm = twelve},  // exchanged sides
      {.trans_a = T,
       .trans_b = T,
       .m = 20,
       .n = 24,
       .k = 16,
       .batch = 7,
       .algorithm = twelve},  // together
      {.trans_a = T,
       .m = 64,
       .n = 64,
       .k = 1000,
       .batch = 2,
       .algorithm = twelve},                                            // one after the other
      {.m = 64, .n = 64, .k = 1000, .algorithm = twelve, .offset = 1},  // not aligned
      {.m = 70, .n = 50, .k = 64, .algorithm = sixteen},
      {.trans_a = T, .m = 70, .n = 50, .k = 1100, .algorithm = sixteen},  // parts of K
      {.m = 33, .n = 50, .k = 40, .batch = 3, .algorithm = sixteen},
      {.m = 33, .n = 50, .k = 8, .algorithm = sixteen},  // FP64
      {.order = COL, .m = 100, .n = 90, .k = 80},
  };
  std::erase_if(all, [](const Product& product) {
    return product.algorithm == SGEMM_LADDER_TENSOR_FP32 && !has_tensor_fp32();
  });
  return all;
}

TEST(Workspace, IsExactlyWhatTheCallTakesFromThePool) {
  int with = 0;
  for (const Product& product : workspaces()) {
    const Matrices of(product);
    const size_t bytes = of.workspace();
    watched.most_bytes = 0;
    ASSERT_EQ(of.run(), SGEMM_LADDER_OK) << sgemm_ladder_last_error();
    EXPECT_EQ(static_cast<int64_t>(bytes), watched.most_bytes) << product.name();
    EXPECT_EQ(watched.live_bytes, 0) << product.name();
    expect_right(of);
    with += bytes > 0;
  }
  EXPECT_GE(with, 8);
}

TEST(Workspace, OfExactlyThatManyBytesSufficesAndNothingIsAllocated) {
  for (const Product& product : workspaces()) {
    const Matrices of(product);
    const size_t bytes = of.workspace();
    if (bytes == 0) continue;
    const Floats memory(
        std::vector<float>(bytes / sizeof(float)));  // the simulated GPU finds accesses behind it
    sgemm_ladder_options options = product.options();
    options.workspace = memory.data();
    options.workspace_bytes = bytes;
    watched.allocations = 0;
    ASSERT_EQ(of.run(options), SGEMM_LADDER_OK) << sgemm_ladder_last_error();
    EXPECT_EQ(watched.allocations, 0) << product.name();
    expect_right(of);
  }
}

TEST(Workspace, ThatIsTooSmallIsRefusedBeforeAnythingIsWritten) {
  for (const Product& product : workspaces()) {
    const Matrices of(product);
    const size_t bytes = of.workspace();
    if (bytes == 0) continue;
    const Floats memory(std::vector<float>(bytes / sizeof(float)));
    sgemm_ladder_options options = product.options();
    options.workspace = memory.data();
    options.workspace_bytes = bytes - 1;
    EXPECT_EQ(of.run(options), SGEMM_LADDER_INVALID_ARGUMENT);
    EXPECT_EQ(sgemm_ladder_last_error(),
              "sgemm_ladder_sgemm_ex: argument 20 (options) has a workspace of " +
                  std::to_string(bytes - 1) + " bytes; this call needs " + std::to_string(bytes));
    check(cudaDeviceSynchronize());
    EXPECT_EQ(of.c.values(), of.host_c) << product.name();
  }
}

TEST(Workspace, OfNullPointersIsThatOfAlignedOnes) {
  size_t with = 0, without = 1;
  for (const float* pointer :
       {static_cast<const float*>(nullptr), reinterpret_cast<const float*>(256)}) {
    size_t& bytes = pointer == nullptr ? without : with;
    ASSERT_EQ(sgemm_ladder_workspace_bytes(ROW, N, N, 64, 64, 1000, 1, pointer, 1000, 0, pointer,
                                           64, 0, 0, pointer, 64, 0, 1, nullptr, &bytes),
              SGEMM_LADDER_OK)
        << sgemm_ladder_last_error();
  }
  EXPECT_EQ(with, without);
  EXPECT_GT(with, 0u);
}

// The arguments of sgemm_ladder_sgemm_ex(): of a right call, unless changed.
struct Arguments {
  int order = ROW, trans_a = N, trans_b = N;
  int64_t m = 3, n = 4, k = 5;
  float alpha = 1;
  const float* A = nullptr;
  int64_t lda = 5, stride_a = 15;
  const float* B = nullptr;
  int64_t ldb = 4, stride_b = 20;
  float beta = 0;
  float* C = nullptr;
  int64_t ldc = 4, stride_c = 12, batch = 2;
  sgemm_ladder_options options = SGEMM_LADDER_OPTIONS_INIT;
};

TEST(BadInput, IsToldByArgumentValueAndWhatIsAllowed) {
  const Floats memory(std::vector<float>(200));
  float* const at = memory.data();
  const auto odd = reinterpret_cast<float*>(reinterpret_cast<char*>(at) + 2);
  const auto text_of = [](const void* pointer) {
    char text[40];
    std::snprintf(text, sizeof text, "%p", pointer);
    return std::string(text);
  };
  constexpr int64_t HUGE = int64_t{1} << 61;
  struct Larger {
    sgemm_ladder_options known = SGEMM_LADDER_OPTIONS_INIT;
    int64_t unknown = 0;
  };
  struct Case {
    std::function<void(Arguments&)> change;
    std::string said;  // "" if the call is right
  };
  const std::vector<Case> cases{
      {[](Arguments&) {}, ""},
      {[](Arguments& a) { a.order = 0; },
       "argument 1 (order) is 0; 101 (row-major) and 102 (column-major) are allowed"},
      {[](Arguments& a) { a.order = 111; },
       "argument 1 (order) is 111; 101 (row-major) and 102 (column-major) are allowed"},
      {[](Arguments& a) { a.trans_a = 110; },
       "argument 2 (trans_a) is 110; 111 (no transpose), 112 (transpose) and 113 (conjugate "
       "transpose) are allowed"},
      {[](Arguments& a) { a.trans_b = 114; },
       "argument 3 (trans_b) is 114; 111 (no transpose), 112 (transpose) and 113 (conjugate "
       "transpose) are allowed"},
      {[](Arguments& a) { a.m = -1; }, "argument 4 (m) is -1; it must be at least 0"},
      {[](Arguments& a) { a.n = -7; }, "argument 5 (n) is -7; it must be at least 0"},
      {[](Arguments& a) { a.k = INT64_MIN; },
       "argument 6 (k) is -9223372036854775808; it must be at least 0"},
      {[](Arguments& a) { a.A = nullptr; },
       "argument 8 (A) is null; it must be a pointer to device memory"},
      {[=](Arguments& a) { a.A = odd; },
       "argument 8 (A) is " + text_of(odd) + "; it must be a multiple of 4"},
      {[](Arguments& a) { a.lda = 4; }, "argument 9 (lda) is 4; it must be at least k, which is 5"},
      {[](Arguments& a) {
         a.trans_a = T;
         a.lda = 2;
       },
       "argument 9 (lda) is 2; it must be at least m, which is 3"},
      {[](Arguments& a) {
         a.order = COL;
         a.lda = 2;
       },
       "argument 9 (lda) is 2; it must be at least m, which is 3"},
      {[](Arguments& a) {
         a.k = 0;
         a.lda = 0;
       },
       "argument 9 (lda) is 0; it must be at least 1"},
      {[](Arguments& a) { a.lda = INT64_MAX; },
       "argument 9 (lda) is 9223372036854775807; the matrix would be larger than the memory that a "
       "pointer can address"},
      {[](Arguments& a) { a.stride_a = -1; },
       "argument 10 (stride_a) is -1; it must be at least 0"},
      {[](Arguments& a) { a.stride_a = HUGE; },
       "argument 10 (stride_a) is 2305843009213693952; 2 matrices at this distance would be larger "
       "than the memory that a pointer can address"},
      {[](Arguments& a) { a.stride_a = 0; }, ""},
      {[](Arguments& a) { a.B = nullptr; },
       "argument 11 (B) is null; it must be a pointer to device memory"},
      {[](Arguments& a) { a.ldb = 3; },
       "argument 12 (ldb) is 3; it must be at least n, which is 4"},
      {[](Arguments& a) {
         a.trans_b = T;
         a.ldb = 4;
       },
       "argument 12 (ldb) is 4; it must be at least k, which is 5"},
      {[](Arguments& a) { a.stride_b = -2; },
       "argument 13 (stride_b) is -2; it must be at least 0"},
      {[](Arguments& a) { a.C = nullptr; },
       "argument 15 (C) is null; it must be a pointer to device memory"},
      {[=](Arguments& a) { a.C = odd; },
       "argument 15 (C) is " + text_of(odd) + "; it must be a multiple of 4"},
      {[](Arguments& a) { a.ldc = 3; },
       "argument 16 (ldc) is 3; it must be at least n, which is 4"},
      {[](Arguments& a) {
         a.order = COL;
         a.ldc = 2;
         a.ldb = 5;
       },
       "argument 16 (ldc) is 2; it must be at least m, which is 3"},
      {[](Arguments& a) { a.stride_c = -12; },
       "argument 17 (stride_c) is -12; it must be at least 0"},
      {[](Arguments& a) { a.stride_c = 11; },
       "argument 17 (stride_c) is 11; it must be at least 12, or the results overlap"},
      {[](Arguments& a) { a.batch = -1; }, "argument 18 (batch) is -1; it must be at least 0"},
      {[](Arguments& a) { a.options.struct_size = 0; },
       "argument 20 (options) has a struct_size of 0; it must be sizeof(sgemm_ladder_options), "
       "which is 32"},
      {[](Arguments& a) { a.options.struct_size = 1 << 20; },
       "argument 20 (options) has a struct_size of 1048576, and sets options that version 1.0.0 "
       "does not know; it knows 32 bytes"},
      {[](Arguments& a) { a.options.algorithm = 13; },
       "argument 20 (options) has the algorithm 13; 0 (best), 12 (stream_k) and 16 (tensor_fp32) "
       "are allowed"},
      {[](Arguments& a) { a.options.reserved = 1; },
       "argument 20 (options) has 1 as reserved; it must be 0"},
      {[=](Arguments& a) {
         a.options.workspace = at + 1;
         a.options.workspace_bytes = 100;
       },
       "argument 20 (options) has the workspace " + text_of(at + 1) +
           "; it must be a multiple of 256"},
      {[](Arguments& a) { a.options.workspace_bytes = 100; },
       "argument 20 (options) has no workspace, and workspace_bytes is 100; it must be 0 then"},
  };
  const std::string function = "sgemm_ladder_sgemm_ex: ";
  for (const Case& one : cases) {
    Arguments a{.A = at, .B = at + 50, .C = at + 100};
    one.change(a);
    const sgemm_ladder_status status = sgemm_ladder_sgemm_ex(
        a.order, a.trans_a, a.trans_b, a.m, a.n, a.k, a.alpha, a.A, a.lda, a.stride_a, a.B, a.ldb,
        a.stride_b, a.beta, a.C, a.ldc, a.stride_c, a.batch, nullptr, &a.options);
    EXPECT_EQ(status, one.said.empty() ? SGEMM_LADDER_OK : SGEMM_LADDER_INVALID_ARGUMENT)
        << one.said;
    EXPECT_EQ(sgemm_ladder_last_error(), one.said.empty() ? "" : function + one.said);
  }
  // Options of a later version are refused if they are set.
  Larger larger;
  larger.known.struct_size = sizeof larger;
  const auto run = [&] {
    return sgemm_ladder_sgemm_ex(ROW, N, N, 1, 1, 1, 1, at, 1, 0, at, 1, 0, 0, at + 100, 1, 0, 1,
                                 nullptr, &larger.known);
  };
  EXPECT_EQ(run(), SGEMM_LADDER_OK) << sgemm_ladder_last_error();
  larger.unknown = 1;
  EXPECT_EQ(run(), SGEMM_LADDER_INVALID_ARGUMENT);
  check(cudaDeviceSynchronize());
}

TEST(BadInput, HasTheNumberInTheListOfTheFunctionThatWasCalled) {
  EXPECT_EQ(
      sgemm_ladder_sgemm(ROW, N, N, 1, 1, 1, 1, nullptr, 1, nullptr, 1, 0, nullptr, 0, nullptr),
      SGEMM_LADDER_INVALID_ARGUMENT);
  EXPECT_STREQ(sgemm_ladder_last_error(),
               "sgemm_ladder_sgemm: argument 8 (A) is null; it must be a pointer to device memory");
  EXPECT_EQ(
      sgemm_ladder_sgemm(ROW, N, N, 1, 1, 1, 0, nullptr, 1, nullptr, 1, 0, nullptr, 0, nullptr),
      SGEMM_LADDER_INVALID_ARGUMENT);
  EXPECT_STREQ(
      sgemm_ladder_last_error(),
      "sgemm_ladder_sgemm: argument 13 (C) is null; it must be a pointer to device memory");
  EXPECT_EQ(sgemm_ladder_sgemm_strided_batched(ROW, N, N, 1, 1, 1, 0, nullptr, 1, 0, nullptr, 1, 0,
                                               0, nullptr, 1, 0, -1, nullptr),
            SGEMM_LADDER_INVALID_ARGUMENT);
  EXPECT_STREQ(sgemm_ladder_last_error(),
               "sgemm_ladder_sgemm_strided_batched: argument 15 (C) is null; it must be a pointer "
               "to device memory");
  EXPECT_EQ(sgemm_ladder_workspace_bytes(ROW, N, N, 1, 1, 1, 1, nullptr, 1, 0, nullptr, 1, 0, 0,
                                         nullptr, 1, 0, 1, nullptr, nullptr),
            SGEMM_LADDER_INVALID_ARGUMENT);
  EXPECT_STREQ(sgemm_ladder_last_error(),
               "sgemm_ladder_workspace_bytes: argument 20 (bytes) is null; it must be the address "
               "of a size_t");
}

TEST(BadInput, IsForgottenByTheNextCallAndByNoOtherThread) {
  EXPECT_EQ(sgemm_ladder_sgemm(0, N, N, 0, 0, 0, 1, nullptr, 1, nullptr, 1, 0, nullptr, 1, nullptr),
            SGEMM_LADDER_INVALID_ARGUMENT);
  std::thread([] { EXPECT_STREQ(sgemm_ladder_last_error(), ""); }).join();
  EXPECT_STRNE(sgemm_ladder_last_error(), "");
  EXPECT_EQ(
      sgemm_ladder_sgemm(ROW, N, N, 0, 0, 0, 1, nullptr, 1, nullptr, 1, 0, nullptr, 1, nullptr),
      SGEMM_LADDER_OK);
  EXPECT_STREQ(sgemm_ladder_last_error(), "");
}

TEST(Device, ThatIsTooOldIsRefused) {
  const Matrices of({.m = 4, .n = 4, .k = 40});
  watched.compute_capability = 75;
  EXPECT_EQ(of.run(), SGEMM_LADDER_NOT_SUPPORTED);
  EXPECT_STREQ(sgemm_ladder_last_error(),
               "sgemm_ladder_sgemm_ex: the current GPU has compute capability 7.5; sgemm_ladder "
               "needs 8.0 or later");
  sgemm_ladder_options options = SGEMM_LADDER_OPTIONS_INIT;
  options.algorithm = SGEMM_LADDER_TENSOR_FP32;
  watched.compute_capability = 100;
  EXPECT_EQ(of.run(options), SGEMM_LADDER_NOT_SUPPORTED);
  EXPECT_STREQ(
      sgemm_ladder_last_error(),
      "sgemm_ladder_sgemm_ex: the current GPU has compute capability 10.0; tensor_fp32 needs 9.0");
  watched.compute_capability = 0;
  EXPECT_EQ(of.run(options), has_tensor_fp32() ? SGEMM_LADDER_OK : SGEMM_LADDER_NOT_SUPPORTED);
  check(cudaDeviceSynchronize());
}

TEST(CudaErrors, FromBeforeTheCallStayPending) {
  for (const Product& product : workspaces()) {
    const Matrices of(product);
    EXPECT_EQ(cudaSetDevice(12345), cudaErrorInvalidDevice);
    EXPECT_EQ(of.run(), SGEMM_LADDER_OK) << product.name() << ": " << sgemm_ladder_last_error();
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice) << product.name();
    expect_right(of);
  }
}

TEST(CudaErrors, OfTheCallAreItsStatusAndDoNotStayPending) {
  for (const Product& product : workspaces()) {
    const Matrices of(product);
    if (of.workspace() == 0) continue;
    watched.has_no_memory = true;
    EXPECT_EQ(of.run(), SGEMM_LADDER_OUT_OF_MEMORY) << product.name();
    watched.has_no_memory = false;
    EXPECT_STREQ(sgemm_ladder_last_error(),
                 "sgemm_ladder_sgemm_ex: the device has too little free memory for the workspace "
                 "(cudaErrorMemoryAllocation)");
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << product.name();
    EXPECT_EQ(watched.live_bytes, 0);
  }
  check(cudaDeviceSynchronize());
}

// Every call is right, though all threads use the library at once, each with streams of its own.
TEST(Threads, ComputeAtOnce) {
  constexpr int THREADS = 8, STREAMS = 8, CALLS = 3;
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < THREADS; ++t) {
    threads.emplace_back([t, &right] {
      std::vector<cudaStream_t> streams(STREAMS);
      for (cudaStream_t& stream : streams)
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int call = 0; call < CALLS; ++call) {
        std::vector<std::unique_ptr<Matrices>> all;
        for (int s = 0; s < STREAMS; ++s) {
          all.push_back(std::make_unique<Matrices>(
              Product{.order = s % 2 == 0 ? ROW : COL,
                      .trans_a = t % 2 == 0 ? N : T,
                      .m = 10 + t,
                      .n = 20 + s,
                      .k = 40 + 10 * call,
                      .algorithm = call == 1 && has_tensor_fp32() ? SGEMM_LADDER_TENSOR_FP32
                                                                  : SGEMM_LADDER_BEST}));
        }
        for (size_t s = 0; s < STREAMS; ++s) {
          ASSERT_EQ(all[s]->run(all[s]->product.options(), streams[s]), SGEMM_LADDER_OK)
              << sgemm_ladder_last_error();
        }
        for (size_t s = 0; s < STREAMS; ++s) {
          check(cudaStreamSynchronize(streams[s]));
          ASSERT_EQ(all[s]->c.values(), all[s]->wanted()) << all[s]->product.name();
          ++right;
        }
      }
      for (const cudaStream_t stream : streams) check(cudaStreamDestroy(stream));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, THREADS * STREAMS * CALLS);
}

// CUDA works in no child of a process that has used it. A call there ends with a status.
TEST(Fork, EndsWithAStatusInTheChild) {
  const Matrices of({.m = 4, .n = 4, .k = 40});
  ASSERT_EQ(of.run(), SGEMM_LADDER_OK) << sgemm_ladder_last_error();
  check(cudaDeviceSynchronize());
  const pid_t child = fork();
  if (child == 0) {
    const sgemm_ladder_status status = of.run();
    const bool is_told = (status == SGEMM_LADDER_OK) == (*sgemm_ladder_last_error() == '\0');
    _exit(is_told && (status == SGEMM_LADDER_OK || status == SGEMM_LADDER_CUDA_ERROR) ? 0 : 1);
  }
  int ended = 0;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0) << ended;
}

TEST(Memory, IsAllGivenBack) {
  const auto free_bytes = [] {
    size_t free = 0, total = 0;
    check(cudaDeviceSynchronize());
    check(cudaMemGetInfo(&free, &total));
    return free;
  };
  const auto use = [] {
    for (const Product& product : {workspaces()[1], workspaces()[5], workspaces()[7]}) {
      const Matrices of(product);
      EXPECT_EQ(of.run(), SGEMM_LADDER_OK);
      check(cudaDeviceSynchronize());
    }
  };
  use();  // the pool keeps what one call takes
  const size_t before = free_bytes();
  for (int i = 0; i < 3; ++i) use();
  EXPECT_EQ(watched.live_bytes, 0);
  if (SIMULATED) {  // a device may have other users
    EXPECT_EQ(free_bytes(), before);
  }
}

TEST(Texts, AreThoseOfTheVersionAndOfEveryStatus) {
  EXPECT_EQ(sgemm_ladder_version(), SGEMM_LADDER_VERSION);
  EXPECT_EQ(SGEMM_LADDER_VERSION, 10000);
  EXPECT_STREQ(sgemm_ladder_error_string(SGEMM_LADDER_OK), "the product was launched");
  EXPECT_STREQ(sgemm_ladder_error_string(SGEMM_LADDER_INVALID_ARGUMENT),
               "an argument is not allowed");
  EXPECT_STREQ(sgemm_ladder_error_string(SGEMM_LADDER_NOT_SUPPORTED),
               "the current GPU cannot compute this");
  EXPECT_STREQ(sgemm_ladder_error_string(SGEMM_LADDER_OUT_OF_MEMORY),
               "the device has too little memory for the workspace");
  EXPECT_STREQ(sgemm_ladder_error_string(SGEMM_LADDER_CUDA_ERROR), "CUDA failed");
}

TEST(Cpp, ThrowsTheTextAndComputes) {
  using namespace sgemm_ladder;
  const Floats a({1, 2, 3, 4}), b({5, 6, 7, 8}), c({0, 0, 0, 0});
  sgemm(Order::row_major, Op::none, Op::transpose, 2, 2, 2, 1, a.data(), 2, b.data(), 2, 0,
        c.data(), 2);
  EXPECT_THAT(c.values(), testing::ElementsAre(17, 23, 39, 53));
  sgemm_batch(Order::col_major, Op::none, Op::none, 1, 1, 2, 1, a.data(), 1, b.data(), 2, 0,
              c.data(), 1, {.count = 2, .stride_a = 2, .stride_b = 2, .stride_c = 1});
  EXPECT_THAT(c.values(), testing::ElementsAre(17, 53, 39, 53));
  EXPECT_EQ(workspace_bytes(Order::row_major, Op::none, Op::none, 2, 2, 2, 1, nullptr, 2, nullptr,
                            2, 0, nullptr, 2),
            0u);
  try {
    sgemm(Order::row_major, Op::none, Op::none, -2, 2, 2, 1, a.data(), 2, b.data(), 2, 0, c.data(),
          2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), SGEMM_LADDER_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(),
                 "sgemm_ladder_sgemm_ex: argument 4 (m) is -2; it must be at least 0");
  }
}

}  // namespace
