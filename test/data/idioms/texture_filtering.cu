// Texture objects: an image in an array, read at its texels, between them, and beyond its edges by each address mode. The weights are
// multiples of 1/256, so every sum is exact.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int WIDTH = 4, HEIGHT = 2;

__global__ void read_image(cudaTextureObject_t image, const float2* at, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tex2D<float>(image, at[i].x, at[i].y);
}

void show(const char* name, cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
          bool normalized, const float2 (&at)[8]) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = mode;
  description.filterMode = filter;
  description.readMode = cudaReadModeElementType;
  description.normalizedCoords = normalized;
  cudaTextureObject_t image = 0;
  const cudaError_t made = cudaCreateTextureObject(&image, &resource, &description, nullptr);
  float2* places = nullptr;
  float* out = nullptr;
  cudaMallocManaged(&places, sizeof at);
  cudaMallocManaged(&out, 8 * sizeof(float));
  for (int i = 0; i < 8; ++i) places[i] = at[i];
  read_image<<<1, 32>>>(image, places, out, 8);
  cudaDeviceSynchronize();
  printf("%-16s %s:", name, cudaGetErrorName(made));
  for (int i = 0; i < 8; ++i) printf(" %g", out[i]);
  printf("\n");
  cudaDestroyTextureObject(image);
  cudaFree(places);
  cudaFree(out);
}

int main() {
  const float pixels[HEIGHT * WIDTH] = {0, 256, 512, 768, 1024, 1280, 1536, 1792};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &format, WIDTH, HEIGHT);
  cudaMemcpy2DToArray(array, 0, 0, pixels, WIDTH * sizeof(float), WIDTH * sizeof(float), HEIGHT,
                      cudaMemcpyHostToDevice);
  const float2 texels[8] = {{0.5f, 0.5f}, {3.5f, 1.5f}, {1.25f, 0.75f}, {2.875f, 1.125f},
                            {-3, 0.5f},   {9, 1.5f},    {1.5f, -8},     {2.5f, 77}};
  const float2 between[8] = {{1, 0.5f},    {0.5f, 1},   {2, 1},         {1.25f, 0.75f},
                             {0.5f + 1 / 256.f, 0.5f}, {0, 0}, {4, 2}, {-1, 1}};
  const float2 shares[8] = {{0.125f, 0.25f}, {1.125f, 0.25f}, {-0.125f, 0.75f}, {1.375f, 1.25f},
                            {2.625f, -0.25f}, {-0.875f, -1.75f}, {0.625f, 3.25f}, {0.375f, 0.75f}};
  show("points, clamp", array, cudaAddressModeClamp, cudaFilterModePoint, false, texels);
  show("points, border", array, cudaAddressModeBorder, cudaFilterModePoint, false, texels);
  show("linear, clamp", array, cudaAddressModeClamp, cudaFilterModeLinear, false, between);
  show("linear, border", array, cudaAddressModeBorder, cudaFilterModeLinear, false, between);
  show("points, wrap", array, cudaAddressModeWrap, cudaFilterModePoint, true, shares);
  show("points, mirror", array, cudaAddressModeMirror, cudaFilterModePoint, true, shares);
  show("linear, wrap", array, cudaAddressModeWrap, cudaFilterModeLinear, true, shares);
  cudaFreeArray(array);
}
