// Arrays of float3: 12 bytes each, three accesses a lane, with hand-written operators as in every sample.
// Easily got wrong: float3 is aligned to 4 bytes; casting such an array to float4* would be misaligned.
#include <cstdio>

__host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ float3 operator*(float s, float3 a) { return {s * a.x, s * a.y, s * a.z}; }
__host__ __device__ float dot(const float3& a, const float3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__host__ __device__ float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

__global__ void move(float3* position, const float3* velocity, float* out, int n) {
  __shared__ float3 tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    position[i] = position[i] + 0.5f * velocity[i];
    tile[threadIdx.x] = position[i];
  }
  __syncthreads();
  if (i < n) out[i] = dot(cross(tile[threadIdx.x], velocity[i]), tile[threadIdx.x / 2]);
}

int main() {
  const int n = 333;
  float3 *p, *v;
  float* out;
  cudaMallocManaged(&p, n * sizeof *p);
  cudaMallocManaged(&v, n * sizeof *v);
  cudaMallocManaged(&out, n * sizeof *out);
  for (int i = 0; i < n; ++i) p[i] = {float(i % 11), float(i % 7), -float(i % 5)}, v[i] = {float(i % 3), 2, float(i % 4)};
  move<<<(n + 127) / 128, 128>>>(p, v, out, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const float3 expected = make_float3(i % 11 + 0.5f * (i % 3), i % 7 + 1.0f, -float(i % 5) + 0.5f * (i % 4));
    wrong += p[i].x != expected.x || p[i].y != expected.y || p[i].z != expected.z;
    wrong += out[i] != dot(cross(p[i], v[i]), p[i / 128 * 128 + i % 128 / 2]);
  }
  printf("%g %g %g %g\n", p[10].x, p[10].y, p[10].z, out[332]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(p);
  cudaFree(v);
  cudaFree(out);
}
