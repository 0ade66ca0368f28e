// The largest kernel argument that every device takes: 4 KiB, indexed by the thread.
// Easily got wrong: an index known only at run time must not make the whole copy local per thread slow or wrong.
#include <cstdio>

struct Large {
  int n;
  float coefficients[1000];
  short rest[40];
};
static_assert(sizeof(Large) <= 4096 - 8, "with the pointer it fits into 4 KiB");

__global__ void polynomial(const __grid_constant__ Large large, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < large.n) out[i] = large.coefficients[i] * 2 + large.rest[i % 40];
}
__global__ void sums(Large large, int* out) {
  int sum = 0;
  for (int i = threadIdx.x; i < large.n; i += blockDim.x) sum += int(large.coefficients[i]);
  out[threadIdx.x] = sum;
}

int main() {
  Large large;
  large.n = 1000;
  for (int i = 0; i < 1000; ++i) large.coefficients[i] = float(i);
  for (int i = 0; i < 40; ++i) large.rest[i] = short(-i);
  float* out;
  int* sum;
  cudaMallocManaged(&out, 1000 * sizeof(float));
  cudaMallocManaged(&sum, 64 * sizeof(int));
  polynomial<<<8, 128>>>(large, out);
  sums<<<1, 64>>>(large, sum);
  large.coefficients[5] = 1e9f;  // too late to matter: arguments are copied at the launch
  cudaDeviceSynchronize();
  int wrong = 0, total = 0;
  for (int i = 0; i < 1000; ++i) wrong += out[i] != i * 2 - i % 40;
  for (int i = 0; i < 64; ++i) total += sum[i];
  printf("%zu %g %d\n", sizeof(Large), out[999], total);
  puts(wrong || total != 499500 ? "FAILED" : "PASSED");
  cudaFree(out);
  cudaFree(sum);
}
