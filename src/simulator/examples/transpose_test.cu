// A test of two transposes: both must be right, and the second must have no bank conflicts. With nvcc only the results are tested.
#include <cstdio>
#if __has_include(<simulated_cuda.h>)
#include <simulated_cuda.h>
#endif

constexpr int TILE = 32, N = 256;

// PAD: floats at the end of each row of the tile.
template <int PAD>
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[TILE][TILE + PAD];
  const int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
  for (int row = threadIdx.y; row < TILE; row += blockDim.y)
    tile[row][threadIdx.x] = in[(y + row) * N + x + threadIdx.x];
  __syncthreads();
  for (int row = threadIdx.y; row < TILE; row += blockDim.y)
    out[(x + row) * N + y + threadIdx.x] = tile[threadIdx.x][row];
}

template <int PAD>
bool passes() {
  float *in, *out;
  cudaMallocManaged(&in, N * N * sizeof(float));
  cudaMallocManaged(&out, N * N * sizeof(float));
  for (int i = 0; i < N * N; ++i) in[i] = static_cast<float>(i);
#if __has_include(<simulated_cuda.h>)
  simulated_cuda::reset_counts();
#endif
  transpose<PAD><<<dim3(N / TILE, N / TILE), dim3(TILE, 8)>>>(in, out);
  cudaDeviceSynchronize();
  bool passes = true;
  for (int i = 0; i < N * N; ++i) passes = passes && out[i] == in[i % N * N + i / N];
  std::printf("rows of %d floats: %s", TILE + PAD, passes ? "right" : "WRONG");
#if __has_include(<simulated_cuda.h>)
  const simulated_cuda::Counts counts = simulated_cuda::counts();
  std::printf(", %llu bank conflicts",
              static_cast<unsigned long long>(counts.shared_bank_conflicts));
  passes = passes && simulated_cuda::take_hazards().empty();
  if (PAD > 0) passes = passes && counts.shared_bank_conflicts == 0;
#endif
  std::printf("\n");
  cudaFree(in);
  cudaFree(out);
  return passes;
}

int main() {
  const bool first = passes<0>(), second = passes<1>();
  return first && second ? 0 : 1;
}
