// Bit fields and unions in device code; bits of a float by memcpy, __float_as_int and friends.
// Easily got wrong: a signed bit field extends its sign, and neighbours in one word must survive a write.
#include <cstdio>
#include <cstring>

struct Packed {
  unsigned low : 5;
  int sign : 3;
  unsigned middle : 17;
  unsigned : 2;
  unsigned top : 5;
  unsigned long long wide : 40;
  bool flag : 1;
};
union Bits {
  unsigned u;
  unsigned short h[2];
  unsigned char b[4];
};

__global__ void fields(Packed* p, unsigned* out) {
  const int t = threadIdx.x;
  Packed& q = p[t];
  q.low = t;
  q.sign = t;
  q.middle += t * 1000;
  q.top = ~t;
  q.wide = 1099511627775ull - t;
  q.flag = t & 2;
  Bits bits;
  bits.u = 0x01020304u * (t % 50);
  bits.b[2] ^= 0xff;
  const float f = -1.5f * t;
  unsigned copied;
  memcpy(&copied, &f, 4);
  long long of_double = __double_as_longlong(t * 0.1);
  out[t * 4] = bits.h[1] * 3 + bits.b[0];
  out[t * 4 + 1] = copied;
  out[t * 4 + 2] = copied == __float_as_uint(f) && __int_as_float(int(copied)) == f && q.sign == (t % 8 ^ 4) - 4;
  out[t * 4 + 3] = unsigned(of_double >> 32) ^ __double2hiint(__longlong_as_double(of_double)) ^ unsigned(q.low + q.top);
}

int main() {
  const int n = 40;
  Packed* p;
  unsigned* out;
  cudaMallocManaged(&p, n * sizeof *p);
  cudaMallocManaged(&out, n * 4 * sizeof *out);
  memset(static_cast<void*>(p), 0, n * sizeof *p);
  for (int i = 0; i < n; ++i) p[i].middle = i;
  fields<<<1, n>>>(p, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    wrong += p[t].low != t % 32u || p[t].middle != t * 1001u || p[t].wide != 1099511627775ull - t ||
             p[t].flag != bool(t & 2) || !out[t * 4 + 2] || p[t].top != (~t & 31u);
  }
  for (int t = 0; t < n; t += 13) printf("%u %08x %u %08x\n", out[4 * t], out[4 * t + 1], out[4 * t + 2], out[4 * t + 3]);
  printf("%zu %s\n", sizeof(Packed), wrong ? "FAILED" : "PASSED");
  cudaFree(p);
  cudaFree(out);
}
