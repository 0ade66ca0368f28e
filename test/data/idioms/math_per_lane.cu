// Mathematics by a whole warp with another path in each lane: large and small arguments side by side.
// Easily got wrong: a slow path (the reduction of large angles) taken by some lanes only.
#include <cmath>
#include <cstdio>

__global__ void run(float* out, double* d) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = (t % 5 == 0 ? 1e6f : t % 5 == 1 ? 1e-3f : 1.0f) * (t + 1);
  out[t] = sinf(x) + (t % 3 ? expf(-x * 1e-6f) : logf(x)) + powf(x, 0.25f);
  d[t] = sin(double(x) * 1000) + (t % 4 ? pow(double(x), 1.0 / 3) : atan2(double(x), 7.0));
}

int main() {
  const int n = 512;
  float* out;
  double* d;
  cudaMallocManaged(&out, n * sizeof *out);
  cudaMallocManaged(&d, n * sizeof *d);
  run<<<4, 128>>>(out, d);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    const float f = (t % 5 == 0 ? 1e6f : t % 5 == 1 ? 1e-3f : 1.0f) * (t + 1);
    const double x = f;
    const double single = std::sin(x) + (t % 3 ? std::exp(-x * 1e-6) : std::log(x)) + std::pow(x, 0.25);
    const double twice = std::sin(x * 1000) + (t % 4 ? std::pow(x, 1.0 / 3) : std::atan2(x, 7.0));
    wrong += !(std::fabs(out[t] - single) <= 1e-5 * (1 + std::fabs(single)));
    wrong += !(std::fabs(d[t] - twice) <= 1e-12 * (1 + std::fabs(twice)));
  }
  printf("%.3f %.3f %.6f %.6f\n", out[0], out[511], d[0], d[511]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(out);
  cudaFree(d);
}
