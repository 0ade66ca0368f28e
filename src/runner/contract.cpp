#include "runner/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "results/metrics.hpp"
#include "runner/device_buffer.hpp"
#include "runner/inputs.hpp"
#include "runner/machine.hpp"
#include "runner/product.hpp"
#include "runner/verify.hpp"

namespace runner {
namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::dense_problem;
using results::Problem;

struct Shape {
  int64_t M, N, K;
};

struct Factors {
  float alpha, beta;
};

// The guard bands are asked for on the simulator too, so that a stray access shows as it does on a GPU.
constexpr int64_t GUARD = 256;
constexpr Layout ALIGNED{.guard = GUARD, .offset = 0};
constexpr Layout UNALIGNED{.guard = GUARD, .offset = 1};

Problem dense(const Shape& s, Factors f) {
  Problem p = dense_problem(s.M, s.N, s.K);
  p.alpha = f.alpha;
  p.beta = f.beta;
  p.seed = 7;
  return p;
}

Problem padded(const Shape& s, Factors f, int64_t a, int64_t b, int64_t c) {
  Problem p = dense(s, f);
  p.lda += a;
  p.ldb += b;
  p.ldc += c;
  return p;
}

// "33x65x40, lda 40, ldb 65, ldc 65, alpha 1, beta 0"
std::string describe(const Problem& p) {
  return fmt::format("{}, lda {}, ldb {}, ldc {}, alpha {}, beta {}", p.size(), p.lda, p.ldb, p.ldc,
                     p.alpha, p.beta);
}

std::string describe_offset(int64_t floats) {
  return floats == 0 ? "on a 256-byte boundary"
                     : fmt::format("{} bytes past a 256-byte boundary",
                                   floats * static_cast<int64_t>(sizeof(float)));
}

std::string describe(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

cudaError_t launch_and_wait(const Rung& rung, const Sgemm& sgemm, cudaStream_t stream = nullptr) {
  name_matrices(sgemm);
  const cudaError_t error = ladder::launch(rung, sgemm, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

// Puts a trial to the verifier. Its complaint, with the problem and `where` the matrices lie.
std::string complaint_of(const Problem& p, Layout layout, const std::string& where,
                         const Trial& trial) {
  const Verdict verdict = Verifier(p, layout).check(trial);
  if (verdict.correct) return "";
  return fmt::format("{} at {}, {}", verdict.complaint, describe(p), where);
}

std::string complaint_of(const Rung& rung, const Problem& p, Layout layout) {
  return complaint_of(p, layout, fmt::format("the matrices {}", describe_offset(layout.offset)),
                      [&](const Sgemm& sgemm, Values) { return launch_and_wait(rung, sgemm); });
}

// --- shapes, factors, leading dimensions ------------------------------------------------------------------

// Tiny, ragged, skinny, and multiples of the tiles' sizes. None is square, so that swapped indices show.
constexpr Shape SHAPES[] = {
    {1, 1, 1},       {1, 1, 257},    {2, 3, 5},      {31, 33, 35},   {33, 31, 1},    {64, 32, 96},
    {65, 129, 33},   {1, 127, 65},   {127, 1, 65},   {3, 257, 4},    {257, 3, 130},  {128, 64, 8},
    {129, 130, 131}, {128, 256, 64}, {256, 128, 32}, {1, 1024, 64},  {1024, 1, 64},  {4, 300, 512},
    {16, 200, 16},   {200, 16, 300}, {64, 48, 1024}, {300, 270, 70}, {100, 100, 99}, {90, 7, 70},
};

std::string dense_shapes(const Rung& rung) {
  for (const Shape& s : SHAPES) {
    if (auto found = complaint_of(rung, dense(s, {1, 0}), ALIGNED); !found.empty()) return found;
  }
  return "";
}

std::string padded_unaligned_shapes(const Rung& rung) {
  for (const Shape& s : SHAPES) {
    const Problem p = padded(s, {-0.5F, 1.5F}, 3, 5, 7);
    if (auto found = complaint_of(rung, p, UNALIGNED); !found.empty()) return found;
  }
  return "";
}

std::string alpha_and_beta(const Rung& rung) {
  for (const Factors f : {Factors{2, 0}, {-0.5F, 1.5F}, {0, 2}, {0, 0}, {1, 1}, {1, -1}}) {
    for (const Problem& p : {dense({33, 65, 40}, f), padded({128, 64, 32}, f, 4, 4, 4)}) {
      if (auto found = complaint_of(rung, p, ALIGNED); !found.empty()) return found;
    }
  }
  return "";
}

// Each matrix on and off the vector paths' alignment by its leading dimension.
std::string leading_dimensions(const Rung& rung) {
  for (const int64_t a : {0, 1, 4}) {
    for (const int64_t b : {0, 2, 8}) {
      for (const int64_t c : {0, 3, 4}) {
        const Problem p = padded({132, 68, 36}, {1, 1}, a, b, c);
        if (auto found = complaint_of(rung, p, ALIGNED); !found.empty()) return found;
      }
    }
  }
  return "";
}

// The same where C has few rows or few columns.
std::string leading_dimensions_of_thin_shapes(const Rung& rung) {
  for (const Shape& s : {Shape{4, 64, 32}, {64, 4, 32}}) {
    for (const int64_t a : {0, 1}) {
      for (const int64_t b : {0, 1}) {
        for (const int64_t c : {0, 1}) {
          const Problem p = padded(s, {1, 1}, a, b, c);
          if (auto found = complaint_of(rung, p, ALIGNED); !found.empty()) return found;
        }
      }
    }
  }
  return "";
}

// --- alignment ----------------------------------------------------------------------------------------------

std::string common_alignments(const Rung& rung) {
  for (const int64_t offset : {1, 2, 3, 4, 8}) {
    const Problem p = dense({128, 64, 32}, {1, 0});
    if (auto found = complaint_of(rung, p, {GUARD, offset}); !found.empty()) return found;
  }
  return "";
}

// A copy of a rows x cols matrix of the verifier's that begins `offset` floats past a 256-byte boundary.
class Moved {
 public:
  Moved(const float* matrix, int64_t rows, int64_t cols, int64_t ld, int64_t offset)
      : offset_(offset), buffer_(offset + (rows - 1) * ld + cols) {
    check(cudaMemcpy(data(), matrix, static_cast<size_t>((rows - 1) * ld + cols) * sizeof(float),
                     cudaMemcpyDeviceToDevice));
  }
  float* data() const { return buffer_.data() + offset_; }

 private:
  int64_t offset_;
  DeviceBuffer<float> buffer_;
};

// The matrices aligned each for itself, so that a kernel which asks one for all is found. All leading
// dimensions are multiples of 32 bytes.
std::string separate_alignments(const Rung& rung) {
  for (const Shape& s : {Shape{132, 72, 40}, {4, 64, 32}, {64, 4, 32}}) {
    for (const auto& [a, b, c] : {std::array<int64_t, 3>{1, 0, 0},
                                  {0, 1, 0},
                                  {0, 0, 1},
                                  {1, 1, 0},
                                  {1, 0, 1},
                                  {0, 1, 1},
                                  {4, 0, 0},
                                  {0, 4, 0}}) {
      const Problem p = padded(s, {1, 1}, 0, s.N == 4 ? 4 : 0, s.N == 4 ? 4 : 0);
      const std::string where = fmt::format("A {}, B {}, C {}", describe_offset(a),
                                            describe_offset(b), describe_offset(c));
      auto found = complaint_of(p, {GUARD, c}, where, [&](Sgemm sgemm, Values) {
        const Moved A(sgemm.A, p.M, p.K, p.lda, a), B(sgemm.B, p.K, p.N, p.ldb, b);
        sgemm.A = A.data();
        sgemm.B = B.data();
        return launch_and_wait(rung, sgemm);
      });
      if (!found.empty()) return found;
    }
  }
  return "";
}

// Whether lanes move more than a float at a time; nothing where nothing is counted.
std::optional<bool> moves_vectors(const Rung& rung, const Sgemm& sgemm, cudaError_t& error) {
  results::Result result;
  error = run_product(rung, sgemm, result.seen);
  if (error != cudaSuccess || !result.seen.traffic) return std::nullopt;
  for (const char* width : {"load_bytes_per_lane", "store_bytes_per_lane"}) {
    for (const char* matrix : {"A", "B", "C"}) {
      if (results::value(result, width, matrix).value_or(0) > sizeof(float)) return true;
    }
  }
  return false;
}

// A path is called "float4" or "float8" where some matrix is moved in vectors, and otherwise "scalar" or nothing. A
// rung that has but one path names none.
std::string path_names(const Rung& rung) {
  std::vector<std::string> names;
  for (const Shape& s : {Shape{128, 128, 64}, {4, 64, 64}, {64, 4, 64}}) {
    for (const auto& [a, b, c] :
         {std::array<int64_t, 3>{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {4, 4, 0}}) {
      const Problem p = padded(s, {1, 1}, 0, s.N == 4 ? 4 : 0, s.N == 4 ? 4 : 0);
      cudaError_t error = cudaSuccess;
      std::optional<bool> vectors;
      static_cast<void>(Verifier(p, {GUARD, c}).check([&](Sgemm given, Values) {
        const Moved A(given.A, p.M, p.K, p.lda, a), B(given.B, p.K, p.N, p.ldb, b);
        given.A = A.data();
        given.B = B.data();
        const char* const path = ladder::path(rung, given);
        names.emplace_back(path == nullptr ? "" : path);
        vectors = moves_vectors(rung, given, error);
        return error;
      }));
      if (error != cudaSuccess) return fmt::format("{} at {}", describe(error), describe(p));
      if (!vectors) return "";
      const bool said = names.back().find("float") != std::string::npos;
      if (said == *vectors) continue;
      return fmt::format("its path is called '{}', and lanes move {} at {}, A {}, B {}, C {}",
                         names.back(), *vectors ? "several floats at a time" : "a float at a time",
                         describe(p), describe_offset(a), describe_offset(b), describe_offset(c));
    }
  }
  if (rung.path != nullptr && std::ranges::count(names, names.front()) == std::ssize(names)) {
    return fmt::format("it names a path, '{}', though it has no other", names.front());
  }
  return "";
}

// Vector accesses at an edge of a matrix that is also the end of its memory.
std::string end_of_memory(const Rung& rung) {
  for (const Shape& s : {Shape{165, 18, 48}, {129, 2, 33}, {13, 255, 7}, {5, 6, 131}}) {
    Problem p = dense(s, {1, 1});
    const auto whole = [](int64_t ld) { return (ld + 3) / 4 * 4; };
    p.lda = whole(p.lda);
    p.ldb = whole(p.ldb);
    p.ldc = whole(p.ldc);
    if (auto found = complaint_of(rung, p, {0, 0}); !found.empty()) return found;
  }
  return "";
}

// --- what is summed -------------------------------------------------------------------------------------------

// K so long that a kernel which makes its sums of shorter ones does so, whoever divides K.
std::string long_sums(const Rung& rung) {
  for (const Shape& s : {Shape{24, 40, 2500}, {3, 40, 5000}, {40, 3, 5000}}) {
    if (auto found = complaint_of(rung, dense(s, {1, 0}), ALIGNED); !found.empty()) return found;
  }
  return "";
}

std::string nothing_to_sum(const Rung& rung) {
  for (const Factors f : {Factors{1, 0}, {1, 2.5F}}) {
    if (auto found = complaint_of(rung, dense({33, 65, 0}, f), ALIGNED); !found.empty()) {
      return found;
    }
  }
  return "";
}

std::string nothing_to_compute(const Rung& rung) {
  for (const Problem& p :
       {dense({0, 65, 7}, {1, 0}), dense({33, 0, 7}, {1, 2}), dense({0, 0, 0}, {1, 0})}) {
    if (auto found = complaint_of(rung, p, ALIGNED); !found.empty()) return found;
  }
  return "";
}

// A NaN in A or B must not reach C where alpha = 0.
std::string alpha_zero_reads_neither_factor(const Rung& rung) {
  GuardedMatrix nan(40, 40, 40, ALIGNED);
  nan.poison();
  const Problem p = dense({33, 40, 40}, {0, 2});
  return complaint_of(p, ALIGNED, "A and B full of NaN", [&](Sgemm sgemm, Values) {
    sgemm.A = nan.data();
    sgemm.B = nan.data();
    return launch_and_wait(rung, sgemm);
  });
}

// Without a product alpha has nothing to scale, be it a NaN.
std::string nothing_to_sum_times_anything(const Rung& rung) {
  const DeviceBuffer<float> c(1);
  for (const float alpha :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const auto& [beta, want] : {std::pair{2.0F, 6.0F}, {0.0F, 0.0F}}) {
      float value = 3;
      check(cudaMemcpy(c.data(), &value, sizeof value, cudaMemcpyHostToDevice));
      const Sgemm sgemm{.M = 1,
                        .N = 1,
                        .K = 0,
                        .alpha = alpha,
                        .A = nullptr,
                        .lda = 1,
                        .B = nullptr,
                        .ldb = 1,
                        .beta = beta,
                        .C = c.data(),
                        .ldc = 1};
      const std::string where =
          fmt::format("1x1x0, alpha {}, beta {}, no A and no B, C 3 before", alpha, beta);
      if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess) {
        return fmt::format("{} at {}", describe(error), where);
      }
      check(cudaMemcpy(&value, c.data(), sizeof value, cudaMemcpyDeviceToHost));
      if (!(value == want)) {
        return fmt::format("C[0][0] is {}, should be {} at {}", value, want, where);
      }
    }
  }
  return "";
}

// --- order ----------------------------------------------------------------------------------------------------

// The bits of C must not depend on the order in which blocks and warps happen to run.
std::string the_same_result_in_every_order(const Rung& rung) {
  struct SameOrderAfterwards {
    uint64_t seed = machine::order();
    ~SameOrderAfterwards() { machine::vary_order(seed); }
  } const same_order_afterwards;
  // Of the first there are several tiles, of the second one with a long K, of the third few rows.
  for (const Shape& s : {Shape{129, 130, 131}, {64, 48, 1500}, {3, 200, 1000}}) {
    const Problem p = dense(s, {1, 0});
    Verifier verifier(p, ALIGNED);
    std::vector<uint32_t> first;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      machine::vary_order(seed);
      const Sgemm sgemm = verifier.prepare(Values::reals);
      if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess) {
        return fmt::format("{} at {}", describe(error), describe(p));
      }
      std::vector<uint32_t> bits(static_cast<size_t>(p.M * p.N));
      check(cudaMemcpy(bits.data(), sgemm.C, bits.size() * sizeof(float), cudaMemcpyDeviceToHost));
      if (first.empty()) first = bits;
      for (size_t i = 0; i < bits.size(); ++i) {
        if (bits[i] == first[i]) continue;
        return fmt::format(
            "C[{}][{}] is {:.9g} in one run and {:.9g} in another, in which blocks and "
            "warps took turns in another order, at {}",
            static_cast<int64_t>(i) / p.N, static_cast<int64_t>(i) % p.N,
            std::bit_cast<float>(first[i]), std::bit_cast<float>(bits[i]), describe(p));
      }
    }
  }
  return "";
}

// A stream that waits for no other. Destroyed with this.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

void wait_a_while(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

// The inputs come by the caller's stream and come late, and C is fetched by it: what runs on another stream finds
// NaNs, and its result is lost.
std::string inputs_that_come_late(const Rung& rung) {
  const Problem p = dense({70, 50, 1030}, {1, 1});
  const Stream stream;
  return complaint_of(p, ALIGNED, "on a stream of its own", [&](const Sgemm& given, Values) {
    GuardedMatrix a(p.M, p.K, p.lda, ALIGNED), b(p.K, p.N, p.ldb, ALIGNED),
        c(p.M, p.N, p.ldc, ALIGNED);
    for (GuardedMatrix* matrix : {&a, &b, &c}) matrix->poison();
    check(cudaDeviceSynchronize());
    const auto copy = [&](float* to, const float* from, int64_t floats) {
      check(cudaMemcpyAsync(to, from, static_cast<size_t>(floats) * sizeof(float),
                            cudaMemcpyDeviceToDevice, stream));
    };
    check(cudaLaunchHostFunc(stream, wait_a_while, nullptr));
    copy(a.data(), given.A, p.M * p.K);
    copy(b.data(), given.B, p.K * p.N);
    copy(c.data(), given.C, p.M * p.N);
    Sgemm sgemm = given;
    sgemm.A = a.data();
    sgemm.B = b.data();
    sgemm.C = c.data();
    if (const cudaError_t error = ladder::launch(rung, sgemm, stream); error != cudaSuccess) {
      return error;
    }
    copy(given.C, c.data(), p.M * p.N);
    return cudaStreamSynchronize(stream);
  });
}

// While it lives, hazards are not looked for.
class WithoutHazards {
 public:
  WithoutHazards() { machine::look_for_hazards(false); }
  ~WithoutHazards() { machine::look_for_hazards(before_); }
  WithoutHazards(const WithoutHazards&) = delete;
  WithoutHazards& operator=(const WithoutHazards&) = delete;

 private:
  bool before_ = machine::looks_for_hazards();
};

// The simulated GPU does all work at once, so there nothing can come too early; but it refuses work for a stream
// that is gone. (To a CUDA device such a handle must not be given.)
std::string a_stream_that_is_gone(const Rung& rung) {
  const WithoutHazards it_is_meant;
  cudaStream_t gone = nullptr;
  check(cudaStreamCreate(&gone));
  check(cudaStreamDestroy(gone));
  for (const Shape& s : {Shape{70, 50, 30}, {3, 50, 30}, {50, 3, 30}}) {
    const Problem p = dense(s, {1, 1});
    const cudaError_t error =
        ladder::launch(rung, Verifier(p, ALIGNED).prepare(Values::reals), gone);
    if (error == cudaSuccess) {
      return fmt::format(
          "the kernel ran, though on a stream that is gone nothing can: it was launched "
          "on another, or the launch's error did not come back, at {}",
          describe(p));
    }
    cudaGetLastError();
  }
  return "";
}

std::string its_stream(const Rung& rung) {
  if (auto found = inputs_that_come_late(rung); !found.empty()) return found;
  return machine::MEASURES_TIME ? "" : a_stream_that_is_gone(rung);
}

// --- large numbers --------------------------------------------------------------------------------------------

// The elements of a matrix whose rows may lie so far apart that most of its memory is never touched. Small
// integers, of which FP32 forms the product exactly.
class FarMatrix {
 public:
  FarMatrix(int64_t rows, int64_t cols, int64_t ld, int factor)
      : cols_(cols), ld_(ld), factor_(factor), buffer_((rows - 1) * ld + cols) {
    std::vector<float> row(static_cast<size_t>(cols));
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) row[static_cast<size_t>(j)] = static_cast<float>(at(i, j));
      check(cudaMemcpy(data() + i * ld, row.data(), row.size() * sizeof(float),
                       cudaMemcpyHostToDevice));
    }
  }

