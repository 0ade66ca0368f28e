// Float and double to integers by every rounding, and out of range: NaN is 0 (or the least), the rest saturates.
// Easily got wrong: a plain cast of such a value is undefined in C++, the intrinsic is not.
#include <cstdio>

__global__ void convert(const float* f, int nf, const double* d, int nd) {
  for (int i = 0; i < nf; ++i) {
    const float x = f[i];
    printf("%g: %d %d %d %d | %u %u %u %u\n", x, __float2int_rn(x), __float2int_rz(x), __float2int_ru(x), __float2int_rd(x),
           __float2uint_rn(x), __float2uint_rz(x), __float2uint_ru(x), __float2uint_rd(x));
    if (x != x) continue;  // a NaN's 64-bit conversion is printed for double alone
    printf("  %lld %lld %lld %lld | %llu %llu %llu %llu\n", __float2ll_rn(x), __float2ll_rz(x), __float2ll_ru(x), __float2ll_rd(x),
           __float2ull_rn(x), __float2ull_rz(x), __float2ull_ru(x), __float2ull_rd(x));
  }
  for (int i = 0; i < nd; ++i) {
    const double x = d[i];
    printf("%g: %d %d %d %d | %u %u %u %u\n", x, __double2int_rn(x), __double2int_rz(x), __double2int_ru(x), __double2int_rd(x),
           __double2uint_rn(x), __double2uint_rz(x), __double2uint_ru(x), __double2uint_rd(x));
    printf("  %lld %lld %lld %lld | %llu %llu %llu %llu\n", __double2ll_rn(x), __double2ll_rz(x), __double2ll_ru(x), __double2ll_rd(x),
           __double2ull_rn(x), __double2ull_rz(x), __double2ull_ru(x), __double2ull_rd(x));
    printf("  %08x %08x %08x %08x %08x %08x\n", __float_as_uint(__double2float_rn(x)), __float_as_uint(__double2float_rz(x)),
           __float_as_uint(__double2float_ru(x)), __float_as_uint(__double2float_rd(x)), unsigned(__double2hiint(x)),
           unsigned(__double2loint(x)));
  }
}

int main() {
  const float f[] = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.7f, 8388609.0f, 1e10f, -1e10f, 3e30f, -INFINITY, INFINITY, NAN, 1e-40f};
  const double d[] = {0.5, 1.5, -2.5, 1e10, -1e10, 1e19, 1e300, -INFINITY, 0.1, 4294967295.5, 9007199254740993., 1e-42};
  float* df;
  double* dd;
  cudaMalloc(&df, sizeof f);
  cudaMalloc(&dd, sizeof d);
  cudaMemcpy(df, f, sizeof f, cudaMemcpyHostToDevice);
  cudaMemcpy(dd, d, sizeof d, cudaMemcpyHostToDevice);
  convert<<<1, 1>>>(df, int(sizeof f / 4), dd, int(sizeof d / 8));
  cudaDeviceSynchronize();
  cudaFree(df);
  cudaFree(dd);
}
