// Products on tensor cores with sums in half, int and double. Easily got wrong: half sums overflow at 65504 and lose small terms,
// and int sums wrap unless mma_sync is asked to saturate.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

using namespace nvcuda;

template <typename Layout>
constexpr bool by_rows = std::is_same<Layout, wmma::row_major>::value;

template <int M, int N, int K, typename T, typename S, typename OfA, typename OfB>
__global__ void product(const T* a, const T* b, S* c) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, OfA> of_a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, OfB> of_b;
  wmma::fragment<wmma::accumulator, M, N, K, S> sum;
  wmma::load_matrix_sync(sum, c, N, wmma::mem_row_major);
  wmma::load_matrix_sync(of_a, a, by_rows<OfA> ? K : M);
  wmma::load_matrix_sync(of_b, b, by_rows<OfB> ? N : K);
  wmma::mma_sync(sum, of_a, of_b, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] + sum.x[i];
  wmma::store_matrix_sync(c, sum, M, wmma::mem_col_major);
}

template <int M, int N, int K, typename T, typename S, typename OfA, typename OfB>
int wrong() {
  T *a, *b;
  S* c;
  cudaMallocManaged(&a, M * K * sizeof(T));
  cudaMallocManaged(&b, K * N * sizeof(T));
  cudaMallocManaged(&c, M * N * sizeof(S));
  const bool is_signed = !std::is_same<T, unsigned char>::value;
  for (int i = 0; i < M * K; ++i) a[i] = T(float(i * 7 % 13 - (is_signed ? 6 : 0)));
  for (int i = 0; i < K * N; ++i) b[i] = T(float(i * 5 % 11 - (is_signed ? 5 : 0)));
  for (int i = 0; i < M * N; ++i) c[i] = S(float(i % 5));
  product<M, N, K, T, S, OfA, OfB><<<1, 32>>>(a, b, c);
  int count = cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      double want = (m * N + n) % 5;
      for (int k = 0; k < K; ++k)
        want += double(float(a[by_rows<OfA> ? m * K + k : k * M + m])) * double(float(b[by_rows<OfB> ? k * N + n : n * K + k]));
      count += double(float(c[n * M + m])) != 2 * want;
    }
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  return count;
}

template <int M, int N, int K, typename T, typename S>
int every_layout(const char* name) {
  using Rows = wmma::row_major;
  using Columns = wmma::col_major;
  const int count = wrong<M, N, K, T, S, Rows, Rows>() + wrong<M, N, K, T, S, Rows, Columns>() +
                    wrong<M, N, K, T, S, Columns, Rows>() + wrong<M, N, K, T, S, Columns, Columns>();
  printf("%s %dx%dx%d: %d wrong\n", name, M, N, K, count);
  return count;
}

// Sums at the ends of what their type holds.
template <bool SATURATE, typename T, typename S>
__global__ void ends(const T* a, const T* b, S* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> of_b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, S> sum;
  wmma::load_matrix_sync(of_a, a, 16);
  wmma::load_matrix_sync(of_b, b, 16);
  wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
  if constexpr (SATURATE) {
    wmma::mma_sync(sum, of_a, of_b, sum, true);
  } else {
    wmma::mma_sync(sum, of_a, of_b, sum);
  }
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

template <bool SATURATE>
void int_ends() {
  signed char *a, *b;
  int* c;
  cudaMallocManaged(&a, 256);
  cudaMallocManaged(&b, 256);
  cudaMallocManaged(&c, 1024);
  for (int i = 0; i < 256; ++i) {
    a[i] = static_cast<signed char>(i / 16 % 2 ? -128 : 127);
    b[i] = -128;
    c[i] = i / 16 % 2 ? 2147483647 - 262143 - i % 3 + 1 : -2147483647 - 1 + 260096 - 1 + i % 3;
  }
  ends<SATURATE><<<1, 32>>>(a, b, c);
  cudaDeviceSynchronize();
  printf("int%s: %d %d %d, %d %d %d\n", SATURATE ? ", saturated" : "", c[0], c[1], c[2], c[16], c[17], c[18]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

void half_ends() {
  half *a, *b, *c;
  cudaMallocManaged(&a, 512);
  cudaMallocManaged(&b, 512);
  cudaMallocManaged(&c, 512);
  const float of_c[16] = {0, 1, 2048, -2048, 4096, 32768, 65504, -65504, 0x1p-24f, -0x1p-24f, 3 * 0x1p-24f, 1024.5f, 1025, 2049, 0x1p-14f, -0.0f};
  const float of_a[16] = {0, 1, 0x1p-1f, 0x1p-11f, 1.5f, 3, 15, 16, 17, 31, -16, -17, 0x1p-13f, 3 * 0x1p-13f, 0x1p-12f, -1};
  for (int i = 0; i < 256; ++i) {
    a[i] = half(i % 16 == 0 ? of_a[i / 16] : 0.0f);
    b[i] = half(i % 16 == 0 ? (i / 16 >= 8 && i / 16 < 11 ? 0x1p-12f : 1.0f) : 0.0f);
    c[i] = half(of_c[i % 16]);
  }
  ends<false><<<1, 32>>>(a, b, c);
  cudaDeviceSynchronize();
  for (int i = 0; i < 256; ++i) {
    unsigned short bits;
    memcpy(&bits, &c[i], sizeof bits);
    printf("%04x%c", bits, i % 16 == 15 ? '\n' : ' ');
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

int main() {
  const int count =
      every_layout<16, 16, 16, half, half>("half") + every_layout<32, 8, 16, half, half>("half") +
      every_layout<8, 32, 16, half, half>("half") + every_layout<16, 16, 16, signed char, int>("signed char") +
      every_layout<32, 8, 16, signed char, int>("signed char") + every_layout<8, 32, 16, signed char, int>("signed char") +
      every_layout<16, 16, 16, unsigned char, int>("unsigned char") +
      every_layout<32, 8, 16, unsigned char, int>("unsigned char") +
      every_layout<8, 32, 16, unsigned char, int>("unsigned char") + every_layout<8, 8, 4, double, double>("double");
  int_ends<false>();
  int_ends<true>();
  half_ends();
  printf("%s\n", count == 0 ? "PASSED" : "FAILED");
}
