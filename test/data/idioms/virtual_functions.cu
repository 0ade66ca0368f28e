// Virtual functions in device code. The objects are constructed on the device, where their table lies.
// Easily got wrong: an object made by the host holds the host's table. Also new and delete in a kernel.
#include <cstdio>
#include <new>

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 4; }
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Box : Square {
  int other;
  __device__ Box(int s, int o) : Square(s), other(o) {}
  __device__ int area() const override { return side * other; }
};
struct Triangle : Shape {
  int base, height;
  __device__ Triangle(int b, int h) : base(b), height(h) {}
  __device__ int area() const override { return base * height / 2; }
  __device__ int corners() const override { return 3; }
};

__device__ __align__(16) char storage[96][sizeof(Triangle)];

__global__ void make(Shape** shapes) {
  const int t = threadIdx.x;
  void* where = storage[t];
  switch (t % 3) {
    case 0: shapes[t] = ::new (where) Square(t); break;
    case 1: shapes[t] = ::new (where) Box(t, 2); break;
    default: shapes[t] = ::new (where) Triangle(t, 10);
  }
}
__global__ void measure(Shape* const* shapes, int* out) {
  const Shape* shape = shapes[threadIdx.x];
  out[threadIdx.x] = shape->area() * 10 + shape->corners();
}

int main() {
  int h[96], *d, wrong = 0;
  Shape** shapes;
  cudaMalloc(&shapes, 96 * sizeof(Shape*));
  cudaMalloc(&d, sizeof h);
  make<<<1, 96>>>(shapes);
  measure<<<1, 96>>>(shapes, d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 96; ++t) wrong += h[t] != (t % 3 == 0 ? t * t * 10 + 4 : t % 3 == 1 ? 20 * t + 4 : t * 50 + 3);
  printf("%d %d %d\n", h[3], h[4], h[5]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(shapes);
  cudaFree(d);
}
