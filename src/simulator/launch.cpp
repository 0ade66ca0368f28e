// Modules, kernels, and a launch spread over the host's cores.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "simulator/counter_store.hpp"
#include "simulator/interpreter.hpp"
#include "simulator/memory.hpp"
#include "simulator/module.hpp"
#include "simulator/program.hpp"
#include "simulator/ptx.hpp"

namespace simulator {
namespace {

std::atomic<int> requested_workers{0};
std::atomic<int> launches_under_way{0};
std::atomic<bool> stop_requested{false};

std::vector<std::byte> pack_arguments(const Program& program, void* const* arguments) {
  std::vector<std::byte> packed(std::max<size_t>(program.parameter_bytes, 1));
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    std::memcpy(packed.data() + program.parameters[i].offset, arguments[i],
                program.parameters[i].bytes);
  }
  return packed;
}

/// A launch in the making: workers take blocks in order until none is left or one has failed.
class Launch {
 public:
  Launch(const Program& program, const LaunchShape& shape, void* const* arguments)
      : program_(program),
        shape_(shape),
        parameters_(pack_arguments(program, arguments)),
        blocks_(shape.grid.count()) {}

  std::optional<Fault> run() {
    const auto start = std::chrono::steady_clock::now();
    const auto workers =
        static_cast<size_t>(std::min<uint64_t>(static_cast<uint64_t>(worker_threads()), blocks_));
    std::vector<std::unique_ptr<Worker>> state;
    state.reserve(workers);
    for (size_t i = 0; i < workers; ++i) state.push_back(std::make_unique<Worker>(program_));
    {
      std::vector<std::jthread> helpers;
      for (size_t i = 1; i < workers; ++i) helpers.emplace_back([&, i] { work(*state[i]); });
      work(*state[0]);
    }
    if (error_) std::rethrow_exception(error_);
    for (const auto& worker : state) worker->flush();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    CounterStore::instance().add_launch(blocks_, seconds.count());
    for (const auto& worker : state) CounterStore::instance().add_worker(*worker);
    return fault_;
  }

