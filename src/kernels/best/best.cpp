#include "kernels/best/best.hpp"

#include <mutex>
#include <set>
#include <string>

#include "device/architecture.hpp"
#include "kernels/tuned/last_results.hpp"
#include "kernels/tuned/launches.hpp"

namespace ladder {

extern const Rung stream_k, tensor_fp32;

namespace {

// What the choice depends on.
struct ChoiceKey {
  ProductShape shape;
  int64_t batch;
  Gpu gpu;

  uint64_t hash() const { return hash_of(shape.M, shape.N, shape.K, batch, shape.transposed_a); }
  bool operator==(const ChoiceKey&) const = default;
};

// Returns the fastest rung that this build has.
const Rung& fastest_of(const Choice& choice) {
  const bool has_best = device::BUILT_WITH_WGMMA || choice.best().rung != tensor_fp32.number;
  return has_best ? rung_with(choice.best().rung) : stream_k;
}

// Returns the chosen rung for a call on the current device, or an error.
cudaError_t choose(const Call& call, const Rung** chosen) {
  thread_local LastResults<ChoiceKey, const Rung*> last;
  Gpu gpu{};
  const cudaError_t error = describe_gpu(&gpu);
  if (error != cudaSuccess) return error;
  const ChoiceKey key{shape_of(call), call.batch, gpu};
  *chosen = last.of(key, [&] { return &fastest_of(choose_rung(key.shape, key.batch, key.gpu)); });
  return cudaSuccess;
}

cudaError_t launch_batch_best(const Call& call, cudaStream_t stream) {
  const Rung* chosen = nullptr;
  const cudaError_t error = choose(call, &chosen);
  return error != cudaSuccess ? error : launch(*chosen, call, stream);
}

cudaError_t launch_best(const Sgemm& p, cudaStream_t stream) {
  return launch_batch_best(Call(p), stream);
}

cudaError_t launch_and_tell_best(const Sgemm& p, cudaStream_t stream, LeftToFP64* left) {
  const Rung* chosen = nullptr;
  cudaError_t error = choose(Call(p), &chosen);
  if (error != cudaSuccess) return error;
  if (chosen->launch_and_tell != nullptr) return launch_and_tell(*chosen, p, stream, left);
  *left = {};
  error = launch(*chosen, p, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

// Returns a text that stays for as long as the program runs.
const char* kept(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::scoped_lock lock(mutex);
  return texts.insert(text).first->c_str();
}

// Returns the chosen rung and its path: "stream_k, float4".
const char* path_best(const Sgemm& p) {
  const Rung* chosen = nullptr;
  if (choose(Call(p), &chosen) != cudaSuccess) return nullptr;
  const char* its_path = path(*chosen, p);
  return its_path == nullptr ? chosen->name : kept(std::string(chosen->name) + ", " + its_path);
}

}  // namespace

cudaError_t describe_gpu(Gpu* gpu) {
  int id = 0, major = 0, minor = 0;
  cudaError_t error = cudaGetDevice(&id);
  if (error == cudaSuccess) error = describe_device(&gpu->device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, id);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, id);
  gpu->compute_capability = 10 * major + minor;
  return error;
}

const Rung& rung_with(int number) { return number == stream_k.number ? stream_k : tensor_fp32; }

extern const Rung best{
    .number = Rung::NO_NUMBER,
    .name = "best",
    .idea =
        "no step of the ladder: for each product, the rung that should be fastest at FP32's "
        "accuracy",
    .promise = {},
    .launch = launch_best,
    .path = path_best,
    .needs = {.compute_capability = 80},
    .takes_transposes = true,
    .launch_and_tell = launch_and_tell_best,
    .launch_batch = launch_batch_best,
};

}  // namespace ladder
