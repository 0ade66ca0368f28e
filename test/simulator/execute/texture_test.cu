// Arrays and textures: copies, addressing, filtering, formats, counters, and each mistake with them.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "simulator/execute/launch/module.hpp"
#include "test/simulator/hazards/hazard_test.hpp"
#include "test/support/managed.hpp"

namespace {

using simulator::Fault;
using simulator::FaultKind;
using simulator::HazardKind;
using simulator::TextureMistake;
using simulator::test::expect_fault;
using simulator::test::Managed;

class Textures : public simulator::test::HazardTest {
 protected:
  Textures() : HazardTest(__FILE__, {HazardKind::race, HazardKind::unwritten_read}) {}
};

// An array with its texture object; both end with it.
class Textured {
 public:
  template <typename T>
  Textured(const std::vector<T>& texels, cudaExtent extent, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    EXPECT_EQ(cudaMalloc3DArray(&array_, &format, extent, flags), cudaSuccess);
    cudaMemcpy3DParms copy{};
    const size_t height = std::max<size_t>(extent.height, 1);
    copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(texels.data()), extent.width * sizeof(T),
                                      extent.width, height);
    copy.dstArray = array_;
    copy.extent = make_cudaExtent(extent.width, height, std::max<size_t>(extent.depth, 1));
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  }
  ~Textured() {
    cudaDestroyTextureObject(object_);
    cudaFreeArray(array_);
  }
  Textured(const Textured&) = delete;
  Textured& operator=(const Textured&) = delete;

  cudaTextureObject_t object(const cudaTextureDesc& description) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaDestroyTextureObject(object_);
    EXPECT_EQ(cudaCreateTextureObject(&object_, &resource, &description, nullptr), cudaSuccess);
    return object_;
  }
  cudaArray_t array() const { return array_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t object_ = 0;
};

cudaTextureDesc with(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized,
                     cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc description{};
  std::fill(std::begin(description.addressMode), std::end(description.addressMode), mode);
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalized;
  return description;
}

template <typename T>
__global__ void fetch_1d(cudaTextureObject_t texture, const float* at, T* out) {
  out[threadIdx.x] = tex1D<T>(texture, at[threadIdx.x]);
}

template <typename T>
std::vector<T> fetched(cudaTextureObject_t texture, const std::vector<float>& at) {
  const Managed<float> places(at.size());
  std::copy(at.begin(), at.end(), places.get());
  const Managed<T> out(at.size());
  fetch_1d<T><<<1, static_cast<unsigned>(at.size())>>>(texture, places.get(), out.get());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return {out.get(), out.get() + at.size()};
}

using Floats = std::vector<float>;

// (CUDA C++ Programming Guide, "Texture Memory", addressing modes and "Nearest-Point Sampling".)
TEST_F(Textures, PointsOutsideAreAddressedByTheirMode) {
  Textured four(Floats{10, 20, 30, 40}, make_cudaExtent(4, 0, 0));
  const auto point = [&](cudaTextureAddressMode mode, bool normalized, const Floats& at) {
    return fetched<float>(four.object(with(mode, cudaFilterModePoint, normalized)), at);
  };
  const Floats texels{-5, -0.25f, 0, 0.75f, 1, 3.5f, 4, 9};
  EXPECT_EQ(point(cudaAddressModeClamp, false, texels), (Floats{10, 10, 10, 10, 20, 40, 40, 40}));
  EXPECT_EQ(point(cudaAddressModeBorder, false, texels), (Floats{0, 0, 10, 10, 20, 40, 0, 0}));
  // Without normalized coordinates these two clamp.
  EXPECT_EQ(point(cudaAddressModeWrap, false, texels), (Floats{10, 10, 10, 10, 20, 40, 40, 40}));
  EXPECT_EQ(point(cudaAddressModeMirror, false, texels), (Floats{10, 10, 10, 10, 20, 40, 40, 40}));
  const Floats shares{-1.125f, -0.125f, 0.125f, 0.625f, 1.125f, 1.625f, 2.125f, -0.625f};
  EXPECT_EQ(point(cudaAddressModeClamp, true, shares), (Floats{10, 10, 10, 30, 40, 40, 40, 10}));
  EXPECT_EQ(point(cudaAddressModeWrap, true, shares), (Floats{40, 40, 10, 30, 10, 30, 10, 20}));
  EXPECT_EQ(point(cudaAddressModeMirror, true, shares), (Floats{40, 10, 10, 30, 40, 20, 10, 30}));
  EXPECT_EQ(point(cudaAddressModeBorder, true, shares), (Floats{0, 0, 10, 30, 0, 0, 0, 0}));
}

