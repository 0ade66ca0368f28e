// The simulated device's attributes and properties against an H200's answers.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace simulator::test {
namespace {

std::map<int, int> answers_of_an_h200() {
  std::ifstream file(TEST_DATA "/device_attributes_h200.txt");
  file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');  // the comment
  std::map<int, int> answers;
  for (int attribute = 0, value = 0; file >> attribute >> value;) answers[attribute] = value;
  return answers;
}

// The simulated device has no clocks, no buses and no PCI address, one copy engine, and not these features.
const std::set<cudaDeviceAttr> DIFFERENT = {
    cudaDevAttrClockRate,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrEccEnabled,
    cudaDevAttrPciBusId,
    cudaDevAttrPciDeviceId,
    cudaDevAttrAsyncEngineCount,
    cudaDevAttrCooperativeMultiDeviceLaunch,
    cudaDevAttrSparseCudaArraySupported,
    cudaDevAttrTimelineSemaphoreInteropSupported,
    cudaDevAttrGPUDirectRDMASupported,
    cudaDevAttrGPUDirectRDMAFlushWritesOptions,
    cudaDevAttrGPUDirectRDMAWritesOrdering,
    cudaDevAttrMemoryPoolSupportedHandleTypes,
    cudaDevAttrDeferredMappingCudaArraySupported,
    cudaDevAttrIpcEventSupport,
};

TEST(DeviceAttributes, AreThoseOfAnH200) {
  const std::map<int, int> expected = answers_of_an_h200();
  ASSERT_GT(expected.size(), 100u);
  int compared = 0;
  for (const auto& [number, want] : expected) {
    const auto attribute = static_cast<cudaDeviceAttr>(number);
    int value = -1;
    if (cudaDeviceGetAttribute(&value, attribute, 0) != cudaSuccess) continue;  // reserved
    if (DIFFERENT.contains(attribute)) {
      EXPECT_NE(value, want) << "attribute " << number << " no longer differs";
    } else {
      EXPECT_EQ(value, want) << "attribute " << number;
      ++compared;
    }
  }
  EXPECT_GT(compared, 85);
  cudaGetLastError();
}

TEST(DeviceAttributes, AnUnknownOneIsRefused) {
  int value = 0;
  for (const int number : {0, -1, 44, 92, 1000000})
    EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(number), 0),
              cudaErrorInvalidValue)
        << number;
  cudaGetLastError();
}

TEST(DeviceProperties, AgreeWithTheAttributes) {
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  const auto value = [](cudaDeviceAttr attribute) {
    int result = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&result, attribute, 0), cudaSuccess);
    return result;
  };
  EXPECT_EQ(p.maxTexture2DLinear[2], value(cudaDevAttrMaxTexture2DLinearPitch));
  EXPECT_EQ(p.maxSurface2DLayered[2], value(cudaDevAttrMaxSurface2DLayeredLayers));
  EXPECT_EQ(p.deviceOverlap, value(cudaDevAttrGpuOverlap));
  EXPECT_EQ(p.l2CacheSize, value(cudaDevAttrL2CacheSize));
  EXPECT_EQ(p.computeMode, cudaComputeModeDefault);
  EXPECT_EQ(p.maxThreadsDim[2], 64);
  EXPECT_EQ(p.sharedMemPerBlockOptin, 232448u);
  EXPECT_EQ(p.memPitch, 2147483647u);
  EXPECT_EQ(p.pageableMemoryAccess, 0);
}

TEST(Device, KeepsItsFlagsAndSettings) {
  unsigned int flags = 0;
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaDeviceMapHost});  // an H200's answer
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaDeviceMapHost | cudaDeviceBlockingSync});
  EXPECT_EQ(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleAuto), cudaSuccess);
  cudaFuncCache config = cudaFuncCachePreferNone;
  EXPECT_EQ(cudaThreadSetCacheConfig(cudaFuncCachePreferL1), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetCacheConfig(&config), cudaSuccess);
  EXPECT_EQ(config, cudaFuncCachePreferL1);
  EXPECT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone), cudaSuccess);
  EXPECT_EQ(cudaThreadSynchronize(), cudaSuccess);
  cudaGetLastError();
}

}  // namespace
}  // namespace simulator::test
