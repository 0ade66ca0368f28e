// Structures of 32 bytes, which are two accesses of 16 each up to sm_90.
// Easily got wrong: 16 is the widest access, whatever the alignment says.
#include <cstdio>

struct alignas(16) Quad { double x, y, z, w; };
struct alignas(32) Eight { float v[8]; };

__global__ void copy(const Quad* q, Quad* q_out, const Eight* e, Eight* e_out) {
  const int t = threadIdx.x;
  Quad v = q[t];
  v.x += v.w;
  q_out[t] = v;
  Eight o = e[t];
  for (int i = 0; i < 8; ++i) o.v[i] *= 2;
  e_out[31 - t] = o;
}

int main() {
  Quad *q;
  Eight* e;
  cudaMallocManaged(&q, 64 * sizeof *q);
  cudaMallocManaged(&e, 64 * sizeof *e);
  for (int i = 0; i < 32; ++i) {
    q[i] = {i + 0.5, 1.0 * i, 2.0 * i, 3.0 * i};
    for (int k = 0; k < 8; ++k) e[i].v[k] = float(i * 8 + k);
  }
  copy<<<1, 32>>>(q, q + 32, e, e + 32);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < 32; ++i) {
    wrong += q[32 + i].x != 4 * i + 0.5 || q[32 + i].z != 2 * i;
    for (int k = 0; k < 8; ++k) wrong += e[63 - i].v[k] != 2 * (i * 8 + k);
  }
  printf("%zu %zu %g %g\n", sizeof(Quad), alignof(Eight), q[63].x, e[32].v[7]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(q);
  cudaFree(e);
}
