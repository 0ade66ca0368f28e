// Tiles that the threads themselves store with a swizzle of 64 bytes, as a kernel does if it changes the data on the way. Each turn overwrites the tiles.
// fence.proxy.async orders a thread's stores before the tensor core's reads. A barrier of the block comes after the fence, and another one after
// the wait, before the next stores.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int M = 128, N = 32, K = 96, BM = 64, BK = 32;  // a row of a tile has 64 bytes

struct Params {
  const uint8_t* a;  // M x K, numbers from 0 to 255
  const int8_t* b;   // N x K
  float* c;
};

__device__ __forceinline__ uint32_t smem_ptr_u32(const void* p) {
  return uint32_t(__cvta_generic_to_shared(p));
}
// Moves the 16-byte piece of an offset in bytes: bits 4 and 5 are added to bits 7 and 8 without carry.
__device__ __forceinline__ int swizzle64(int bytes) { return bytes ^ (bytes >> 7 & 3) << 4; }

__global__ __launch_bounds__(128) void dequantise_and_multiply(const Params p) {
  __shared__ alignas(512) unsigned char sa[BM * BK * 2];
  __shared__ alignas(512) unsigned char sb[N * BK * 2];
  const int t = threadIdx.x;
  const uint8_t* a = p.a + blockIdx.x * BM * K;
  float d[16];
  for (int i = 0; i < 16; ++i) d[i] = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = t; i < BM * BK / 2; i += 128) {
      const int row = i / (BK / 2), k = i % (BK / 2) * 2;
      const uchar2 pair = *(const uchar2*)(a + row * K + k0 + k);
      // Numbers become halves around zero.
      *(half2*)(sa + swizzle64(row * 64 + k * 2)) =
          __floats2half2_rn((pair.x - 128) * 0.5f, (pair.y - 128) * 0.5f);
    }
    for (int i = t; i < N * BK; i += 128) {
      const int row = i / BK, k = i % BK;
      *(half*)(sb + swizzle64(row * 64 + k * 2)) = __int2half_rn(p.b[row * K + k0 + k]);
    }
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
#pragma unroll
    for (int k = 0; k < BK; k += 16) {
      const uint64_t common = (uint64_t)(8 * 64 >> 4) << 32 | (uint64_t)2 << 62;
      const uint64_t da = common | (smem_ptr_u32(sa) + k * 2) >> 4,
                     db = common | (smem_ptr_u32(sb) + k * 2) >> 4;
      asm volatile(
          "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
          "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, "
          "1, 0, 0;\n"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
            "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
            "+f"(d[14]), "+f"(d[15])
          : "l"(da), "l"(db));
    }
    asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
    __syncthreads();
  }
  for (int i = 0; i < 16; ++i) {
    const int row = blockIdx.x * BM + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8,
              col = i / 4 * 8 + t % 4 * 2 + i % 2;
    p.c[row * N + col] = d[i];
  }
}

int main() {
  std::vector<uint8_t> a(M * K);
  std::vector<int8_t> b(N * K);
  std::vector<float> c(M * N);
  uint32_t state = 7;
  for (auto& x : a) x = (state = state * 1103515245 + 12345) >> 16 & 255;
  for (auto& x : b) x = int8_t(((state = state * 1103515245 + 12345) >> 16) % 31) - 15;
  Params p;
  cudaMalloc((void**)&p.a, a.size());
  cudaMalloc((void**)&p.b, b.size());
  cudaMalloc((void**)&p.c, c.size() * 4);
  cudaMemcpy((void*)p.a, a.data(), a.size(), cudaMemcpyHostToDevice);
  cudaMemcpy((void*)p.b, b.data(), b.size(), cudaMemcpyHostToDevice);
  dequantise_and_multiply<<<M / BM, 128>>>(p);
  cudaMemcpy(c.data(), p.c, c.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0;
  double sum = 0;
  for (int i = 0; i < M * N; ++i) {
    float want = 0;
    for (int k = 0; k < K; ++k) want += (a[i / N * K + k] - 128) * 0.5f * b[i % N * K + k];
    wrong += !(c[i] == want);
    sum += c[i] * (i % 17);
  }
  printf("wrong elements: %d of %d\nweighted sum: %.1f, last: %.1f\n", wrong, M * N, sum, c.back());
  puts(wrong == 0 ? "PASSED" : "FAILED");
  cudaFree((void*)p.a);
  cudaFree((void*)p.b);
  cudaFree(p.c);
}
