// Division and remainder of negative and run-time values, in 32 and 64 bits; by constants too.
// Easily got wrong: C++ rounds towards zero, so the remainder takes the dividend's sign.
#include <cstdio>

__host__ __device__ unsigned long long mix(int a, int b) {
  const unsigned ua = a, ub = b;
  const long long la = a * 4000000007ll, lb = b * 70001ll;
  const unsigned long long uu = la, ul = lb;
  unsigned long long v = static_cast<long long>(a / b) * 31 + a % b;
  v = v * 31 + ua / ub + ua % ub;
  v = v * 31 + la / lb + la % lb * 3;
  v = v * 31 + static_cast<long long>(uu / ul % 1000003) + static_cast<long long>(uu % ul % 1000033);
  v = v * 31 + a / 7 + a % 7 + a / -3 + a % 8 + a / 16 + ua / 10u + ua % 1000u;
  v = v * 31 % 1000000007ull + la / 1000 % 977 + la % 64;
  const short s = short(a), q = short(b | 1);
  v += s / q + s % q;
  const signed char c = static_cast<signed char>(a), e = static_cast<signed char>(b | 1);
  v = v * 31 + c / e + c % e + (a < 0 ? -(-(a + 1) / 5) - 1 : a / 5);  // rounded down
  return v;
}

__global__ void divide(const int* a, const int* b, unsigned long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = mix(a[i], b[i]);
}

int main() {
  const int n = 512;
  int *a, *b;
  unsigned long long* out;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof *out);
  const int special[] = {0, 1, -1, 2, -2, 7, -7, 100, 2147483647, -2147483647, 65536, -65537, 3, 10};
  for (int i = 0; i < n; ++i) {
    a[i] = i < 196 ? special[i / 14] : i * 7919 * (i % 2 ? -1 : 1);
    b[i] = i < 196 ? special[i % 14] : i % 23 - 11;
    if (b[i] == 0) b[i] = 5;
  }
  divide<<<4, 128>>>(a, b, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != mix(a[i], b[i]);
  printf("%llu %llu %llu, -7/2 = %d, -7%%2 = %d\n", out[3], out[100], out[511], -7 / 2, -7 % 2);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(a);
  cudaFree(b);
  cudaFree(out);
}
