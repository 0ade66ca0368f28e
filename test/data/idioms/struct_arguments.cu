// Structures by value as kernel arguments: arrays, nested structures, pointers, odd sizes and paddings.
// Easily got wrong: an array inside a struct is copied, an array as an argument is a pointer.
#include <cstdio>

struct Inner {
  short a;
  double b;
};
struct Args {
  int values[5];
  char tag;
  Inner inner[2];
  struct {
    float2 f;
    unsigned char bytes[3];
  } nested;
  const int* data;
};
struct Tiny { char c; };
struct Empty {};
struct Three { char c[3]; };

__global__ void use(char first, Args args, Tiny tiny, Empty, Three three, long long last, double* out) {
  const int t = threadIdx.x;
  double v = args.values[t % 5] + args.tag + args.inner[t % 2].a + args.inner[1 - t % 2].b;
  v += args.nested.f.x * args.nested.f.y + args.nested.bytes[t % 3] + args.data[t];
  out[t] = v + first + tiny.c + three.c[2] + last;
  args.values[0] = 99;  // the thread's own copy
  if (args.values[t % 5] == 99) out[t] += 1000;
}

int main() {
  const int n = 30;
  int* data;
  double* out;
  cudaMallocManaged(&data, n * sizeof *data);
  cudaMallocManaged(&out, n * sizeof *out);
  for (int i = 0; i < n; ++i) data[i] = i * 100;
  Args a = {{1, 2, 3, 4, 5}, 10, {{20, 0.25}, {30, 0.5}}, {{3, 4}, {40, 50, 60}}, data};
  use<<<1, n>>>(1, a, {2}, {}, {{3, 4, 5}}, -1000000, out);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int t = 0; t < n; ++t) {
    double v = a.values[t % 5] + a.tag + a.inner[t % 2].a + a.inner[1 - t % 2].b;
    v += 12 + a.nested.bytes[t % 3] + data[t] + 1 + 2 + 5 - 1000000;
    if (t % 5 == 0) v += 1000;
    wrong += out[t] != v;
  }
  printf("%.2f %.2f %zu\n", out[0], out[29], sizeof(Args));
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(data);
  cudaFree(out);
}
