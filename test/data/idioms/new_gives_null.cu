// new in a kernel gives a null pointer where the device's heap has no more room: there are no exceptions.
// Easily got wrong: what it gave must be looked at, as with malloc; and a null pointer may be deleted.
#include <cstdio>

struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};

struct Page {
  char bytes[1 << 20];
};

__global__ void allocate(int* out) {
  int* const huge = new int[1 << 28];  // 1 GiB of a heap of 8 MiB
  out[0] = huge == nullptr;
  delete[] huge;

  int pages = 0;
  Page* held[64];
  while (pages < 64) {
    Page* const page = new Page;
    if (!page) break;
    held[pages++] = page;
  }
  out[1] = pages > 0 && pages <= 8;
  for (int i = 0; i < pages; ++i) delete held[i];

  Node* list = nullptr;
  for (int i = 1; i <= 10; ++i) {
    Node* const node = new Node(i, list);
    if (node != nullptr) list = node;
  }
  int sum = 0;
  while (list != nullptr) {
    Node* const next = list->next;
    sum += list->value;
    delete list;
    list = next;
  }
  out[2] = sum;
}

int main() {
  int* out;
  cudaMallocManaged(&out, 3 * sizeof(int));
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20);
  allocate<<<1, 1>>>(out);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("no room for 1 GiB: %s\n", out[0] ? "yes" : "no");
  printf("at most eight pages of 1 MiB, then null: %s\n", out[1] ? "yes" : "no");
  printf("sum of a list: %d\n", out[2]);
  cudaFree(out);
}
