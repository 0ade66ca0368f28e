// Parameters as a structure in constant memory; one member is changed later through an offset.
// Easily got wrong: host and device must agree on padding, and the host's own variable is another object.
#include <cstddef>
#include <cstdio>

struct Settings {
  char mode;
  double factor;
  int limits[3];
  float3 direction;
  const int* data;
};
__constant__ Settings settings;
__constant__ Settings presets[2];

__global__ void apply(double* out) {
  const int t = threadIdx.x;
  double v = settings.factor * settings.data[t] + settings.direction.y;
  for (int l : settings.limits) v += l;
  if (settings.mode == 'n') v = -v;
  out[t] = v + presets[t % 2].limits[t % 3];
}

int main() {
  const int n = 40;
  int *data, in[n];
  for (int i = 0; i < n; ++i) in[i] = i;
  cudaMalloc(&data, sizeof in);
  cudaMemcpy(data, in, sizeof in, cudaMemcpyHostToDevice);
  Settings h = {'n', 0.5, {1, 20, 300}, make_float3(1, 2, 3), data};
  cudaMemcpyToSymbol(settings, &h, sizeof h);
  const Settings p[2] = {{'a', 1, {7, 8, 9}, {}, nullptr}, {'b', 1, {17, 18, 19}, {}, nullptr}};
  cudaMemcpyToSymbol(presets, p, sizeof p);
  double* out;
  cudaMallocManaged(&out, n * sizeof *out);
  for (int run = 0; run < 2; ++run) {
    if (run == 1) {
      h.factor = 4;
      cudaMemcpyToSymbol(settings, &h.factor, sizeof h.factor, offsetof(Settings, factor));
    }
    apply<<<1, n>>>(out);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int t = 0; t < n; ++t) wrong += out[t] != -(h.factor * t + 2 + 321) + p[t % 2].limits[t % 3];
    printf("%g %g %zu %s\n", out[1], out[39], sizeof(Settings), wrong ? "FAILED" : "PASSED");
  }
  cudaFree(data);
  cudaFree(out);
}
