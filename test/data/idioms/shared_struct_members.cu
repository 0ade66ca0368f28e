// A structure in shared memory: members of several widths, arrays within, methods that synchronise.
// Easily got wrong: two lanes that write neighbouring bytes do not disturb each other.
#include <cstdio>

struct Queue {
  int head, tail;
  unsigned char flags[64];
  struct { short x; float y; } items[64];
  __device__ void reset() {
    if (threadIdx.x == 0) head = tail = 0;
    __syncthreads();
  }
  __device__ int push() { return atomicAdd(&tail, 1); }
};

__global__ void run(int* out) {
  __shared__ Queue queue;
  __shared__ Queue* pointer;
  queue.reset();
  const int t = threadIdx.x;
  queue.flags[t] = static_cast<unsigned char>(t * 3);
  queue.items[t].x = short(t);
  queue.items[t].y = t * 0.5f;
  if (t % 4 == 1) queue.push();
  if (t == 0) pointer = &queue;
  __syncthreads();
  const Queue& q = *pointer;
  out[t] = q.flags[63 - t] + q.items[(t + 1) % 64].x * 1000 + int(q.items[t].y * 2) * 100000 + q.tail * 10000000;
}

int main() {
  int h[64], *d, wrong = 0;
  cudaMalloc(&d, sizeof h);
  run<<<1, 64>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 64; ++t) {
    wrong += h[t] != (63 - t) * 3 + (t + 1) % 64 * 1000 + t * 100000 + 160000000;
  }
  printf("%d %d %zu\n", h[0], h[63], sizeof(Queue));
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(d);
}
