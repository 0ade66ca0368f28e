// min, max and abs of every type on the device, where they need no header; mixed signedness; __saturatef.
// Easily got wrong: min(int, unsigned) compares as unsigned.
#include <cstdio>

__global__ void run(int a, unsigned b, long long c, float d, double e) {
  printf("%d %d %u %u\n", min(a, 3), max(a, -9), min(b, 5u), max(b, 7u));
  printf("%u %u\n", min(a, b), max(a, b));
  printf("%lld %lld %llu\n", min(c, 4ll), max(c, 4ll), max((unsigned long long)c, 4ull));
  printf("%g %g %g %g\n", min(d, 1.0f), max(d, 1.0f), min(e, 1.0), max(e, 1.0));
  printf("%d %lld %g %g %g\n", abs(a), llabs(c), fabsf(d), fabs(e), __saturatef(d));
  printf("%g %g %g\n", __saturatef(-d), __saturatef(0.5f * d / d), __fdividef(d, 4));
  printf("%d %d\n", __vabsdiffu4(0x01020304, 0x04030201), __dp4a(0x01020304, 0x01010101, 10));
}

int main() {
  run<<<1, 1>>>(-5, 6, -10000000000ll, 2.5f, -0.75);
  cudaDeviceSynchronize();
}
