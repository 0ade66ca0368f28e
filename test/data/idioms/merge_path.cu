// Merging two sorted arrays: each thread finds its start on a diagonal by binary search and merges a few elements.
// Easily got wrong: the bounds of the search on the first and last diagonals, and equal keys (A goes first).
#include <algorithm>
#include <cstdio>

constexpr int EACH = 7;

__global__ void merge(const int* a, int na, const int* b, int nb, int* out) {
  const int diagonal = min((blockIdx.x * blockDim.x + threadIdx.x) * EACH, na + nb);
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) low = middle + 1;
    else high = middle;
  }
  int i = low, j = diagonal - low;
  for (int k = diagonal; k < diagonal + EACH && k < na + nb; ++k) {
    if (j >= nb || (i < na && a[i] <= b[j])) out[k] = a[i++];
    else out[k] = b[j++];
  }
}

int main() {
  const int sizes[][2] = {{1000, 777}, {0, 50}, {1, 999}, {300, 0}, {5, 5}};
  int *a, *b, *out;
  cudaMallocManaged(&a, 1000 * sizeof(int));
  cudaMallocManaged(&b, 1000 * sizeof(int));
  cudaMallocManaged(&out, 2000 * sizeof(int));
  for (const auto& size : sizes) {
    const int na = size[0], nb = size[1], n = na + nb;
    for (int i = 0; i < na; ++i) a[i] = i * 3 / 2;
    for (int i = 0; i < nb; ++i) b[i] = i * i / 100;
    static int expected[2000];
    std::merge(a, a + na, b, b + nb, expected);
    merge<<<(n + EACH * 64 - 1) / (EACH * 64), 64>>>(a, na, b, nb, out);
    cudaDeviceSynchronize();
    printf("%d + %d: %d %s\n", na, nb, out[n - 1], std::equal(out, out + n, expected) ? "PASSED" : "FAILED");
  }
  cudaFree(a);
  cudaFree(b);
  cudaFree(out);
}