// (CUDA C++ Programming Guide, "Linear Filtering".)
TEST_F(Textures, LinearFilteringHasWeightsOfEightBits) {
  Textured two(Floats{0, 256}, make_cudaExtent(2, 0, 0));
  const auto linear = [&](cudaTextureAddressMode mode, bool normalized, const Floats& at) {
    return fetched<float>(two.object(with(mode, cudaFilterModeLinear, normalized)), at);
  };
  const Floats at{0, 0.5f, 0.5f + 1 / 256.f, 1, 1.25f, 1.5f, 2, 7};
  EXPECT_EQ(linear(cudaAddressModeClamp, false, at), (Floats{0, 0, 1, 128, 192, 256, 256, 256}));
  EXPECT_EQ(linear(cudaAddressModeBorder, false, at), (Floats{0, 0, 1, 128, 192, 256, 128, 0}));
  // Halves: at the edges the neighbours are from the other side, or the same texel again.
  const Floats edges{0, 0.25f, 0.5f, 0.75f, 1, 1.25f};
  EXPECT_EQ(linear(cudaAddressModeWrap, true, edges), (Floats{128, 0, 128, 256, 128, 0}));
  EXPECT_EQ(linear(cudaAddressModeMirror, true, edges), (Floats{0, 0, 128, 256, 256, 256}));
  // A weight is rounded to 1/256, up to 1.
  const Floats fine{0.5f + 0.4f / 256, 0.5f + 0.6f / 256, 1.5f - 0.4f / 256};
  EXPECT_EQ(linear(cudaAddressModeClamp, false, fine), (Floats{0, 1, 256}));
}

__global__ void fetch_all(cudaTextureObject_t t2, cudaTextureObject_t t3, cudaTextureObject_t l1,
                          cudaTextureObject_t l2, float* out) {
  int n = 0;
  out[n++] = tex2D<float>(t2, 1.5f, 0.5f);
  out[n++] = tex2D<float>(t2, 2, 1);           // between four texels
  out[n++] = tex3D<float>(t3, 1, 1, 1);        // between eight
  out[n++] = tex3D<float>(t3, 0.5f, 1.5f, 1);  // between two
  out[n++] = tex1DLayered<float>(l1, 1.5f, 1);
  out[n++] = tex2DLayered<float>(l2, 0.5f, 1.5f, 2);
  out[n++] = tex2DLayered<float>(l2, 0.5f, 1.5f, 9);  // the last layer
  out[n++] = tex2DLod<float>(t2, 1.5f, 0.5f, 0);
  out[n++] = tex2DGrad<float>(t2, 1.5f, 0.5f, float2{0, 0}, float2{0, 0});
  const float4 around = tex2Dgather<float4>(t2, 2, 1);
  out[n++] = around.x;
  out[n++] = around.y;
  out[n++] = around.z;
  out[n++] = around.w;
  float by_pointer = 0;
  tex2D(&by_pointer, t2, 3.5f, 1.5f);
  out[n++] = by_pointer;
}

