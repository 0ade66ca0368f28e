#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/host/host_line.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

// A failure that the program does not know of.
struct Unasked {
  std::string kernel;
  cudaError_t error = cudaSuccess;
  bool at_launch = false;  // True if the launch failed, not the kernel
  CallSite launched;       // the call site of the launch
};

struct First {
  std::mutex mutex;
  std::optional<Unasked> unasked;
};
First& first() {
  static First* const instance = new First;
  return *instance;
}

Hazard hazard_of(const Unasked& unasked) {
  const HostLine line = line_of(unasked.launched);
  const std::string name = cudaGetErrorName(unasked.error);
  Hazard hazard;
  hazard.kind = HazardKind::never_asked;
  hazard.kernel = unasked.kernel;
  hazard.where = line.where;
  hazard.code = name;
  if (unasked.at_launch) {
    hazard.message = {
        "the launch of " + unasked.kernel + " failed (" + name + "), and the program never asked",
        line.text(),
        "call cudaGetLastError() after the launch; if it is not cudaSuccess, print its "
        "cudaGetErrorString()"};
  } else {
    hazard.message = {
        unasked.kernel + " failed (" + name + "), and no call told the program", line.text(),
        "check the return code of cudaDeviceSynchronize() or cudaMemcpy after the launch"};
  }
  return hazard;
}

void forget(bool at_launch) {
  const std::lock_guard lock(first().mutex);
  std::optional<Unasked>& unasked = first().unasked;
  if (unasked && unasked->at_launch == at_launch) unasked.reset();
}

class NeverAsked final : public Watcher {
 public:
  void failed(const std::string& kernel, cudaError_t error, bool at_launch) override {
    const std::lock_guard lock(first().mutex);
    if (first().unasked || !looks_for_hazards()) return;
    first().unasked = {kernel, error, at_launch, site_here()};
  }
  void failure_told() override { forget(false); }
  void error_asked() override { forget(true); }

  void program_ends(bool /*tidy*/) override {
    std::optional<Unasked> unasked;
    {
      const std::lock_guard lock(first().mutex);
      unasked = std::exchange(first().unasked, std::nullopt);
    }
    if (unasked) current_device().hazards.add(hazard_of(*unasked));
  }
};

}  // namespace

Watcher& never_asked() {
  static NeverAsked watcher;
  return watcher;
}

}  // namespace simulator::runtime
