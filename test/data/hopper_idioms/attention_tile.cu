// Attention for one tile of queries, in the manner of FlashAttention: S = Q K^T, a running maximum of each row, P = 2^(S - maximum), O = O * scale + P V. P goes
// from the accumulators of one product to the A registers of the next. Scores are small whole numbers, so all powers of two are exact.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int QUERIES = 64, KEYS = 64, D = 16, BLOCK = 16, VALUES = 8;

__device__ uint32_t smem_of(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit_and_wait() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
// 2^n for whole numbers n <= 0.
__host__ __device__ float power_of_two(float n) { return ldexpf(1.0f, static_cast<int>(n)); }

// Blocks of 8 rows by 16 bytes. `leading` leads to the next 8 steps of k, `stride` to the next 8 rows.
__device__ uint64_t matrix(const __half* p, int leading, int stride) {
  return smem_of(p) >> 4 | static_cast<uint64_t>(leading >> 4) << 16 |
         static_cast<uint64_t>(stride >> 4) << 32;
}

__global__ __launch_bounds__(128) void attention(const __half* q, const __half* k, const __half* v,
                                                 float* o) {
  __shared__ alignas(128) __half sq[D / 8][QUERIES][8];
  __shared__ alignas(128) __half sk[D / 8][KEYS][8];
  __shared__ alignas(128) __half sv[KEYS / 8][VALUES][8];  // [key / 8][value][key % 8]
  const int t = threadIdx.x;
  for (int i = t; i < QUERIES * D; i += 128) sq[i % D / 8][i / D][i % 8] = q[i];
  for (int i = t; i < KEYS * D; i += 128) sk[i % D / 8][i / D][i % 8] = k[i];
  for (int i = t; i < KEYS * VALUES; i += 128)
    sv[i / VALUES / 8][i % VALUES][i / VALUES % 8] = v[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  float out[4] = {}, most[2] = {-1000, -1000}, total[2] = {};
  for (int key = 0; key < KEYS; key += BLOCK) {
    float s[8];
    fence();
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, "
        "%9, 0, 1, 1, 0, 0;"
        : "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3]), "=f"(s[4]), "=f"(s[5]), "=f"(s[6]),
          "=f"(s[7])
        : "l"(matrix(&sq[0][0][0], sizeof sq[0], 128)),
          "l"(matrix(&sk[0][key][0], sizeof sk[0], 128)));
    commit_and_wait();
    // Four lanes share a row. s[0], s[1], s[4], s[5] are of row g, the others of row g + 8.
    for (int half_of_rows = 0; half_of_rows < 2; ++half_of_rows) {
      const int i = half_of_rows * 2;
      float m = fmaxf(fmaxf(s[i], s[i + 1]), fmaxf(s[i + 4], s[i + 5]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      m = fmaxf(m, most[half_of_rows]);
      const float scale = power_of_two(fmaxf(most[half_of_rows] - m, -100));
      most[half_of_rows] = m;
      float sum = 0;
      for (const int j : {i, i + 1, i + 4, i + 5}) sum += s[j] = power_of_two(s[j] - m);
      total[half_of_rows] = total[half_of_rows] * scale + sum;
      out[i] *= scale;
      out[i + 1] *= scale;
    }
    uint32_t p[4];
    for (int i = 0; i < 4; ++i) {
      const __half2 pair = __floats2half2_rn(s[2 * i], s[2 * i + 1]);
      p[i] = *reinterpret_cast<const uint32_t*>(&pair);
    }
    fence();
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, "
        "1, 1, 1, 0;"
        : "+f"(out[0]), "+f"(out[1]), "+f"(out[2]), "+f"(out[3])
        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]),
          "l"(matrix(&sv[key / 8][0][0], sizeof sv[0], 128)));
    commit_and_wait();
  }
  for (int half_of_rows = 0; half_of_rows < 2; ++half_of_rows) {
    float sum = total[half_of_rows];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    const int row = t / 32 * 16 + t % 32 / 4 + half_of_rows * 8, col = t % 4 * 2;
    o[row * VALUES + col] = __fdiv_rn(out[half_of_rows * 2], sum);
    o[row * VALUES + col + 1] = __fdiv_rn(out[half_of_rows * 2 + 1], sum);
  }
}

int main() {
  std::vector<__half> q(QUERIES * D), k(KEYS * D), v(KEYS * VALUES);
  std::vector<float> o(QUERIES * VALUES);
  // Each query and each key has few nonzero elements, so scores lie between -4 and 4.
  const auto element = [](int row, int i, int salt) {
    return (row * salt + i) % 4 == 0 ? (row + i) % 3 - 1 : 0;
  };
  for (int i = 0; i < QUERIES * D; ++i) q[i] = __int2half_rn(element(i / D, i % D, 3));
  for (int i = 0; i < KEYS * D; ++i) k[i] = __int2half_rn(element(i / D, i % D, 5));
  for (int i = 0; i < KEYS * VALUES; ++i) v[i] = __int2half_rn(i * 7 % 17 - 8);
  __half *d_q, *d_k, *d_v;
  float* d_o;
  cudaMalloc(&d_q, q.size() * 2);
  cudaMalloc(&d_k, k.size() * 2);
  cudaMalloc(&d_v, v.size() * 2);
  cudaMalloc(&d_o, o.size() * 4);
  cudaMemcpy(d_q, q.data(), q.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_k, k.data(), k.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(d_v, v.data(), v.size() * 2, cudaMemcpyHostToDevice);
  attention<<<1, 128>>>(d_q, d_k, d_v, d_o);
  cudaMemcpy(o.data(), d_o, o.size() * 4, cudaMemcpyDeviceToHost);
  int wrong = 0, lowest = 0, highest = 0;
  double sum = 0;
  for (int row = 0; row < QUERIES; ++row) {
    int score[KEYS], most = -1000;
    for (int key = 0; key < KEYS; ++key) {
      score[key] = 0;
      for (int i = 0; i < D; ++i) score[key] += element(row, i, 3) * element(key, i, 5);
      if (score[key] > most) most = score[key];
      if (score[key] < lowest) lowest = score[key];
      if (score[key] > highest) highest = score[key];
    }
    for (int col = 0; col < VALUES; ++col) {
      float weights = 0, want = 0;  // exact, in whichever order
      for (int key = 0; key < KEYS; ++key) {
        const float p = power_of_two(float(score[key] - most));
        weights += p;
        want += p * __half2float(v[key * VALUES + col]);
      }
      wrong += !(o[row * VALUES + col] == want / weights);
      sum += o[row * VALUES + col] * (col + 1);
    }
  }
  printf("scores from %d to %d, wrong outputs: %d\n", lowest, highest, wrong);
  printf("o[1][2] = %.6f, weighted sum: %.6f\n%s\n", o[VALUES + 2], sum,
         wrong ? "FAILED" : "PASSED");
  cudaFree(d_q);
  cudaFree(d_k);
  cudaFree(d_v);
  cudaFree(d_o);
}
