// Compares where wgmma finds the elements of a matrix in shared memory with what was recorded on an H200: for descriptors of all
// swizzles and both directions, with usual and unusual starts and distances.
//
//     matrix_descriptors FILE           compares, and prints the number of descriptors that differ
//     matrix_descriptors --write FILE   writes the file instead: a hash for each descriptor
//     matrix_descriptors --dump FILE    writes the places themselves: for each descriptor, row by row, as 16-bit numbers
//
// The elements are numbers that say where they lie, and the other factor picks one of them for each element of the result.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/wgmma.cuh"
#include "hopper_answers.cuh"

namespace {

using device::Contiguous;
using device::Factor;
using device::Swizzle;
using tensor_test::check;

constexpr int N = 64, ROWS = 64;  // A is 64 x K, B is K x 64
constexpr int BYTES = 48 * 1024;  // of shared memory that a descriptor may lead to
constexpr int OTHER_BYTES = ROWS * 32;
constexpr int PAGE = 1024;  // FP16 and TF32 hold smaller integers exactly

struct Descriptor {
  Swizzle swizzle;
  uint32_t start, leading, stride, base;  // bytes; base: the field of three bits at 49
};

template <Factor FACTOR>
__device__ void put(unsigned char* shared, int index, int value) {
  if constexpr (FACTOR == Factor::f16) {
    reinterpret_cast<__half*>(shared)[index] = __int2half_rn(value);
  } else {
    reinterpret_cast<float*>(shared)[index] = static_cast<float>(value);
  }
}

// Writes the places of the elements of A (IS_A) or B, (64, K), as counted in elements. HIGH: the page instead of the place in it.
template <Factor FACTOR, bool IS_A, Contiguous DIRECTION>
__global__ void __launch_bounds__(128) find(Descriptor of, int high, float* places) {
  constexpr int K = FACTOR == Factor::f16 ? 16 : 8;
  constexpr int SIZE = 32 / K;  // bytes of an element
  extern __shared__ unsigned char memory[];
  const uint32_t begin = device::shared_address(memory);
  unsigned char* shared = memory + ((1024 - begin % 1024) % 1024);
  unsigned char* other = shared + BYTES;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < BYTES / SIZE; i += 128)
    put<FACTOR>(shared, i, high != 0 ? i / PAGE : i % PAGE);
  for (int i = thread; i < ROWS * K; i += 128) {  // the unit matrix, without a swizzle
    const int row = i / K, byte = i % K * SIZE;
    const int place = row / 8 * 256 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
    put<FACTOR>(other, place / SIZE, row == i % K ? 1 : 0);
  }
  device::fence_for_copies();
  __syncthreads();

  const uint64_t found = device::describe_matrix(device::shared_address(shared) + of.start,
                                                 of.leading, of.stride, of.swizzle) |
                         uint64_t{of.base} << 49;
  const uint64_t unit =
      device::describe_matrix(device::shared_address(other), 128, 256, Swizzle::none);
  float d[N / 2];
  for (float& x : d) x = 0;
  device::fence_wgmma();
  if constexpr (FACTOR == Factor::tf32) {
    device::multiply_async<FACTOR, N>(d, IS_A ? found : unit, IS_A ? unit : found, false);
  } else if constexpr (IS_A) {
    device::multiply_async<FACTOR, N, DIRECTION, Contiguous::in_k>(d, found, unit, false);
  } else {
    device::multiply_async<FACTOR, N, Contiguous::in_k, DIRECTION>(d, unit, found, false);
  }
  device::commit_wgmma();
  device::wait_wgmma<0>();
  const int g = thread % 32 / 4, t = thread % 4;
  for (int i = 0; i < N / 2; ++i) {
    const int row = thread / 32 * 16 + g + i / 2 % 2 * 8, col = i / 4 * 8 + 2 * t + i % 2;
    // The unit matrix picks k: of A, D[m][k] is A[m][k]; of B, D[k][n] is B[k][n].
    const int line = IS_A ? row : col, k = IS_A ? col : row;
    if (k < K) places[line * K + k] = d[i];
  }
}

using Find = void (*)(Descriptor of, int high, float* places);
struct Case {
  const char* name;
  Find find;
  int k;
};
constexpr Case CASES[] = {
    {"A, f16, contiguous in k", find<Factor::f16, true, Contiguous::in_k>, 16},
    {"A, f16, contiguous in m", find<Factor::f16, true, Contiguous::across_k>, 16},
    {"B, f16, contiguous in k", find<Factor::f16, false, Contiguous::in_k>, 16},
    {"B, f16, contiguous in n", find<Factor::f16, false, Contiguous::across_k>, 16},
    {"A, tf32", find<Factor::tf32, true, Contiguous::in_k>, 8},
    {"B, tf32", find<Factor::tf32, false, Contiguous::in_k>, 8},
};