  int at(int64_t row, int64_t col) const {
    return static_cast<int>((row * factor_ + col * 5 + row * col) % 13) - 6;
  }
  std::vector<float> row(int64_t i) const {
    std::vector<float> values(static_cast<size_t>(cols_));
    check(cudaMemcpy(values.data(), data() + i * ld_, values.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    return values;
  }
  float* data() const { return buffer_.data(); }

 private:
  int64_t cols_, ld_;
  int factor_;
  DeviceBuffer<float> buffer_;
};

std::string far_rows(const Rung& rung, const Problem& p) {
  // Hardly anything of the matrices is touched; what remembers the accesses to each byte would be as large.
  const WithoutHazards so_large;
  const FarMatrix a(p.M, p.K, p.lda, 3), b(p.K, p.N, p.ldb, 7), c(p.M, p.N, p.ldc, 11);
  const Sgemm sgemm{.M = p.M,
                    .N = p.N,
                    .K = p.K,
                    .alpha = p.alpha,
                    .A = a.data(),
                    .lda = p.lda,
                    .B = b.data(),
                    .ldb = p.ldb,
                    .beta = p.beta,
                    .C = c.data(),
                    .ldc = p.ldc};
  if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess) {
    return fmt::format("{} at {}", describe(error), describe(p));
  }
  for (int64_t i = 0; i < p.M; ++i) {
    const std::vector<float> got = c.row(i);
    for (int64_t j = 0; j < p.N; ++j) {
      int sum = 0;
      for (int64_t k = 0; k < p.K; ++k) sum += a.at(i, k) * b.at(k, j);
      const float want =
          p.alpha * static_cast<float>(sum) + p.beta * static_cast<float>(c.at(i, j));
      if (got[static_cast<size_t>(j)] == want) continue;
      return fmt::format("C[{}][{}] is {}, should be {} at {}", i, j, got[static_cast<size_t>(j)],
                         want, describe(p));
    }
  }
  return "";
}

bool has_memory_for_far_rows() {
  machine::offer_addresses(CONTRACT_MEMORY_BYTES);
  size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  return static_cast<int64_t>(free) >= CONTRACT_MEMORY_BYTES;
}

// Numbers of rows and leading dimensions with which an index, the product of a row and the leading dimension,
// leaves 31 bits in the middle of the matrix and 32 at its last row: from one row to the next, to the next but one, and
// over steps of 16, 32 and 64 rows. In the first two no vector access is aligned, in the others each is.
struct Far {
  int64_t rows, ld;
};
constexpr Far FAR[] = {{3, (int64_t{1} << 31) + 1},
                       {5, (int64_t{1} << 30) + 1},
                       {17, (int64_t{1} << 28) + 8},
                       {65, (int64_t{1} << 26) + 8},
                       {129, (int64_t{1} << 25) + 8}};

// Of a matrix with M rows: tiles, and few columns.
std::string far_rows_of_m(const Rung& rung, int64_t Problem::* ld) {
  if (!has_memory_for_far_rows()) return "";
  for (const Far& far : FAR) {
    for (const Shape& s : {Shape{far.rows, 40, 36}, {far.rows, 3, 36}}) {
      Problem p = dense(s, {2, 1});
      p.ldb = p.ldc = 40;
      p.*ld = far.ld;
      if (auto found = far_rows(rung, p); !found.empty()) return found;
    }
  }
  return "";
}

std::string far_rows_of_a(const Rung& rung) { return far_rows_of_m(rung, &Problem::lda); }
std::string far_rows_of_c(const Rung& rung) { return far_rows_of_m(rung, &Problem::ldc); }

// Of B, which has K rows: tiles, and few rows of C.
std::string far_rows_of_b(const Rung& rung) {
  if (!has_memory_for_far_rows()) return "";
  for (const Far& far : FAR) {
    for (const Shape& s : {Shape{33, 40, far.rows}, {3, 40, far.rows}}) {
      Problem p = dense(s, {2, 1});
      p.lda = (p.K + 7) / 8 * 8;
      p.ldb = far.ld;
      if (auto found = far_rows(rung, p); !found.empty()) return found;
    }
  }
  return "";
}

// Blocks that the kernel takes for `column` with so many rows, or nothing where blocks are not counted.
std::optional<double> blocks_for(const Rung& rung, Sgemm column, int64_t rows) {
  column.M = rows;
  const auto before = machine::blocks_run();
  check(launch_and_wait(rung, column));
  const auto after = machine::blocks_run();
  if (!before || !after) return std::nullopt;
  return static_cast<double>(*after - *before);
}

// A column of C so tall that its blocks do not fit in a grid, nor their number in 32 bits: what those would leave
// of it is 1 for any tile whose height is a power of two up to 128. Not asked where the grid is counted not to
// grow with C, since such a kernel would set out to write a matrix that is not there.
std::string too_large_a_grid(const Rung& rung) {
  const WithoutHazards it_is_meant;
  constexpr int64_t SMALL = 1 << 12, LARGE = 1 << 17, TOO_LARGE = (int64_t{1} << 39) + 1;
  const DeviceBuffer<float> c(LARGE);
  Sgemm column{.M = 0,
               .N = 1,
               .K = 0,
               .alpha = 1,
               .A = nullptr,
               .lda = 1,
               .B = nullptr,
               .ldb = 1,
               .beta = 0,
               .C = c.data(),
               .ldc = 1};
  const auto small = blocks_for(rung, column, SMALL), large = blocks_for(rung, column, LARGE);
  if (!small || !large) return "";
  const bool grows = *small > 0 && *large > 0.9 * LARGE / SMALL * *small;
  if (!grows) return "";

  column.M = TOO_LARGE;
  const auto before = machine::blocks_run();
  const cudaError_t error = ladder::launch(rung, column, nullptr);
  const cudaError_t later = cudaDeviceSynchronize();
  const bool ran = machine::blocks_run() != before;
  const cudaError_t last = cudaGetLastError();
  const std::string where = fmt::format("{}x1x0, ldc 1", TOO_LARGE);
  if (ran || later != cudaSuccess) {
    return fmt::format(
        "a part of the grid ran, though all of it is more than a launch may have, at {}", where);
  }
  if (error == cudaSuccess) {
    return fmt::format("the launch failed ({}), but no error came back, at {}", describe(last),
                       where);
  }
  return "";
}

constexpr ContractCheck CHECKS[] = {
    {"dense shapes", dense_shapes},
    {"padded and unaligned shapes", padded_unaligned_shapes},
    {"alpha and beta", alpha_and_beta},
    {"leading dimensions", leading_dimensions},
    {"leading dimensions of thin shapes", leading_dimensions_of_thin_shapes},
    {"alignment of all matrices", common_alignments},
    {"alignment of each matrix", separate_alignments},
    {"the paths that it names", path_names},
    {"nothing beyond the end of memory", end_of_memory},
    {"long sums", long_sums},
    {"nothing to sum", nothing_to_sum},
    {"nothing to compute", nothing_to_compute},
    {"alpha = 0 reads neither A nor B", alpha_zero_reads_neither_factor},
    {"nothing to sum, times anything", nothing_to_sum_times_anything},
    {"the same result in every order", the_same_result_in_every_order},
    {"a stream of its own", its_stream},
    {"64-bit indices into A", far_rows_of_a},
    {"64-bit indices into B", far_rows_of_b},
    {"64-bit indices into C", far_rows_of_c},
    {"too large a grid is an error", too_large_a_grid},
};

}  // namespace

std::span<const ContractCheck> contract() { return CHECKS; }

}  // namespace runner
