// Layer normalisation of rows, a block a row: mean and variance by a block-wide reduction of float2.
// Easily got wrong: the shared result is reused, so a barrier also stands after reading it.
#include <cmath>
#include <cstdio>

__device__ float2 block_sum(float2 v) {
  __shared__ float2 partial[32];
  for (int d = 16; d; d /= 2) {
    v.x += __shfl_down_sync(0xffffffff, v.x, d);
    v.y += __shfl_down_sync(0xffffffff, v.y, d);
  }
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  v = {0, 0};
  for (int w = 0; w < blockDim.x / 32; ++w) v.x += partial[w].x, v.y += partial[w].y;
  __syncthreads();
  return v;
}

__global__ void layernorm(const float* __restrict__ in, const float* __restrict__ weight, const float* __restrict__ bias,
                          float* __restrict__ out, int n) {
  const float* x = in + blockIdx.x * n;
  float2 v = {0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) v.x += x[i];
  const float mean = block_sum(v).x / n;
  v = {0, 0};
  for (int i = threadIdx.x; i < n; i += blockDim.x) v.y += (x[i] - mean) * (x[i] - mean);
  const float scale = rsqrtf(block_sum(v).y / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

int main() {
  const int rows = 12, n = 300;
  float *in, *weight, *bias, *out;
  cudaMallocManaged(&in, rows * n * sizeof(float));
  cudaMallocManaged(&out, rows * n * sizeof(float));
  cudaMallocManaged(&weight, n * sizeof(float));
  cudaMallocManaged(&bias, n * sizeof(float));
  for (int i = 0; i < rows * n; ++i) in[i] = (i * 31 % 211) * 0.05f + i / n;
  for (int i = 0; i < n; ++i) weight[i] = 1 + i % 4 * 0.5f, bias[i] = i % 3 - 1.0f;
  layernorm<<<rows, 128>>>(in, weight, bias, out, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int i = 0; i < n; ++i) mean += in[r * n + i] / n;
    for (int i = 0; i < n; ++i) variance += (in[r * n + i] - mean) * (in[r * n + i] - mean) / n;
    for (int i = 0; i < n; ++i) {
      const double want = (in[r * n + i] - mean) / std::sqrt(variance + 1e-5) * weight[i] + bias[i];
      wrong += !(std::fabs(out[r * n + i] - want) <= 1e-4);
    }
  }
  printf("%.3f %.3f %.3f\n", out[0], out[n], out[rows * n - 1]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
  cudaFree(weight);
  cudaFree(bias);
}
