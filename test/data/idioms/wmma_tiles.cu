// One warp multiplies a tile on tensor cores with nvcuda::wmma: half, BF16 and TF32, each shape, rows and columns.
// Easily got wrong: the stride is that of the matrix in memory, and TF32 factors must be rounded first.
#include <mma.h>

#include <cstdio>
#include <type_traits>

using namespace nvcuda;

template <typename Layout>
constexpr bool by_rows = std::is_same<Layout, wmma::row_major>::value;

template <int M, int N, int K, typename T, typename E, typename OfA, typename OfB>
__global__ void product(const E* a, const E* b, float* c) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, OfA> of_a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, OfB> of_b;
  wmma::fragment<wmma::accumulator, M, N, K, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::load_matrix_sync(of_a, a, by_rows<OfA> ? K : M);
  wmma::load_matrix_sync(of_b, b, by_rows<OfB> ? N : K);
  if constexpr (std::is_same<T, wmma::precision::tf32>::value) {
    for (int i = 0; i < of_a.num_elements; ++i) of_a.x[i] = wmma::__float_to_tf32(of_a.x[i]);
    for (int i = 0; i < of_b.num_elements; ++i) of_b.x[i] = wmma::__float_to_tf32(of_b.x[i]);
  }
  wmma::mma_sync(sum, of_a, of_b, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;
  wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

template <int M, int N, int K, typename T, typename E, typename OfA, typename OfB>
int wrong() {
  E *a, *b;
  float* c;
  cudaMallocManaged(&a, M * K * sizeof(E));
  cudaMallocManaged(&b, K * N * sizeof(E));
  cudaMallocManaged(&c, M * N * sizeof(float));
  for (int i = 0; i < M * K; ++i) a[i] = E(float(i * 7 % 13 - 6));
  for (int i = 0; i < K * N; ++i) b[i] = E(float(i * 5 % 11 - 5));
  product<M, N, K, T, E, OfA, OfB><<<1, 32>>>(a, b, c);
  int count = cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      float want = 1;
      for (int k = 0; k < K; ++k)
        want += float(a[by_rows<OfA> ? m * K + k : k * M + m]) * float(b[by_rows<OfB> ? k * N + n : n * K + k]);
      count += c[m * N + n] != 2 * want;
    }
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return count;
}

template <int M, int N, int K, typename T, typename E = T>
int every_layout(const char* name) {
  using Rows = wmma::row_major;
  using Columns = wmma::col_major;
  const int count = wrong<M, N, K, T, E, Rows, Rows>() + wrong<M, N, K, T, E, Rows, Columns>() +
                    wrong<M, N, K, T, E, Columns, Rows>() + wrong<M, N, K, T, E, Columns, Columns>();
  printf("%s %dx%dx%d: %d wrong\n", name, M, N, K, count);
  return count;
}

int main() {
  const int count = every_layout<16, 16, 16, half>("half") + every_layout<32, 8, 16, half>("half") +
                    every_layout<8, 32, 16, half>("half") + every_layout<16, 16, 16, __nv_bfloat16>("bf16") +
                    every_layout<32, 8, 16, __nv_bfloat16>("bf16") + every_layout<8, 32, 16, __nv_bfloat16>("bf16") +
                    every_layout<16, 16, 8, wmma::precision::tf32, float>("tf32");
  printf("%s\n", count == 0 ? "PASSED" : "FAILED");
}
