// constexpr arrays and functions in device code, `if constexpr`, inline variables of a template, fold expressions.
// Easily got wrong: a namespace-scope constexpr array may be read by value at compile time, but indexing it at run
// time needs it to be local, static in the function, or __device__.
#include <cstdio>

__host__ __device__ constexpr int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
constexpr int WIDTH = fibonacci(7);  // 13
static_assert(WIDTH == 13, "known to the compiler");

template <int N>
struct Squares {
  int v[N] = {};
  __host__ __device__ constexpr Squares() {
    for (int i = 0; i < N; ++i) v[i] = i * i;
  }
};

template <typename T>
__device__ int kind() {
  if constexpr (sizeof(T) == 1) return 1;
  else if constexpr (sizeof(T) == 4) return T(0.5) == T(0) ? 4 : 40;
  else return 8;
}
template <typename... Ts>
__device__ int kinds() { return (kind<Ts>() + ...); }

__global__ void run(int* out) {
  static constexpr int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  constexpr Squares<10> squares;
  constexpr char word[] = "constexpr";
  const int t = threadIdx.x;
  out[t] = primes[t % 8] * 10000 + squares.v[t % 10] * 100 + word[t % 9] - 'a' + WIDTH + kinds<char, int, float, double>();
}

int main() {
  const int n = 72, primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  int h[n], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  run<<<1, n>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < n; ++t) wrong += h[t] != primes[t % 8] * 10000 + t % 10 * (t % 10) * 100 + "constexpr"[t % 9] - 'a' + 13 + 53;
  printf("%d %d\n", h[0], h[71]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
