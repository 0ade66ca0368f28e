// Functions of std:: that device code may call: the overloads of <cmath> for float, double and int.
// Easily got wrong: std::abs of an int is an int, std::sqrt of an int is a double.
#include <cmath>
#include <cstdio>
#include <cstdlib>

__global__ void run(float f, double d, int i) {
  printf("%.4f %.4f %.4f %.4f\n", std::sin(f), std::cos(d), std::tan(f), std::atan2(f, 2.0f));
  printf("%.4f %.4f %.4f %.4f\n", std::exp(f), std::log(d), std::log2(f), std::log10(d));
  printf("%.4f %.4f %.4f %.4f\n", std::sqrt(f), std::cbrt(d), std::sqrt(double(i)), std::hypot(f, 3.0f));
  printf("%.1f %.1f %.1f %.1f\n", std::floor(f), std::ceil(d), std::round(-f), std::trunc(-d));
  printf("%.3f %.3f %d %ld\n", std::abs(-f), std::fabs(-d), std::abs(-i), std::labs(-5L));
  printf("%.3f %.3f %.3f %.3f\n", std::fmin(f, 1.0f), std::fmax(d, 100.0), std::fma(f, f, 1.0f), std::fmod(d, 0.75));
  printf("%d %d %d %d\n", std::isnan(f), std::isinf(d), std::isfinite(f), std::signbit(-d));
  printf("%.4f %.4f %.4f %.4f\n", std::pow(f, 2), std::pow(d, 0.5), double(std::pow(f, 0.5f)), std::pow(2.0, i));
  printf("%.4f %.4f %.4f %.4f\n", std::tanh(f), std::erf(d), std::lgamma(d), std::expm1(f));
  printf("%.4f %.4f %.4f\n", std::copysign(f, -1.0f), std::ldexp(f, 3), std::remainder(d, 2.0));
}

int main() {
  run<<<1, 1>>>(1.5f, 2.25, 7);
  cudaDeviceSynchronize();
}
