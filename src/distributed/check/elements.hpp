// The elements of the matrices that a run makes for itself. Any process can compute any of them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "distributed/layout/layout.hpp"

namespace distributed {

/// Which matrix: each has numbers of its own.
enum class Name : uint32_t { a = 1, b = 2, c = 3 };

/// Returns an element from -1 to below 1, a multiple of 2^-23, evenly distributed. (The mixing is that of SplitMix64: Steele, Lea and
/// Flood, 2014.)
__host__ __device__ inline float element_of(Name name, uint64_t seed, int64_t row, int64_t col) {
  uint64_t x = seed * 4 + static_cast<uint64_t>(name);
  for (const int64_t part : {row, col}) {
    x += 0x9e3779b97f4a7c15u * (static_cast<uint64_t>(part) + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
  }
  return static_cast<float>(static_cast<int32_t>(x >> 40) - (1 << 23)) / (1 << 23);
}

/// Returns a whole number from -4 to 4.
__host__ __device__ inline float whole_element_of(Name name, uint64_t seed, int64_t row,
                                                  int64_t col) {
  return static_cast<float>(static_cast<int>(element_of(name, seed, row, col) * 4.999F));
}

enum class Elements { random, whole };

/// Fills this process's part of a matrix, column-major. Gaps between its columns get NaNs.
cudaError_t fill(float* data, int64_t ld, Elements elements, Name name, uint64_t seed,
                 const Layout& layout, const Grid& grid, int rank, cudaStream_t stream);

}  // namespace distributed
