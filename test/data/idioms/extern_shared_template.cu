// An extern shared array of the template's type would clash between instances; the usual way out is one
// array of bytes, aligned and cast. Easily got wrong: alignment below that of the widest type.
#include <cstdio>

template <typename T>
__device__ T* shared_array() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes);
}

template <typename T>
__global__ void reverse(const T* in, T* out) {
  T* s = shared_array<T>();
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__host__ __device__ bool same(const int4& a, const int4& b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
template <typename T> bool same(const T& a, const T& b) { return a == b; }

template <typename T, typename Make>
void try_type(const char* name, Make make) {
  const int n = 100;
  T in[n], out[n], *d_in, *d_out;
  for (int i = 0; i < n; ++i) in[i] = make(i);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  reverse<<<1, n, n * sizeof(T)>>>(d_in, d_out);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += !same(out[i], in[n - 1 - i]);
  printf("%s %s\n", name, wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
}

int main() {
  try_type<char>("char", [](int i) { return char(i); });
  try_type<short>("short", [](int i) { return short(i * 300); });
  try_type<float>("float", [](int i) { return i * 0.25f; });
  try_type<double>("double", [](int i) { return i * 0.125; });
  try_type<int4>("int4", [](int i) { return make_int4(i, -i, 2 * i, 3); });
}
