// Ranges and marks for profilers, without one.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

__global__ void count(int* x) { atomicAdd(x, 1); }

int main() {
  int* x;
  cudaMallocManaged(&x, sizeof *x);
  *x = 0;
  printf("push %d", nvtxRangePushA("outer"));
  printf(" %d\n", nvtxRangePush("inner"));
  count<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  printf("pop %d", nvtxRangePop());
  printf(" %d\n", nvtxRangePop());
  const nvtxRangeId_t range = nvtxRangeStartA("a range");
  nvtxMark("a mark");
  nvtxEventAttributes_t event = {};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xff00ff00;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "green";
  nvtxMarkEx(&event);
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  printf("range %d, event %d bytes, domain's push %d\n", int(range), int(event.size), nvtxDomainRangePushEx(domain, &event));
  nvtxDomainRangePop(domain);
  nvtxDomainDestroy(domain);
  nvtxRangeEnd(range);
  printf("counted %d\n", *x);
  cudaFree(x);
}
