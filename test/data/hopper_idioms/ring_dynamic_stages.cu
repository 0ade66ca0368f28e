// flags: -lcuda
// A ring whose stages lie in dynamic shared memory, aligned by hand to 1024 bytes, because the tiles have a swizzle of 128 bytes. The number
// of stages is a template's parameter. The largest ring needs more than 48 KiB, which the host asks for with cudaFuncSetAttribute.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int ROWS = 64, COLS = 32;  // of a tile, floats: 8 KiB
constexpr int TILES = 9;
constexpr int BYTES = ROWS * COLS * sizeof(float);

__device__ __forceinline__ uint32_t cast_smem_ptr_to_uint(const void* ptr) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(ptr));
}

class Barrier {
 public:
  __device__ void init(uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%1], %0;" ::"r"(arrivals), "r"(address()));
  }
  __device__ void wait(uint32_t phase) {
    asm volatile(
        "{\n"
        ".reg .pred       P1;\n"
        "LAB_WAIT: \n"
        "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
        "@P1 bra DONE;\n"
        "bra     LAB_WAIT;\n"
        "DONE: \n"
        "}" ::"r"(address()),
        "r"(phase)
        : "memory");
  }
  __device__ void arrive() {
    asm volatile(
        "{\n.reg .b64 state; \nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(address())
        : "memory");
  }
  __device__ void arrive_and_expect(uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%1], %0;" ::"r"(bytes),
                 "r"(address())
                 : "memory");
  }
  __device__ uint32_t address() const { return cast_smem_ptr_to_uint(&word_); }

 private:
  uint64_t word_;
};

template <int STAGES>
__global__ void row_sums(const __grid_constant__ CUtensorMap map, float* sums) {
  extern __shared__ char dynamic[];
  char* aligned = dynamic + (1024 - cast_smem_ptr_to_uint(dynamic) % 1024) % 1024;
  float(*tiles)[ROWS][COLS] = reinterpret_cast<float(*)[ROWS][COLS]>(aligned);
  Barrier* full = reinterpret_cast<Barrier*>(aligned + STAGES * BYTES);
  Barrier* empty = full + STAGES;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      full[i].init(1);
      empty[i].init(ROWS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x >= ROWS) {
    if (threadIdx.x == ROWS) {
      int stage = 0, phase = 1;
      for (int t = 0; t < TILES; ++t) {
        empty[stage].wait(phase);
        full[stage].arrive_and_expect(BYTES);
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
            " [%0], [%1, {%3, %4}], [%2];"
            :
            : "r"(cast_smem_ptr_to_uint(tiles[stage])), "l"(reinterpret_cast<uint64_t>(&map)),
              "r"(full[stage].address()), "r"(t * COLS), "r"(static_cast<int>(blockIdx.x) * ROWS)
            : "memory");
        if (++stage == STAGES) stage = 0, phase ^= 1;
      }
    }
  } else {
    float sum = 0;
    int stage = 0, phase = 0;
    for (int t = 0; t < TILES; ++t) {
      full[stage].wait(phase);
      for (int col = 0; col < COLS; ++col) {
        const int piece = (col / 4) ^ (threadIdx.x % 8);
        sum += (col % 2 ? 3.0f : 1.0f) * tiles[stage][threadIdx.x][piece * 4 + col % 4];
      }
      empty[stage].arrive();
      if (++stage == STAGES) stage = 0, phase ^= 1;
    }
    sums[blockIdx.x * ROWS + threadIdx.x] = sum;
  }
}

template <int STAGES>
int run(const CUtensorMap& map, float* sums, int blocks, const std::vector<float>& want) {
  const int bytes = STAGES * (BYTES + 2 * (int)sizeof(Barrier)) + 1024;
  cudaFuncSetAttribute(row_sums<STAGES>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  cudaMemset(sums, 0, want.size() * sizeof(float));
  row_sums<STAGES><<<blocks, ROWS + 32, bytes>>>(map, sums);
  std::vector<float> got(want.size());
  cudaMemcpy(got.data(), sums, want.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  double all = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    wrong += !(got[i] == want[i]);
    all += got[i];
  }
  printf("%d stages, %d bytes: wrong sums: %d, all: %.0f\n", STAGES, bytes, wrong, all);
  return wrong;
}

int main() {
  constexpr int BLOCKS = 2, M = BLOCKS * ROWS, N = TILES * COLS;
  std::vector<float> matrix(M * N), want(M);
  for (int i = 0; i < M * N; ++i) {
    matrix[i] = static_cast<float>(i % 97 - 40);
    want[i / N] += matrix[i] * (i % 2 ? 3 : 1);
  }
  float *d_matrix, *d_sums;
  cudaMalloc(&d_matrix, M * N * sizeof(float));
  cudaMalloc(&d_sums, M * sizeof(float));
  cudaMemcpy(d_matrix, matrix.data(), M * N * sizeof(float), cudaMemcpyHostToDevice);
  CUtensorMap map{};
  const cuuint64_t size[] = {N, M}, pitch[] = {N * sizeof(float)};
  const cuuint32_t box[] = {COLS, ROWS}, step[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_matrix, size, pitch, box, step,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                         CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  const int wrong = run<1>(map, d_sums, BLOCKS, want) + run<2>(map, d_sums, BLOCKS, want) +
                    run<4>(map, d_sums, BLOCKS, want) + run<12>(map, d_sums, BLOCKS, want);
  printf("%s\n", wrong == 0 ? "PASSED" : "FAILED");
  cudaFree(d_matrix);
  cudaFree(d_sums);
}