std::vector<Descriptor> descriptors() {
  std::vector<Descriptor> all;
  constexpr uint32_t STARTS[] = {0, 16, 32, 64, 96, 112, 128, 512, 1024, 1056};
  constexpr uint32_t DISTANCES[][2] = {{128, 256},   {256, 128},  {16, 1024}, {1024, 2048},
                                       {2048, 1024}, {4096, 512}, {272, 1040}};
  for (const Swizzle swizzle :
       {Swizzle::none, Swizzle::bytes_128, Swizzle::bytes_64, Swizzle::bytes_32}) {
    for (const uint32_t start : STARTS) {
      for (const auto& [leading, stride] : DISTANCES)
        all.push_back({swizzle, start, leading, stride, 0});
    }
    for (uint32_t base = 1; base < 8; ++base) {
      all.push_back({swizzle, 0, 1024, 1024, base});
      all.push_back({swizzle, 128 * base, 1024, 1024, base});
    }
  }
  return all;
}

// Returns the place of each element.
std::vector<uint16_t> places(const Case& one, const Descriptor& of) {
  const auto count = static_cast<size_t>(ROWS * one.k);
  std::vector<float> read[2] = {std::vector<float>(count), std::vector<float>(count)};
  float* out = nullptr;
  check(cudaMalloc(&out, count * sizeof(float)), "cudaMalloc");
  constexpr int SHARED = 1024 + BYTES + OTHER_BYTES;
  check(cudaFuncSetAttribute(one.find, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED),
        one.name);
  for (int high = 0; high < 2; ++high) {
    one.find<<<1, 128, SHARED>>>(of, high, out);
    check(cudaGetLastError(), one.name);
    check(cudaMemcpy(read[high].data(), out, count * sizeof(float), cudaMemcpyDeviceToHost),
          one.name);
  }
  check(cudaFree(out), "cudaFree");
  std::vector<uint16_t> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(static_cast<uint16_t>(read[1][i] * PAGE + read[0][i]));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: matrix_descriptors [--write | --dump] FILE\n");
    return 2;
  }
  const std::string how = argc == 3 ? argv[1] : "", file = argv[argc - 1];
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  if (device.major != 9 || device.minor != 0) {
    std::printf("skipped: wgmma is an instruction of compute capability 9.0 alone\n");
    return 77;
  }
  std::vector<uint64_t> hashes;
  std::vector<uint16_t> dumped;
  for (const Case& one : CASES) {
    for (const Descriptor& of : descriptors()) {
      const std::vector<uint16_t> found = places(one, of);
      hashes.push_back(tensor_test::hash(
          {reinterpret_cast<const unsigned char*>(found.data()), found.size() * sizeof(uint16_t)}));
      dumped.insert(dumped.end(), found.begin(), found.end());
    }
  }
  if (!how.empty()) {
    std::ofstream stream(file, std::ios::binary);
    if (how == "--dump") {
      stream.write(reinterpret_cast<const char*>(dumped.data()),
                   static_cast<std::streamsize>(dumped.size() * sizeof(uint16_t)));
    } else {
      stream.write(reinterpret_cast<const char*>(hashes.data()),
                   static_cast<std::streamsize>(hashes.size() * sizeof(uint64_t)));
    }
    return stream ? 0 : 70;
  }
  std::vector<uint64_t> recorded(hashes.size());
  std::ifstream stream(file, std::ios::binary);
  stream.read(reinterpret_cast<char*>(recorded.data()),
              static_cast<std::streamsize>(recorded.size() * sizeof(uint64_t)));
  if (!stream || stream.peek() != std::ifstream::traits_type::eof()) {
    std::fprintf(stderr, "'%s' has not one hash for each of %zu descriptors\n", file.c_str(),
                 hashes.size());
    return 2;
  }
  size_t differ = 0;
  const std::vector<Descriptor> all = descriptors();
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (hashes[i] == recorded[i]) continue;
    const Descriptor& of = all[i % all.size()];
    if (differ++ < 10)
      std::printf("%s, swizzle %u, start %u, leading %u, stride %u, base %u: other places\n",
                  CASES[i / all.size()].name, static_cast<unsigned>(of.swizzle), of.start,
                  of.leading, of.stride, of.base);
  }
  std::printf("%zu descriptors, %zu differ\n", hashes.size(), differ);
  return differ == 0 ? 0 : 1;
}
