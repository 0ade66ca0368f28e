// Several devices in one program: SIMULATOR_DEVICES is 2 here.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "simulator/runtime/api/diagnostics.hpp"
#include "simulator/runtime/api/simulated_device.hpp"

namespace {

using testing::HasSubstr;

// Before the program's devices are made.
__attribute__((constructor(101))) void ask_for_two() { setenv("SIMULATOR_DEVICES", "2", 1); }

__device__ int of_device = 1;
__managed__ int of_all = 1;

__global__ void fill(int* x, int value) { x[threadIdx.x] = value; }
__global__ void count_up() {
  of_device += 1;
  of_all += 1;
}

class Devices : public testing::Test {
 protected:
  void SetUp() override {
    simulator::current_device().hazards.set_output(false);
    for (int d = 0; d < 2; ++d) {
      cudaSetDevice(d);
      cudaMalloc(&data[d], 128);
      cudaMemset(data[d], 0, 128);
      cudaStreamCreate(&stream[d]);
    }
    cudaSetDevice(0);
  }
  void TearDown() override {
    for (int d = 0; d < 2; ++d) {
      cudaSetDevice(d);
      cudaDeviceSynchronize();
      cudaFree(data[d]);
      cudaStreamDestroy(stream[d]);
    }
    cudaSetDevice(0);
    cudaGetLastError();
    simulator::current_device().hazards.clear();
  }
  static int value_of(const int* pointer) {
    int value = 0;
    cudaMemcpy(&value, pointer, sizeof value, cudaMemcpyDefault);
    return value;
  }

  int* data[2] = {};
  cudaStream_t stream[2] = {};
};

TEST_F(Devices, AreAsManyAsAskedForAndCurrentInEachThread) {
  int count = 0;
  int device = 9;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), cudaSuccess);
  std::thread([&] { cudaGetDevice(&device); }).join();
  EXPECT_EQ(device, 0) << "another thread has its own";
  cudaGetDevice(&device);
  EXPECT_EQ(device, 1);
  char id[16] = {};
  EXPECT_EQ(cudaDeviceGetPCIBusId(id, sizeof id, 1), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, id), cudaSuccess);
  EXPECT_EQ(device, 1);
}

TEST_F(Devices, HaveMemoryOfTheirOwn) {
  cudaPointerAttributes attributes;
  for (int d = 0; d < 2; ++d) {
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, data[d]), cudaSuccess);
    EXPECT_EQ(attributes.device, d);
  }
  fill<<<1, 32>>>(data[0], 5);
  EXPECT_EQ(cudaMemcpyPeer(data[1], 1, data[0], 0, 128), cudaSuccess);
  EXPECT_EQ(value_of(data[1]), 5);
  EXPECT_EQ(cudaMemcpyPeer(data[1], 1, data[0], 7, 128), cudaErrorInvalidDevice);
}

TEST_F(Devices, HaveVariablesOfTheirOwnAndShareManagedOnes) {
  count_up<<<1, 1>>>();
  cudaDeviceSynchronize();
  cudaSetDevice(1);
  count_up<<<1, 1>>>();
  count_up<<<1, 1>>>();
  cudaDeviceSynchronize();
  int value = 0;
  cudaMemcpyFromSymbol(&value, of_device, sizeof value);
  EXPECT_EQ(value, 3);
  cudaSetDevice(0);
  cudaMemcpyFromSymbol(&value, of_device, sizeof value);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(of_all, 4);
}

// CUDA's guide forbids it. An H200 runs the kernel on the stream's device (CUDA 13.0, 2026-11-29).
TEST_F(Devices, RunALaunchInTheStreamOfAnotherThere) {
  simulator::current_device().hazards.set_output(true);
  testing::internal::CaptureStderr();
  fill<<<1, 32, 0, stream[1]>>>(data[1], 5);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "a launch was given a stream of another device than the current one"),
            std::string::npos);
  int device = -1;
  cudaGetDevice(&device);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaMemcpyAsync(data[0], data[1], 128, cudaMemcpyDefault, stream[1]), cudaSuccess)
      << "copies may be in any stream";
  cudaStreamSynchronize(stream[1]);
  int first = 0;
  cudaMemcpy(&first, data[0], sizeof first, cudaMemcpyDefault);
  EXPECT_EQ(first, 5);
}

TEST_F(Devices, WaitForEachOthersEvents) {
  cudaEvent_t event;
  cudaSetDevice(1);
  cudaEventCreate(&event);
  fill<<<1, 32, 0, stream[1]>>>(data[1], 6);
  EXPECT_EQ(cudaEventRecord(event, stream[0]), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(event, stream[1]), cudaSuccess);
  cudaSetDevice(0);
  EXPECT_EQ(cudaStreamWaitEvent(stream[0], event, 0), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(data[0], 0, data[1], 1, 128, stream[0]), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream[0]), cudaSuccess);
  EXPECT_EQ(value_of(data[0]), 6);
  EXPECT_TRUE(simulator::current_device().hazards.found().empty());
  cudaEventDestroy(event);
}

TEST_F(Devices, ReachEachOthersMemoryOnlyWithPeerAccess) {
  int can = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 1, 1), cudaSuccess);
  EXPECT_EQ(can, 0);
  simulator::set_fault_output(false);
  fill<<<1, 32>>>(data[1], 3);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  const auto fault = simulator::last_fault();
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, simulator::FaultKind::no_peer_access);
  EXPECT_THAT(fault->text(), HasSubstr("memory of device 1, and device 0 has no access to it"));
  EXPECT_THAT(fault->text(), HasSubstr("cudaDeviceEnablePeerAccess(1, 0)"));
  simulator::clear_fault();
  simulator::set_fault_output(true);

  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice) << "its own";
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  fill<<<1, 32>>>(data[1], 3);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(value_of(data[1]), 3);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
}

TEST_F(Devices, FailAloneAndAreResetAlone) {
  simulator::set_fault_output(false);
  fill<<<1, 32>>>(nullptr, 3);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  cudaSetDevice(1);
  simulator::set_fault_output(true);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  fill<<<1, 32>>>(data[1], 8);
  EXPECT_EQ(value_of(data[1]), 8);
  cudaSetDevice(0);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(value_of(data[1]), 8) << "the other's memory stays";
  simulator::set_fault_output(true);
  data[0] = nullptr;
  cudaStreamCreate(&stream[0]);
}

TEST_F(Devices, SharePinnedMemory) {
  int* pinned = nullptr;
  cudaMallocHost(&pinned, 128);
  cudaSetDevice(1);
  fill<<<1, 32>>>(pinned, 4);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(pinned[3], 4);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

}  // namespace
