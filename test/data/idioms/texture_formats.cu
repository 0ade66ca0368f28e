// Textures of bytes, words and pairs: read as they are, or as fractions from -1 or 0 to 1; linear memory by tex1Dfetch; layers; a volume.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

template <typename T>
__global__ void read_row(cudaTextureObject_t row, T* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex1D<T>(row, i + 0.5f);
}
__global__ void read_memory(cudaTextureObject_t memory, int2* out, int n) {
  const int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<int2>(memory, n - 1 - i);
}
__global__ void read_layers(cudaTextureObject_t layers, cudaTextureObject_t volume, int* out) {
  const int i = threadIdx.x;
  out[i] = tex2DLayered<int>(layers, 1.5f, 0.5f, i);
  out[i + 3] = tex3D<int>(volume, 0.5f, 1.5f, i + 0.5f);
}

template <typename T>
cudaTextureObject_t texture_of(cudaArray_t* array, const T* texels, cudaExtent extent, unsigned int flags,
                               cudaTextureReadMode mode) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaMalloc3DArray(array, &format, extent, flags);
  cudaMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  const size_t height = extent.height == 0 ? 1 : extent.height;
  copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(texels), extent.width * sizeof(T), extent.width, height);
  copy.dstArray = *array;
  copy.extent = make_cudaExtent(extent.width, height, extent.depth == 0 ? 1 : extent.depth);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = *array;
  cudaTextureDesc description;
  memset(&description, 0, sizeof description);
  for (cudaTextureAddressMode& each : description.addressMode) each = cudaAddressModeClamp;
  description.readMode = mode;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  return texture;
}

template <typename T, typename Read>
void show(const char* name, const T (&texels)[4], cudaTextureReadMode mode) {
  cudaArray_t array = nullptr;
  const cudaTextureObject_t row = texture_of(&array, texels, make_cudaExtent(4, 0, 0), 0, mode);
  Read* out = nullptr;
  cudaMallocManaged(&out, 4 * sizeof(Read));
  read_row<<<1, 32>>>(row, out, 4);
  cudaDeviceSynchronize();
  printf("%s:", name);
  for (int i = 0; i < 4; ++i) printf(" %g", static_cast<double>(out[i]));
  printf("\n");
  cudaDestroyTextureObject(row);
  cudaFreeArray(array);
  cudaFree(out);
}

int main() {
  show<unsigned char, unsigned char>("bytes", {0, 1, 128, 255}, cudaReadModeElementType);
  show<short, short>("shorts", {-32768, -1, 0, 32767}, cudaReadModeElementType);
  show<int, int>("ints", {-7, 0, 7, 1 << 30}, cudaReadModeElementType);
  show<unsigned char, float>("fractions of bytes", {0, 0, 255, 255}, cudaReadModeNormalizedFloat);
  show<signed char, float>("fractions of signed bytes", {-128, -127, 0, 127}, cudaReadModeNormalizedFloat);
  show<unsigned short, float>("fractions of words", {0, 65535, 0, 65535}, cudaReadModeNormalizedFloat);

  constexpr int N = 20;
  int2* memory = nullptr;
  int2* out = nullptr;
  cudaMallocManaged(&out, N * sizeof(int2));
  cudaMalloc(&memory, N * sizeof(int2));
  std::vector<int2> numbers;
  for (int i = 0; i < N; ++i) numbers.push_back(make_int2(i, -i));
  cudaMemcpy(memory, numbers.data(), N * sizeof(int2), cudaMemcpyHostToDevice);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int2>();
  resource.res.linear.sizeInBytes = N * sizeof(int2);
  cudaTextureDesc description;
  memset(&description, 0, sizeof description);
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &description, nullptr);
  read_memory<<<1, 32>>>(texture, out, N);
  cudaDeviceSynchronize();
  printf("memory: %d %d, %d %d\n", out[0].x, out[0].y, out[N - 1].x, out[N - 1].y);
  cudaDestroyTextureObject(texture);
  cudaFree(memory);
  cudaFree(out);

  int cells[18];
  for (int i = 0; i < 18; ++i) cells[i] = i;
  int* six = nullptr;
  cudaMallocManaged(&six, 6 * sizeof(int));
  cudaArray_t layers = nullptr, volume = nullptr;
  const cudaTextureObject_t of_layers =
      texture_of(&layers, cells, make_cudaExtent(3, 2, 3), cudaArrayLayered, cudaReadModeElementType);
  const cudaTextureObject_t of_volume =
      texture_of(&volume, cells, make_cudaExtent(3, 2, 3), cudaArrayDefault, cudaReadModeElementType);
  read_layers<<<1, 3>>>(of_layers, of_volume, six);
  cudaDeviceSynchronize();
  printf("layers: %d %d %d, volume: %d %d %d\n", six[0], six[1], six[2], six[3], six[4], six[5]);
  cudaDestroyTextureObject(of_layers);
  cudaDestroyTextureObject(of_volume);
  cudaFreeArray(layers);
  cudaFreeArray(volume);
  cudaFree(six);
}
