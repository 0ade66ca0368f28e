// A function takes references and reads one of them: what it does not read is not touched, wherever the other points.
// Easily got wrong by tools: a reference is no promise that the place may be read ahead of the condition.
#include <cstdio>

__device__ __noinline__ float pick(const float& a, const float& b, bool first) { return first ? a : b; }

__device__ __noinline__ float at_most(const float& a, const float& limit, bool is_limited) {
  float value = a;
  if (is_limited && limit < value) value = limit;
  return value;
}

__device__ __noinline__ float sum_of(const float& first, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += (&first)[i];
  return sum;
}

struct Pair {
  float a, b;
  __device__ __noinline__ float get(bool is_there) const { return is_there ? a + b : -1; }
};

__global__ void look(const float* data, float* out, int n, const float* nowhere, const Pair* pairs) {
  const int i = threadIdx.x;
  const int far = 1 << 28;  // beyond any allocation of this program
  out[i] = pick(data[i < n ? i : far], data[far], i < n || nowhere == nullptr);
  out[n + i] = at_most(data[i], data[far], nowhere != nullptr);
  out[2 * n + i] = sum_of(data[far], nowhere == nullptr ? 0 : n);
  out[3 * n + i] = pairs[i % 2 == 0 ? i / 2 : far].get(i % 2 == 0);
}

int main() {
  const int n = 32;
  float *data, *out;
  cudaMallocManaged(&data, n * sizeof(float));
  cudaMallocManaged(&out, 4 * n * sizeof(float));
  for (int i = 0; i < n; ++i) data[i] = i;
  look<<<1, n>>>(data, out, n, nullptr, reinterpret_cast<Pair*>(data));
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int part = 0; part < 4; ++part) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += out[part * n + i];
    printf("%g\n", sum);
  }
  cudaFree(data);
  cudaFree(out);
}
