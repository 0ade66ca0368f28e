// A transform kernel as a template over a functor with state, passed by value; host and device share it.
// Easily got wrong: operator() must be __device__ as well.
#include <cstdio>

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct Clamp {
  float low, high;
  __host__ __device__ float operator()(float x, float) const { return x < low ? low : x > high ? high : x; }
};
template <class First, class Second>
struct Then {
  First first;
  Second second;
  __host__ __device__ float operator()(float x, float y) const { return second(first(x, y), y); }
};

template <typename F>
__global__ void transform(const float* x, const float* y, float* out, int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(x[i], y[i]);
}

float *x, *y, *out;
const int n = 1000;

template <typename F>
void check(const char* name, F f) {
  transform<<<(n + 127) / 128, 128>>>(x, y, out, n, f);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += out[i] != f(x[i], y[i]);
  printf("%s %g %g %s\n", name, out[10], out[999], wrong ? "FAILED" : "PASSED");
}

int main() {
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = i * 0.5f, y[i] = float(n - i);
  check("saxpy", Saxpy{2});
  check("clamp", Clamp{10, 100});
  check("both", Then<Saxpy, Clamp>{{0.5f}, {300, 800}});
  cudaFree(x);
  cudaFree(y);
  cudaFree(out);
}
