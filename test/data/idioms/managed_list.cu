// A linked list in managed memory: built by the host, walked and relinked by the device, walked by the host.
// Easily got wrong: the host may look only after cudaDeviceSynchronize().
#include <cstdio>

struct Node {
  int value;
  Node* next;
};

__global__ void sum_and_reverse(Node** head, int* sum) {
  Node* reversed = nullptr;
  for (Node* node = *head; node;) {
    Node* next = node->next;
    *sum += node->value;
    node->next = reversed;
    reversed = node;
    node = next;
  }
  *head = reversed;
}

int main() {
  Node** head;
  int* sum;
  cudaMallocManaged(&head, sizeof *head);
  cudaMallocManaged(&sum, sizeof *sum);
  *head = nullptr;
  *sum = 0;
  for (int i = 0; i < 20; ++i) {
    Node* node;
    cudaMallocManaged(&node, sizeof(Node));
    *node = {i * i, *head};
    *head = node;
  }
  sum_and_reverse<<<1, 1>>>(head, sum);
  cudaDeviceSynchronize();
  int i = 0, wrong = 0;
  while (Node* node = *head) {
    printf("%d ", node->value);
    wrong += node->value != i * i;
    ++i;
    *head = node->next;
    cudaFree(node);
  }
  printf("\nsum %d %s\n", *sum, wrong || i != 20 || *sum != 2470 ? "FAILED" : "PASSED");
  cudaFree(head);
  cudaFree(sum);
}