TEST_F(Textures, OfTwoAndThreeDimensionsAndInLayers) {
  Floats numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  Textured flat(Floats(numbers.begin(), numbers.begin() + 8), make_cudaExtent(4, 2, 0));
  Textured volume(Floats(numbers.begin(), numbers.begin() + 8), make_cudaExtent(2, 2, 2));
  Textured rows(Floats(numbers.begin(), numbers.begin() + 8), make_cudaExtent(4, 0, 2),
                cudaArrayLayered);
  Textured layers(numbers, make_cudaExtent(4, 2, 3), cudaArrayLayered);
  const cudaTextureDesc linear = with(cudaAddressModeClamp, cudaFilterModeLinear, false);
  const Managed<float> out(14);
  fetch_all<<<1, 1>>>(flat.object(linear), volume.object(linear), rows.object(linear),
                      layers.object(linear), out.get());
  expect_none();
  const Floats expected{1, 3.5f, 3.5f, 4, 5, 20, 20, 1, 1, 5, 6, 2, 1, 7};
  EXPECT_EQ(Floats(out.get(), out.get() + 14), expected);
}

__global__ void fetch_cube(cudaTextureObject_t cube, float* out) {
  const float3 to[6] = {{1, 0.5f, -0.5f},  {-1, 0.5f, -0.5f}, {0.5f, 1, -0.5f},
                        {0.5f, -1, -0.5f}, {0.5f, -0.5f, 1},  {0.5f, -0.5f, -1}};
  const float3 at = to[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(cube, at.x * 3, at.y * 3, at.z * 3);
}

// (CUDA C++ Programming Guide, "Cubemap Textures".) A face has 2 x 2 texels here.
TEST_F(Textures, ADirectionHitsTheFaceOfACube) {
  Floats numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  Textured cube(numbers, make_cudaExtent(2, 2, 6), cudaArrayCubemap);
  const Managed<float> out(6);
  fetch_cube<<<1, 6>>>(cube.object(with(cudaAddressModeClamp, cudaFilterModePoint, true)),
                       out.get());
  expect_none();
  // s and t of each face: (0.5, -0.5), (-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (0.5, 0.5), (-0.5, 0.5).
  EXPECT_EQ(Floats(out.get(), out.get() + 6), (Floats{1, 4, 9, 15, 19, 22}));
}

// --- formats ------------------------------------------------------------------------------------------

template <typename T, typename Result>
std::vector<Result> in_format(const std::vector<T>& texels, cudaTextureReadMode read,
                              bool srgb = false) {
  Textured all(texels, make_cudaExtent(texels.size(), 0, 0));
  cudaTextureDesc description = with(cudaAddressModeClamp, cudaFilterModePoint, false, read);
  description.sRGB = srgb;
  Floats at(texels.size());
  std::iota(at.begin(), at.end(), 0.5f);
  return fetched<Result>(all.object(description), at);
}

TEST_F(Textures, WholeNumbersKeepTheirBits) {
  const std::vector<signed char> bytes{-128, -1, 0, 127};
  EXPECT_EQ((in_format<signed char, signed char>(bytes, cudaReadModeElementType)), bytes);
  const std::vector<unsigned short> words{0, 1, 0x8000, 0xffff};
  EXPECT_EQ((in_format<unsigned short, unsigned short>(words, cudaReadModeElementType)), words);
  const std::vector<int> wide{-2147483647 - 1, -1, 0, 2147483647};
  EXPECT_EQ((in_format<int, int>(wide, cudaReadModeElementType)), wide);
  const auto four = in_format<short4, short4>({short4{-1, 2, -3, 4}}, cudaReadModeElementType);
  EXPECT_EQ(four[0].x, -1);
  EXPECT_EQ(four[0].y, 2);
  EXPECT_EQ(four[0].z, -3);
  EXPECT_EQ(four[0].w, 4);
}

TEST_F(Textures, WholeNumbersBecomeFractions) {
  const auto fractions = cudaReadModeNormalizedFloat;
  EXPECT_EQ((in_format<unsigned char, float>({0, 51, 255}, fractions)), (Floats{0, 0.2f, 1}));
  EXPECT_EQ((in_format<signed char, float>({-128, -127, 0, 127}, fractions)),
            (Floats{-1, -1, 0, 1}));
  EXPECT_EQ((in_format<unsigned short, float>({0, 13107, 65535}, fractions)), (Floats{0, 0.2f, 1}));
  EXPECT_EQ((in_format<short, float>({-32768, 0, 32767}, fractions)), (Floats{-1, 0, 1}));
  const auto srgb = in_format<unsigned char, float>({0, 10, 188, 255}, fractions, true);
  EXPECT_EQ(srgb[0], 0);
  EXPECT_NEAR(srgb[1], 10 / 255.0 / 12.92, 1e-7);
  EXPECT_NEAR(srgb[2], std::pow((188 / 255.0 + 0.055) / 1.055, 2.4), 1e-6);
  EXPECT_EQ(srgb[3], 1);
}

__global__ void fetch_half(cudaTextureObject_t texture, float2* out) {
  out[threadIdx.x] = tex1D<float2>(texture, static_cast<float>(threadIdx.x));
}

TEST_F(Textures, HalfPrecisionIsReadAsFloat) {
  const cudaChannelFormatDesc format = cudaCreateChannelDescHalf2();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &format, 3), cudaSuccess);
  const std::array<unsigned short, 6> bits{0x3c00, 0xc000, 0x0001, 0x7c00, 0x03ff, 0xfbff};
  ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, bits.data(), sizeof bits, cudaMemcpyHostToDevice),
            cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc description = with(cudaAddressModeClamp, cudaFilterModePoint, false);
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description), cudaSuccess);
  const Managed<float2> out(3);
  fetch_half<<<1, 3>>>(texture, out.get());
  expect_none();
  EXPECT_EQ(out[0].x, 1);
  EXPECT_EQ(out[0].y, -2);
  EXPECT_EQ(out[1].x, std::ldexp(1.f, -24));
  EXPECT_EQ(out[1].y, INFINITY);
  EXPECT_EQ(out[2].x, std::ldexp(1023.f, -24));
  EXPECT_EQ(out[2].y, -65504);
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}

