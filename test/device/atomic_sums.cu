// Adds special numbers by atomicAdd in global and in shared memory, and plainly. Compares the bits of the sums with those that an
// H200 gave.
//
//     atomic_sums FILE           compares all sums with the file's
//     atomic_sums --write FILE   writes the file instead
//
// A line has the type, the old number, the added number, and the sums: in global memory, in shared memory, and plain.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hopper_answers.cuh"

namespace {

using tensor_test::check;

template <typename Bits>
using Pairs = std::vector<std::pair<Bits, Bits>>;

// Subnormal numbers and sums, zeros of both signs, NaN, infinities.
const Pairs<uint32_t> SINGLES = {
    {0x00000001, 0x00000001}, {0x00400000, 0x00400000}, {0x00800000, 0x80400000},
    {0x80000001, 0x80000001}, {0x80000000, 0x80000000}, {0x00000000, 0x80000000},
    {0x00000001, 0x3f800000}, {0x00800001, 0x80800000}, {0x7fc00001, 0x3f800000},
    {0x7f800001, 0x3f800000}, {0xffc12345, 0x3f800000}, {0x3f800000, 0x7fc54321},
    {0x7f800000, 0xff800000}, {0x3f800000, 0xffffffff}, {0x7f7fffff, 0x7f7fffff},
    {0x00800000, 0x80000001}, {0x80800000, 0x00000001}, {0x00000001, 0x00000000},
    {0x807fffff, 0x00000000}, {0x80000000, 0x00000001}, {0x3f800000, 0x00000001},
    {0xff800000, 0xff800000}};
const Pairs<uint64_t> DOUBLES = {{1, 1},
                                 {0x0008000000000000, 0x0008000000000000},
                                 {0x0010000000000000, 0x8000000000000001},
                                 {0x8000000000000000, 0x8000000000000000},
                                 {0x7ff0000000000001, 0x3ff0000000000000},
                                 {0x7ff8000000001234, 0x3ff0000000000000},
                                 {0x3ff0000000000000, 0xfff8000000004321},
                                 {0x7ff0000000000000, 0xfff0000000000000},
                                 {0x8000000000000001, 0}};
const Pairs<uint32_t> HALVES = {
    {0x00010001, 0x00010200}, {0x04000200, 0x82008001}, {0x7c017e01, 0x3c003c00},
    {0x80008000, 0x80000000}, {0x3c007c00, 0x7e55fc00}, {0x7f807f81, 0x3f803f80},
    {0x00400080, 0x00408040}, {0x80010001, 0x00000000}, {0xfe01fe02, 0x3c003c00}};

template <typename T>
struct Operands {
  T old, added;
};
template <typename T>
struct Sums {
  T global, shared, plain;
};

__device__ bool is_same(float a, float b) { return __float_as_uint(a) == __float_as_uint(b); }

// RETURNS: the old numbers are used too, so nvcc may not choose an instruction without a result.
template <typename T, bool RETURNS>
__global__ void add(const Operands<T>* operands, Sums<T>* sums) {
  __shared__ T shared;
  const T old = operands[blockIdx.x].old, added = operands[blockIdx.x].added;
  Sums<T>& sum = sums[blockIdx.x];
  sum.global = shared = old;
  __threadfence();
  if constexpr (RETURNS) {
    const bool first = is_same(atomicAdd(&sum.global, added), old);
    const bool second = is_same(atomicAdd(&shared, added), old);
    if (!first || !second) __trap();
  } else {
    atomicAdd(&sum.global, added);
    atomicAdd(&shared, added);
  }
  __threadfence();
  sum.shared = shared;
  sum.plain = old + added;
}

// Atomics of vectors exist for global memory only. The other numbers of the vector are usual ones.
__global__ void add_vector(const Operands<float>* operands, Sums<float>* sums, float4* vectors) {
  const float old = operands[blockIdx.x].old, added = operands[blockIdx.x].added;
  vectors[blockIdx.x] = {old, 1, 2, 3};
  __threadfence();
  atomicAdd(&vectors[blockIdx.x], float4{added, 0, 0, 0});
  __threadfence();
  sums[blockIdx.x].global = vectors[blockIdx.x].x;
}

template <typename T>
class Managed {
 public:
  explicit Managed(size_t count) { check(cudaMallocManaged(&data_, count * sizeof(T)), "memory"); }
  ~Managed() { cudaFree(data_); }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  T* get() const { return data_; }

 private:
  T* data_ = nullptr;
};

// Returns a space and the bits in hexadecimal digits.
template <typename Bits>
std::string word(Bits bits) {
  char text[20];
  std::snprintf(text, sizeof text, " %0*llx", static_cast<int>(2 * sizeof bits),
                static_cast<unsigned long long>(bits));
  return text;
}

// Returns a line for each pair of numbers, of whose sums launch(count, operands, sums) computes the first `kinds`.
template <typename T, typename Bits, typename Launch>
void add_lines(std::vector<std::string>& lines, const char* type, const Pairs<Bits>& pairs,
               size_t kinds, Launch&& launch) {
  static_assert(sizeof(T) == sizeof(Bits));
  const Managed<Operands<T>> operands(pairs.size());
  const Managed<Sums<T>> sums(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::memcpy(static_cast<void*>(&operands.get()[i].old), &pairs[i].first, sizeof(T));
    std::memcpy(static_cast<void*>(&operands.get()[i].added), &pairs[i].second, sizeof(T));
  }
  launch(static_cast<unsigned>(pairs.size()), operands.get(), sums.get());
  check(cudaGetLastError(), type);
  check(cudaDeviceSynchronize(), type);
  for (size_t i = 0; i < pairs.size(); ++i) {
    std::string line = type;
    line += word(pairs[i].first) + word(pairs[i].second);
    const T* const all[] = {&sums.get()[i].global, &sums.get()[i].shared, &sums.get()[i].plain};
    for (size_t kind = 0; kind < kinds; ++kind) {
      Bits bits;
      std::memcpy(&bits, all[kind], sizeof bits);
      line += word(bits);
    }
    lines.push_back(line);
  }
}

template <typename T, bool RETURNS>
void launch_add(unsigned count, const Operands<T>* operands, Sums<T>* sums) {
  add<T, RETURNS><<<count, 1>>>(operands, sums);
}

std::vector<std::string> all_lines() {
  std::vector<std::string> lines;
  add_lines<float>(lines, "float", SINGLES, 3, launch_add<float, false>);
  add_lines<float>(lines, "float_with_result", SINGLES, 3, launch_add<float, true>);
  const Managed<float4> vectors(SINGLES.size());
  add_lines<float>(lines, "float4", SINGLES, 1,
                   [&](unsigned count, const Operands<float>* operands, Sums<float>* sums) {
                     add_vector<<<count, 1>>>(operands, sums, vectors.get());
                   });
  add_lines<double>(lines, "double", DOUBLES, 3, launch_add<double, false>);
  add_lines<__half2>(lines, "half2", HALVES, 3, launch_add<__half2, false>);
  add_lines<__nv_bfloat162>(lines, "bfloat162", HALVES, 3, launch_add<__nv_bfloat162, false>);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words.size() > 2) {
    std::fprintf(stderr, "usage: atomic_sums [--write] FILE\n");
    return 2;
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  if (device.major != 9) {
    std::printf("skipped: an H200's sums are recorded, and this GPU is no Hopper\n");
    return 77;
  }
  const std::vector<std::string> lines = all_lines();
  return words.size() == 2 ? tensor_test::write_lines(words[1], lines)
                           : tensor_test::compare_lines(words[0], lines, "sums");
}
