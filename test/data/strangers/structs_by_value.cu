// Structures handed over and given back by value: to functions that are not inlined, virtual ones, through pointers, and on the
// way down a recursion. Easily got wrong: an index that is known only at run time needs the structure in memory.
#include <cstdio>

struct Matrix {
  float m[3][3];
};
struct Mixed {
  char c;
  double d;
  short s[3];
};
struct Large {
  int v[40];
  char last;
};
struct Text {
  char letters[7];
};
struct Tag {};
struct Nested {
  int n;
  Matrix m;
};
union Bits {
  float f;
  unsigned u;
  unsigned char bytes[4];
};

#define BOTH __host__ __device__ __noinline__

BOTH float trace(Matrix a, int k) { return a.m[k][k]; }
BOTH float last_of_row(Matrix a, int k) { return -a.m[k][2]; }
BOTH Matrix scaled(Matrix a, float f) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a.m[i][j] *= f;
  return a;
}
BOTH Mixed mix(Mixed a, Mixed b, int k) {
  Mixed r = a;
  r.c = a.c + b.c;
  r.d = a.d * b.d;
  r.s[k] = a.s[(k + 1) % 3] + b.s[(k + 2) % 3];
  return r;
}
BOTH int element(Large a, int i) { return a.v[i] + a.last; }
BOTH Large filled(int x) {
  Large a;
  for (int i = 0; i < 40; ++i) a.v[i] = x * i;
  a.last = x % 100;
  return a;
}
BOTH char letter(Text t, int i) { return t.letters[i]; }
BOTH Text reversed(Text t) {
  Text r;
  for (int i = 0; i < 7; ++i) r.letters[i] = t.letters[6 - i];
  return r;
}
BOTH int byte_of(Bits b, int i) { return b.bytes[i]; }
BOTH float many(float2 a, Matrix b, Tag, Large c, float4 d, int i) {
  const float fourth[] = {d.x, d.y, d.z, d.w};
  return a.x + a.y + b.m[i % 3][0] + c.v[i] + fourth[i % 4];
}
BOTH int down(Large a, int n) {
  if (n == 0) return a.v[3];
  a.v[n] += n;
  return down(a, n - 1) + a.v[n % 3];
}
BOTH void add_to(Matrix* a, Matrix b, int k) { a->m[k][1] += b.m[1][k]; }
BOTH float through_pointer(Matrix a, int k) {
  add_to(&a, a, k);
  return a.m[k][1];
}
BOTH float either(Matrix a, Matrix b, int k) {
  const Matrix& chosen = k % 2 ? a : b;
  return chosen.m[k % 3][k % 2];
}
BOTH int nested(Nested a, int i) { return a.n + (int)a.m.m[i][i]; }

typedef float (*Function)(Matrix, int);

struct Shape {
  __device__ virtual float area(Matrix a, int k) const = 0;
};
struct Square : Shape {
  __device__ float area(Matrix a, int k) const override { return a.m[k][k] + 1; }
};
struct Circle : Shape {
  float factor;
  __device__ Circle(float f) : factor(f) {}
  __device__ float area(Matrix a, int k) const override { return a.m[k][2 - k] * factor; }
};

const int VALUES = 15;

__host__ __device__ void fill(Matrix& a, int t) {
  for (int i = 0; i < 9; ++i) a.m[i / 3][i % 3] = i * i + t;
}

// What is the same on the host and on the device.
__host__ __device__ void compute(float* o, int t) {
  Matrix a, b;
  fill(a, t);
  fill(b, 2 * t);
  o[0] = trace(a, t % 3);
  o[1] = scaled(a, 2).m[t % 3][1];
  Mixed x = {(char)t, 0.5 * t, {1, 2, 3}}, y = {2, 3.0, {10, 20, 30}};
  const Mixed z = mix(x, y, t % 3);
  o[2] = z.c + z.d + z.s[0] + 2 * z.s[1] + 3 * z.s[2];
  const Large large = filled(t);
  o[3] = element(large, t % 40);
  o[4] = many(make_float2(1, 2), a, Tag{}, large, make_float4(1, 2, 3, 4), t % 40);
  o[5] = down(large, t % 7);
  o[6] = large.v[5];
  const Text text = {{'l', 'e', 't', 't', 'e', 'r', 's'}};
  o[7] = letter(reversed(text), t % 7);
  Bits bits;
  bits.f = 1.5f + t;
  o[8] = byte_of(bits, t % 4);
  o[9] = through_pointer(a, t % 3);
  o[10] = either(a, b, t);
  o[11] = nested(Nested{t, a}, t % 3);
}

__device__ Function table[2] = {trace, last_of_row};

__global__ void run(float* out) {
  const int t = threadIdx.x;
  float* o = out + t * VALUES;
  compute(o, t);
  Matrix a;
  fill(a, t);
  const Square square;
  const Circle circle(0.5f);
  const Shape* shape = t % 2 ? (const Shape*)&square : &circle;
  o[12] = shape->area(a, t % 3);
  o[13] = table[t / 2 % 2](a, t % 3);
  o[14] = shape->area(scaled(a, 3), 1) + trace(a, 1);
}

int main() {
  // A recursion's stack is not known to the compiler, and the default of 1024 bytes holds fewer than seven calls of down().
  cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024);
  float* out;
  cudaMallocManaged(&out, 32 * VALUES * sizeof(float));
  run<<<1, 32>>>(out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  int wrong = 0;
  for (int t = 0; t < 32; ++t) {
    float o[VALUES];
    compute(o, t);
    Matrix a;
    fill(a, t);
    const int k = t % 3;
    o[12] = t % 2 ? a.m[k][k] + 1 : a.m[k][2 - k] * 0.5f;
    o[13] = t / 2 % 2 ? -a.m[k][2] : a.m[k][k];
    o[14] = (t % 2 ? 3 * a.m[1][1] + 1 : 3 * a.m[1][1] * 0.5f) + a.m[1][1];
    for (int i = 0; i < VALUES; ++i) {
      if (out[t * VALUES + i] == o[i]) continue;
      ++wrong;
      printf("thread %d, value %d: %g, and %g on the host\n", t, i, out[t * VALUES + i], o[i]);
    }
  }
  printf("%d wrong: %s\n", wrong, wrong ? "FAILED" : "PASSED");
  cudaFree(out);
}
