// Text on the device: a Caesar cipher, string length and comparison, counting words, a string table in constant memory.
// Easily got wrong: char is signed, and the zero at the end belongs to the copy.
#include <cstdio>
#include <cstring>

__constant__ char words[4][8] = {"zero", "one", "two", "three"};

__device__ int length(const char* s) {
  const char* p = s;
  while (*p) ++p;
  return int(p - s);
}
__device__ bool equal(const char* a, const char* b) {
  for (; *a && *a == *b; ++a, ++b) {}
  return *a == *b;
}

__global__ void cipher(char* text, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char c = text[i];
  if (c >= 'a' && c <= 'z') text[i] = char('a' + (c - 'a' + by + 26) % 26);
  else if (c >= 'A' && c <= 'Z') text[i] = char('A' + (c - 'A' + by + 26) % 26);
}
__global__ void count_words(const char* text, int n, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool starts = i < n && text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  const int here = __syncthreads_count(starts);
  if (threadIdx.x == 0) atomicAdd(count, here);
}
__global__ void look_up(const char* word, int* out) {
  const int t = threadIdx.x;
  out[t] = equal(words[t], word) * 100 + length(words[t]);
}

int main() {
  const char original[] = "The Quick Brown Fox  jumps over the lazy Dog and Zebras, all 42 of them; xyz!";
  const int n = int(sizeof original) - 1;
  char back[sizeof original], *text;
  int* out;
  cudaMalloc(&text, sizeof original);
  cudaMallocManaged(&out, 5 * sizeof(int));
  cudaMemcpy(text, original, sizeof original, cudaMemcpyHostToDevice);
  cipher<<<2, 64>>>(text, n, 3);
  cudaMemcpy(back, text, sizeof back, cudaMemcpyDeviceToHost);
  puts(back);
  cipher<<<2, 64>>>(text, n, -3);
  cudaMemcpy(back, text, sizeof back, cudaMemcpyDeviceToHost);
  out[4] = 0;
  count_words<<<2, 64>>>(text, n, out + 4);
  cudaMemcpy(text, "two", 4, cudaMemcpyHostToDevice);
  look_up<<<1, 4>>>(text, out);
  cudaDeviceSynchronize();
  printf("%d words; %d %d %d %d\n", out[4], out[0], out[1], out[2], out[3]);
  puts(strcmp(back, original) == 0 && out[4] == 16 && out[2] == 103 && out[3] == 5 ? "PASSED" : "FAILED");
  cudaFree(text);
  cudaFree(out);
}
