// Streams that queue: work runs as late as a device may run it, in the order that events, the default stream and waits give it.
// Also what the simulator says when nothing orders two streams.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace {

using simulator::Hazard;
using simulator::HazardKind;
using testing::HasSubstr;

constexpr int COUNT = 64;
constexpr size_t BYTES = COUNT * sizeof(int);

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
__global__ void copy(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x]; }
__global__ void sum(const int* x, int* total) { atomicAdd(total, x[threadIdx.x]); }
__global__ void raise_flag(int* data, volatile int* flag) {
  data[0] = 7;
  __threadfence_system();
  *flag = 1;
}
__global__ void beyond(int* x) { x[1 << 20] = 1; }

// Two streams, two buffers of the device and one of pinned memory, all zero.
class Streams : public testing::Test {
 protected:
  void SetUp() override {
    simulator::current_device().hazards.set_output(false);
    simulator::current_device().hazards.clear();
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreate(&t);
    cudaEventCreate(&event);
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    cudaMallocHost(&host, BYTES);
    cudaMemset(a, 0, BYTES);
    cudaMemset(b, 0, BYTES);
    std::fill(host, host + COUNT, 0);
  }
  void TearDown() override {
    cudaDeviceSynchronize();
    simulator::clear_fault();
    EXPECT_EQ(messages(), "");
    cudaFree(a);
    cudaFree(b);
    cudaFreeHost(host);
    cudaEventDestroy(event);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaGetLastError();
  }

  // Returns the first value of a buffer, without waiting for any stream.
  static int value_of(const int* buffer) {
    return *reinterpret_cast<const int*>(simulator::current_device().memory.host_pointer(
        reinterpret_cast<uint64_t>(buffer), sizeof(int)));
  }
  // Returns the hazards since the last call.
  static std::string messages() {
    std::string text;
    for (const Hazard& hazard : simulator::current_device().hazards.found())
      text += hazard.message.text();
    simulator::current_device().hazards.clear();
    return text;
  }

  cudaStream_t s = nullptr, t = nullptr;  // s does not wait for the default stream
  cudaEvent_t event = nullptr;
  int *a = nullptr, *b = nullptr, *host = nullptr;
};

TEST_F(Streams, RunTheirWorkWhenItIsWaitedFor) {
  fill<<<1, COUNT, 0, s>>>(a, 1);
  EXPECT_EQ(value_of(a), 0);
  EXPECT_EQ(cudaStreamSynchronize(t), cudaSuccess);
  EXPECT_EQ(value_of(a), 0) << "a wait for another stream";
  EXPECT_EQ(cudaStreamSynchronize(s), cudaSuccess);
  EXPECT_EQ(value_of(a), 1);
}

TEST_F(Streams, CopyTheArgumentsAtTheLaunch) {
  int value = 5;
  void* arguments[] = {&a, &value};
  cudaLaunchKernel(reinterpret_cast<void*>(fill), dim3(1), dim3(COUNT), arguments, 0, s);
  value = 6;
  cudaStreamSynchronize(s);
  EXPECT_EQ(value_of(a), 5);
}

TEST_F(Streams, WaitForAnEventOfAnotherStream) {
  fill<<<1, COUNT, 0, s>>>(a, 3);
  cudaEventRecord(event, s);
  fill<<<1, COUNT, 0, s>>>(b, 9);
  cudaStreamWaitEvent(t, event, 0);
  copy<<<1, COUNT, 0, t>>>(a, b);
  EXPECT_EQ(value_of(a), 0);
  cudaStreamSynchronize(t);
  EXPECT_EQ(value_of(b), 3) << "the event comes before the copy, the second fill does not";
  EXPECT_EQ(messages(), "");
  fill<<<1, COUNT, 0, s>>>(a, 4);
  cudaEventSynchronize(event);
  EXPECT_EQ(value_of(a), 3) << "a wait for the event alone";
  cudaStreamSynchronize(s);
  EXPECT_THAT(messages(), HasSubstr("while fill of another stream may still write it"));
}

