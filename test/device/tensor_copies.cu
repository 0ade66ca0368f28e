// Compares tensor maps and the copies that use them with an H200's: which maps the driver refuses and with which code, and what a
// copy brings to shared memory and to global memory.
//
//     tensor_copies FILE           compares, and prints how many differ
//     tensor_copies --write FILE   writes the file instead: a line for each tensor map
//     tensor_copies --dump FILE    writes the copied bytes too, in hexadecimal
//
// The maps are made from a seed: of one to five dimensions, all types, all swizzles, boxes at and beyond the edges. Many have a
// mistake.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "device/mbarrier.cuh"
#include "device/tensor_copy.cuh"
#include "hopper_answers.cuh"

namespace {

using tensor_test::check;
using tensor_test::Encode;
using tensor_test::Generator;
using tensor_test::hash;

constexpr int COUNT = 600;
constexpr uint32_t GLOBAL_BYTES = 64 * 1024, SHARED_BYTES = 8 * 1024;
constexpr unsigned char UNTOUCHED = 0xee;

// The arguments of cuTensorMapEncodeTiled, and what is copied.
struct Map {
  CUtensorMapDataType type;
  uint32_t rank;
  uint64_t offset;  // of the tensor in its memory, in bytes
  cuuint64_t sizes[5];
  cuuint64_t strides[4];
  cuuint32_t box[5];
  cuuint32_t steps[5];
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion promotion;
  CUtensorMapFloatOOBfill fill;
  int at[5];        // of the load
  int store_at[5];  // of the store
};

int size_of(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8:
      return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
      return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
      return 8;
    default:
      return 4;
  }
}

// Returns the bytes of a box in shared memory. A step leaves elements out, in all dimensions but the first.
uint32_t bytes_of(const Map& map) {
  uint32_t bytes = map.box[0] * static_cast<uint32_t>(size_of(map.type));
  for (uint32_t i = 1; i < map.rank; ++i) bytes *= (map.box[i] + map.steps[i] - 1) / map.steps[i];
  return bytes;
}

void make_a_mistake(Map& map, Generator& random) {
  const auto dimension = static_cast<size_t>(random.below(static_cast<int>(map.rank)));
  const size_t outer = map.rank > 1 ? dimension % (map.rank - 1) : 0;
  switch (random.below(17)) {
    case 0:
      map.offset += 8;
      break;
    case 1:
      map.offset += 4;
      break;
    case 2:
      map.sizes[dimension] = 0;
      break;
    case 3:
      map.sizes[dimension] = (1ull << 32) + static_cast<uint64_t>(random.below(2));
      break;
    case 4:
      map.strides[outer] += 8;
      break;
    case 5:
      map.strides[outer] = (1ull << 40) - 16 * static_cast<uint64_t>(random.below(2));
      break;
    case 6:
      map.strides[outer] = 0;
      break;
    case 7:
      map.strides[outer] = 16;
      break;
    case 8:
      map.box[dimension] = 0;
      break;
    case 9:
      map.box[dimension] = 256 + static_cast<uint32_t>(random.below(2));
      break;
    case 10:
      map.box[0] += 1;
      break;
    case 11:
      map.box[0] *= 2;
      break;
    case 12:
      map.steps[dimension] = random.below(2) == 0 ? 0 : 8 + static_cast<uint32_t>(random.below(2));
      break;
    case 13:
      map.rank = random.below(2) == 0 ? 0 : 6;
      break;
    case 14:
      map.interleave = static_cast<CUtensorMapInterleave>(1 + random.below(3));
      break;
    case 15:
      map.fill = static_cast<CUtensorMapFloatOOBfill>(1 + random.below(2));
      break;
    default:
      map.swizzle = static_cast<CUtensorMapSwizzle>(random.below(8));
      break;
  }
}

