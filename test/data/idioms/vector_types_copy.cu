// Copies of every vector type through registers, made with its make_ function, members read by name.
// Easily got wrong: x, y, z, w in that order in memory; a wide copy is one access and needs its alignment.
#include <cstdio>
#include <cstring>

template <typename V>
__global__ void copy(const V* in, V* out, V made) {
  const int t = threadIdx.x;
  out[t] = t == 5 ? made : in[t];
}

int failed = 0;

template <typename V>
void check(const char* name, V made) {
  const int n = 40;
  V in[n], out[n], *d_in, *d_out;
  unsigned char* bytes = reinterpret_cast<unsigned char*>(in);
  for (size_t i = 0; i < sizeof in; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 100);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  copy<<<1, n>>>(d_in, d_out, made);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  in[5] = made;
  const bool same = memcmp(in, out, sizeof in) == 0;
  failed += !same;
  printf("%s%s ", name, same ? "" : "!");
  cudaFree(d_in);
  cudaFree(d_out);
}

#define ONE(T) check(#T "1", make_##T##1(1));
#define TWO(T) check(#T "2", make_##T##2(1, 2));
#define THREE(T) check(#T "3", make_##T##3(1, 2, 3));
#define FOUR(T) check(#T "4", make_##T##4(1, 2, 3, 4));
#define ALL(T) ONE(T) TWO(T) THREE(T) FOUR(T)

int main() {
  ALL(char) ALL(uchar) ALL(short) ALL(ushort) ALL(int) ALL(uint) ALL(float)
  ONE(long) TWO(long) THREE(long) ONE(ulong) TWO(ulong) THREE(ulong)
  ONE(longlong) TWO(longlong) THREE(longlong) ONE(ulonglong) TWO(ulonglong) THREE(ulonglong)
  ONE(double) TWO(double) THREE(double)
  const float4 f = make_float4(1, 2, 3, 4);
  const uchar4 c = make_uchar4(1, 2, 3, 255);
  printf("\n%g %g %g %g %d %d\n", f.x, f.y, f.z, f.w, c.z, c.w);
  puts(failed ? "FAILED" : "PASSED");
}