 private:
  void work(Worker& worker) {
    try {
      BlockRunner runner(program_, worker, shape_, parameters_.data());
      // Blocks below a faulty one still run, so that the fault reported is always the lowest block's.
      for (uint64_t block = next_++; block < std::min(blocks_, first_faulty_.load());
           block = next_++) {
        try {
          runner.run(block);
        } catch (Fault& fault) {
          keep_lowest(block, std::move(fault));
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      first_faulty_ = 0;
    }
  }

  void keep_lowest(uint64_t block, Fault&& fault) {
    const std::lock_guard lock(mutex_);
    if (block >= first_faulty_) return;
    first_faulty_ = block;
    fault_ = std::move(fault);
  }

  const Program& program_;
  const LaunchShape& shape_;
  const std::vector<std::byte> parameters_;
  const uint64_t blocks_;
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> first_faulty_{~uint64_t{0}};
  std::mutex mutex_;
  std::optional<Fault> fault_;
  std::exception_ptr error_;
};

class LoadedKernel : public Kernel {
 public:
  explicit LoadedKernel(std::unique_ptr<Program> program) : program_(std::move(program)) {}

  const std::string& name() const override { return program_->name; }
  const std::string& demangled() const override { return program_->demangled; }
  int registers_per_thread() const override {
    // A device's compiler keeps to the launch bounds, or else to what a thread can have, and spills the rest.
    const DeviceLimits& limits = device_limits();
    int bound = limits.registers_per_thread;
    if (program_->max_threads > 0) {
      bound = std::min(bound, limits.registers_per_multiprocessor / program_->max_threads);
    }
    return std::min(program_->registers_per_thread, bound);
  }
  size_t static_shared_bytes() const override { return program_->static_shared; }
  size_t local_bytes_per_thread() const override { return program_->local_bytes; }
  int max_threads_per_block() const override {
    return program_->max_threads == 0 ? device_limits().threads_per_block : program_->max_threads;
  }

  std::optional<Fault> run(const LaunchShape& shape, void* const* arguments) const override {
    if (launches_under_way++ == 0) stop_requested = false;
    const std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> done(
        &launches_under_way, [](std::atomic<int>* n) { --*n; });
    return Launch(*program_, shape, arguments).run();
  }

 private:
  std::unique_ptr<Program> program_;
};

class LoadedModule : public Module {
 public:
  explicit LoadedModule(std::string_view text) : ptx_(ptx::read(text)) {
    for (const ptx::Variable& variable : ptx_.variables) {
      if (variable.space == "global" || variable.space == "const") allocate(variable);
    }
    for (const ptx::Variable& variable : ptx_.variables) initialise(variable);
  }

  /// Decodes the kernel when it is first asked for: a template's many instances need not all be.
  const Kernel* find_kernel(std::string_view mangled) const override {
    const std::lock_guard lock(mutex_);
    const auto known = kernels_.find(mangled);
    if (known != kernels_.end()) return known->second.get();
    const auto function =
        std::find_if(ptx_.functions.begin(), ptx_.functions.end(),
                     [&](const ptx::Function& f) { return f.is_entry && f.name == mangled; });
    if (function == ptx_.functions.end()) return nullptr;
    auto kernel = std::make_unique<LoadedKernel>(build_program(*function, ptx_, addresses_));
    return kernels_.emplace(function->name, std::move(kernel)).first->second.get();
  }

  uint64_t find_variable(std::string_view mangled, size_t* bytes) const override {
    const auto found = addresses_.find(mangled);
    if (found == addresses_.end()) return 0;
    if (bytes != nullptr) *bytes = DeviceMemory::instance().find(found->second)->bytes;
    return found->second;
  }

 private:
  void allocate(const ptx::Variable& variable) {
    const uint64_t address =
        DeviceMemory::instance().allocate(std::max<uint64_t>(variable.bytes(), 1));
    if (address == 0)
      throw std::runtime_error("no memory for the device variable " + variable.name);
    DeviceMemory::instance().set_name(address, variable.name);
    addresses_[variable.name] = address;
  }

  void initialise(const ptx::Variable& variable) {
    const auto found = addresses_.find(variable.name);
    if (found == addresses_.end()) return;
    std::byte* host = DeviceMemory::instance().host_pointer(found->second, variable.bytes());
    std::memset(host, 0, variable.bytes());
    if (!variable.initial.empty()) {
      std::memcpy(host, variable.initial.data(),
                  std::min<uint64_t>(variable.initial.size(), variable.bytes()));
    }
    for (const auto& [offset, symbol] : variable.addresses) {
      const auto target = addresses_.find(symbol.name);
      if (target == addresses_.end())
        throw std::runtime_error(variable.name + " is initialised with the address of " +
                                 symbol.name + ", which is no variable");
      const uint64_t value = target->second + static_cast<uint64_t>(symbol.offset);
      std::memcpy(host + offset, &value, sizeof value);
    }
  }

  const ptx::Module ptx_;
  VariableAddresses addresses_;
  mutable std::mutex mutex_;  // of the kernels decoded so far
  mutable std::map<std::string, std::unique_ptr<LoadedKernel>, std::less<>> kernels_;
};

}  // namespace

bool interrupted() { return stop_requested.load(std::memory_order_relaxed); }

void interrupt() {
  if (launches_under_way.load() > 0) stop_requested = true;
}

void set_worker_threads(int count) { requested_workers = count; }

int worker_threads() {
  const int requested = requested_workers.load();
  if (requested > 0) return requested;
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

const DeviceLimits& device_limits() {
  static const DeviceLimits limits;
  return limits;
}

std::unique_ptr<Module> Module::load(std::string_view ptx) {
  return std::make_unique<LoadedModule>(ptx);
}

}  // namespace simulator
