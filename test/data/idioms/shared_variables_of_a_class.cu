// Shared variables of a class with a constructor: nothing calls it, and the kernel sets them.
#include <cstdio>

struct Complex {
  float real, imaginary;
  __host__ __device__ Complex(float r = 0, float i = 0) : real(r), imaginary(i) {}
  __host__ __device__ Complex operator*(const Complex& other) const {
    return {real * other.real - imaginary * other.imaginary, real * other.imaginary + imaginary * other.real};
  }
};

struct Best {
  Complex value;
  int place = -1;
};

template <typename T, int COUNT>
__global__ void products(T* x, int* place) {
  __shared__ T tile[2][COUNT];
  __shared__ Best best;
  tile[0][threadIdx.x] = x[threadIdx.x];
  tile[1][COUNT - 1 - threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == 3) {
    best.value = x[3];
    best.place = 3;
  }
  __syncthreads();
  x[threadIdx.x] = tile[0][threadIdx.x] * tile[1][threadIdx.x];
  if (threadIdx.x == 0) *place = best.place + static_cast<int>(best.value.real) + static_cast<int>(sizeof tile);
}

int main() {
  Complex* x;
  int* place;
  cudaMallocManaged(&x, 8 * sizeof(Complex));
  cudaMallocManaged(&place, sizeof(int));
  for (int i = 0; i < 8; ++i) x[i] = Complex(i, i % 3);
  products<Complex, 8><<<1, 8>>>(x, place);
  const cudaError_t end = cudaDeviceSynchronize();
  std::printf("%s %d:", cudaGetErrorName(end), *place);
  for (int i = 0; i < 8; ++i) std::printf(" %g,%g", x[i].real, x[i].imaginary);
  std::printf("\n");
  cudaFree(x);
  cudaFree(place);
}
