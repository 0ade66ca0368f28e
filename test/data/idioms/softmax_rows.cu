// Softmax of rows, a warp a row: the largest, the sum of exponentials, the quotient; then the online variant.
// Easily got wrong: subtract the row's maximum or expf overflows; lanes beyond the row's end count as -infinity.
#include <cmath>
#include <cstdio>

__device__ float warp_max(float v) {
  for (int d = 16; d; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
  return v;
}
__device__ float warp_sum(float v) {
  for (int d = 16; d; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}

__global__ void softmax(const float* in, float* out, int rows, int n) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* x = in + row * n;
  float largest = -INFINITY, sum = 0;
  for (int i = lane; i < n; i += 32) largest = fmaxf(largest, x[i]);
  largest = warp_max(largest);
  for (int i = lane; i < n; i += 32) sum += expf(x[i] - largest);
  sum = warp_sum(sum);
  for (int i = lane; i < n; i += 32) out[row * n + i] = expf(x[i] - largest) / sum;
}
__global__ void online(const float* in, float* out, int rows, int n) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* x = in + row * n;
  float m = -INFINITY, s = 0;
  for (int i = lane; i < n; i += 32) {
    const float before = m;
    m = fmaxf(m, x[i]);
    s = s * expf(before - m) + expf(x[i] - m);
  }
  const float all = warp_max(m);
  const float sum = warp_sum(m == -INFINITY ? 0 : s * expf(m - all));
  for (int i = lane; i < n; i += 32) out[row * n + i] = __expf(x[i] - all) / sum;
}

int main() {
  const int rows = 10, columns[] = {77, 5, 128};
  float *in, *out;
  cudaMallocManaged(&in, rows * 128 * sizeof(float));
  cudaMallocManaged(&out, 2 * rows * 128 * sizeof(float));
  for (int i = 0; i < rows * 128; ++i) in[i] = (i * 37 % 101) * 0.1f + (i % 3 ? 0 : 90);
  for (int n : columns) {
    softmax<<<(rows + 3) / 4, 128>>>(in, out, rows, n);
    online<<<(rows + 3) / 4, 128>>>(in, out + rows * 128, rows, n);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int r = 0; r < rows; ++r) {
      double largest = -1e9, sum = 0;
      for (int i = 0; i < n; ++i) largest = std::fmax(largest, in[r * n + i]);
      for (int i = 0; i < n; ++i) sum += std::exp(in[r * n + i] - largest);
      for (int i = 0; i < n; ++i) {
        const double want = std::exp(in[r * n + i] - largest) / sum;
        wrong += !(std::fabs(out[r * n + i] - want) <= 1e-5) || !(std::fabs(out[rows * 128 + r * n + i] - want) <= 1e-5);
      }
    }
    printf("%d: %.3f %.3f %s\n", n, out[0], out[n + 1], wrong ? "FAILED" : "PASSED");
  }
  cudaFree(in);
  cudaFree(out);
}
