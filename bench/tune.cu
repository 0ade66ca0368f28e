// The search behind src/kernels/tuned/tile_table.hpp: measures every variant of tune_space.hpp with rung 11's
// kernel and with rung 12's kernels. Writes the table's new text to stdout, and all measurements to stderr.
//
//     build/cuda/bin/tune 2026-11-20 > table && mv table src/kernels/tuned/tile_table.hpp
//
// The compiler's choice of registers for operands changes speed by some per cent, and nobody can predict
// it. So the space also holds variants that differ only in ways that should not matter. Each is measured against the
// same reference run before and after it, so that a drifting clock does not decide.
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "kernels/tuned/launches.hpp"
#include "kernels/tuned/stream_k_kernel.cuh"
#include "kernels/tuned/tile_fields.hpp"
#include "kernels/tuned/tuned_kernel.cuh"
#include "tune_space.hpp"

namespace {

using ladder::Sgemm;
using ladder::Tile;

constexpr int64_t SIZE = 8192;  // long enough that the power limit counts
constexpr int ROUNDS = 5;       // of which the median counts

void check(cudaError_t error, std::source_location where = std::source_location::current()) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "tune: %s at %s:%u\n", cudaGetErrorString(error), where.file_name(),
               where.line());
  std::exit(70);
}

template <size_t I>
struct Variant {
  static constexpr Tile tile = ladder::TUNE_SPACE[I];
  static_assert(ladder::is_valid(tile));
};

using Launch = cudaError_t (*)(const Sgemm&, int multiprocessors);

template <size_t I>
cudaError_t launch_tuned(const Sgemm& p, int multiprocessors) {
  return ladder::launch_tuned_variant<Variant<I>, true>(ladder::Call(p), multiprocessors, nullptr);
}

template <size_t I>
cudaError_t launch_stream_k(const Sgemm& p, int multiprocessors) {
  constexpr Tile T = Variant<I>::tile;
  const int64_t tiles_m = ladder::ceil_div(p.M, T.BM), tiles_n = ladder::ceil_div(p.N, T.BN);
  const int64_t blocks = int64_t{multiprocessors} * T.blocks;
  const ladder::SplitPlan plan{.choice = 0,
                               .tiles_m = tiles_m,
                               .tiles_n = tiles_n,
                               .steps = ladder::ceil_div(p.K, T.BK),
                               .blocks = blocks,
                               .rounds = std::max<int64_t>(0, tiles_m * tiles_n / blocks - 1)};
  return ladder::launch_stream_k_variant<Variant<I>, true>(p, plan, multiprocessors, nullptr);
}

// Returns rung 12's launch; nullptr for a tile without chains, because rung 12 cuts all chains.
template <size_t I>
constexpr Launch stream_k_launch() {
  if constexpr (Variant<I>::tile.chain == 0) {
    return nullptr;
  } else {
    return launch_stream_k<I>;
  }
}

constexpr auto TUNED_LAUNCHES = ladder::launches_of<std::size(ladder::TUNE_SPACE)>(
    [](auto choice) { return launch_tuned<choice>; });
constexpr auto STREAM_K_LAUNCHES = ladder::launches_of<std::size(ladder::TUNE_SPACE)>(
    [](auto choice) { return stream_k_launch<choice>(); });

