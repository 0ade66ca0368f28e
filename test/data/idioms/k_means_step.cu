// Rounds of k-means: the centroids in shared memory, sums by shared atomics of integers, merged by global ones.
// Easily got wrong: a cluster without points keeps its centroid instead of dividing by zero.
#include <cstdio>

constexpr int K = 5;

__global__ void assign(const int2* points, int n, const int2* centroids, int* sums) {
  __shared__ int2 c[K];
  __shared__ int own[3 * K];
  const int t = threadIdx.x;
  if (t < K) c[t] = centroids[t];
  if (t < 3 * K) own[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    const int2 p = points[i];
    int best = 0, least = 1 << 30;
    for (int k = 0; k < K; ++k) {
      const int dx = p.x - c[k].x, dy = p.y - c[k].y, d = dx * dx + dy * dy;
      if (d < least) least = d, best = k;
    }
    atomicAdd(&own[best * 3], p.x);
    atomicAdd(&own[best * 3 + 1], p.y);
    atomicAdd(&own[best * 3 + 2], 1);
  }
  __syncthreads();
  if (t < 3 * K) atomicAdd(&sums[t], own[t]);
}
__global__ void update(int2* centroids, int* sums) {
  const int k = threadIdx.x, n = sums[k * 3 + 2];
  if (n) centroids[k] = make_int2(sums[k * 3] / n, sums[k * 3 + 1] / n);
  sums[k * 3] = sums[k * 3 + 1] = sums[k * 3 + 2] = 0;
}

int main() {
  const int n = 2000;
  int2 *points, *centroids;
  int* sums;
  cudaMallocManaged(&points, n * sizeof(int2));
  cudaMallocManaged(&centroids, K * sizeof(int2));
  cudaMallocManaged(&sums, 3 * K * sizeof(int));
  for (int i = 0; i < n; ++i) points[i] = {i % 4 * 300 + i * 7 % 50, i % 3 * 200 + i * 13 % 40};
  for (int k = 0; k < K; ++k) centroids[k] = k == 4 ? make_int2(-9000, -9000) : points[k * 5];
  for (int i = 0; i < 3 * K; ++i) sums[i] = 0;
  for (int round = 0; round < 8; ++round) {
    assign<<<6, 128>>>(points, n, centroids, sums);
    update<<<1, K>>>(centroids, sums);
  }
  cudaDeviceSynchronize();
  for (int k = 0; k < K; ++k) printf("(%d, %d)\n", centroids[k].x, centroids[k].y);
  puts(centroids[4].x == -9000 ? "PASSED" : "FAILED");
  cudaFree(points);
  cudaFree(centroids);
  cudaFree(sums);
}
