// Loads matrices with ldmatrix, one launch for each pattern of addresses, and checks every register.
//
//     matrix_loads            prints the patterns like test/data/matrix_loads_h200.csv, without the measured columns
//     matrix_loads FILE       also compares the patterns with the file's patterns
//
// It is plain CUDA and runs on a GPU and on the simulated one. Under Nsight Compute the launches are in the order of
// the file's lines: the file's counters were measured in this way.
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "device/tensor_core.cuh"

namespace {

constexpr int WARP = 32;
constexpr int ROWS = 8;            // of a matrix, and elements of a row
constexpr int SHARED_ROWS = 2048;  // places for rows in shared memory, one after the other

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "matrix_loads: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(70);
}

// The place of each lane's row.
struct Pattern {
  int count;  // number of matrices
  bool transposed;
  int place[WARP];
};

// Returns element e of the row at a place.
__host__ __device__ constexpr uint16_t element(int place, int e) {
  return static_cast<uint16_t>(place * ROWS + e);
}

template <int COUNT, bool TRANSPOSED>
__global__ void load_kernel(const Pattern pattern, uint32_t* out) {
  __shared__ __align__(128) uint16_t elements[SHARED_ROWS * ROWS];
  for (int i = threadIdx.x; i < SHARED_ROWS * ROWS; i += WARP)
    elements[i] = element(i / ROWS, i % ROWS);
  __syncwarp();
  uint32_t registers[COUNT];
  device::load_matrices<COUNT, TRANSPOSED>(registers, &elements[pattern.place[threadIdx.x] * ROWS]);
  for (int i = 0; i < COUNT; ++i) out[i * WARP + threadIdx.x] = registers[i];
}

template <int COUNT>
void launch(const Pattern& pattern, uint32_t* out) {
  if (pattern.transposed) {
    load_kernel<COUNT, true><<<1, WARP>>>(pattern, out);
  } else {
    load_kernel<COUNT, false><<<1, WARP>>>(pattern, out);
  }
}

// Returns the register of a lane, by the PTX manual.
uint32_t expected(const Pattern& pattern, int matrix, int lane) {
  uint32_t word = 0;
  for (int half = 0; half < 2; ++half) {
    const int along = lane % 4 * 2 + half, across = lane / 4;
    const int row = pattern.transposed ? along : across, col = pattern.transposed ? across : along;
    const int place = pattern.place[matrix * ROWS + row];
    word |= uint32_t{element(place, col)} << 16 * half;
  }
  return word;
}

// ---- The patterns.

// Sebastiano Vigna's splitmix64.
class Generator {
 public:
  int below(int limit) {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<int>((z ^ (z >> 31)) % static_cast<uint64_t>(limit));
  }

 private:
  uint64_t state_ = 1;
};

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  const auto add = [&](int count, bool transposed, auto&& place_of_lane) {
    Pattern pattern{count, transposed, {}};
    for (int lane = 0; lane < WARP; ++lane) pattern.place[lane] = place_of_lane(lane);
    all.push_back(pattern);
  };
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      // Rows of a tile that is `stride` places wide; the matrices lie one below the other.
      for (const int stride : {1, 2, 3, 4, 5, 8, 9, 16, 17, 24, 32}) {
        add(count, transposed, [&](int lane) { return lane * stride; });
      }
    }
    // The matrices side by side in rows of 8 places, plain and swizzled.
    add(count, false, [](int lane) { return lane % 8 * 8 + lane / 8; });
    add(count, false, [](int lane) { return lane % 8 * 8 + (lane / 8 ^ lane % 8); });
    add(count, false, [](int lane) { return lane % 8 * 4 + (lane / 8 ^ lane % 8 / 2); });
    // Rows that lanes share: all the same row, pairs, neighbours of pairs, the same matrix twice, one row for each
    // matrix.
    add(count, false, [](int) { return 3; });
    add(count, false, [](int lane) { return lane / 2; });
    add(count, false, [](int lane) { return lane & ~2; });
    add(count, false, [](int lane) { return lane & ~4; });
    add(count, false, [](int lane) { return lane % 8; });
    add(count, false, [](int lane) { return lane % 16; });
    add(count, false, [](int lane) { return lane / 8 * 8; });
    add(count, false, [](int lane) { return lane / 8 * 3; });
    add(count, false, [](int lane) { return lane % 2 * 8; });
    add(count, false, [](int lane) { return lane % 2 * 8 + lane / 2; });
    add(count, false, [](int lane) { return lane / 2 * 8 + lane % 2; });
    add(count, false, [](int lane) { return 31 - lane; });
    Generator generator;
    for (int range : {8, 16, 32, 64, 256, 2048, 2048, 2048}) {
      add(count, false, [&](int) { return generator.below(range); });
    }
  }
  return all;
}

std::string line_of(const Pattern& pattern) {
  std::string line = std::to_string(pattern.count) + (pattern.transposed ? ",1," : ",0,");
  for (int lane = 0; lane < pattern.count * ROWS; ++lane) {
    if (lane > 0) {
      line += ' ';
    }
    line += std::to_string(pattern.place[lane]);
  }
  return line;
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "matrix_loads: no CUDA device\n");
    return 77;
  }
  std::ifstream recorded;
  std::string line;
  if (argc > 1) {
    recorded.open(argv[1]);
    if (!std::getline(recorded, line)) {  // the names of the columns
      std::fprintf(stderr, "matrix_loads: cannot read '%s'\n", argv[1]);
      return 2;
    }
  }
  uint32_t* out = nullptr;
  check(cudaMalloc(&out, 4 * WARP * sizeof(uint32_t)), "cudaMalloc");
  int wrong = 0;
  const std::vector<Pattern> all = patterns();
  for (const Pattern& pattern : all) {
    pattern.count == 1   ? launch<1>(pattern, out)
    : pattern.count == 2 ? launch<2>(pattern, out)
                         : launch<4>(pattern, out);
    check(cudaGetLastError(), "launch");
    std::array<uint32_t, 4 * WARP> got{};
    check(cudaMemcpy(got.data(), out, sizeof got, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (int i = 0; i < pattern.count * WARP; ++i) {
      const uint32_t want = expected(pattern, i / WARP, i % WARP);
      if (got[static_cast<size_t>(i)] == want || ++wrong > 5) continue;
      std::fprintf(stderr, "matrix_loads: %s: register %d of lane %d is %08x, should be %08x\n",
                   line_of(pattern).c_str(), i / WARP, i % WARP, got[static_cast<size_t>(i)], want);
    }
    if (argc == 1) {
      std::printf("%s\n", line_of(pattern).c_str());
    } else if (!std::getline(recorded, line) || !line.starts_with(line_of(pattern) + ",")) {
      std::fprintf(stderr, "matrix_loads: the file has not the pattern %s\n",
                   line_of(pattern).c_str());
      ++wrong;
    }
  }
  check(cudaFree(out), "cudaFree");
  if (argc > 1) std::printf("%zu patterns of ldmatrix, %d wrong\n", all.size(), wrong);
  return wrong == 0 ? 0 : 1;
}
