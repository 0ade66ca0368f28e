// Inline PTX for memory: cache operators, the read-only path, addresses converted to a state space, vectors.
// Easily got wrong: "memory" among the clobbers, or the compiler moves its own accesses across.
#include <cstdio>

__device__ unsigned shared_address(const void* p) {
  unsigned a;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p));
  return a;
}

__global__ void run(const int* in, const float4* quads, int* out, float4* quads_out, short* halves) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v;
  asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(v) : "l"(in + t));
  asm volatile("st.shared.s32 [%0], %1;" ::"r"(shared_address(&s[t])), "r"(v * 2) : "memory");
  __syncthreads();
  int w;
  asm volatile("ld.shared.s32 %0, [%1+4];" : "=r"(w) : "r"(unsigned(__cvta_generic_to_shared(&s[(t + 5) % 63]))) : "memory");
  asm volatile("st.global.cs.s32 [%0], %1;" ::"l"(out + t), "r"(w) : "memory");
  float4 q;
  asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(q.x), "=f"(q.y), "=f"(q.z), "=f"(q.w) : "l"(quads + t));
  asm volatile("st.global.wt.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(quads_out + t), "f"(q.w), "f"(q.z), "f"(q.y), "f"(q.x) : "memory");
  unsigned short h = static_cast<unsigned short>(t * 1000);
  asm volatile("st.global.u16 [%0], %1;" ::"l"(halves + t), "h"(h) : "memory");
  unsigned long long global;
  asm("cvta.to.global.u64 %0, %1;" : "=l"(global) : "l"(out + 64 + t));
  asm volatile("{ .reg .s32 old; atom.global.add.s32 old, [%0], %1; red.global.max.s32 [%0], 40; }" ::"l"(global), "r"(t) : "memory");
}

int main() {
  int in[64], out[128] = {}, *d_in, *d_out, wrong = 0;
  float4 quads[64], *d_quads, *d_quads_out;
  short halves[64], *d_halves;
  for (int i = 0; i < 64; ++i) in[i] = i * i, quads[i] = make_float4(i, i + 1, i + 2, i + 3);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMalloc(&d_quads, sizeof quads);
  cudaMalloc(&d_quads_out, sizeof quads);
  cudaMalloc(&d_halves, sizeof halves);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemcpy(d_out, out, sizeof out, cudaMemcpyHostToDevice);
  cudaMemcpy(d_quads, quads, sizeof quads, cudaMemcpyHostToDevice);
  run<<<1, 64>>>(d_in, d_quads, d_out, d_quads_out, d_halves);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  cudaMemcpy(quads, d_quads_out, sizeof quads, cudaMemcpyDeviceToHost);
  cudaMemcpy(halves, d_halves, sizeof halves, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; ++t) {
    const int k = (t + 5) % 63 + 1;
    wrong += out[t] != 2 * k * k || quads[t].x != t + 3 || quads[t].w != t || halves[t] != short(t * 1000) ||
             out[64 + t] != (t > 40 ? t : 40);
  }
  printf("%d %d %g %d\n", out[0], out[63], quads[5].y, halves[63]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_quads);
  cudaFree(d_quads_out);
  cudaFree(d_halves);
}
