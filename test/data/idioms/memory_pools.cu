// Memory pools of a program's own: allocations in a stream's order, whose memory the pool keeps for the next one.
#include <cstdint>
#include <cstdio>

static void show(const char* what, cudaError_t error) {
  std::printf("%s: %s", what, cudaGetErrorName(error));
  std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
}

__global__ void fill(int* numbers, int value) { numbers[threadIdx.x] = value + threadIdx.x; }

static unsigned long long used(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t value = 99;
  if (cudaMemPoolGetAttribute(pool, attribute, &value) != cudaSuccess) return 1;
  return value;
}

int main() {
  constexpr size_t BYTES = 64 * sizeof(int);
  cudaMemPool_t usual = nullptr, current = nullptr, own = nullptr;
  show("cudaDeviceGetDefaultMemPool", cudaDeviceGetDefaultMemPool(&usual, 0));
  show("cudaDeviceGetMemPool", cudaDeviceGetMemPool(&current, 0));
  std::printf("the default pool is current: %d\n", usual == current);

  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.handleTypes = cudaMemHandleTypeNone;
  wanted.location.type = cudaMemLocationTypeDevice;
  wanted.location.id = 0;
  show("cudaMemPoolCreate", cudaMemPoolCreate(&own, &wanted));
  cudaMemPool_t other = nullptr;
  cudaMemPoolProps wrong = wanted;
  wrong.location.id = 99;
  show("a pool of no device", cudaMemPoolCreate(&other, &wrong));
  wrong = wanted;
  wrong.allocType = cudaMemAllocationTypeInvalid;
  show("a pool of no type", cudaMemPoolCreate(&other, &wrong));

  const cudaMemPoolAttr switches[] = {cudaMemPoolReuseFollowEventDependencies, cudaMemPoolReuseAllowOpportunistic,
                                      cudaMemPoolReuseAllowInternalDependencies};
  for (const cudaMemPoolAttr one : switches) {
    int on = -1;
    const cudaError_t error = cudaMemPoolGetAttribute(own, one, &on);
    std::printf("switch %d: %s, %d\n", one, cudaGetErrorName(error), on);
    on = 0;
    cudaMemPoolSetAttribute(own, one, &on);
    on = -1;
    cudaMemPoolGetAttribute(own, one, &on);
    std::printf("switched off: %d\n", on);
  }
  std::uint64_t threshold = 99;
  show("the threshold", cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
  std::printf("%llu\n", static_cast<unsigned long long>(threshold));
  threshold = UINT64_MAX;
  show("another threshold", cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));

  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *a = nullptr, *b = nullptr, *c = nullptr;
  show("cudaMallocFromPoolAsync", cudaMallocFromPoolAsync(&a, BYTES, own, stream));
  show("cudaMallocFromPoolAsync", cudaMallocFromPoolAsync(&b, 2 * BYTES, own, stream));
  std::printf("used %llu, at most %llu\n", used(own, cudaMemPoolAttrUsedMemCurrent), used(own, cudaMemPoolAttrUsedMemHigh));
  std::printf("reserved: %d\n", used(own, cudaMemPoolAttrReservedMemCurrent) >= 3 * BYTES);
  fill<<<1, 64, 0, stream>>>(a, 100);
  show("cudaDeviceSetMemPool", cudaDeviceSetMemPool(0, own));
  cudaDeviceGetMemPool(&current, 0);
  std::printf("the own pool is current: %d\n", own == current);
  show("cudaMallocAsync", cudaMallocAsync(&c, BYTES, stream));
  fill<<<1, 64, 0, stream>>>(c, 200);
  int numbers[64];
  cudaMemcpyAsync(numbers, c, BYTES, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("%d %d, used %llu\n", numbers[0], numbers[63], used(own, cudaMemPoolAttrUsedMemCurrent));
  show("cudaFreeAsync", cudaFreeAsync(b, stream));
  show("cudaFreeAsync", cudaFreeAsync(c, stream));
  cudaStreamSynchronize(stream);
  std::printf("used %llu, at most %llu\n", used(own, cudaMemPoolAttrUsedMemCurrent), used(own, cudaMemPoolAttrUsedMemHigh));
  std::uint64_t none = 0, some = 7;
  show("the mark of the most goes back", cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &none));
  std::printf("at most %llu\n", used(own, cudaMemPoolAttrUsedMemHigh));
  show("the mark of the most goes to 7", cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &some));
  show("the present use is set", cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &none));
  show("cudaMemPoolTrimTo", cudaMemPoolTrimTo(own, 0));

  cudaMemAccessDesc access{};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = 0;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  show("access for its own device", cudaMemPoolSetAccess(own, &access, 1));
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  cudaMemLocation here = access.location;
  show("cudaMemPoolGetAccess", cudaMemPoolGetAccess(&flags, own, &here));
  std::printf("%d\n", flags);
  access.flags = cudaMemAccessFlagsProtNone;
  show("no access for its own device", cudaMemPoolSetAccess(own, &access, 1));
  access.location.id = 99;
  show("access for no device", cudaMemPoolSetAccess(own, &access, 1));

  cudaPointerAttributes about{};
  show("cudaPointerGetAttributes", cudaPointerGetAttributes(&about, a));
  std::printf("%d %d\n", about.type, about.device);
  show("the default pool is destroyed", cudaMemPoolDestroy(usual));
  show("the own pool is destroyed", cudaMemPoolDestroy(own));
  cudaDeviceGetMemPool(&current, 0);
  std::printf("the default pool is current: %d\n", usual == current);
  cudaMemcpy(numbers, a, BYTES, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", numbers[0], numbers[63]);
  show("cudaFree", cudaFree(a));
  cudaStreamDestroy(stream);
}