Map make(uint64_t seed) {
  Generator random(seed);
  Map map{};
  map.type = static_cast<CUtensorMapDataType>(random.below(13));
  const auto size = static_cast<uint32_t>(size_of(map.type));
  map.rank = 1 + static_cast<uint32_t>(random.below(5));
  map.offset = 16 * static_cast<uint64_t>(random.below(8));
  map.swizzle = static_cast<CUtensorMapSwizzle>(random.below(4));
  map.promotion = static_cast<CUtensorMapL2promotion>(random.below(4));
  const bool is_float = map.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 ||
                        (map.type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT32 &&
                         map.type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
  if (is_float) map.fill = static_cast<CUtensorMapFloatOOBfill>(random.below(2));
  const int span = map.swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 256 : 16 << map.swizzle;
  map.box[0] = static_cast<uint32_t>(16 * (1 + random.below(span / 16))) / size;
  if (map.box[0] > 256) map.box[0] = 256;
  map.sizes[0] = static_cast<uint64_t>(1 + random.below(static_cast<int>(2 * map.box[0])));
  uint64_t stride =
      (map.sizes[0] * size + 15) / 16 * 16 + 16 * static_cast<uint64_t>(random.below(3));
  uint32_t rows = 8192 / 256;
  for (uint32_t i = 1; i < map.rank; ++i) {
    map.sizes[i] = static_cast<uint64_t>(1 + random.below(map.rank > 3 ? 3 : 9));
    map.strides[i - 1] = stride;
    stride *= map.sizes[i];
    map.box[i] = 1 + static_cast<uint32_t>(random.below(static_cast<int>(std::min(rows, 12u))));
    rows = std::max(1u, rows / map.box[i]);
  }
  for (uint32_t i = 0; i < 5; ++i) {
    map.steps[i] = random.below(6) == 0 ? 1 + static_cast<uint32_t>(random.below(4)) : 1;
    const int reach = static_cast<int>(map.sizes[i]) + 2 * static_cast<int>(map.box[i]);
    map.at[i] = random.below(3) == 0 ? 0 : random.below(reach) - static_cast<int>(map.box[i]);
    if (random.below(40) == 0) map.at[i] = random.below(2) == 0 ? INT32_MAX - 15 : INT32_MIN;
    // A store at a negative coordinate is an error.
    map.store_at[i] = random.below(64) == 0 ? map.at[i] : std::max(map.at[i], 0);
  }
  // So is a copy that does not begin at a multiple of 16 bytes.
  const int whole = 16 / static_cast<int>(size);
  if (random.below(16) != 0) map.at[0] &= -whole;
  if (random.below(16) != 0) map.store_at[0] &= -whole;
  if (random.below(3) == 0) make_a_mistake(map, random);
  return map;
}

template <int RANK>
__global__ void load(const __grid_constant__ CUtensorMap map, int4 at, int at4, uint32_t bytes,
                     unsigned char* out, int* arrived) {
  extern __shared__ unsigned char memory[];
  __shared__ device::Mbarrier full;
  unsigned char* shared = memory + ((1024 - device::shared_address(memory) % 1024) % 1024);
  for (uint32_t i = threadIdx.x; i < SHARED_BYTES; i += blockDim.x) shared[i] = UNTOUCHED;
  if (threadIdx.x == 0) {
    device::init_mbarrier(full, 1);
    device::fence_mbarriers();
  }
  device::fence_for_copies();
  __syncthreads();
  if (threadIdx.x == 0) {
    const int all[5] = {at.x, at.y, at.z, at.w, at4};
    int coordinates[RANK];
    for (int i = 0; i < RANK; ++i) coordinates[i] = all[i];
    device::expect(full, bytes);
    device::load_tensor<RANK>(shared, map, coordinates, full);
    *arrived = tensor_test::wait_for_some_time(full) ? 1 : 0;
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < SHARED_BYTES; i += blockDim.x) out[i] = shared[i];
}

template <int RANK>
__global__ void store(const __grid_constant__ CUtensorMap map, int4 at, int at4) {
  extern __shared__ unsigned char memory[];
  unsigned char* shared = memory + ((1024 - device::shared_address(memory) % 1024) % 1024);
  for (uint32_t i = threadIdx.x; i < SHARED_BYTES; i += blockDim.x)
    shared[i] = static_cast<unsigned char>(i * 167 + i / 256);
  device::fence_for_copies();
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int all[5] = {at.x, at.y, at.z, at.w, at4};
  int coordinates[RANK];
  for (int i = 0; i < RANK; ++i) coordinates[i] = all[i];
  device::store_tensor<RANK>(map, coordinates, shared);
  device::commit_bulk();
  device::wait_bulk<0>();
}

constexpr decltype(&load<1>) LOADS[] = {load<1>, load<2>, load<3>, load<4>, load<5>};
constexpr decltype(&store<1>) STORES[] = {store<1>, store<2>, store<3>, store<4>, store<5>};

std::string hexadecimal(const std::vector<unsigned char>& bytes) {
  std::string text;
  char two[3];
  for (const unsigned char byte : bytes) {
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

// The memory of the copies.
struct Memory {
  unsigned char *global = nullptr, *out = nullptr;
  int* arrived = nullptr;

  ~Memory() {  // after an error of the GPU these calls fail, and the process ends
    for (void* one :
         {static_cast<void*>(global), static_cast<void*>(out), static_cast<void*>(arrived)})
      cudaFree(one);
  }

  void allocate() {
    check(cudaMalloc(&global, GLOBAL_BYTES), "cudaMalloc");
    check(cudaMalloc(&out, SHARED_BYTES), "cudaMalloc");
    check(cudaMalloc(&arrived, sizeof(int)), "cudaMalloc");
  }
};

// True if the copies stay inside their memory. A tensor that the driver takes may be larger, or its box.
bool is_inside(const Map& map) {
  if (map.interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || map.swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
      bytes_of(map) > SHARED_BYTES)
    return false;
  uint64_t end = map.offset + map.sizes[0] * static_cast<uint64_t>(size_of(map.type));
  for (uint32_t i = 1; i < map.rank; ++i) {
    if (map.strides[i - 1] > GLOBAL_BYTES || map.sizes[i] > GLOBAL_BYTES) return false;
    end += (map.sizes[i] - 1) * map.strides[i - 1];
  }
  return end <= GLOBAL_BYTES;
}

// Returns a line: the driver's code; of the load, whether the bytes of the box arrived, and the hash of shared memory; of the
// store, the hash of global memory. Or the error of a copy.
std::string line_of(const Map& map, Encode encode, const Memory& memory, bool dumps) {
  std::vector<unsigned char> contents(GLOBAL_BYTES);
  Generator random(7);
  for (unsigned char& byte : contents) byte = static_cast<unsigned char>(random.bits());
  check(cudaMemcpy(memory.global, contents.data(), contents.size(), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  alignas(64) CUtensorMap encoded{};
  const CUresult code =
      encode(&encoded, map.type, map.rank, memory.global + map.offset, map.sizes, map.strides,
             map.box, map.steps, map.interleave, map.swizzle, map.promotion, map.fill);
  std::string line = std::to_string(static_cast<int>(code));
  if (code != CUDA_SUCCESS || !is_inside(map)) return line;

  const auto first_four = [](const int(&at)[5]) { return int4{at[0], at[1], at[2], at[3]}; };
  LOADS[map.rank - 1]<<<1, 32, SHARED_BYTES + 1024>>>(encoded, first_four(map.at), map.at[4],
                                                      bytes_of(map), memory.out, memory.arrived);
  std::vector<unsigned char> loaded(SHARED_BYTES);
  int is_here = 0;
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return line + " " + cudaGetErrorName(error);
  check(cudaMemcpy(loaded.data(), memory.out, loaded.size(), cudaMemcpyDeviceToHost), "load");
  check(cudaMemcpy(&is_here, memory.arrived, sizeof is_here, cudaMemcpyDeviceToHost), "load");
  char text[64];
  std::snprintf(text, sizeof text, " %d %016llx", is_here,
                static_cast<unsigned long long>(hash(loaded)));
  line += text;
  loaded.resize(std::min(SHARED_BYTES, bytes_of(map) + 128));
  const std::string dump = dumps ? std::string(" ").append(hexadecimal(loaded)) : "";

  STORES[map.rank - 1]<<<1, 32, SHARED_BYTES + 1024>>>(encoded, first_four(map.store_at),
                                                       map.store_at[4]);
  error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return line + " " + cudaGetErrorName(error) + dump;
  std::vector<unsigned char> stored(GLOBAL_BYTES);
  check(cudaMemcpy(stored.data(), memory.global, stored.size(), cudaMemcpyDeviceToHost), "store");
  std::snprintf(text, sizeof text, " %016llx", static_cast<unsigned long long>(hash(stored)));
  line += text + dump;
  if (!dumps) return line;
  line += " stored";
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] != contents[i]) line += " " + std::to_string(i) + "=" + std::to_string(stored[i]);
  }
  return line;
}

// Prints the lines from a seed on. Ends after an error, since the process cannot use the GPU any more.
int print_lines(uint64_t seed, bool dumps) {
  const Encode encode = tensor_test::encoder();
  Memory memory;
  memory.allocate();
  for (; seed <= COUNT; ++seed) {
    std::puts(line_of(make(seed), encode, memory, dumps).c_str());
    if (cudaGetLastError() != cudaSuccess) break;
  }
  return 0;
}

// Returns all lines, which as many processes as necessary have printed.
std::vector<std::string> all_lines(const std::string& program, bool dumps) {
  std::vector<std::string> all;
  while (all.size() < COUNT) {
    const std::string command =
        "'" + program + "' --from " + std::to_string(all.size() + 1) + (dumps ? " --dump" : "");
    const std::vector<std::string> lines = tensor_test::lines_of(command);
    if (lines.empty()) {
      std::fprintf(stderr, "'%s' failed\n", command.c_str());
      std::exit(70);
    }
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool dumps = std::ranges::count(words, "--dump") > 0;
  if (words.size() >= 2 && words[0] == "--from")
    return print_lines(std::strtoull(words[1].c_str(), nullptr, 10), dumps);
  if (words.empty() || words.size() > 2) {
    std::fprintf(stderr, "usage: tensor_copies [--write | --dump] FILE\n");
    return 2;
  }
  cudaDeviceProp device{};
  check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  if (device.major != 9) {
    std::printf("skipped: an H200's answers are recorded, and this GPU is no Hopper\n");
    return 77;
  }
  const std::string& file = words.back();
  const std::vector<std::string> lines = all_lines(argv[0], dumps);
  return words.size() == 2 ? tensor_test::write_lines(file, lines)
                           : tensor_test::compare_lines(file, lines, "tensor maps");
}
