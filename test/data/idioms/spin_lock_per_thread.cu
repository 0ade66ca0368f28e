// Every thread of every warp takes the same lock: the release stands inside the loop that tries.
// Easily got wrong: `while (atomicCAS(...) != 0);` before the critical section hung before Volta.
#include <cstdio>

struct Account { int balance, operations; };

__global__ void deposit(int* lock, volatile Account* account) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      account->balance = account->balance + int(threadIdx.x);
      account->operations = account->operations + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main() {
  int* lock;
  Account* account;
  cudaMalloc(&lock, sizeof(int));
  cudaMalloc(&account, sizeof(Account));
  cudaMemset(lock, 0, sizeof(int));
  cudaMemset(account, 0, sizeof(Account));
  deposit<<<4, 96>>>(lock, account);
  Account h;
  cudaMemcpy(&h, account, sizeof h, cudaMemcpyDeviceToHost);
  printf("balance %d after %d operations\n", h.balance, h.operations);
  puts(h.balance == 4 * 96 * 95 / 2 && h.operations == 4 * 96 ? "PASSED" : "FAILED");
  cudaFree(lock);
  cudaFree(account);
}