TEST_F(Streams, WithoutTheEventReadTheOldValueAndAreTold) {
  fill<<<1, COUNT, 0, s>>>(a, 3);
  copy<<<1, COUNT, 0, t>>>(a, b);
  cudaStreamSynchronize(t);
  EXPECT_EQ(value_of(b), 0);
  cudaStreamSynchronize(s);
  const std::string said = messages();
  EXPECT_THAT(said, HasSubstr("copy reads buffer"));
  EXPECT_THAT(said, HasSubstr("while fill of another stream may still write it: nothing orders"));
  EXPECT_THAT(said, HasSubstr("streams_test.cu"));
  EXPECT_THAT(said, HasSubstr("cudaStreamWaitEvent"));
}

TEST_F(Streams, OfTheBlockingKindTakeTurnsWithTheDefaultStream) {
  fill<<<1, COUNT, 0, t>>>(a, 1);
  twice<<<1, COUNT>>>(a);
  EXPECT_EQ(value_of(a), 2) << "the default stream waits for t";
  fill<<<1, COUNT, 0, s>>>(b, 1);
  fill<<<1, COUNT>>>(a, 4);
  EXPECT_EQ(value_of(b), 0) << "but not for s";
  cudaDeviceSynchronize();
  EXPECT_EQ(value_of(b), 1);
}

TEST_F(Streams, PerThreadOfTwoThreadsAreTwoStreams) {
  fill<<<1, COUNT, 0, cudaStreamPerThread>>>(a, 1);
  std::thread([&] { cudaStreamSynchronize(cudaStreamPerThread); }).join();
  EXPECT_EQ(value_of(a), 0);
  cudaStreamSynchronize(cudaStreamPerThread);
  EXPECT_EQ(value_of(a), 1);
}

TEST_F(Streams, AnswerThatTheyAreNotReadyAndMakeProgress) {
  EXPECT_EQ(cudaStreamQuery(s), cudaSuccess);
  for (int i = 0; i < 3; ++i) fill<<<1, COUNT, 0, s>>>(a, i);
  cudaEventRecord(event, s);
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  int turns = 0;
  while (cudaStreamQuery(s) == cudaErrorNotReady && turns < 100) ++turns;
  EXPECT_LT(turns, 100);
  EXPECT_EQ(value_of(a), 2);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
}

TEST_F(Streams, MeasureTheWorkBetweenTwoEvents) {
  cudaEvent_t end;
  float ms = -1;
  cudaEventCreate(&end);
  cudaEventRecord(event, s);
  fill<<<1, COUNT, 0, s>>>(a, 1);
  cudaEventRecord(end, s);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  cudaEventSynchronize(end);
  EXPECT_EQ(cudaEventElapsedTime(&ms, event, end), cudaSuccess);
  EXPECT_GT(ms, 0);
  EXPECT_LT(ms, 90) << "the host's pause is no work of the stream";
  cudaEventDestroy(end);
}

TEST_F(Streams, ReadPageableMemoryAtTheCallAndPinnedMemoryLater) {
  int pageable = 1;
  cudaMemcpyAsync(a, &pageable, sizeof pageable, cudaMemcpyHostToDevice, s);
  pageable = 2;
  EXPECT_EQ(value_of(a), 0) << "it is read at the call, and written later";
  host[0] = 1;
  cudaMemcpyAsync(b, host, sizeof(int), cudaMemcpyHostToDevice, s);
  cudaStreamSynchronize(s);
  EXPECT_EQ(value_of(a), 1);
  EXPECT_EQ(value_of(b), 1);
  fill<<<1, COUNT, 0, s>>>(a, 8);
  cudaMemcpyAsync(&pageable, a, sizeof pageable, cudaMemcpyDeviceToHost, s);
  EXPECT_EQ(pageable, 8) << "a copy to pageable memory is done when the call returns";
}

TEST_F(Streams, CallHostFunctionsInTheirOrder) {
  struct Seen {
    int* host;
    int value;
    cudaError_t status, inner;
  } seen{host, 0, cudaErrorUnknown, cudaSuccess};
  fill<<<1, COUNT, 0, s>>>(a, 6);
  cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, s);
  cudaStreamAddCallback(
      s,
      [](cudaStream_t, cudaError_t status, void* data) {
        Seen& found = *static_cast<Seen*>(data);
        found.value = found.host[1];
        found.status = status;
        found.inner = cudaDeviceSynchronize();
      },
      &seen, 0);
  EXPECT_EQ(seen.value, 0);
  cudaStreamSynchronize(s);
  EXPECT_EQ(seen.value, 6);
  EXPECT_EQ(seen.status, cudaSuccess);
  EXPECT_EQ(seen.inner, cudaErrorNotPermitted) << "a host function may make no calls";
}

