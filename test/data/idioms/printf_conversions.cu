// Every conversion of printf on the device, with widths, precisions, flags, and %%.
// Easily got wrong: char and short are promoted, float becomes double, a long needs its l; a device knows no width from an argument.
#include <cstdio>

__global__ void print(int zero) {
  const char c = 'x';
  const signed char negative = -5;
  const short s = -300;
  const unsigned short us = 65535;
  const bool yes = true;
  printf("%d %i %u %x %X %o %c %s %%\n", -42 + zero, 17, 4000000000u, 48879, 48879, 511, c, "text");
  printf("[%8d] [%-8d] [%08d] [%+d] [% d] [%.5d] [%8.3d]\n", 42, 42, 42, 42, 42, 42, 42);
  printf("[%#x] [%#o] [%#010x] [%5c] [%-5c] [%10s] [%-10s] [%.2s]\n", 255, 8, 255, 'a', 'b', "right", "left", "cut");
  printf("%f %.0f %.1f %.10f [%12.3f] [%-12.3f] [%+.2f] [%012.4f]\n", 3.14159265, 2.5, 0.05, 1.0 / 3, -1.5, 1.5, 2.0, -3.25);
  printf("%e %.2e %E %g %g %g %G %#g\n", 12345.678, 0.00012, 1e100, 100000.0, 1000000.0, 0.0001, 1e-5, 1.0);
  printf("%a %A\n", 1.5, -0.1);
  printf("%f %g %f %e\n", 0.1f, 1e10f, 1.0f + zero, float(zero));
  printf("%ld %lu %lx %lld %llu %llx %lu\n", -5L, 5UL, 255L, -9223372036854775807LL, 18446744073709551615ULL, 1LL << 40, sizeof(double));
  printf("%d %d %d %d %u %hd\n", c, negative, s, yes, us, s);
  printf("%f %f %f %g\n", 1.0 / zero, -1.0 / zero, -0.0, 1e308 * 10);
  printf("no newline, ");
  printf("then one\n");
  printf("%s", "");
  printf("100%% of %s%c\n", zero ? "nothing" : "everything", '!');
  const int written = printf("12345\n");
  printf("%d arguments\n", written * 0 + 1);
  printf("plain\n");
}

int main() {
  print<<<1, 1>>>(0);
  cudaDeviceSynchronize();
}
