// A fair lock: draw a ticket, wait until it is served. Blocks pass in the order of their tickets.
// Easily got wrong: only the holder advances the served number, after a fence.
#include <cstdio>

struct TicketLock {
  unsigned next, served;
  __device__ unsigned acquire() {
    const unsigned ticket = atomicAdd(&next, 1u);
    while (*static_cast<volatile unsigned*>(&served) != ticket) {}
    __threadfence();
    return ticket;
  }
  __device__ void release() {
    __threadfence();
    atomicAdd(&served, 1u);
  }
};

__device__ TicketLock ticket_lock;
__device__ volatile unsigned value = 1;

__global__ void work(unsigned* tickets) {
  if (threadIdx.x == 0) {
    const unsigned ticket = ticket_lock.acquire();
    value = value * 5 + ticket;  // not commutative: right only in order of the tickets
    ticket_lock.release();
    tickets[blockIdx.x] = ticket;
  }
}

int main() {
  const int blocks = 50;
  unsigned *d, h[blocks], result, expected = 1;
  cudaMalloc(&d, sizeof h);
  work<<<blocks, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&result, value, sizeof result);
  bool seen[blocks] = {};
  for (unsigned t : h) seen[t % blocks] = true;
  int all = 0;
  for (int b = 0; b < blocks; ++b) all += seen[b];
  for (unsigned t = 0; t < blocks; ++t) expected = expected * 5 + t;
  printf("%u, %d tickets\n", result, all);
  puts(result == expected && all == blocks ? "PASSED" : "FAILED");
  cudaFree(d);
}
