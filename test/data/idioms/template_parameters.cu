// Non-type template parameters: sizes, booleans, enumerations, a function; `if constexpr` chooses.
// Easily got wrong: each instance is a kernel of its own and is launched by its own name.
#include <cstdio>

enum class Op { sum, product, largest };

template <Op OP>
__device__ int combine(int a, int b) {
  if constexpr (OP == Op::sum) return a + b;
  else if constexpr (OP == Op::product) return a * b % 10007;
  else return a > b ? a : b;
}

__device__ int twice(int v) { return 2 * v; }
__device__ int square(int v) { return v * v; }

template <int N, Op OP, bool REVERSED, int (*MAP)(int)>
__global__ void fold(const int* in, int* out) {
  int v = MAP(in[threadIdx.x * N]);
#pragma unroll
  for (int i = 1; i < N; ++i) v = combine<OP>(v, MAP(in[threadIdx.x * N + i]));
  out[REVERSED ? blockDim.x - 1 - threadIdx.x : threadIdx.x] = v;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 320 * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  for (int i = 0; i < 320; ++i) in[i] = i % 13 + 1;
  const auto show = [&] {
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[7], out[31]);
  };
  fold<4, Op::sum, false, twice><<<1, 32>>>(in, out); show();
  fold<7, Op::product, false, square><<<1, 32>>>(in, out); show();
  fold<10, Op::largest, true, twice><<<1, 32>>>(in, out); show();
  fold<1, Op::sum, true, square><<<1, 32>>>(in, out); show();
  puts(out[31] == 1 && out[0] == (31 % 13 + 1) * (31 % 13 + 1) ? "PASSED" : "FAILED");
  cudaFree(in);
  cudaFree(out);
}
