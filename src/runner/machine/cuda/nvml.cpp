#include "runner/machine/cuda/nvml.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "results/values/run.hpp"

namespace runner {
namespace {

// From NVIDIA's nvml.h.
constexpr int SUCCESS = 0;
constexpr int CLOCK_SM = 1;
constexpr unsigned long long HARDWARE_SLOWDOWN = 0x08;
constexpr unsigned long long SOFTWARE_THERMAL = 0x20;
constexpr unsigned long long HARDWARE_THERMAL = 0x40;
constexpr unsigned long long POWER_BRAKE = 0x80;

template <typename Function>
Function* load(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

Nvml::Nvml() {
  int device = 0;
  char bus[32] = {};
  if (cudaGetDevice(&device) != cudaSuccess) return;
  if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) return;

  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) return;
  auto* init = load<int()>(library_, "nvmlInit_v2");
  auto* find = load<int(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  if (init == nullptr || find == nullptr || init() != SUCCESS) return;
  if (find(bus, &device_) != SUCCESS) return;
  clock_info_ = load<int(void*, int, unsigned*)>(library_, "nvmlDeviceGetClockInfo");
  throttle_reasons_ =
      load<int(void*, unsigned long long*)>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

// The library stays loaded: it may hold threads, and the process is about to end anyway.
Nvml::~Nvml() {
  if (library_ == nullptr) return;
  if (auto* shutdown = load<int()>(library_, "nvmlShutdown")) shutdown();
}

std::optional<double> Nvml::clock_mhz() const {
  unsigned mhz = 0;
  if (clock_info_ == nullptr || clock_info_(device_, CLOCK_SM, &mhz) != SUCCESS)
    return std::nullopt;
  return mhz;
}

std::vector<std::string> Nvml::slowdowns() const {
  unsigned long long reasons = 0;
  if (throttle_reasons_ == nullptr || throttle_reasons_(device_, &reasons) != SUCCESS) return {};
  std::vector<std::string> names;
  if (reasons & HARDWARE_SLOWDOWN) names.emplace_back(results::slowdowns::HARDWARE);
  if (reasons & (SOFTWARE_THERMAL | HARDWARE_THERMAL))
    names.emplace_back(results::slowdowns::THERMAL);
  if (reasons & POWER_BRAKE) names.emplace_back(results::slowdowns::POWER_BRAKE);
  return names;
}

template <typename Value, typename... Arguments>
std::optional<Value> Nvml::ask(const char* function, Arguments... arguments) const {
  if (device_ == nullptr) return std::nullopt;
  Value value{};
  auto* call = load<int(void*, Arguments..., Value*)>(library_, function);
  if (call == nullptr || call(device_, arguments..., &value) != SUCCESS) return std::nullopt;
  return value;
}

std::optional<std::string> Nvml::driver_version() const {
  if (device_ == nullptr) return std::nullopt;
  char version[80] = {};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
  auto* call = load<int(char*, unsigned)>(library_, "nvmlSystemGetDriverVersion");
  if (call == nullptr || call(version, sizeof version) != SUCCESS) return std::nullopt;
  return version;
}

std::optional<double> Nvml::power_limit_watts() const {
  const auto milliwatts = ask<unsigned>("nvmlDeviceGetEnforcedPowerLimit");
  return milliwatts ? std::optional(*milliwatts / 1e3) : std::nullopt;
}

std::optional<double> Nvml::clock_limit_mhz() const {
  const auto mhz = ask<unsigned>("nvmlDeviceGetMaxClockInfo", CLOCK_SM);
  return mhz ? std::optional<double>(*mhz) : std::nullopt;
}

std::optional<double> Nvml::joules() const {
  const auto millijoules = ask<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption");
  return millijoules ? std::optional(static_cast<double>(*millijoules) / 1e3) : std::nullopt;
}

std::optional<bool> Nvml::ecc() const {
  if (device_ == nullptr) return std::nullopt;
  int now = 0, after_reboot = 0;
  auto* call = load<int(void*, int*, int*)>(library_, "nvmlDeviceGetEccMode");
  if (call == nullptr || call(device_, &now, &after_reboot) != SUCCESS) return std::nullopt;
  return now != 0;
}

const Nvml& nvml() {
  static const Nvml instance;
  return instance;
}

}  // namespace runner
