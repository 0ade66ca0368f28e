// Every atomic of 32 bits, in global and shared memory; order does not matter to the results.
// Easily got wrong: atomicInc and atomicDec wrap at their limit, Min and Max differ for signed and unsigned.
#include <cstdio>

__global__ void all(int* i, unsigned* u, float* f) {
  __shared__ unsigned s[4];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], t);
  atomicSub(&i[1], t);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t - 500);
  atomicAnd(&i[4], ~(1 << t % 20));
  atomicOr(&i[5], 1 << t % 30);
  atomicXor(&i[6], t);
  atomicAdd(&u[0], 0x80000000u);
  atomicSub(&u[1], 3u);
  atomicMin(&u[2], unsigned(-t - 1));
  atomicMax(&u[3], unsigned(-t - 1));
  atomicInc(&u[4], 9);
  atomicDec(&u[5], 9);
  if (atomicExch(&u[6], unsigned(t) + 1) == 0) atomicAdd(&i[7], 1);
  if (atomicCAS(&u[7], 0u, 77u) == 0) atomicAdd(&i[8], 1);
  atomicAdd(&f[0], 0.5f);
  if (threadIdx.x < 4) s[threadIdx.x] = threadIdx.x == 3 ? 5 : 0;
  __syncthreads();
  atomicAdd(&s[0], 1u);
  atomicMax(&s[1], threadIdx.x * 3);
  atomicInc(&s[2], 99);
  atomicDec(&s[3], 6);
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&u[8 + threadIdx.x], s[threadIdx.x]);
}

int main() {
  int i[9] = {0, 0, 1, -1000, -1, 0, 0, 0, 0}, *d_i;
  unsigned u[12] = {1, 0, 0xffffffff, 0, 0, 0, 0, 0, 0, 0, 0, 0}, *d_u;
  float f[1] = {0}, *d_f;
  cudaMalloc(&d_i, sizeof i);
  cudaMalloc(&d_u, sizeof u);
  cudaMalloc(&d_f, sizeof f);
  cudaMemcpy(d_i, i, sizeof i, cudaMemcpyHostToDevice);
  cudaMemcpy(d_u, u, sizeof u, cudaMemcpyHostToDevice);
  cudaMemcpy(d_f, f, sizeof f, cudaMemcpyHostToDevice);
  all<<<5, 127>>>(d_i, d_u, d_f);
  cudaMemcpy(i, d_i, sizeof i, cudaMemcpyDeviceToHost);
  cudaMemcpy(u, d_u, sizeof u, cudaMemcpyDeviceToHost);
  cudaMemcpy(f, d_f, sizeof f, cudaMemcpyDeviceToHost);
  u[6] = 0;  // whoever came last
  for (int v : i) printf("%d ", v);
  puts("");
  for (unsigned v : u) printf("%u ", v);
  printf("\n%g\n", f[0]);
  const int n = 635;
  const bool right = i[0] == n * (n - 1) / 2 && i[1] == -i[0] && i[2] == 1 - n && i[3] == n - 501 && u[4] == n % 10 &&
                     u[7] == 77 && i[7] == 1 && i[8] == 1 && f[0] == n * 0.5f && u[8] == n && u[9] == 5 * 378;
  puts(right ? "PASSED" : "FAILED");
  cudaFree(d_i);
  cudaFree(d_u);
  cudaFree(d_f);
}
