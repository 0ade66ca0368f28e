#include "preload/choose/decision.hpp"

#include <array>

#include "preload/choose/cublas_us.hpp"

namespace preload {
namespace {

using ladder::Choice, ladder::Expected;

constexpr int HOPPER = 90, STREAM_K = 12, TENSOR_FP32 = 16, LEAST_CAPABILITY = 80;

// Returns the time that `best` should take. It takes rung 12 if the build lacks rung 16.
double us_of_best(const Question& q) {
  const Choice choice = choose_rung(q.shape, q.batch, q.gpu);
  for (size_t i = 0; i < choice.count; ++i) {
    const Expected& one = choice.rungs[i];
    if (one.rung != TENSOR_FP32 || q.has_wgmma) return one.us;
  }
  return choice.best().us;
}

// Returns the time of the kernels beside the product's.
double us_of(const Beside& beside) {
  constexpr double LAUNCH_US = 3, BYTES_PER_US = 3e6;
  return LAUNCH_US * beside.kernels + static_cast<double>(beside.bytes) / BYTES_PER_US;
}

bool is_faster(const Question& q) {
  const double us = us_of_best(q);
  const double gflop = gflop_of(q.shape.M, q.shape.N, q.shape.K, q.batch);
  constexpr double LEAST_GAIN = 1.05;  // a tie goes to cuBLAS
  return us >= LEAST_US &&
         LEAST_GAIN * (us + us_of(q.beside)) < CUBLAS_US.us(gflop, q.gpu.device.multiprocessors);
}

}  // namespace

const char* text_of(Verdict verdict) {
  constexpr std::array<const char*, static_cast<size_t>(Verdict::count)> TEXTS{
      "answered", "SGEMM_LADDER=off",    "cuBLAS is faster", "TF32 is allowed",
      "not FP32", "no product",          "cuBLAS checks it", "layout",
      "epilogue", "GPU without figures", "launch failed"};
  return TEXTS[static_cast<size_t>(verdict)];
}

bool is_small(int64_t M, int64_t N, int64_t K, int64_t batch) {
  return CUBLAS_US.us(gflop_of(M, N, K, batch), ladder::H200.device.multiprocessors) < LEAST_US;
}

Decision decide(const Question& q, Mode mode) {
  const int capability = q.gpu.compute_capability;
  if (mode == Mode::off) return {Verdict::off};
  if (capability < LEAST_CAPABILITY) return {Verdict::gpu};
  if (mode == Mode::rung_12) return {Verdict::answered, STREAM_K};
  if (mode == Mode::rung_16) {
    const bool can = capability == HOPPER && q.has_wgmma;
    return can ? Decision{Verdict::answered, TENSOR_FP32} : Decision{Verdict::gpu};
  }
  if (q.allows_reduced) return {mode == Mode::fp32 ? Verdict::answered : Verdict::reduced};
  if (capability != HOPPER) return {Verdict::gpu};
  return {is_faster(q) ? Verdict::answered : Verdict::cublas_faster};
}

}  // namespace preload
