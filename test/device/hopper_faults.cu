// Makes mistakes with mbarriers, bulk copies, tensor maps and wgmma, and compares the errors with those that an H200 gave.
//
//     hopper_faults FILE           makes all mistakes, and compares the errors with the file's
//     hopper_faults --write FILE   writes the file instead
//
// After most of these errors a process cannot use the GPU any more, so each mistake is made by a process of its own.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "device/wgmma.cuh"
#include "hopper_answers.cuh"

namespace {

using device::Mbarrier;

constexpr int SHARED_BYTES = 4096;

struct Arguments {
  CUtensorMap map;  // of 32 x 32 floats, boxes of 32 x 8
  unsigned char* global;
  int number;  // of the mistake
};

// THE list of mistakes.
#define MISTAKES(DO)                          \
  DO(bulk_size)                               \
  DO(bulk_size_zero)                          \
  DO(bulk_global_address)                     \
  DO(bulk_shared_address)                     \
  DO(bulk_beyond_memory)                      \
  DO(bulk_beyond_shared)                      \
  DO(bulk_store_beyond_memory)                \
  DO(tensor_shared_address)                   \
  DO(tensor_beyond_shared)                    \
  DO(tensor_map_of_zeros)                     \
  DO(tensor_map_in_local_memory)              \
  DO(tensor_map_misaligned)                   \
  DO(tensor_of_freed_memory)                  \
  DO(tensor_of_another_rank)                  \
  DO(mbarrier_misaligned)                     \
  DO(mbarrier_of_no_arrivals)                 \
  DO(mbarrier_of_too_many_arrivals)           \
  DO(mbarrier_never_initialised)              \
  DO(mbarrier_with_an_arrival_too_many)       \
  DO(mbarrier_with_bytes_that_nobody_expects) \
  DO(mbarrier_with_too_many_bytes)            \
  DO(wgmma_beyond_shared)

#define AS_ENUMERATOR(NAME) NAME,
#define AS_TEXT(NAME) #NAME,
enum Mistake { MISTAKES(AS_ENUMERATOR) };
constexpr const char* NAMES[] = {MISTAKES(AS_TEXT)};

__global__ void __launch_bounds__(128) make(const __grid_constant__ Arguments of, int* completed) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(16) Mbarrier barriers[2];
  Mbarrier& full = barriers[0];
  if (of.number == wgmma_beyond_shared) {
    float d[4] = {};
    device::fence_wgmma();
    device::multiply_async<device::Factor::f16, 8>(
        d, device::describe_matrix(240 * 1024, 128, 256, device::Swizzle::none),
        device::describe_matrix(device::shared_address(shared), 128, 256, device::Swizzle::none),
        false);
    device::commit_wgmma();
    device::wait_wgmma<0>();
    if (threadIdx.x == 0) *completed = d[0] == 1 ? 2 : 1;
    return;
  }
  if (threadIdx.x != 0) return;
  if (of.number == mbarrier_misaligned) {
    device::init_mbarrier(*reinterpret_cast<Mbarrier*>(shared + 4), 1);
    *completed = 1;
    return;
  }
  const int arrivals = of.number == mbarrier_of_no_arrivals         ? 0
                       : of.number == mbarrier_of_too_many_arrivals ? 1 << 20
                                                                    : 1;
  if (of.number == mbarrier_never_initialised) {
    barriers[0] = barriers[1] = 0;
  } else {
    device::init_mbarrier(full, arrivals);
  }
  device::fence_mbarriers();
  device::fence_for_copies();
  const int at[2] = {0, 0}, at_3[3] = {0, 0, 0};
  switch (of.number) {
    case bulk_size:
      device::expect(full, 24);
      device::load_bulk(shared, of.global, 24, full);
      break;
    case bulk_size_zero:
      device::expect(full, 0);
      device::load_bulk(shared, of.global, 0, full);
      break;
    case bulk_global_address:
      device::expect(full, 16);
      device::load_bulk(shared, of.global + 8, 16, full);
      break;
    case bulk_shared_address:
      device::expect(full, 16);
      device::load_bulk(shared + 8, of.global, 16, full);
      break;
    case bulk_beyond_memory:
      device::expect(full, 1024);
      device::load_bulk(shared, of.global + (1ull << 40), 1024, full);
      break;
    case bulk_beyond_shared:
      device::expect(full, 1024);
      device::load_bulk(shared + 240 * 1024, of.global, 1024, full);
      break;
    case bulk_store_beyond_memory:
      device::store_bulk(of.global + (1ull << 40), shared, 1024);
      device::commit_bulk();
      device::wait_bulk<0>();
      device::arrive(full);
      break;
    case tensor_shared_address:
      device::expect(full, 1024);
      device::load_tensor<2>(shared + 16, of.map, at, full);
      break;
    case tensor_beyond_shared:
      device::expect(full, 1024);
      device::load_tensor<2>(shared + 240 * 1024, of.map, at, full);
      break;
    case tensor_map_of_zeros:
    case tensor_of_freed_memory:
      device::expect(full, 1024);
      device::load_tensor<2>(shared, of.map, at, full);
      break;
    case tensor_map_in_local_memory: {
      alignas(64) CUtensorMap copy = of.map;
      device::expect(full, 1024);
      device::load_tensor<2>(shared, copy, at, full);
      break;
    }
    case tensor_map_misaligned:
      device::expect(full, 1024);
      device::load_tensor<2>(shared, *reinterpret_cast<const CUtensorMap*>(of.global + 8), at,
                             full);
      break;
    case tensor_of_another_rank:
      device::expect(full, 1024);
      device::load_tensor<3>(shared, of.map, at_3, full);
      break;
    case mbarrier_with_an_arrival_too_many:
      device::expect(full, 16);
      device::arrive(full);
      device::arrive(full);
      break;
    case mbarrier_with_bytes_that_nobody_expects:
      device::load_bulk(shared, of.global, 1024, full);
      device::arrive(full);
      break;
    case mbarrier_with_too_many_bytes:
      device::expect(full, 1 << 20);
      break;
    default:
      device::arrive(full);
      break;
  }
  *completed = tensor_test::wait_for_some_time(full) ? 1 : 0;
}

