// Integers to float and double by every rounding: 24 and 53 bits are not enough for all of them.
// Easily got wrong: INT_MAX as a float is 2^31, one more than it was.
#include <cstdio>

__global__ void convert(const long long* in, int n) {
  for (int i = 0; i < n; ++i) {
    const long long l = in[i];
    const unsigned long long ul = l;
    const int s = int(l);
    const unsigned u = unsigned(l);
    printf("%lld\n  %08x %08x %08x %08x %08x %08x %08x %08x\n", l, __float_as_uint(__int2float_rn(s)), __float_as_uint(__int2float_rz(s)),
           __float_as_uint(__int2float_ru(s)), __float_as_uint(__int2float_rd(s)), __float_as_uint(__uint2float_rn(u)),
           __float_as_uint(__uint2float_rz(u)), __float_as_uint(__uint2float_ru(u)), __float_as_uint(__uint2float_rd(u)));
    printf("  %08x %08x %08x %08x %08x %08x %08x %08x\n", __float_as_uint(__ll2float_rn(l)), __float_as_uint(__ll2float_rz(l)),
           __float_as_uint(__ll2float_ru(l)), __float_as_uint(__ll2float_rd(l)), __float_as_uint(__ull2float_rn(ul)),
           __float_as_uint(__ull2float_rz(ul)), __float_as_uint(__ull2float_ru(ul)), __float_as_uint(__ull2float_rd(ul)));
    printf("  %.17g %.17g %.17g %.17g %.17g %.17g\n", __ll2double_rn(l), __ll2double_rz(l), __ll2double_ru(l), __ll2double_rd(l),
           __ull2double_rn(ul), __ull2double_ru(ul));
    printf("  %.17g %.17g %.17g %g %g\n", __int2double_rn(s), __uint2double_rn(u), __hiloint2double(s ^ 0x40000000, int(u)),
           float(s), double(ul));
  }
}

int main() {
  const long long h[] = {0, 1, -1, 2147483647, -2147483647 - 1, 16777217, -16777217, 33554435, 9223372036854775807ll,
                         9007199254740993ll, -9007199254740993ll, 4294967295ll, 1ll << 40 | 1};
  long long* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  convert<<<1, 1>>>(d, int(sizeof h / 8));
  cudaDeviceSynchronize();
  cudaFree(d);
}