// --- memory that is no array --------------------------------------------------------------------------

__global__ void fetch_linear(cudaTextureObject_t texture, int first, float* out) {
  out[threadIdx.x] =
      tex1Dfetch<float>(texture, first + static_cast<int>(threadIdx.x));  // mark: fetches
}

class LinearTexture {
 public:
  explicit LinearTexture(int n) : n_(n) {
    cudaMalloc(&data, static_cast<size_t>(n) * sizeof(float));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = static_cast<size_t>(n) * sizeof(float);
    const cudaTextureDesc description = with(cudaAddressModeClamp, cudaFilterModePoint, false);
    EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &description, nullptr), cudaSuccess);
  }
  void fill() const {
    Floats numbers(static_cast<size_t>(n_));
    std::iota(numbers.begin(), numbers.end(), 0.f);
    cudaMemcpy(data, numbers.data(), numbers.size() * sizeof(float), cudaMemcpyHostToDevice);
  }
  float* data = nullptr;
  cudaTextureObject_t object = 0;

 private:
  int n_;
};

TEST_F(Textures, LinearMemoryIsReadByIndex) {
  const LinearTexture texture(64);
  texture.fill();
  const Managed<float> out(32);
  fetch_linear<<<1, 32>>>(texture.object, 40, out.get());
  expect_none();
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i < 24 ? 40.f + static_cast<float>(i) : 0.f);
  cudaDestroyTextureObject(texture.object);
  cudaFree(texture.data);
}

