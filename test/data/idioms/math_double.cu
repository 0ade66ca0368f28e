// The double-precision library, printed with ten digits.
// Easily got wrong: pow with a float argument and an int, which C++ makes double; a stray double is slow, not wrong.
#include <cmath>
#include <cstdio>

__global__ void run(const double* in, int n) {
  for (int i = 0; i < n; ++i) {
    const double x = in[i], p = fabs(x) + 0.25, u = x / 40;
    printf("x = %g\n", x);
    printf(" %.10g %.10g %.10g %.10g %.10g\n", sin(x), cos(x), tan(x), sinpi(x + 0.125), cospi(x + 0.125));
    printf(" %.10g %.10g %.10g %.10g\n", asin(u), acos(u), atan(x), atan2(x, -2.0));
    printf(" %.10g %.10g %.10g %.10g\n", exp(x), exp2(x), exp10(u), expm1(u / 100));
    printf(" %.10g %.10g %.10g %.10g\n", log(p), log2(p), log10(p), log1p(p / 1000));
    printf(" %.10g %.10g %.10g %.10g\n", pow(p, 2.5), pow(x, 3.0), pow(2.0, x), pow(p, -1.25));
    printf(" %.10g %.10g %.10g %.10g\n", sqrt(p), rsqrt(p), cbrt(x), hypot(x, 3.0));
    printf(" %.10g %.10g %.10g\n", sinh(u), cosh(u), tanh(x));
    printf(" %.10g %.10g %.10g\n", asinh(x), acosh(p + 1), atanh(u));
    printf(" %.10g %.10g %.8g %.8g\n", erf(x), erfc(u), tgamma(p), lgamma(p));
    const float f = float(x);
    printf(" %.6g %.6g %.6g %.6g\n", double(pow(f, 2)), double(std::pow(f, 3)), double(std::pow(f, 2.0f)), double(pow(fabs(f), 0.5)));
    printf(" %.6g %.6g %.6g %.6g\n", double(std::sqrt(float(p))), double(std::exp(f)), double(std::fabs(f)), double(std::abs(-f)));
    double s, c;
    sincos(x, &s, &c);
    printf(" %.10g %.10g %.10g %d\n", s, c, fmod(x, 0.75), abs(-int(x)));
  }
}

int main() {
  const double h[] = {0.5, 1, -2, 3.7, 10, -33, 0.001, 21.5};
  double* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  run<<<1, 1>>>(d, int(sizeof h / 8));
  cudaDeviceSynchronize();
  cudaFree(d);
}
