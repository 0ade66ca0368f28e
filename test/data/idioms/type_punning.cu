// One place in memory read and written under two types: the bits of a float as an int, an array that is reused as another.
// By the language's letter it is __float_as_int() or memcpy(); nvcc takes no advantage of types, and much code relies on that.
#include <cstdio>

__device__ __noinline__ int bits_after(int* as_int, float* as_float, float value) {
  *as_int = 1;
  *as_float = value;
  return *as_int;
}

// The square root's first guess, from the bits: a classic.
__device__ float inverse_root(float x) {
  float y = x;
  int i = *(int*)&y;
  i = 0x5f3759df - (i >> 1);
  y = *(float*)&i;
  return y * (1.5f - 0.5f * x * y * y);
}

__device__ unsigned ordered(float f) {
  unsigned bits = *reinterpret_cast<unsigned*>(&f);
  return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

__global__ void pun(int* out, void* both) {
  __shared__ float s[32];
  int* const counts = (int*)s;
  const int t = threadIdx.x;
  s[t] = 0.5f * t;
  const float mine = s[t];
  counts[t] = 7 + t;
  s[t] += 0.0f;  // a subnormal: its bits are the number
  __syncthreads();
  if (t == 0) {
    out[0] = bits_after((int*)both, (float*)both, 2.0f);  // 0x40000000
    out[1] = inverse_root(4.0f) * 100;                    // 49, a little below 50
    out[2] = ordered(-1.0f) < ordered(1.0f) && ordered(-2.0f) < ordered(-1.0f);
    out[3] = counts[31];
    out[4] = __float_as_int(s[3]);
    double d = 1.0;
    out[5] = ((int*)&d)[1];  // 0x3ff00000
    short halves[2] = {1, 2};
    out[6] = *(int*)halves;  // 0x00020001
    float4 v = make_float4(1, 2, 3, 4);
    out[7] = ((int4*)&v)->w;  // 0x40800000
  }
  __syncwarp();
  if (mine != 0.5f * t) out[7] = -1;
}

int main() {
  int* out;
  void* both;
  cudaMallocManaged(&out, 8 * sizeof(int));
  cudaMalloc(&both, sizeof(int));
  pun<<<1, 32>>>(out, both);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) printf("%08x\n", out[i]);
  cudaFree(out);
  cudaFree(both);
}