TEST_F(Textures, RowsInMemory) {
  float* data = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&data, &pitch, 5 * sizeof(float), 3), cudaSuccess);
  Floats numbers(15);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  cudaMemcpy2D(data, pitch, numbers.data(), 20, 20, 3, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = data;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 5;
  resource.res.pitch2D.height = 3;
  resource.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureDesc description = with(cudaAddressModeClamp, cudaFilterModeLinear, false);
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &resource, &description, nullptr), cudaSuccess);
  Textured other(numbers, make_cudaExtent(5, 3, 0));
  const Managed<float> out(14);
  fetch_all<<<1, 1>>>(texture, texture, texture, texture, out.get());
  EXPECT_EQ(expect_fault(cudaErrorIllegalInstruction, FaultKind::bad_texture).texture,
            TextureMistake::other_shape);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 4);
  cudaResourceDesc got{};
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&got, texture), cudaSuccess);
  EXPECT_EQ(got.res.pitch2D.width, 5u);
  cudaDestroyTextureObject(texture);
  cudaFree(data);
}

// --- counters -----------------------------------------------------------------------------------------

__global__ void fetch_pattern(cudaTextureObject_t texture, int dx, int dy, float* out) {
  const auto i = static_cast<int>(threadIdx.x);
  out[i] = tex2D<float>(texture, static_cast<float>(i * dx) + 0.5f,  // mark: pattern
                        static_cast<float>(i * dy) + 0.5f);
}

simulator::AccessCounts counted(const std::string& kernel) {
  simulator::AccessCounts sum;
  for (const auto& row : simulator::current_device().counters.since_reset().accesses) {
    if (row.access == simulator::Access::texture_load &&
        row.kernel.find(kernel) != std::string::npos)
      sum.add(row);
  }
  return sum;
}

TEST_F(Textures, ARequestCountsItsTexelsSectorsAndLines) {
  Floats numbers(32 * 32);
  Textured square(numbers, make_cudaExtent(32, 32, 0));
  const Managed<float> out(32);
  const cudaTextureObject_t point =
      square.object(with(cudaAddressModeClamp, cudaFilterModePoint, false));
  const auto expect = [&](int dx, int dy, uint64_t used, uint64_t sectors, uint64_t lines) {
    simulator::current_device().counters.reset();
    fetch_pattern<<<1, 32>>>(point, dx, dy, out.get());
    cudaDeviceSynchronize();
    const simulator::AccessCounts counts = counted("fetch_pattern");
    EXPECT_EQ(counts.requests, 1u);
    EXPECT_EQ(counts.lanes, 32u);
    EXPECT_EQ(counts.bytes_asked, 128u);
    EXPECT_EQ(counts.bytes_used, used);
    EXPECT_EQ(counts.sectors, sectors) << dx << ", " << dy;
    EXPECT_EQ(counts.lines, lines) << dx << ", " << dy;
  };
  // A sector has 16 bytes of 2 rows, a line 32 bytes of 4 rows.
  expect(1, 0, 128, 8, 4);
  expect(0, 1, 128, 16, 8);
  expect(1, 1, 128, 16, 8);
  expect(0, 0, 4, 1, 1);
}

// --- copies -------------------------------------------------------------------------------------------

