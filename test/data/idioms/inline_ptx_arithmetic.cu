// Inline PTX: mad, prmt, lop3, bfe, bfi, brev, popc, carries, setp and selp with a register of its own scope.
// Easily got wrong: %% before a register's name, early clobbers, and braces around .reg so that inlining may repeat it.
#include <cstdio>

__device__ unsigned mad(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ unsigned long long mad_wide(unsigned a, unsigned b, unsigned long long c) {
  asm("mad.wide.u32 %0, %1, %2, %0;" : "+l"(c) : "r"(a), "r"(b));
  return c;
}
template <int TABLE>
__device__ unsigned lop3(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(TABLE));
  return d;
}
__device__ int larger_half(int a, int b) {
  int d;
  asm("{\n\t.reg .pred p;\n\t.reg .s32 t;\n\tsetp.gt.s32 p, %1, %2;\n\tselp.s32 t, %1, %2, p;\n\tshr.s32 %0, t, 1;\n\t}" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
__device__ uint2 add_64(uint2 a, uint2 b) {
  uint2 d;
  asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;" : "=&r"(d.x), "=r"(d.y) : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
  return d;
}

__global__ void run() {
  const unsigned v = 0x12345678u + threadIdx.x;
  unsigned p, e, i, r, c, m, a;
  int s, h;
  float f;
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(p) : "r"(v), "r"(~v));
  asm("bfe.u32 %0, %1, 4, 12;" : "=r"(e) : "r"(v));
  asm("bfe.s32 %0, %1, 8, 7;" : "=r"(s) : "r"(int(v)));
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(i) : "r"(0xau), "r"(v));
  asm("brev.b32 %0, %1;" : "=r"(r) : "r"(v));
  asm("popc.b32 %0, %1;" : "=r"(c) : "r"(v));
  asm("mul.hi.u32 %0, %1, %1;" : "=r"(m) : "r"(v));
  asm("sad.u32 %0, %1, %2, 5;" : "=r"(a) : "r"(v), "r"(~v));
  asm("shf.l.wrap.b32 %0, %1, %2, 12;" : "=r"(h) : "r"(int(v)), "r"(77));
  asm("fma.rn.f32 %0, %1, 0f40000000, 0f3F800000;" : "=f"(f) : "f"(1.25f));
  printf("%u %llu\n", mad(v, 3, 7), mad_wide(v, ~0u, 1ull << 40));
  printf("%08x %08x %08x\n", lop3<0x96>(v, ~0u, 0xff), lop3<0xe8>(v, 0xffff, 0xff00ff), lop3<0x40>(v, v >> 1, 3));
  printf("%08x %x %d %08x %08x %u %u %u %x %g\n", p, e, s, i, r, c, m, a, h, f);
  const uint2 sum = add_64(make_uint2(0xffffffff, 1), make_uint2(v, 2));
  printf("%d %d %08x %08x\n", larger_half(-9, -20), larger_half(int(v), 5), sum.x, sum.y);
}

int main() {
  run<<<1, 1>>>();
  puts(cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
}
