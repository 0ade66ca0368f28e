// Breadth-first search with two frontiers: a vertex is claimed by atomicCAS on its distance.
// Easily got wrong: two lanes may find the same vertex; only who wins the CAS may append it.
#include <cstdio>
#include <queue>
#include <utility>
#include <vector>

__global__ void expand(const int* start, const int* edge, const int* frontier, int size, int* next, int* next_size, int* distance, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const int v = frontier[i];
  for (int e = start[v]; e < start[v + 1]; ++e) {
    if (atomicCAS(&distance[edge[e]], -1, level) == -1) next[atomicAdd(next_size, 1)] = edge[e];
  }
}

int main() {
  const int n = 700;
  std::vector<int> start = {0}, edge;
  for (int v = 0; v < n; ++v) {
    for (int k = 0; k < v % 5; ++k) edge.push_back((v * 3 + k * 97 + 1) % (n - 20));
    if (v < n - 21) edge.push_back(v + 1);
    start.push_back(int(edge.size()));
  }
  int *d_start, *d_edge, *frontier, *next, *size, *distance;
  cudaMallocManaged(&d_start, start.size() * sizeof(int));
  cudaMallocManaged(&d_edge, edge.size() * sizeof(int));
  cudaMallocManaged(&frontier, n * sizeof(int));
  cudaMallocManaged(&next, n * sizeof(int));
  cudaMallocManaged(&size, sizeof(int));
  cudaMallocManaged(&distance, n * sizeof(int));
  for (size_t i = 0; i < start.size(); ++i) d_start[i] = start[i];
  for (size_t i = 0; i < edge.size(); ++i) d_edge[i] = edge[i];
  for (int v = 0; v < n; ++v) distance[v] = -1;
  distance[0] = frontier[0] = 0;
  int level = 0;
  for (int count = 1; count > 0; count = *size) {
    *size = 0;
    expand<<<(count + 63) / 64, 64>>>(d_start, d_edge, frontier, count, next, size, distance, ++level);
    cudaDeviceSynchronize();
    printf("%d: %d\n", level, *size);
    std::swap(frontier, next);
  }
  std::vector<int> expected(n, -1);
  std::queue<int> queue({0});
  for (expected[0] = 0; !queue.empty(); queue.pop()) {
    const int v = queue.front();
    for (int e = start[v]; e < start[v + 1]; ++e) if (expected[edge[e]] < 0) expected[edge[e]] = expected[v] + 1, queue.push(edge[e]);
  }
  int wrong = 0;
  for (int v = 0; v < n; ++v) wrong += distance[v] != expected[v];
  printf("%d levels, last %d %s\n", level, distance[n - 1], wrong ? "FAILED" : "PASSED");
  cudaFree(d_start);
  cudaFree(d_edge);
  cudaFree(frontier);
  cudaFree(next);
  cudaFree(size);
  cudaFree(distance);
}
