// A templated tile size, 2-D blocks, shared memory, a stream and a timing with events. It includes no CUDA
// header: nvcc brings its own, and so does simcc.
#include <cstdlib>
#include <iostream>
#include <vector>

static void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::cerr << "line " << line << ": " << cudaGetErrorName(error) << std::endl;
  std::exit(1);
}
#define CUDA(x) check((x), __LINE__)

template <int TILE>
__global__ void multiply(float* C, const float* A, const float* B, int wA, int wB) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < wA; t += TILE) {
    As[ty][tx] = A[row * wA + t + tx];
    Bs[ty][tx] = B[(t + ty) * wB + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * wB + col] = sum;
}

int main() {
  const int hA = 64, wA = 96, wB = 128;
  const dim3 threads(16, 16);
  const dim3 grid(wB / threads.x, hA / threads.y);

  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  std::cout << properties.name << ", compute capability " << properties.major << "." << properties.minor
            << std::endl;

  std::vector<float> A(hA * wA), B(wA * wB), C(hA * wB);
  for (size_t i = 0; i < A.size(); ++i) A[i] = float(i % 7);
  for (size_t i = 0; i < B.size(); ++i) B[i] = float(i % 5);

  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  float *dA, *dB, *dC;
  CUDA(cudaMalloc(&dA, A.size() * sizeof(float)));
  CUDA(cudaMalloc(&dB, B.size() * sizeof(float)));
  CUDA(cudaMalloc(&dC, C.size() * sizeof(float)));
  CUDA(cudaMemcpyAsync(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyAsync(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice, stream));

  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventRecord(start, stream));
  multiply<16><<<grid, threads, 0, stream>>>(dC, dA, dB, wA, wB);
  CUDA(cudaEventRecord(stop, stream));
  CUDA(cudaEventSynchronize(stop));
  float ms = -1;
  CUDA(cudaEventElapsedTime(&ms, start, stop));
  CUDA(cudaMemcpyAsync(C.data(), dC, C.size() * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));

  for (int i = 0; i < hA; ++i) {
    for (int j = 0; j < wB; ++j) {
      float want = 0;
      for (int k = 0; k < wA; ++k) want += A[i * wA + k] * B[k * wB + j];
      if (C[i * wB + j] != want) {
        std::cerr << "C[" << i << "][" << j << "] is " << C[i * wB + j] << ", not " << want << std::endl;
        return 1;
      }
    }
  }
  CUDA(cudaEventDestroy(start));
  CUDA(cudaEventDestroy(stop));
  CUDA(cudaStreamDestroy(stream));
  CUDA(cudaFree(dA));
  CUDA(cudaFree(dB));
  CUDA(cudaFree(dC));
  std::cout << (ms >= 0 ? "PASSED" : "no time") << std::endl;
}