TEST_F(Streams, RunForAHostThatOnlyPollsMemory) {
  volatile int* const flag = host;
  raise_flag<<<1, 1, 0, s>>>(a, host);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (*flag == 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_EQ(*flag, 1);
  copy<<<1, COUNT, 0, t>>>(a, b);
  cudaStreamSynchronize(t);
  EXPECT_EQ(value_of(b), 7) << "the flag orders the two";
}

TEST_F(Streams, AFaultComesAtTheWaitForItsKernel) {
  simulator::set_fault_output(false);
  beyond<<<1, 1, 0, s>>>(a);
  fill<<<1, COUNT, 0, s>>>(a, 5);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(t), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(s), cudaErrorIllegalAddress);
  EXPECT_EQ(value_of(a), 0) << "later work of the device does not run";
  EXPECT_EQ(cudaMalloc(&a, BYTES), cudaErrorIllegalAddress);
  simulator::clear_fault();
  simulator::set_fault_output(true);
}

TEST_F(Streams, FreeTheirMemoryInTheirOrder) {
  int* x = nullptr;
  cudaMallocAsync(&x, BYTES, s);
  fill<<<1, COUNT, 0, s>>>(x, 4);
  copy<<<1, COUNT, 0, s>>>(x, a);
  EXPECT_EQ(cudaFreeAsync(x, s), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(x, s), cudaErrorInvalidValue) << "its end is queued";
  EXPECT_THAT(messages(), HasSubstr("cudaFreeAsync"));
  cudaStreamSynchronize(s);
  EXPECT_EQ(value_of(a), 4);
}

TEST_F(Streams, OnlyEndTheirWorkWhenTheyAreDestroyed) {
  cudaStream_t other;
  cudaStreamCreate(&other);
  fill<<<1, COUNT, 0, other>>>(a, 4);
  EXPECT_EQ(cudaStreamDestroy(other), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(other), cudaErrorInvalidResourceHandle);
  EXPECT_THAT(messages(), HasSubstr("no stream"));
  cudaDeviceSynchronize();
  EXPECT_EQ(value_of(a), 4);
}

TEST_F(Streams, HoldAsManyLaunchesAsADevice) {
  for (int i = 1; i <= 3000; ++i) fill<<<1, 1, 0, s>>>(a, i);
  EXPECT_GE(value_of(a), 1900);
  EXPECT_LT(value_of(a), 3000);
  cudaStreamSynchronize(s);
  EXPECT_EQ(value_of(a), 3000);
}

TEST_F(Streams, HaveFlagsPrioritiesAndAttributes) {
  unsigned int flags = 9;
  int priority = 9;
  EXPECT_EQ(cudaStreamGetFlags(s, &flags), cudaSuccess);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  cudaStream_t urgent;
  cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -77);
  EXPECT_EQ(cudaStreamGetPriority(urgent, &priority), cudaSuccess);
  EXPECT_EQ(priority, -5);
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = a;
  value.accessPolicyWindow.num_bytes = BYTES;
  EXPECT_EQ(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &value), cudaSuccess);
  EXPECT_EQ(cudaStreamCopyAttributes(urgent, s), cudaSuccess);
  value = {};
  EXPECT_EQ(cudaStreamGetAttribute(urgent, cudaStreamAttributeAccessPolicyWindow, &value),
            cudaSuccess);
  EXPECT_EQ(value.accessPolicyWindow.base_ptr, a);
  EXPECT_EQ(cudaCtxResetPersistingL2Cache(), cudaSuccess);
  cudaStreamDestroy(urgent);
}

// --- what is said, and what is not ---

// Runs work of two streams, and returns what is said of it.
class StreamRaces : public Streams {
 protected:
  std::string said(const std::function<void()>& work) {
    messages();
    work();
    cudaDeviceSynchronize();
    return messages();
  }
};

