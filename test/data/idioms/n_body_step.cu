// Steps of n bodies with tiles of positions in shared memory (float4: place and mass), as in GPU Gems.
// Easily got wrong: a softening keeps a body from dividing by its own distance of zero.
#include <cmath>
#include <cstdio>

constexpr int BLOCK = 64;

__device__ float3 pull(float4 on, float4 by, float3 a) {
  const float dx = by.x - on.x, dy = by.y - on.y, dz = by.z - on.z;
  const float d2 = dx * dx + dy * dy + dz * dz + 0.01f, inverse = rsqrtf(d2);
  const float s = by.w * inverse * inverse * inverse;
  a.x += dx * s;
  a.y += dy * s;
  a.z += dz * s;
  return a;
}

__global__ void step(const float4* from, float4* to, float4* velocity, int n, float dt) {
  __shared__ float4 tile[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  const float4 me = i < n ? from[i] : make_float4(0, 0, 0, 0);
  float3 a = {0, 0, 0};
  for (int begin = 0; begin < n; begin += BLOCK) {
    const int j = begin + threadIdx.x;
    tile[threadIdx.x] = j < n ? from[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < BLOCK; ++k) a = pull(me, tile[k], a);
    __syncthreads();
  }
  if (i >= n) return;
  float4 v = velocity[i];
  v.x += a.x * dt, v.y += a.y * dt, v.z += a.z * dt;
  velocity[i] = v;
  to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

int main() {
  const int n = 200;
  float4 *a, *b, *v;
  cudaMallocManaged(&a, n * sizeof(float4));
  cudaMallocManaged(&b, n * sizeof(float4));
  cudaMallocManaged(&v, n * sizeof(float4));
  for (int i = 0; i < n; ++i) {
    a[i] = make_float4(sinf(float(i)), cosf(i * 1.7f), sinf(i * 0.3f), 0.5f + i % 3);
    v[i] = make_float4(0, 0, 0, 0);
  }
  for (int s = 0; s < 4; ++s) {
    step<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(s % 2 ? b : a, s % 2 ? a : b, v, n, 0.001f);
  }
  cudaDeviceSynchronize();
  double px = 0, py = 0, pz = 0, most = 0;  // momentum is kept
  for (int i = 0; i < n; ++i) {
    px += v[i].x * a[i].w, py += v[i].y * a[i].w, pz += v[i].z * a[i].w;
    most = std::fmax(most, std::fabs(v[i].x));
  }
  printf("%.3f %.3f %.3f\n", a[0].x, a[100].y, a[199].z);
  puts(std::fabs(px) + std::fabs(py) + std::fabs(pz) < 1e-2 && most > 0.1 ? "PASSED" : "FAILED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(v);
}
