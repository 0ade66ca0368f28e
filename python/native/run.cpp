#include "run.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <new>

#include "sgemm_ladder.h"

namespace python {
namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  const std::string text =
      std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
  static_cast<void>(cudaGetLastError());  // it is reported here, and shall not be found again
  if (error == cudaErrorMemoryAllocation) throw OutOfMemory(text);
  throw Failure(text);
}

// Makes a device the thread's current one, and gives it back the one that it had.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_));
    if (device == before_) return;
    check(cudaSetDevice(device));
    is_changed_ = true;
  }
  ~OnDevice() {
    if (is_changed_) static_cast<void>(cudaSetDevice(before_));
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool is_changed_ = false;
};

cudaStream_t stream_of(uintptr_t stream) { return reinterpret_cast<cudaStream_t>(stream); }

void launch(const std::vector<Call>& calls, float alpha, float beta, cudaStream_t stream) {
  for (const Call& c : calls) {
    const sgemm_ladder_status status = sgemm_ladder_sgemm_ex(
        c.order, c.trans_a, c.trans_b, c.m, c.n, c.k, alpha, c.A, c.lda, c.stride_a, c.B, c.ldb,
        c.stride_b, beta, c.C, c.ldc, c.stride_c, c.batch, stream, nullptr);
    if (status == SGEMM_LADDER_OK) continue;
    const std::string why = sgemm_ladder_last_error();
    if (status == SGEMM_LADDER_INVALID_ARGUMENT) throw std::invalid_argument(why);
    if (status == SGEMM_LADDER_OUT_OF_MEMORY) throw OutOfMemory(why);
    throw Failure(why);
  }
}

#ifdef SGEMM_SIMULATED

// The places of an array's elements, from its first element.
struct Reach {
  int64_t first = 0, last = 0;
};
Reach reach_of(const Array& x) {
  Reach reach;
  for (size_t i = 0; i < x.dims(); ++i) {
    const int64_t far = (x.shape[i] - 1) * x.strides[i];
    (far < 0 ? reach.first : reach.last) += far;
  }
  return reach;
}

// Calls f(place) for each element of an array.
template <typename F>
void for_each_place(const Array& x, const F& f, size_t dim = 0, int64_t place = 0) {
  if (dim == x.dims()) return f(place);
  for (int64_t i = 0; i < x.shape[dim]; ++i)
    for_each_place(x, f, dim + 1, place + i * x.strides[dim]);
}

// A copy of a host's array in the memory of the simulated GPU, with the same strides, so that the kernels meet the array as it is.
class OnSimulatedGpu {
 public:
  explicit OnSimulatedGpu(const Array& host) : host_(host) {
    if (host.is_empty()) return;
    reach_ = reach_of(host);
    const int64_t floats = reach_.last - reach_.first + 1;
    float* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<size_t>(floats) * sizeof(float)));
    memory_.reset(memory);
    copy_whole(memory, host.data + reach_.first, cudaMemcpyHostToDevice);
  }

  Array array() const {
    return {memory_ ? memory_.get() - reach_.first : nullptr, host_.shape, host_.strides};
  }

  // Writes the elements back, and nothing between them.
  void write_back() const {
    if (host_.is_empty()) return;
    std::vector<float> copy(static_cast<size_t>(reach_.last - reach_.first + 1));
    copy_whole(copy.data(), memory_.get(), cudaMemcpyDeviceToHost);
    for_each_place(host_, [&](int64_t place) {
      host_.data[place] = copy[static_cast<size_t>(place - reach_.first)];
    });
  }

 private:
  struct Free {
    void operator()(float* memory) const { static_cast<void>(cudaFree(memory)); }
  };
  void copy_whole(float* to, const float* from, cudaMemcpyKind kind) const {
    check(cudaMemcpy(to, from, static_cast<size_t>(reach_.last - reach_.first + 1) * sizeof(float),
                     kind));
  }

  Array host_;
  Reach reach_;
  std::unique_ptr<float, Free> memory_;
};

#endif

}  // namespace

#ifdef SGEMM_SIMULATED

void run(const Array& a, const Array& b, const Array& c, float alpha, float beta, int, uintptr_t) {
  const OnSimulatedGpu on_gpu_a(a), on_gpu_b(b), on_gpu_c(c);
  launch(calls_for(on_gpu_a.array(), on_gpu_b.array(), on_gpu_c.array()), alpha, beta, nullptr);
  check(cudaDeviceSynchronize());
  on_gpu_c.write_back();
}

void copy(const Array& from, const Array& to, int, uintptr_t) {
  for (const Block& b : blocks_for(from, to)) {
    for (int64_t i = 0; i < b.height; ++i)
      std::copy_n(b.from + i * b.from_pitch, b.width, b.to + i * b.to_pitch);
  }
}

void synchronize(int, uintptr_t) {}

int device_of(uintptr_t) { return 0; }

float* new_floats(int64_t floats, int) {
  auto* const memory = new (std::nothrow) float[static_cast<size_t>(std::max<int64_t>(1, floats))];
  if (memory == nullptr) throw OutOfMemory("too little memory for the result");
  return memory;
}

void free_floats(float* memory) noexcept { delete[] memory; }

#else

void run(const Array& a, const Array& b, const Array& c, float alpha, float beta, int device,
         uintptr_t stream) {
  const std::vector<Call> calls = calls_for(a, b, c);
  const OnDevice on_device(device);
  launch(calls, alpha, beta, stream_of(stream));
}

void copy(const Array& from, const Array& to, int device, uintptr_t stream) {
  const OnDevice on_device(device);
  const auto bytes = [](int64_t floats) { return static_cast<size_t>(floats) * sizeof(float); };
  for (const Block& b : blocks_for(from, to))
    check(cudaMemcpy2DAsync(b.to, bytes(b.to_pitch), b.from, bytes(b.from_pitch), bytes(b.width),
                            static_cast<size_t>(b.height), cudaMemcpyDeviceToDevice,
                            stream_of(stream)));
}

void synchronize(int device, uintptr_t stream) {
  const OnDevice on_device(device);
  check(cudaStreamSynchronize(stream_of(stream)));
}

int device_of(uintptr_t pointer) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, reinterpret_cast<const void*>(pointer)));
  const bool is_on_device =
      attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  return is_on_device ? attributes.device : -1;
}

float* new_floats(int64_t floats, int device) {
  const OnDevice on_device(device);
  float* memory = nullptr;
  check(cudaMalloc(&memory, static_cast<size_t>(std::max<int64_t>(1, floats)) * sizeof(float)));
  return memory;
}

void free_floats(float* memory) noexcept { static_cast<void>(cudaFree(memory)); }

#endif

}  // namespace python
