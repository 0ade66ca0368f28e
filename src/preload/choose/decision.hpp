// Who computes a call: the ladder or cuBLAS. It is plain arithmetic, so it needs no GPU.
#pragma once

#include <cstdint>

#include "kernels/best/choice.hpp"
#include "preload/choose/settings.hpp"

namespace preload {

/// What became of a call, and why.
enum class Verdict {
  answered,       // by the ladder
  off,            // SGEMM_LADDER=off
  cublas_faster,  // cuBLAS should take no longer
  reduced,        // the caller allows less than FP32's accuracy, and cuBLAS's TF32 is faster
  not_fp32,       // other types than FP32
  no_product,     // nothing to multiply: an empty matrix, or alpha or K is 0
  arguments,      // arguments that cuBLAS may refuse
  layout,         // an order, a batch or a scaling that the ladder lacks
  epilogue,       // an epilogue that the ladder lacks
  gpu,            // the ladder has no estimates, or no kernel, for this GPU
  failed,         // the ladder could not launch it: too little memory, another error
  count
};

/// Returns a few words for tables: "cuBLAS is faster".
const char* text_of(Verdict verdict);

/// What a call takes beside its product: kernels that gather matrices before it, and one that finishes the result.
struct Beside {
  int kernels = 0;
  int64_t bytes = 0;  // that they read and write
  constexpr bool operator==(const Beside&) const = default;
};

/// A call as the decision sees it.
struct Question {
  ladder::ProductShape shape;  // row-major
  int64_t batch;
  ladder::Gpu gpu;
  bool has_wgmma;       // rung 16 was compiled
  bool allows_reduced;  // by its compute type or math mode the caller allows TF32 or the like
  Beside beside{};      // the product's kernels
  constexpr bool operator==(const Question&) const = default;
};

/// The rung that computes an answered call: 12, 16, or `best`'s choice.
struct Decision {
  Verdict verdict;
  int rung = BEST;
  static constexpr int BEST = 0;
};

/// The least time that cuBLAS takes, as a line under its recorded times on an H200.
struct CublasTimes {
  double call_us;
  double us_per_gflop;

  constexpr double us(double gflop, int multiprocessors) const {
    return call_us + us_per_gflop * gflop * ladder::H200.device.multiprocessors / multiprocessors;
  }
};

/// Products that take less are left to cuBLAS. The host needs about as long to launch our kernels, and it would wait less for cuBLAS's one.
inline constexpr double LEAST_US = 10;

/// Returns the billions of operations in `batch` products.
constexpr double gflop_of(int64_t M, int64_t N, int64_t K, int64_t batch) {
  return 2e-9 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K) *
         static_cast<double>(batch);
}

/// True if cuBLAS computes these products in so little time that decide() leaves them to it in any case, unless the mode names a rung.
/// It is cheap, so that a small call costs little.
bool is_small(int64_t M, int64_t N, int64_t K, int64_t batch);

/// Decides a call with a product.
Decision decide(const Question& question, Mode mode);

}  // namespace preload
