// Checks that a launch depends only on its arguments, returns at once, keeps to its stream and can be captured.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "runner/verify/contract/trial.hpp"
#include "runner/verify/product.hpp"

namespace runner::contract_checks {
namespace {

using ladder::Rung;
using ladder::Sgemm;
using results::Problem;

// Checks that the bits of C do not depend on the order in which blocks and warps run.
std::string the_same_result_in_every_order(const Rung& rung) {
  struct SameOrderAfterwards {
    uint64_t seed = machine::order();
    ~SameOrderAfterwards() { machine::vary_order(seed); }
  } const same_order_afterwards;
  // The first has several tiles, the second one tile with a long K, the third few rows.
  for (const Shape& s : {Shape{129, 130, 131}, {64, 48, 1500}, {3, 200, 1000}}) {
    const Problem p = dense(s, {1, 0});
    Verifier verifier(p, GUARDED, rung.arithmetic);
    std::vector<uint32_t> first;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      machine::vary_order(seed);
      std::optional<WithoutHazards> they_were_looked_for;  // hazards: in two orders only
      if (seed > 1) they_were_looked_for.emplace();
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

// A stream that waits for no other stream. Destroyed with this object.
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

// Checks inputs that arrive late on the caller's stream, which also fetches C. A kernel on another stream reads NaN,
// and its result is lost.
std::string inputs_that_come_late(const Rung& rung, const Transposes& form) {
  const Problem p = transposed(dense({70, 50, 1030}, {1, 1}), form);
  const Stream stream;
  return complaint_of(rung, p, GUARDED, "on a stream of its own", [&](const Sgemm& given, Values) {
    GuardedMatrix a(p.rows_of_a(), p.cols_of_a(), p.lda, GUARDED),
        b(p.rows_of_b(), p.cols_of_b(), p.ldb, GUARDED), c(p.M, p.N, p.ldc, GUARDED);
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

// Launches on a stream that was destroyed. The simulated GPU does all work at once, so no kernel can come too early
// there, but it refuses work for such a stream. (A CUDA device must not be given such a handle.)
std::string a_stream_that_is_gone(const Rung& rung) {
  const WithoutHazards it_is_meant;
  cudaStream_t gone = nullptr;
  check(cudaStreamCreate(&gone));
  check(cudaStreamDestroy(gone));
  for (const Shape& s : {Shape{70, 50, 30}, {3, 50, 30}, {50, 3, 30}}) {
    const Problem p = dense(s, {1, 1});
    const cudaError_t error =
        ladder::launch(rung, Verifier(p, GUARDED, rung.arithmetic).prepare(Values::reals), gone);
    if (error == cudaSuccess) {
      return fmt::format(
          "the kernel ran although its stream was destroyed: it was launched on another stream, or "
          "the launch's error did not come back, at {}",
          describe(p));
    }
    cudaGetLastError();
  }
  return "";
}

std::string its_stream(const Rung& rung) {
  for (const Transposes& form : forms_of(rung)) {
    if (auto found = inputs_that_come_late(rung, form); !found.empty()) return found;
  }
  return machine::MEASURES_TIME ? "" : a_stream_that_is_gone(rung);
}

// --- nothing is kept from one call to the next --------------------------------------------------------------

// Runs problems that differ in one thing, one after the other and back. A grid, a plan or a workspace that was kept for
// one size must not serve another.
std::string one_call_after_another(const Rung& rung) {
  constexpr std::pair<Shape, Shape> NEIGHBOURS[] = {
      {{64, 32, 8}, {64, 128, 8}},  {{64, 32, 8}, {64, 700, 8}},     {{32, 64, 8}, {128, 64, 8}},
      {{32, 64, 8}, {700, 64, 8}},  {{150, 140, 8}, {150, 140, 70}}, {{64, 48, 40}, {64, 48, 3000}},
      {{3, 40, 64}, {3, 900, 64}},  {{40, 3, 64}, {900, 3, 64}},     {{3, 40, 64}, {3, 40, 4000}},
      {{40, 3, 64}, {40, 3, 4000}}, {{2, 40, 64}, {7, 40, 64}},      {{40, 2, 64}, {40, 7, 64}}};
  std::vector<std::pair<Problem, Problem>> pairs;
  for (const auto& [one, other] : NEIGHBOURS)
    pairs.emplace_back(dense(one, {1, 1}), dense(other, {1, 1}));
  const Shape same{132, 72, 40};
  for (const auto& [a, b, c] : {std::array<int64_t, 3>{4, 0, 0}, {0, 4, 0}, {0, 0, 4}})
    pairs.emplace_back(dense(same, {1, 1}), padded(same, {1, 1}, a, b, c));
  pairs.emplace_back(dense(same, {1, 1}), dense(same, {2, 1}));
  pairs.emplace_back(dense(same, {1, 1}), dense(same, {1, 0}));
  for (const auto& [one, other] : pairs) {
    for (const Problem& p : {one, other, one}) {
      if (auto found = exact_complaint_of(rung, p); !found.empty())
        return fmt::format("{}; before it came {}", found, describe(one));
    }
  }
  return "";
}

// Sizes of each path that a kernel may take: tiles, a long K, few rows, few columns, a short K.
constexpr Shape PATHS[] = {
    {300, 270, 70}, {64, 48, 6000}, {3, 200, 4000}, {200, 3, 4000}, {300, 270, 5}};

// Runs two products of one size at the same time: they must not share the kernel's own memory. The simulated GPU runs
// one after the other, so the check needs a device.
std::string two_streams_at_once(const Rung& rung) {
  if (!machine::MEASURES_TIME) return "";
  for (const Shape& s : PATHS) {
    Problem p = dense(s, {1, 0}), q = p;
    q.seed = 8;
    Verifier of_p(p, GUARDED, rung.arithmetic, MOST_COMPLETE_PRODUCTS, {Values::integers});
    Verifier of_q(q, GUARDED, rung.arithmetic, MOST_COMPLETE_PRODUCTS, {Values::integers});
    Verdict first;
    const Verdict second = of_q.check([&](const Sgemm& y, Values) {
      first = of_p.check([&](const Sgemm& x, Values) {
        for (const Sgemm* sgemm : {&x, &y}) {
          if (const cudaError_t error = launch_and_wait(rung, *sgemm); error != cudaSuccess)
            return error;
        }
        check(cudaDeviceSynchronize());
        return machine::run_together(launch_of(rung, x), launch_of(rung, y));
      });
      return first.error;
    });
    for (const Verdict* verdict : {static_cast<const Verdict*>(&first), &second}) {
      if (!verdict->correct)
        return fmt::format("{} at {}, while another product of this size ran on a second stream",
                           verdict->complaint, describe(p));
    }
  }
  return "";
}

// --- a launch is asynchronous and can be captured -------------------------------------------------------------

// Checks on a device that the launch does not wait. On the simulated GPU every launch of the checks above is tested for
// that, because it can name the call that waits.
std::string does_not_wait(const Rung& rung) {
  if (!machine::MEASURES_TIME) return "";
  const Stream stream;
  for (const Shape& s : PATHS) {
    const Problem p = dense(s, {1, 0});
    Verifier verifier(p, GUARDED, rung.arithmetic);
    const Sgemm sgemm = verifier.prepare(Values::reals);
    const auto launch = [&](cudaStream_t on) { return ladder::launch(rung, sgemm, on); };
    check(launch(stream));
    check(cudaStreamSynchronize(stream));
    if (!machine::returns_at_once(launch, stream))
      return fmt::format("the launch waits for the stream before it returns, at {}", describe(p));
  }
  return "";
}

std::string replayed_as_a_graph(const Rung& rung) {
  if (!machine::HAS_GRAPHS) return "";
  std::vector<Problem> problems;
  for (const Shape& s : PATHS) problems.push_back(dense(s, {1, 0}));
  for (const Transposes& form : forms_of(rung))
    problems.push_back(transposed(dense({70, 50, 300}, {1, 0}), form));
  for (const Problem& p : problems) {
    auto found = complaint_of(
        rung, p, GUARDED, "captured in a graph that ran twice", [&](const Sgemm& sgemm, Values) {
          // Objects made for the very first launch, such as cuBLAS's handle, need not be capturable.
          if (const cudaError_t error = launch_and_wait(rung, sgemm); error != cudaSuccess)
            return error;
          check(cudaMemset2D(sgemm.C, static_cast<size_t>(p.ldc) * sizeof(float), 0,
                             static_cast<size_t>(p.N) * sizeof(float), static_cast<size_t>(p.M)));
          check(cudaDeviceSynchronize());
          return machine::run_as_graph(
              [&](cudaStream_t stream) { return ladder::launch(rung, sgemm, stream); }, 2);
        });
    if (!found.empty()) return found;
  }
  return "";
}

constexpr ContractCheck CHECKS[] = {
    {"the same result in every order", the_same_result_in_every_order},
    {"one call after another", one_call_after_another},
    {"a stream of its own", its_stream},
    {"two streams at once", two_streams_at_once},
    {"a launch that does not wait", does_not_wait},
    {"captured in a graph", replayed_as_a_graph},
};

}  // namespace

std::span<const ContractCheck> of_order() { return CHECKS; }

}  // namespace runner::contract_checks