TEST_F(Textures, ArraysAreCopied) {
  Floats numbers(12), back(12);
  std::iota(numbers.begin(), numbers.end(), 0.f);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t one = nullptr, two = nullptr;
  ASSERT_EQ(cudaMallocArray(&one, &format, 4, 3), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&two, &format, 4, 3), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DToArray(one, 0, 0, numbers.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DArrayToArray(two, 0, 0, one, 0, 0, 16, 3), cudaSuccess);
  // Bytes from within a row into the next ones.
  EXPECT_EQ(cudaMemcpyToArray(two, 8, 0, numbers.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromArray(back.data(), two, 0, 0, 48, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(back, (Floats{0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 11}));
  Floats part(2);
  EXPECT_EQ(cudaMemcpy2DFromArray(part.data(), 4, one, 4, 1, 4, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(part, (Floats{5, 9}));

  cudaChannelFormatDesc got{};
  cudaExtent extent{};
  unsigned flags = 7;
  EXPECT_EQ(cudaArrayGetInfo(&got, &extent, &flags, one), cudaSuccess);
  EXPECT_EQ(got.x, 32);
  EXPECT_EQ(got.f, cudaChannelFormatKindFloat);
  EXPECT_EQ(extent.width, 4u);
  EXPECT_EQ(extent.height, 3u);
  EXPECT_EQ(extent.depth, 0u);
  EXPECT_EQ(flags, 0u);

  EXPECT_EQ(cudaMemcpy2DToArray(one, 4, 0, numbers.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(one), cudaSuccess);
  EXPECT_NE(cudaFreeArray(one), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(two), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Textures, MemoryIsCopiedInThreeDimensions) {
  std::vector<int> numbers(24), back(24);
  std::iota(numbers.begin(), numbers.end(), 0);
  int* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, sizeof(int) * 24), cudaSuccess);
  cudaMemcpy(device, numbers.data(), sizeof(int) * 24, cudaMemcpyHostToDevice);
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(device, 16, 4, 3);
  copy.srcPos = make_cudaPos(4, 1, 0);
  copy.dstPtr = make_cudaPitchedPtr(back.data(), 8, 2, 2);
  copy.extent = make_cudaExtent(8, 2, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(std::vector<int>(back.begin(), back.begin() + 8),
            (std::vector<int>{5, 6, 9, 10, 17, 18, 21, 22}));
  cudaFree(device);
}

// --- mistakes -----------------------------------------------------------------------------------------

TEST_F(Textures, ADestroyedTextureIsAFault) {
  const LinearTexture texture(64);
  texture.fill();
  const Managed<float> out(32);
  cudaDestroyTextureObject(texture.object);
  fetch_linear<<<1, 32>>>(texture.object, 0, out.get());
  const Fault fault = expect_fault(cudaErrorIllegalInstruction, FaultKind::bad_texture);
  EXPECT_EQ(fault.texture, TextureMistake::no_object);
  EXPECT_EQ(fault.where.line, line_of("fetches"));
  cudaFree(texture.data);
}

TEST_F(Textures, FreedMemoryIsAFault) {
  const LinearTexture texture(64);
  const Managed<float> out(32);
  cudaFree(texture.data);
  fetch_linear<<<1, 32>>>(texture.object, 0, out.get());
  expect_fault(cudaErrorIllegalAddress, FaultKind::use_after_free);
  cudaDestroyTextureObject(texture.object);
}

TEST_F(Textures, UnwrittenTexelsAreAHazard) {
  const LinearTexture texture(64);
  const Managed<float> out(32);
  fetch_linear<<<1, 32>>>(texture.object, 0, out.get());
  expect_one(HazardKind::unwritten_read, "fetches", {"buffer"});
  cudaDestroyTextureObject(texture.object);
  cudaFree(texture.data);
}

TEST_F(Textures, WrongDescriptionsAreRefused) {
  Textured whole(std::vector<int>{1, 2}, make_cudaExtent(2, 0, 0));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = whole.array();
  cudaTextureObject_t texture = 0;
  const auto create = [&](const cudaTextureDesc& description) {
    return cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  };
  EXPECT_EQ(create(with(cudaAddressModeClamp, cudaFilterModeLinear, false)),
            cudaErrorInvalidFilterSetting);
  EXPECT_EQ(
      create(with(cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat)),
      cudaErrorInvalidNormSetting);
  resource.resType = cudaResourceTypeMipmappedArray;
  EXPECT_EQ(create(with(cudaAddressModeClamp, cudaFilterModePoint, false)), cudaErrorNotSupported);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = nullptr;
  EXPECT_NE(create(with(cudaAddressModeClamp, cudaFilterModePoint, false)), cudaSuccess);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc three =
      cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
  EXPECT_EQ(cudaMallocArray(&array, &three, 4), cudaErrorInvalidChannelDescriptor);
  const cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
  EXPECT_EQ(cudaMalloc3DArray(&array, &bytes, make_cudaExtent(4, 3, 6), cudaArrayCubemap),
            cudaErrorInvalidValue);
  cudaGetLastError();
}

}  // namespace