// Makes a mistake, and prints its name and the error.
int run(int number) {
  Arguments of{};
  of.number = number;
  int* completed = nullptr;
  cudaMalloc(&of.global, 1 << 20);
  cudaMalloc(&completed, sizeof(int));
  cudaMemset(of.global, 0, 1 << 20);
  const int unknown = -1;
  cudaMemcpy(completed, &unknown, sizeof unknown, cudaMemcpyHostToDevice);
  const cuuint64_t sizes[] = {32, 32}, strides[] = {128};
  const cuuint32_t box[] = {32, 8}, steps[] = {1, 1};
  void* tensor = of.global;
  if (number == tensor_of_freed_memory) cudaMalloc(&tensor, 64 << 20);
  if (number != tensor_map_of_zeros)
    tensor_test::encoder()(&of.map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, tensor, sizes, strides, box,
                           steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (number == tensor_of_freed_memory) cudaFree(tensor);
  cudaMemcpy(of.global + 8, &of.map, sizeof of.map, cudaMemcpyHostToDevice);
  make<<<1, 128, SHARED_BYTES>>>(of, completed);
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  int is_complete = -1;
  if (error == cudaSuccess)
    cudaMemcpy(&is_complete, completed, sizeof is_complete, cudaMemcpyDeviceToHost);
  std::printf("%-40s %s", NAMES[number], cudaGetErrorName(error));
  if (error == cudaSuccess)
    std::printf(is_complete == 0 ? ", the phase is never complete" : ", the phase completes");
  std::printf("\n");
  return 0;
}

// Returns the line that a process prints for each mistake.
std::vector<std::string> all_lines(const std::string& program) {
  std::vector<std::string> all;
  for (const char* name : NAMES) {
    const auto lines = tensor_test::lines_of("'" + program + "' --make " + name);
    all.push_back(lines.empty() ? std::string(name) + " failed" : lines[0]);
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--make") {
    const auto* const found = std::ranges::find(NAMES, words[1]);
    return found == std::end(NAMES) ? 2 : run(static_cast<int>(found - NAMES));
  }
  if (words.empty() || words.size() > 2) {
    std::fprintf(stderr, "usage: hopper_faults [--write] FILE\n");
    return 2;
  }
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess || device.major != 9) {
    std::printf("skipped: an H200's errors are recorded, and this GPU is no Hopper\n");
    return 77;
  }
  const std::vector<std::string> lines = all_lines(argv[0]);
  return words.size() == 2 ? tensor_test::write_lines(words[1], lines)
                           : tensor_test::compare_lines(words[0], lines, "mistakes");
}
