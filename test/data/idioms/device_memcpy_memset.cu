// memcpy, memset and memcmp-like loops in a kernel: on locals, shared and global memory, of odd sizes and addresses.
// Easily got wrong: the sizes are bytes, and an unaligned address may not become a wide access.
#include <cstdio>
#include <cstring>

struct Record { char name[11]; int value; short tail[3]; };

__global__ void run(const unsigned char* in, unsigned char* out, Record* records, int odd) {
  __shared__ unsigned char s[33 * 8];
  unsigned char local[40];
  const int t = threadIdx.x;
  memset(s + t * 8, t, 8);
  if (t == 31) memset(s + 256, 32, 8);
  __syncwarp();
  memcpy(local, in + t + odd, 23);  // no alignment at all
  memcpy(local + 23, s + (31 - t) * 8 + 3, 9);
  memset(local + 32, 0xee, t % 6);
  memcpy(out + t * 37, local, 32 + t % 6);
  Record r;
  memset(&r, 0, sizeof r);
  memcpy(r.name, "record", 7);
  r.value = t;
  r.tail[t % 3] = short(-t);
  records[t] = r;
}

int main() {
  unsigned char in[64], out[32 * 37 + 8], *d_in, *d_out;
  Record records[32], *d_records;
  for (int i = 0; i < 64; ++i) in[i] = static_cast<unsigned char>(i * 3 + 100);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMalloc(&d_records, sizeof records);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, sizeof out);
  run<<<1, 32>>>(d_in, d_out, d_records, 1);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  cudaMemcpy(records, d_records, sizeof records, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int t = 0; t < 32; ++t) {
    const unsigned char* o = out + t * 37;
    for (int i = 0; i < 23; ++i) wrong += o[i] != in[t + 1 + i];
    for (int i = 0; i < 9 && 23 + i < 32; ++i) wrong += o[23 + i] != (31 - t) + (3 + i >= 8);
    wrong += strcmp(records[t].name, "record") != 0 || records[t].value != t || records[t].tail[t % 3] != -t;
  }
  for (int i = 32; i < 37; ++i) printf("%02x ", out[31 * 37 + i - 32]);
  printf("\n%s %d %s\n", records[9].name, records[9].value, wrong ? "FAILED" : "PASSED");
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_records);
}
