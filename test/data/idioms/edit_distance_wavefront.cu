// Dynamic programming along anti-diagonals: the edit distance of two strings, three rows in shared memory.
// Easily got wrong: a barrier after each diagonal, met also by the threads that have nothing to do on it.
#include <algorithm>
#include <cstdio>
#include <cstring>

__global__ void distance(const char* a, int na, const char* b, int nb, int* out) {
  extern __shared__ int rows[];
  const int i = threadIdx.x, w = na + 1;
  for (int d = 0; d <= na + nb; ++d) {
    int* now = rows + d % 3 * w;
    const int *last = rows + (d + 2) % 3 * w, *before = rows + (d + 1) % 3 * w;
    const int j = d - i;
    if (i <= na && j >= 0 && j <= nb) {
      if (i == 0 || j == 0) now[i] = d;
      else now[i] = min(before[i - 1] + (a[i - 1] != b[j - 1]), min(last[i - 1], last[i]) + 1);
      if (i == na && j == nb) *out = now[i];
    }
    __syncthreads();
  }
}

int host_distance(const char* a, const char* b) {
  static int d[200][200];
  const int na = int(strlen(a)), nb = int(strlen(b));
  for (int i = 0; i <= na; ++i)
    for (int j = 0; j <= nb; ++j)
      d[i][j] = !i || !j ? i + j : std::min(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), std::min(d[i - 1][j], d[i][j - 1]) + 1);
  return d[na][nb];
}

int main() {
  const char* pairs[][2] = {{"kitten", "sitting"}, {"", "abc"}, {"the quick brown fox jumps over the lazy dog", "a quack brawn fix jumped under a crazy log"},
                            {"GATTACAGATTACAGATTACAGATTACAGATTACA", "CATACGTTAGACATTACAGG"}};
  char* text;
  int* out;
  cudaMallocManaged(&text, 400);
  cudaMallocManaged(&out, sizeof(int));
  for (const auto& p : pairs) {
    const int na = int(strlen(p[0])), nb = int(strlen(p[1]));
    strcpy(text, p[0]);
    strcpy(text + 200, p[1]);
    distance<<<1, na + 1, 3 * (na + 1) * sizeof(int)>>>(text, na, text + 200, nb, out);
    cudaDeviceSynchronize();
    printf("%d %s\n", *out, *out == host_distance(p[0], p[1]) ? "PASSED" : "FAILED");
  }
  cudaFree(text);
  cudaFree(out);
}
