#include "distributed/run/one_gpu.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "distributed/machine/machine.hpp"

namespace distributed {
namespace {

constexpr Grid ONE{1, 1};

double seconds_of(const std::function<void()>& multiply) {
  const auto begin = std::chrono::steady_clock::now();
  multiply();
  check(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

OneGpu time_one_gpu(const Problem& problem, int repetitions) {
  OneGpu times;
  const Product shape = product_without_data(problem, ONE, 0);
  const int64_t needed =
      matrix_bytes(shape, ONE, 0) + workspace_bytes(local(shape), problem.algorithm);
  const int64_t there = free_bytes();
  if (needed > there) {
    times.refusal =
        fmt::format("one GPU needs {:.1f} GiB for the whole product, and {:.1f} are free",
                    gib(needed), gib(there));
    return times;
  }
  const Matrices matrices(problem, ONE, 0);
  const LocalProduct product = local(matrices.filled_with(Elements::random));
  const Stream stream;
  for (int i = 0; i <= repetitions; ++i) {
    const double ladder =
        seconds_of([&] { multiply_with_ladder(product, problem.algorithm, stream); });
    bool has_cublas = false;
    const double cublas = seconds_of([&] { has_cublas = multiply_with_cublas(product, stream); });
    if (i == 0) continue;  // the first calls load kernels
    times.ladder.push_back(ladder);
    if (has_cublas) times.cublas.push_back(cublas);
  }
  return times;
}

}  // namespace distributed
