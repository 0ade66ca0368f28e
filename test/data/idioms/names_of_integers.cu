// From sorting and search kernels, and from older code: minima whose type is in the name, the n-th set bit of a mask, and launches
// written with spaces between the brackets, which nvcc reads as <<< and >>>.
#include <cstdio>
#include <initializer_list>

__global__ void minima(unsigned int* out, long long* wide) {
  out[0] = umin(3u, 0xfffffff0u);
  out[1] = umax(3u, 0xfffffff0u);
  wide[0] = llmin(-5ll, 1ll << 40);
  wide[1] = llmax(-5ll, 1ll << 40);
  wide[2] = static_cast<long long>(ullmin(7ull, ~0ull));
  wide[3] = static_cast<long long>(ullmax(7ull, ~0ull) >> 1);
}

// The lane that holds the n-th task of a warp.
__global__ void set_bits(unsigned int* out) {
  int at = 0;
  for (const unsigned int mask : {0xf0u, 0x80000001u, 0u})
    for (const unsigned int base : {0u, 5u, 31u})
      for (const int offset : {-2, -1, 0, 1, 2, 4}) out[at++] = __fns(mask, base, offset);
}

int main() {
  unsigned int *out, host[54];
  long long *wide, host_wide[4];
  cudaMalloc(&out, sizeof(host));
  cudaMalloc(&wide, sizeof(host_wide));
  minima<< <1, 1 >> >(out, wide);
  cudaMemcpy(host, out, 2 * sizeof(unsigned int), cudaMemcpyDeviceToHost);
  cudaMemcpy(host_wide, wide, sizeof(host_wide), cudaMemcpyDeviceToHost);
  printf("%u %u %lld %lld %lld %lld\n", host[0], host[1], host_wide[0], host_wide[1], host_wide[2], host_wide[3]);
  set_bits<< < dim3(1), 1>> > (out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 54; ++i) printf("%d%c", static_cast<int>(host[i]), i % 6 == 5 ? '\n' : ' ');
  printf("%u %llu\n", umin(4u, 9u), ullmax(4ull, 9ull));
  cudaFree(out);
  cudaFree(wide);
}
