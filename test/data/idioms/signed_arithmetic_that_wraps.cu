// Hashes and random numbers in int, whose products and sums go beyond 2^31 and wrap round, as the device's do.
// Easily got wrong: int is signed, so a remainder may be negative, and so is abs() of the least int.
#include <climits>
#include <cstdio>
#include <cstdlib>

__host__ __device__ int wrapped_product(int a, int b) { return (int)((unsigned)a * (unsigned)b); }

__device__ int hash(const char* text) {
  int h = 17;
  for (; *text; ++text) h = h * 31 + *text;
  return h;
}

__global__ void wrap(int* out, const char* text, int seed, int least) {
  out[0] = hash(text);
  int x = seed;
  for (int i = 0; i < 10; ++i) x = x * 1103515245 + 12345;
  out[1] = x;
  out[2] = least - 1;
  out[3] = -least;
  out[4] = abs(least);
  out[5] = abs(least) % 10;
  out[6] = seed * 65539 * 65539;
}

int main() {
  const char text[] = "the quick brown fox";
  char* on_device;
  int* out;
  cudaMallocManaged(&on_device, sizeof text);
  cudaMallocManaged(&out, 7 * sizeof(int));
  for (size_t i = 0; i < sizeof text; ++i) on_device[i] = text[i];
  wrap<<<1, 1>>>(out, on_device, 42, INT_MIN);
  cudaDeviceSynchronize();
  unsigned h = 17, x = 42;
  for (const char* c = text; *c; ++c) h = h * 31 + *c;
  for (int i = 0; i < 10; ++i) x = x * 1103515245u + 12345u;
  const int expected[] = {(int)h, (int)x, INT_MAX, INT_MIN, INT_MIN, INT_MIN % 10,
                          wrapped_product(wrapped_product(42, 65539), 65539)};
  for (int i = 0; i < 7; ++i) printf("%d %s\n", out[i], out[i] == expected[i] ? "PASSED" : "FAILED");
  cudaFree(on_device);
  cudaFree(out);
}
