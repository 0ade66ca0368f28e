// The same particles as an array of structures and as a structure of arrays; the answers agree, the traffic does not.
// Easily got wrong: nothing in the result shows how slow the first one is.
#include <cstdio>

struct Particle { float x, y, z; int id; char kind; double mass; };
struct Particles { float *x, *y, *z; int* id; char* kind; double* mass; };

__global__ void move_aos(Particle* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle& q = p[i];
  q.x += q.y;
  if (q.kind == 'b') q.z *= 2;
  q.mass += q.id * 0.5;
}
__global__ void move_soa(Particles p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p.x[i] += p.y[i];
  if (p.kind[i] == 'b') p.z[i] *= 2;
  p.mass[i] += p.id[i] * 0.5;
}

int main() {
  const int n = 777;
  Particle* a;
  Particles s;
  cudaMallocManaged(&a, n * sizeof *a);
  cudaMallocManaged(&s.x, n * sizeof(float));
  cudaMallocManaged(&s.y, n * sizeof(float));
  cudaMallocManaged(&s.z, n * sizeof(float));
  cudaMallocManaged(&s.id, n * sizeof(int));
  cudaMallocManaged(&s.kind, n);
  cudaMallocManaged(&s.mass, n * sizeof(double));
  for (int i = 0; i < n; ++i) {
    a[i] = {i * 0.5f, 1.0f * i, float(-i), i * 3, i % 2 ? 'a' : 'b', 100.0 + i};
    s.x[i] = a[i].x, s.y[i] = a[i].y, s.z[i] = a[i].z, s.id[i] = a[i].id, s.kind[i] = a[i].kind, s.mass[i] = a[i].mass;
  }
  move_aos<<<(n + 127) / 128, 128>>>(a, n);
  move_soa<<<(n + 127) / 128, 128>>>(s, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += a[i].x != i * 1.5f || a[i].z != (i % 2 ? -i : -2 * i) || a[i].mass != 100 + i * 2.5;
    wrong += a[i].x != s.x[i] || a[i].z != s.z[i] || a[i].mass != s.mass[i];
  }
  printf("%zu %g %g %g\n", sizeof(Particle), a[776].x, a[776].z, a[776].mass);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(s.x);
  cudaFree(s.y);
  cudaFree(s.z);
  cudaFree(s.id);
  cudaFree(s.kind);
  cudaFree(s.mass);
}
