// Shifts by run-time amounts in both widths, arithmetic and logical; overflow that is defined because unsigned;
// narrow types that are promoted. Easily got wrong: a shift of a char happens in int.
#include <cstdio>

__host__ __device__ unsigned long long mix(unsigned v, int by) {
  const int s = int(v);
  const long long l = (long long)(v * 0x100000001ull);
  unsigned long long r = v << by;
  r = r * 33 + (v >> by);
  r = r * 33 + unsigned(s >> by);
  r = r * 33 + (unsigned long long)(l >> (by + 20));
  r = r * 33 + ((unsigned long long)l << (by + 31) ^ (unsigned long long)l >> (63 - by));
  const unsigned char c = static_cast<unsigned char>(v);
  const signed char d = static_cast<signed char>(v);
  const unsigned short h = static_cast<unsigned short>(v);
  r = r * 33 + (c << 4) + (d >> 2) + (h << 9) + static_cast<unsigned char>(c << 3) + static_cast<short>(h * 3u);
  r = r * 33 + (v << by | v >> (32 - by) % 32);           // a rotation
  const unsigned sum = unsigned(s) + 0x7fffffffu;          // wraps
  const int back = int(sum * 2654435761u);
  r = r * 33 + unsigned(back) + (sum < v ? 1 : 0);         // carry
  const int cut = static_cast<int>(l);
  r = r * 33 + unsigned(cut) + (~v & 0xf0f0u) + (v ^ -v);
  return r;
}

__global__ void run(unsigned long long* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = mix(t * 2654435761u + 12345u, t % 32);
}

int main() {
  const int n = 1024;
  unsigned long long* out;
  cudaMallocManaged(&out, n * sizeof *out);
  run<<<8, 128>>>(out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) wrong += out[t] != mix(t * 2654435761u + 12345u, t % 32);
  printf("%llx %llx %llx\n", out[0], out[31], out[1023]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(out);
}