float* random_matrix(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(SIZE * SIZE);
  for (float& value : values) value = normal(random);
  float* matrix = nullptr;
  check(cudaMalloc(&matrix, values.size() * sizeof(float)));
  check(cudaMemcpy(matrix, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  return matrix;
}

float milliseconds(Launch launch, const Sgemm& p, int multiprocessors) {
  static const std::array<cudaEvent_t, 2> events = [] {
    std::array<cudaEvent_t, 2> made{};
    for (cudaEvent_t& event : made) check(cudaEventCreate(&event));
    return made;
  }();
  check(cudaEventRecord(events[0]));
  check(launch(p, multiprocessors));
  check(cudaEventRecord(events[1]));
  check(cudaEventSynchronize(events[1]));
  float time = 0;
  check(cudaEventElapsedTime(&time, events[0], events[1]));
  return time;
}

// Returns the TFLOP/s of each variant: its median share of the reference's time, at the reference's median time.
std::vector<double> measure(std::span<const Launch> launches, const Sgemm& p, int multiprocessors) {
  const Launch reference =
      *std::find_if(launches.begin(), launches.end(), [](Launch l) { return l != nullptr; });
  std::vector<float> reference_times;
  std::vector<double> speedups;
  for (int i = 0; i < 20; ++i)
    milliseconds(reference, p, multiprocessors);  // until the clock is steady
  for (const Launch launch : launches) {
    std::vector<double> ratios;
    if (launch == nullptr) {
      speedups.push_back(0);
      continue;
    }
    milliseconds(launch, p, multiprocessors);
    for (int i = 0; i < ROUNDS; ++i) {
      const float before = milliseconds(reference, p, multiprocessors);
      const float time = milliseconds(launch, p, multiprocessors);
      const float after = milliseconds(reference, p, multiprocessors);
      ratios.push_back((before + after) / 2 / time);
      reference_times.push_back(before);
    }
    std::nth_element(ratios.begin(), ratios.begin() + ROUNDS / 2, ratios.end());
    speedups.push_back(ratios[ROUNDS / 2]);
  }
  const auto middle =
      reference_times.begin() + static_cast<std::ptrdiff_t>(reference_times.size() / 2);
  std::nth_element(reference_times.begin(), middle, reference_times.end());
  for (double& speedup : speedups) {
    speedup *= 2.0 * SIZE * SIZE * SIZE / (*middle * 1e9);
  }
  return speedups;
}

bool same_class(const Tile& a, const Tile& b) {
  return a.BM * a.BN == b.BM * b.BN && a.threads() == b.threads();
}

// Returns "{.BM = 128, .BN = 256, ...}".
std::string initializer(const Tile& t) {
  std::string text;
  for (const ladder::TileField& field : ladder::TILE_FIELDS) {
    text += std::string(text.empty() ? "{." : ", .") + field.name + " = " +
            std::to_string(t.*field.value);
  }
  return text + "}";
}

// Logs a row for each variant: its fields, and its TFLOP/s with either rung's kernel.
void log_all(std::span<const double> tuned, std::span<const double> stream_k) {
  const auto width = [](const ladder::TileField& field) {
    return std::max(4, static_cast<int>(std::strlen(field.name)) + 1);
  };
  for (const ladder::TileField& field : ladder::TILE_FIELDS) {
    std::fprintf(stderr, "%*s", width(field), field.name);
  }
  std::fprintf(stderr, "   tuned  stream_k  TFLOP/s\n");
  for (size_t i = 0; i < std::size(ladder::TUNE_SPACE); ++i) {
    for (const ladder::TileField& field : ladder::TILE_FIELDS) {
      std::fprintf(stderr, "%*d", width(field), ladder::TUNE_SPACE[i].*field.value);
    }
    std::fprintf(stderr, "  %6.2f    %6.2f\n", tuned[i], stream_k[i]);
  }
}

void print_table(const char* name, std::span<const double> tflops) {
  std::printf("inline constexpr TunedTile %s[] = {\n", name);
  const std::span<const Tile> space = ladder::TUNE_SPACE;
  for (size_t first = 0; first < space.size();) {
    size_t best = first, end = first;
    for (; end < space.size() && same_class(space[end], space[first]); ++end) {
      if (tflops[end] > tflops[best]) best = end;
    }
    std::printf("    {%s, %.1f},\n", initializer(space[best]).c_str(), tflops[best]);
    first = end;
  }
  std::printf("};\n\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::string(argv[1]).size() != 10) {
    std::fprintf(stderr, "usage: tune YYYY-MM-DD > tile_table.hpp\n");
    return 2;
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0));
  const Sgemm p{.M = SIZE,
                .N = SIZE,
                .K = SIZE,
                .alpha = 1,
                .A = random_matrix(1),
                .lda = SIZE,
                .B = random_matrix(2),
                .ldb = SIZE,
                .beta = 0,
                .C = random_matrix(3),
                .ldc = SIZE};

  const auto tuned = measure(TUNED_LAUNCHES, p, device.multiProcessorCount);
  const auto stream_k = measure(STREAM_K_LAUNCHES, p, device.multiProcessorCount);
  log_all(tuned, stream_k);

  std::printf(
      "// Written by bench/tune: for each size of tile the fastest variant it found. Do not edit; "
      "run it\n"
      "// again. %s, %s; TFLOP/s at %lld x %lld x %lld.\n"
      "#pragma once\n\n#include \"kernels/tuned/tile.hpp\"\n\n// clang-format off: a "
      "table\nnamespace "
      "ladder {\n\n",
      device.name, argv[1], static_cast<long long>(SIZE), static_cast<long long>(SIZE),
      static_cast<long long>(SIZE));
  print_table("TUNED_TABLE", tuned);
  print_table("STREAM_K_TABLE", stream_k);
  std::printf("}  // namespace ladder\n");
  return 0;
}
