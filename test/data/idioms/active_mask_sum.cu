// Inside a branch: the mask of those who took it comes from a ballot before the branch, and the sum of
// an irregular set of lanes walks through that mask's bits. __activemask() would only be a guess.
#include <cstdio>

__global__ void odd_sums(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  const bool takes = v % 3 == 1;
  const unsigned mask = __ballot_sync(0xffffffff, takes);
  int result = -1;
  if (takes) {
    result = 0;
    for (unsigned rest = mask; rest; rest &= rest - 1) {
      result += __shfl_sync(mask, v, __ffs(rest) - 1);
    }
    // At this place the hardware may have split the group: __activemask() holds this lane, no more is sure.
    if (!(__activemask() >> (threadIdx.x % 32) & 1)) result = -2;
  }
  out[i] = result;
}

int main() {
  const int n = 256;
  int *in, *out;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  for (int i = 0; i < n; ++i) in[i] = i * 37 % 101;
  odd_sums<<<2, 128>>>(in, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int w = 0; w < n / 32; ++w) {
    int sum = 0;
    for (int i = w * 32; i < w * 32 + 32; ++i) sum += in[i] % 3 == 1 ? in[i] : 0;
    for (int i = w * 32; i < w * 32 + 32; ++i) wrong += out[i] != (in[i] % 3 == 1 ? sum : -1);
    printf("%d ", sum);
  }
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(in);
  cudaFree(out);
}
