// Who draws the last ticket sets the counter back for the next launch: with a plain store, as the programming guide has it, with an
// atomic, by another thread of the last block, or in a kernel of its own. Nobody else can draw one any more, so no atomic is needed.
// Easily got wrong: the fences; without them the last block may find the counter full and the others' sums not yet there.
#include <cstdio>

__device__ unsigned tickets = 0;

enum How { plain_after_inc, plain_after_add, exchange, by_another, volatile_store, next_kernel, HOWS };

__global__ void sum(const int* in, volatile int* partial, int* out, int n, How how) {
  __shared__ bool is_last;
  __shared__ int s[64];
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    int mine = 0;
    for (int i = 0; i < blockDim.x; ++i) mine += s[i];
    partial[blockIdx.x] = mine;
    __threadfence();
    const unsigned ticket = how == plain_after_add ? atomicAdd(&tickets, 1) : atomicInc(&tickets, gridDim.x);
    is_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    __threadfence();
    if (threadIdx.x == 0) {
      int total = 0;
      for (int b = 0; b < gridDim.x; ++b) total += partial[b];
      *out = total;
      if (how == plain_after_inc || how == plain_after_add) tickets = 0;
      if (how == exchange) atomicExch(&tickets, 0);
    }
    __syncthreads();
    if (how == by_another && threadIdx.x == 33) tickets = 0;
    if (how == volatile_store && threadIdx.x == 5) *(volatile unsigned*)&tickets = 0;
  }
}

__global__ void set_back() { tickets = 0; }

// The same within a block, and in a barrier of the whole grid.
__device__ unsigned arrived = 0;
__device__ volatile unsigned generation = 0;
__device__ int turn_of[4];

__device__ void grid_barrier() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned mine = generation;
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      generation = mine + 1;
    } else {
      while (generation == mine) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void turns(int* out, int* lasts) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  for (int turn = 1; turn <= 3; ++turn) {
    if (threadIdx.x == 0) turn_of[blockIdx.x] = turn;
    grid_barrier();
    if (threadIdx.x == 0) out[blockIdx.x] += turn_of[(blockIdx.x + 1) % gridDim.x];
    grid_barrier();
    __threadfence_block();
    if (atomicAdd(&count, 1) == blockDim.x - 1) {
      count = 0;
      atomicAdd(lasts, 1);
    }
    __syncthreads();
  }
}

int main() {
  const int n = 4000, blocks = 20;
  int *in, *partial, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMalloc(&partial, blocks * sizeof(int));
  cudaMallocManaged(&out, 5 * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i % 7;
  for (int how = 0; how < HOWS; ++how) {
    for (int run = 0; run < 2; ++run) {
      out[0] = -1;
      sum<<<blocks, 64>>>(in, partial, out, n, (How)how);
      if (how == next_kernel) set_back<<<1, 1>>>();
      cudaDeviceSynchronize();
      printf("%d ", out[0]);
    }
  }
  for (int i = 0; i < 5; ++i) out[i] = 0;
  turns<<<4, 64>>>(out, out + 4);
  cudaDeviceSynchronize();
  printf("\n%d %d %d %d, %d\n", out[0], out[1], out[2], out[3], out[4]);
  cudaFree(in);
  cudaFree(partial);
  cudaFree(out);
}