TEST_F(StreamRaces, AreFoundBetweenKernelsCopiesAndFills) {
  EXPECT_THAT(said([&] {
                sum<<<1, COUNT, 0, s>>>(a, b);
                twice<<<1, COUNT, 0, t>>>(a);
              }),
              HasSubstr("twice writes buffer"))
      << "a write after a read";
  EXPECT_THAT(said([&] {
                fill<<<1, COUNT, 0, s>>>(a, 1);
                cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, t);
              }),
              HasSubstr("cudaMemcpyAsync reads buffer"));
  EXPECT_THAT(said([&] {
                cudaMemsetAsync(a, 0, BYTES, s);
                cudaMemcpyAsync(a, b, BYTES, cudaMemcpyDeviceToDevice, t);
              }),
              HasSubstr("cudaMemcpyAsync writes buffer"));
  EXPECT_THAT(said([&] {
                cudaMemcpyAsync(host, b, BYTES, cudaMemcpyDeviceToHost, s);
                while (cudaStreamQuery(t) != cudaSuccess) {
                }
                fill<<<1, COUNT, 0, t>>>(b, 1);
              }),
              HasSubstr("fill writes buffer"));
  EXPECT_THAT(said([&] {
                fill<<<1, COUNT>>>(a, 1);
                sum<<<1, COUNT, 0, s>>>(a, b);
              }),
              HasSubstr("while fill of another stream may still write"))
      << "s does not wait for the default stream";
}

TEST_F(StreamRaces, AreNoneWhereSomethingOrdersTheTwo) {
  EXPECT_EQ(said([&] {
              fill<<<1, COUNT, 0, s>>>(a, 1);
              cudaStreamSynchronize(s);
              sum<<<1, COUNT, 0, t>>>(a, b);
            }),
            "")
      << "a wait of the host";
  EXPECT_EQ(said([&] {
              fill<<<1, COUNT>>>(a, 1);
              sum<<<1, COUNT, 0, t>>>(a, b);
              fill<<<1, COUNT>>>(a, 1);
            }),
            "")
      << "the default stream";
  EXPECT_EQ(said([&] {
              fill<<<1, COUNT, 0, s>>>(a, 1);
              cudaEventRecord(event, s);
              cudaStreamWaitEvent(t, event, 0);
              cudaMemcpyAsync(host, a, BYTES, cudaMemcpyDeviceToHost, t);
            }),
            "")
      << "an event";
  EXPECT_EQ(said([&] {
              fill<<<1, COUNT, 0, s>>>(a, 1);
              while (cudaStreamQuery(s) != cudaSuccess) {
              }
              twice<<<1, COUNT, 0, t>>>(a);
            }),
            "")
      << "a query";
}

TEST_F(StreamRaces, AreNoneBetweenPartsReadersAndAtomics) {
  EXPECT_EQ(said([&] {
              fill<<<1, 5, 0, s>>>(a, 1);
              fill<<<1, 5, 0, t>>>(a + 5, 2);
              cudaMemcpyAsync(host, a, 20, cudaMemcpyDeviceToHost, s);
              cudaMemcpyAsync(host + 5, a + 5, 20, cudaMemcpyDeviceToHost, t);
            }),
            "");
  EXPECT_EQ(said([&] {
              sum<<<1, COUNT, 0, s>>>(a, b);
              sum<<<1, COUNT, 0, t>>>(a, b);
            }),
            "");
}

TEST_F(StreamRaces, OfHostCodeAreFoundWhileAKernelWaitsInItsStream) {
  EXPECT_THAT(said([&] {
                fill<<<1, COUNT, 0, s>>>(host, 1);
                EXPECT_EQ(static_cast<volatile int*>(host)[3], 0) << "the old value";
              }),
              HasSubstr("host code uses buffer"));
  EXPECT_THAT(said([&] {
                copy<<<1, COUNT, 0, s>>>(host, a);
                host[3] = 1;
              }),
              HasSubstr("host code writes buffer"));
  EXPECT_EQ(said([&] {
              copy<<<1, 8, 0, s>>>(host, a);
              host[9] = 1;
            }),
            "")
      << "another place of the same page";
}

}  // namespace
