// Loops without a body, which wait until another block has done its part: through volatile, an atomic that changes nothing,
// a compare-and-swap, in a function of their own. Easily got wrong by tools: such a loop has no result, and must not vanish.
#include <cstdio>

__device__ int stage[5];
__device__ int lock_word = 1;  // taken
__device__ int data[5];

__device__ __noinline__ void wait_for(int* place, int value) {
  while (atomicAdd(place, 0) != value) {
  }
}

__device__ __noinline__ void wait_volatile(volatile int* place, int value) {
  while (*place != value)
    ;
}

// It never ends by itself but through the return.
__device__ __noinline__ void wait_in_endless_loop(volatile int* place) {
  for (;;) {
    if (*place) return;
  }
}

__device__ void publish(int number, int value) {
  data[number] = value;
  __threadfence();
  atomicExch(&stage[number], 1);
}

__device__ int look(int number) {
  __threadfence();
  return *(volatile int*)&data[number];
}

__global__ void relay(int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    wait_for(&stage[0], 1);
    out[0] = look(0);
    publish(1, out[0] + 1);
    while (atomicCAS(&lock_word, 0, 1) != 0) {
    }
    out[2] = look(2);
    publish(3, out[2] + 1);
    wait_in_endless_loop(&stage[4]);
    out[4] = look(4);
  } else {
    publish(0, 10);
    wait_volatile(&stage[1], 1);
    out[1] = look(1);
    publish(2, out[1] + 1);
    __threadfence();
    atomicExch(&lock_word, 0);
    do {
    } while (atomicOr(&stage[3], 0) == 0);
    out[3] = look(3);
    publish(4, out[3] + 1);
  }
}

int main() {
  int* out;
  cudaMallocManaged(&out, 5 * sizeof(int));
  relay<<<2, 32>>>(out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int i = 0; i < 5; ++i) printf("%d ", out[i]);
  printf("\n");
  cudaFree(out);
}
