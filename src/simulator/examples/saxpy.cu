// y = a x + y for vectors: a first program, with nothing of the simulated GPU in it.
#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 100'000;
  std::vector<float> x(n, 1.0f), y(n, 2.0f);
  float *x_on_device, *y_on_device;
  cudaMalloc(&x_on_device, n * sizeof(float));
  cudaMalloc(&y_on_device, n * sizeof(float));
  cudaMemcpy(x_on_device, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y_on_device, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);

  saxpy<<<(n + 255) / 256, 256>>>(n, 3.0f, x_on_device, y_on_device);

  cudaMemcpy(y.data(), y_on_device, n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (const float value : y) wrong += value != 5.0f;
  std::printf("%d of %d elements are wrong\n", wrong, n);
  cudaFree(x_on_device);
  cudaFree(y_on_device);
  return wrong == 0 ? 0 : 1;
}
