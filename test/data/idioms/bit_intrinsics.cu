// __popc, __clz, __ffs, __brev, __byte_perm, __funnelshift and their 64-bit kin, at the ends of their ranges.
// Easily got wrong: __ffs counts from 1, __clz(0) is 32, a funnel shift takes its amount modulo 32 or clamps it.
#include <cstdio>

__global__ void bits(const unsigned* in, int n) {
  for (int i = 0; i < n; ++i) {
    const unsigned v = in[i];
    const unsigned long long w = (unsigned long long)v << 20 | v;
    printf("%08x: %d %d %d %08x | %d %d %d %016llx\n", v, __popc(v), __clz(int(v)), __ffs(int(v)), __brev(v),
           __popcll(w), __clzll((long long)w), __ffsll((long long)w), __brevll(w));
    printf("  %08x %08x %08x %08x %08x\n", __byte_perm(v, ~v, 0x0123), __byte_perm(v, 0x11223344, 0x7531),
           __byte_perm(v, 0, 0x4441), __byte_perm(v, 0xaabbccdd, 0x6), __byte_perm(v, v, 0x0321));
    printf("  %08x %08x %08x %08x\n", __funnelshift_l(v, ~v, 7), __funnelshift_r(v, ~v, 39),
           __funnelshift_lc(v, ~v, 40), __funnelshift_rc(v, ~v, 32));
    printf("  %d %u %d %u\n", __mul24(int(v), int(v >> 8)), __umul24(v, v >> 4), __mulhi(int(v), -int(v >> 1)),
           __umulhi(v, v));
    printf("  %lld %llu %u %u\n", __mul64hi((long long)(w << 20), -(long long)w), __umul64hi(w << 12, w << 9),
           __sad(int(v), -5, 3u), __usad(v, 77u, 1u));
    printf("  %d %u %d %u\n", __hadd(int(v), 7), __uhadd(v, 9u), __rhadd(int(v), -4), __urhadd(v, 0xfffffff0u));
  }
}

int main() {
  const unsigned h[] = {0, 1, 2, 0x80000000, 0xffffffff, 0x7fffffff, 0x12345678, 0xdeadbeef, 0x00ff00ff, 0x800000};
  unsigned* d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  bits<<<1, 1>>>(d, int(sizeof h / 4));
  cudaDeviceSynchronize();
  cudaFree(d);
}
