// Special registers by inline PTX: lane, warp, block and grid numbers, lane masks; votes and shuffles.
// Easily got wrong: %warpid may change during a program, so it is not printed; %laneid is the lane's for good.
#include <cstdio>

__global__ void run(unsigned* out, unsigned long long* times) {
  unsigned lane, tid, ntid, cta, grid, lt, le, ge, eq, gt, ballot, any, shuffled;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%tid.y;" : "=r"(tid));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(ntid));
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(cta));
  asm("mov.u32 %0, %%nctaid.x;" : "=r"(grid));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 3; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(ballot) : "r"(lane % 8));
  asm volatile("{ .reg .pred p, q; setp.gt.u32 p, %1, 30; vote.sync.any.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(lane));
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 4, 0x1f, 0xffffffff; @!p add.u32 %0, %0, 1000; }" : "=r"(shuffled) : "r"(lane));
  unsigned long long ns, later;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
  const int i = blockIdx.x * 64 + threadIdx.y * 16 + threadIdx.x;
  out[i * 4] = lane + tid * 100 + ntid * 1000 + cta * 100000 + grid * 1000000;
  out[i * 4 + 1] = (lt | eq) == le && (gt | eq) == ge && (lt | ge) == ~0u && eq == 1u << lane;
  out[i * 4 + 2] = ballot;
  out[i * 4 + 3] = shuffled * 10 + any;
  times[i] = later >= ns;
}

int main() {
  const int n = 128;
  unsigned* out;
  unsigned long long* times;
  cudaMallocManaged(&out, n * 4 * sizeof *out);
  cudaMallocManaged(&times, n * sizeof *times);
  run<<<2, dim3(16, 4)>>>(out, times);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    const unsigned lane = i % 32;
    wrong += out[i * 4] != lane + i % 64 / 16 * 100 + 16000 + i / 64 * 100000 + 2000000 || !out[i * 4 + 1] || !times[i];
    wrong += out[i * 4 + 2] != 0x08080808 || out[i * 4 + 3] != (lane < 28 ? lane + 4 : lane + 1000) * 10 + 1;
  }
  printf("%u %08x %u\n", out[127 * 4], out[2], out[31 * 4 + 3]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(out);
  cudaFree(times);
}
