// cudaStreamAddCallback after each stage of a pipeline in several streams: the callback comes behind the work of its stream.
// Easily got wrong: a callback runs in a thread of the driver's own, and may make no CUDA calls.
#include <cstdio>

__global__ void square(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] * in[threadIdx.x]; }

struct Stage {
  int number;
  int* result;
  int sum;
  cudaError_t status;
};

void CUDART_CB add_up(cudaStream_t, cudaError_t status, void* data) {
  Stage* stage = static_cast<Stage*>(data);
  stage->status = status;
  for (int i = 0; i < 32; ++i) stage->sum += stage->result[i];
}

int main() {
  const int stages = 4;
  Stage stage[stages] = {};
  cudaStream_t stream[stages];
  int *in[stages], *out[stages], *host[stages];
  for (int s = 0; s < stages; ++s) {
    cudaStreamCreate(&stream[s]);
    cudaMalloc(&in[s], 32 * sizeof(int));
    cudaMalloc(&out[s], 32 * sizeof(int));
    cudaMallocHost(&host[s], 32 * sizeof(int));
    for (int i = 0; i < 32; ++i) host[s][i] = s + i;
    stage[s] = {s, host[s], 0, cudaErrorUnknown};
  }
  for (int s = 0; s < stages; ++s) {
    cudaMemcpyAsync(in[s], host[s], 32 * sizeof(int), cudaMemcpyHostToDevice, stream[s]);
    square<<<1, 32, 0, stream[s]>>>(in[s], out[s]);
    cudaMemcpyAsync(host[s], out[s], 32 * sizeof(int), cudaMemcpyDeviceToHost, stream[s]);
    cudaStreamAddCallback(stream[s], add_up, &stage[s], 0);
  }
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int s = 0; s < stages; ++s) {
    int expected = 0;
    for (int i = 0; i < 32; ++i) expected += (s + i) * (s + i);
    wrong += stage[s].sum != expected || stage[s].status != cudaSuccess;
    printf("stage %d: %d\n", stage[s].number, stage[s].sum);
    cudaFree(in[s]);
    cudaFree(out[s]);
    cudaFreeHost(host[s]);
    cudaStreamDestroy(stream[s]);
  }
  puts(wrong ? "FAILED" : "PASSED");
}
