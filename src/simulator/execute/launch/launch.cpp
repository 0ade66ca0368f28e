// Modules, kernels, and a launch spread over the host's cores.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

#include "simulator/count/counter_store.hpp"
#include "simulator/count/recorder.hpp"
#include "simulator/decode/call_inlining.hpp"
#include "simulator/decode/decoder.hpp"
#include "simulator/execute/launch/module.hpp"
#include "simulator/execute/launch/occupancy.hpp"
#include "simulator/execute/level/level.hpp"
#include "simulator/execute/state/repeats.hpp"
#include "simulator/hazards/hazard_store.hpp"
#include "simulator/memory/host_limits.hpp"
#include "simulator/memory/memory.hpp"
#include "simulator/progress.hpp"
#include "simulator/ptx/ptx.hpp"

namespace simulator {
namespace {

std::atomic<int> requested_workers{0};
std::atomic<bool> repeats_are_off{false};
std::atomic<int> launches_under_way{0};
std::atomic<bool> stop_requested{false};

// Returns a number from the environment. Returns nothing, with a message on stderr, if the variable is no number.
template <typename Number>
std::optional<Number> number_in_environment(const char* name, const char* meaning) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  Number value{};
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  if (error == std::errc{} && rest == end && value >= 0) return value;
  std::fprintf(stderr, "simulated GPU: %s is '%s'; it must be %s, and is ignored\n", name, text,
               meaning);
  return std::nullopt;
}

std::atomic<uint64_t>& schedule_seed() {
  static std::atomic<uint64_t> seed{
      number_in_environment<uint64_t>("SIMULATOR_SCHEDULE", "a whole number").value_or(0)};
  return seed;
}

bool may_repeat_launches() {
  static const bool asked =
      number_in_environment<uint64_t>("SIMULATOR_REPEATS", "0 (run every launch) or 1")
          .value_or(1) != 0;
  return asked && !repeats_are_off;
}

// The current launch's progress, for watchers: see launch_progress().
struct Watched {
  std::atomic<uint64_t> ended = 0, blocks = 0;
};
Watched& watched() {
  static Watched instance;
  return instance;
}

struct Excerpts {
  std::mutex mutex;
  LaunchExcerpt of_launches;
};
Excerpts& excerpts() {
  static Excerpts instance;
  return instance;
}
LaunchExcerpt excerpt() {
  const std::lock_guard lock(excerpts().mutex);
  return excerpts().of_launches;
}
std::atomic<bool> cut_short{false};

uint64_t blocks_in(const LaunchExcerpt& excerpt, uint64_t grid) {
  return excerpt.blocks == LaunchExcerpt::Blocks::all ? grid : std::min(grid, excerpt.count);
}

std::optional<LaunchState::Clock::time_point> deadline_from_now() {
  static const std::optional<double> seconds =
      number_in_environment<double>("SIMULATOR_TIMEOUT", "a number of seconds");
  if (!seconds || *seconds == 0) return std::nullopt;
  return LaunchState::Clock::now() + std::chrono::duration_cast<LaunchState::Clock::duration>(
                                         std::chrono::duration<double>(*seconds));
}

std::vector<std::byte> pack_arguments(const Program& program, void* const* arguments) {
  std::vector<std::byte> packed(std::max<size_t>(program.parameter_bytes, 1));
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    std::memcpy(packed.data() + program.parameters[i].offset, arguments[i],
                program.parameters[i].bytes);
  }
  return packed;
}

// The order in which blocks start: a permutation of their numbers without a table. Four rounds of a Feistel
// network over a power of four, repeated while the result is out of range.
class BlockOrder {
 public:
  BlockOrder(uint64_t blocks, uint64_t seed) : blocks_(blocks), seed_(seed) {
    while ((uint64_t{1} << (2 * half_bits_)) < blocks) ++half_bits_;
  }

  uint64_t operator()(uint64_t turn) const {
    if (seed_ == 0) return turn;
    do turn = scramble(turn);
    while (turn >= blocks_);
    return turn;
  }

 private:
  uint64_t scramble(uint64_t value) const {
    const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
    uint64_t left = value >> half_bits_;
    uint64_t right = value & mask;
    for (uint64_t round = 1; round <= 4; ++round) {
      uint64_t mixed = (right + round * seed_) * 0x9e3779b97f4a7c15u;
      mixed ^= mixed >> 32;
      left = std::exchange(right, left ^ (mixed & mask));
    }
    return left << half_bits_ | right;
  }

  uint64_t blocks_, seed_;
  int half_bits_ = 0;
};

// Warns once: later launches will have as few threads, and slower is not wrong.
template <typename Describe>
void warn_of_fewer_threads(size_t threads, size_t wanted, Describe lacking) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  try {
    std::fprintf(stderr,
                 "simulated GPU: warning: a launch runs on %zu of %zu threads, slower but with the "
                 "same results; the host lacks %s\n",
                 threads, wanted, lacking().c_str());
  } catch (const std::bad_alloc&) {
    std::fputs("simulated GPU: warning: a launch runs on fewer threads, for want of memory\n",
               stderr);
  }
}

// A running launch. Workers take blocks in order until none is left or one has failed. A block that only waits is
// put aside for another, if the device has room. So all blocks that fit on the device at once make progress. If the launch has
// clusters, each `Block` is a whole cluster.
class Launch {
 public:
  Launch(Device& device, const Program& program, const LaunchShape& shape, void* const* arguments,
         uint64_t room)
      : program_(program),
        shape_(shape),
        parameters_(pack_arguments(program, arguments)),
        excerpt_(excerpt()),
        cluster_(std::max<uint64_t>(shape.cluster.count(), 1)),
        blocks_((blocks_in(excerpt_, shape.grid.count()) + cluster_ - 1) / cluster_),
        first_(excerpt_.blocks == LaunchExcerpt::Blocks::last
                   ? shape.grid.count() / cluster_ - blocks_
                   : 0),
        order_(blocks_, schedule()),
        room_(std::max<uint64_t>(room / cluster_, 1)),
        state_(device) {
    state_.deadline = deadline_from_now();
    if (shape.is_cooperative) state_.grid.start(blocks_ * cluster_);
    if (excerpt_.turns != std::numeric_limits<uint64_t>::max())
      state_.turns_left.emplace(excerpt_.turns);
    state_.wanted = state_.device.requests.wanted();
    if (state_.device.layouts.is_recording()) state_.layouts = &state_.device.layouts;
    if (state_.wanted.any || state_.layouts != nullptr)
      state_.number = state_.device.requests.number_launch();
  }

  std::optional<Fault> run(LaunchCounters& counted) {
    const auto start = std::chrono::steady_clock::now();
    state_.device.memory.note_change();
    const auto threads = static_cast<uint64_t>(worker_threads());
    const auto wanted = static_cast<size_t>(std::clamp<uint64_t>(blocks_, 1, threads));
    stuck_.assign(wanted, std::nullopt);
    if (looks_for_hazards())
      state_.watched = std::make_unique<HazardContext>(program_, parameters_, state_.device.memory,
                                                       state_.device.shadow);
    if (state_.watched && shape_.is_cooperative) state_.watched->grid.start(shape_.grid.count());
    workers_.push_back(std::make_unique<Worker>(program_, state_, schedule()));
    watched().ended = 0;
    watched().blocks = blocks_ * cluster_;
    {
      const ShownLaunch shown(program_.demangled, blocks_ * cluster_, watched().ended);
      std::vector<std::jthread> helpers;
      start_helpers(helpers, wanted - 1);
      work(*workers_[0], 0);
    }
    watched().blocks = 0;
    if (state_.watched) {
      hazards_ = state_.watched->found.take();
      for (const Hazard& hazard : hazards_) state_.device.hazards.add(hazard);
      state_.watched->publish_conflicts();
    }
    if (error_) std::rethrow_exception(error_);
    // No worker had room for a block.
    if (!fault_ && next_.load() < blocks_) throw std::bad_alloc();
    Tally tally;
    for (const auto& worker : workers_) {
      worker->add_to(tally);
      if (worker->recorder() != nullptr) state_.device.requests.add(*worker->recorder());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    tally.totals.launches = 1;
    tally.totals.blocks = blocks_ * cluster_;
    tally.totals.seconds = seconds.count();
    counted.counters = tally.counters();
    return fault_;
  }

  const std::vector<std::byte>& parameters() const { return parameters_; }
  /// True if the launch depends on its program, its shape, its parameters and memory alone, and shows nothing else than its counts.
  bool may_be_repeated() const {
    return !program_.looks_beyond_memory && !state_.wanted.any && state_.layouts == nullptr &&
           excerpt_.blocks == LaunchExcerpt::Blocks::all && !state_.turns_left;
  }
  /// True if it has ended without a fault, and met no work of other streams.
  bool went_well() const { return !fault_ && (!state_.watched || state_.watched->is_ordered()); }
  /// Returns the number of the launch in the search for hazards, or 0.
  uint32_t number() const { return state_.watched ? state_.watched->number : 0; }
  const std::vector<Hazard>& hazards() const { return hazards_; }
  TouchedAllocations touched() const {
    TouchedAllocations all;
    for (const auto& worker : workers_)
      all.insert(worker->touched().begin(), worker->touched().end());
    return all;
  }

 private:
  using Blocks = std::deque<std::unique_ptr<Block>>;
  static constexpr uint64_t NONE = ~uint64_t{0};  // in place of changes: the worker has no blocks

  // Starts as many helpers as the host has threads and memory for. A launch needs no helper; they only save time.
  void start_helpers(std::vector<std::jthread>& helpers, size_t wanted) {
    try {
      workers_.reserve(1 + wanted);
      helpers.reserve(wanted);
      while (helpers.size() < wanted) {
        Worker& worker =
            *workers_.emplace_back(std::make_unique<Worker>(program_, state_, schedule()));
        helpers.emplace_back([this, &worker, i = 1 + helpers.size()] { work(worker, i); });
      }
    } catch (const std::bad_alloc&) {
      warn_of_fewer_threads(1 + helpers.size(), 1 + wanted,
                            [] { return "memory: " + host_memory().text(); });
    } catch (const std::system_error&) {
      warn_of_fewer_threads(1 + helpers.size(), 1 + wanted, describe_lack_of_thread);
    }
    for (size_t i = 1 + helpers.size(); i <= wanted; ++i) declare(i, NONE);
  }

  // Runs blocks on one worker until the launch is over.
  void work(Worker& worker, size_t number) {
    try {
      Blocks spare, aside;
      bool has_none = false;
      // A block below a faulty one still runs, so that the reported fault is always the fault of the lowest block.
      while (!is_over(aside)) {
        // Declared before it tries to get a block: a worker with a block, or about to get one, is not stuck.
        if (std::exchange(has_none, false)) declare(number, std::nullopt);
        bool has_room = true;
        if (std::unique_ptr<Block> fresh = start_next(worker, spare, has_room)) {
          run_turn(std::move(fresh), spare, aside);
        } else if (aside.empty() && !has_room) {
          break;                     // leaves its share to workers that have room for a block
        } else if (aside.empty()) {  // the other workers' blocks fill the device
          declare(number, NONE);
          has_none = true;
          std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
        if (!aside.empty()) {
          std::unique_ptr<Block> oldest = std::move(aside.front());
          aside.pop_front();
          run_turn(std::move(oldest), spare, aside);
          look_for_endless_wait(aside, number);
        }
      }
      declare(number, NONE);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      ended_ = true;
    }
  }

  bool is_over(Blocks& aside) {
    if (ended_) return true;
    const uint64_t faulty = first_faulty_.load();
    in_flight_ -= std::erase_if(aside, [&](const auto& block) { return block->number > faulty; });
    return aside.empty() && next_.load() >= blocks_;
  }

  // Starts the next block and returns it. Returns nullptr if all have begun, or the device is full, or the host
  // has no room for it.
  std::unique_ptr<Block> start_next(Worker& worker, Blocks& spare, bool& has_room) {
    if (next_.load() >= blocks_) return nullptr;
    if (in_flight_.fetch_add(1) >= room_) {
      --in_flight_;
      return nullptr;
    }
    std::unique_ptr<Block> block = take_room(worker, spare);
    has_room = block != nullptr;
    for (uint64_t turn = block ? next_++ : blocks_; turn < blocks_; turn = next_++) {
      const uint64_t number = first_ + order_(turn);
      if (ended_ || number > first_faulty_.load()) continue;
      block->start(number);
      return block;
    }
    if (block) spare.push_back(std::move(block));
    --in_flight_;
    return nullptr;
  }

  // Reserves room for a block on the host, before any block of the grid depends on it. Returns nullptr if there
  // is none.
  std::unique_ptr<Block> take_room(Worker& worker, Blocks& spare) {
    if (!spare.empty()) {
      std::unique_ptr<Block> block = std::move(spare.back());
      spare.pop_back();
      return block;
    }
    try {
      std::unique_ptr<Block> block =
          level().make_block(program_, worker, shape_, parameters_.data());
      block->start(0);  // takes the rest of its memory
      return block;
    } catch (const std::bad_alloc&) {
      has_no_memory_ = true;
      return nullptr;
    }
  }

  void run_turn(std::unique_ptr<Block> block, Blocks& spare, Blocks& aside) {
    try {
      if (block->run() != Progress::finished) {
        aside.push_back(std::move(block));
        return;
      }
      watched().ended += cluster_;
    } catch (Fault& fault) {
      keep_lowest(block->number, std::move(fault));
    }
    --in_flight_;
    spare.push_back(std::move(block));
  }

  // Ends the launch if each worker's blocks are stuck and no further block can start: then nothing will ever
  // change the memory that they poll.
  void look_for_endless_wait(const Blocks& aside, size_t number) {
    const uint64_t changes = state_.changes.load();
    const bool fits_device = next_.load() < blocks_ && in_flight_.load() < room_;
    const bool can_start = fits_device && !has_no_memory_.load();
    const bool all_stuck =
        !aside.empty() && !can_start &&
        std::all_of(aside.begin(), aside.end(), [](const auto& block) { return block->stuck(); });
    const std::lock_guard lock(mutex_);
    stuck_[number] = all_stuck ? std::optional(changes) : std::nullopt;
    const bool all_workers = std::all_of(stuck_.begin(), stuck_.end(), [&](const auto& at) {
      return at && (*at == changes || *at == NONE);
    });
    if (!all_stuck || !all_workers || state_.changes.load() != changes) return;
    // They may wait for a block that the host has no room for.
    if (fits_device) throw std::bad_alloc();
    const auto lowest =
        std::min_element(aside.begin(), aside.end(),
                         [](const auto& a, const auto& b) { return a->number < b->number; });
    if (!fault_) {
      fault_ = (*lowest)->describe_wait(FaultKind::endless_wait);
      const uint64_t begun = std::min(next_.load(), blocks_);
      fault_->waiting_blocks = {.not_begun = (blocks_ - begun) * cluster_,
                                .most_at_once = room_ * cluster_};
    }
    ended_ = true;
  }

  // Declares the number of changes at which the worker's blocks were stuck, if they were.
  void declare(size_t number, std::optional<uint64_t> changes) {
    const std::lock_guard lock(mutex_);
    stuck_[number] = changes;
  }

  void keep_lowest(uint64_t block, Fault&& fault) {
    const std::lock_guard lock(mutex_);
    // These faults end the whole launch at once.
    if (fault.kind == FaultKind::interrupted || fault.kind == FaultKind::timed_out) ended_ = true;
    if (fault_ && block >= first_faulty_) return;
    first_faulty_ = block;
    fault_ = std::move(fault);
  }

  const Program& program_;
  const LaunchShape& shape_;
  const std::vector<std::byte> parameters_;
  const LaunchExcerpt excerpt_;
  const uint64_t cluster_;  // the blocks of a cluster
  const uint64_t blocks_;   // the number of blocks, or of clusters, to run
  const uint64_t first_;    // the number of the first of them
  const BlockOrder order_;
  const uint64_t room_;  // blocks that may run at once
  LaunchState state_;
  std::atomic<uint64_t> next_{0};  // the next turn; order_ turns it into a block's number
  std::atomic<uint64_t> in_flight_{0};
  std::atomic<uint64_t> first_faulty_{~uint64_t{0}};
  std::atomic<bool> has_no_memory_{false};  // True if the host has no memory for another block
  std::atomic<bool> ended_{false};          // True if all running and all further blocks must end
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;  // the calling thread's worker is first
  std::vector<std::optional<uint64_t>> stuck_;    // by worker
  std::optional<Fault> fault_;
  std::vector<Hazard> hazards_;
  std::exception_ptr error_;
};

class LoadedKernel : public Kernel {
 public:
  LoadedKernel(Device& device, std::unique_ptr<Program> program)
      : device_(device), program_(std::move(program)) {}
  ~LoadedKernel() override { device_.repeats.forget(*program_); }
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  /// Returns the first instruction outside the subset, or nullptr.
  const SourceInstruction* unknown_instruction() const {
    const Execute unknown = level().instructions->unknown;
    const auto found = std::find_if(program_->ops.begin(), program_->ops.end(), [&](const Op& op) {
      return op.execute == unknown || op.guarded == unknown;
    });
    return found == program_->ops.end() ? nullptr : &program_->sources[found->instruction];
  }

  const std::string& name() const override { return program_->name; }
  const std::string& demangled() const override { return program_->demangled; }
  int registers_per_thread() const override {
    // A device's compiler keeps to the launch bounds and to __maxnreg__, or else to a thread's limit, and spills
    // the other registers.
    const DeviceLimits& limits = device_limits();
    int bound = limits.registers_per_thread;
    if (program_->max_threads > 0) {
      constexpr int UNIT =
          8;  // a compiler never chooses more than the largest multiple of 8 that fits
      const int share = limits.registers_per_multiprocessor / program_->max_threads;
      bound = std::min(bound, share / UNIT * UNIT);
    }
    if (program_->max_registers > 0)
      bound = std::min(bound, static_cast<int>(program_->max_registers));
    return std::min(program_->registers_per_thread, bound);
  }
  int architecture() const override {
    const std::string& target = program_->target;  // "sm_90a"
    int number = 0;
    std::from_chars(target.data() + target.find('_') + 1, target.data() + target.size(), number);
    return number;
  }
  size_t static_shared_bytes() const override { return program_->static_shared; }
  size_t local_bytes_per_thread() const override { return program_->local_bytes; }
  std::vector<size_t> parameter_bytes() const override {
    std::vector<size_t> sizes;
    for (const auto& parameter : program_->parameters) sizes.push_back(parameter.bytes);
    return sizes;
  }
  std::vector<size_t> parameter_offsets() const override {
    std::vector<size_t> offsets;
    for (const auto& parameter : program_->parameters) offsets.push_back(parameter.offset);
    return offsets;
  }
  Dim3 cluster() const override { return program_->cluster; }
  uint64_t most_in_cluster() const override { return program_->most_in_cluster; }
  int max_threads_per_block() const override {
    return program_->max_threads == 0 ? device_limits().threads_per_block : program_->max_threads;
  }

  std::optional<Fault> run(const LaunchShape& asked, void* const* arguments) const override {
    LaunchShape shape = asked;
    if (shape.cluster.count() == 0) shape.cluster = program_->cluster;
    if (launches_under_way++ == 0) stop_requested = false;
    const std::unique_ptr<std::atomic<int>, void (*)(std::atomic<int>*)> done(
        &launches_under_way, [](std::atomic<int>* n) { --*n; });
    LaunchCounters counted;
    counted.kernel = program_->demangled;
    counted.grid = shape.grid;
    counted.block = shape.block;
    counted.registers_per_thread = registers_per_thread();
    counted.shared_bytes = program_->static_shared + shape.dynamic_shared;
    counted.dynamic_shared_bytes = shape.dynamic_shared;
    counted.blocks_per_multiprocessor =
        resident_blocks(device_limits(), {.threads = static_cast<int>(shape.block.count()),
                                          .registers_per_thread = counted.registers_per_thread,
                                          .shared_bytes = counted.shared_bytes});
    const auto room = static_cast<uint64_t>(counted.blocks_per_multiprocessor) *
                      static_cast<uint64_t>(device_limits().multiprocessors);
    try {
      Launch launch(device_, *program_, shape, arguments, room);
      std::optional<Fault> fault = run(launch, shape, counted);
      device_.counters.add(std::move(counted));
      return fault;
    } catch (const std::bad_alloc&) {
      return lack_of_memory(shape);
    }
  }

 private:
  // Runs the launch, unless an earlier one did the same.
  std::optional<Fault> run(Launch& launch, const LaunchShape& shape,
                           LaunchCounters& counted) const {
    if (!may_repeat_launches() || !launch.may_be_repeated()) return launch.run(counted);
    const auto start = std::chrono::steady_clock::now();
    RepeatStore& repeats = device_.repeats;
    const RepeatStore::Key key{.program = program_.get(),
                               .shape = shape,
                               .arguments = launch.parameters(),
                               .schedule = schedule(),
                               .workers = worker_threads(),
                               .looks_for_hazards = looks_for_hazards()};
    if (std::optional<LaunchResults> earlier = repeats.repeat(key)) {
      for (Hazard& hazard : earlier->hazards) device_.hazards.add(std::move(hazard));
      counted.counters = std::move(earlier->counters);
      counted.counters.repeats = 1;
      counted.counters.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      return std::nullopt;
    }
    std::vector<RepeatStore::Contents> before = repeats.before(key);
    std::optional<Fault> fault = launch.run(counted);
    if (launch.went_well())
      repeats.after(key, std::move(before), launch.touched(),
                    {counted.counters, launch.hazards(), launch.number()});
    return fault;
  }

  Fault lack_of_memory(const LaunchShape& shape) const {
    const uint64_t warps = (shape.block.count() + WARP - 1) / WARP;
    const uint64_t bytes = warps * (program_->register_bytes + WARP * program_->stack_bytes) +
                           program_->static_shared + shape.dynamic_shared;
    return {.kind = FaultKind::host_memory,
            .kernel = program_->demangled,
            .block_bytes = bytes,
            .host = host_memory()};
  }

  Device& device_;
  std::unique_ptr<Program> program_;
};

class LoadedModule : public Module {
 public:
  LoadedModule(Device& device, std::string_view text, const HostPlaces& managed)
      : device_(device), ptx_(text) {
    try {
      place_variables(managed);
    } catch (...) {
      for (const auto& [name, address] : addresses_) give_back(address);
      throw;
    }
  }

  void place_managed(const HostPlaces& managed) override {
    HostPlaces further;
    for (const auto& [name, place] : managed) {
      const auto known = addresses_.find(name);
      if (known == addresses_.end() || known->second == reinterpret_cast<uint64_t>(place)) continue;
      give_back(known->second);
      addresses_.erase(known);
      further.emplace(name, place);
    }
    for (const ptx::Variable& variable : ptx_.variables()) {
      if (further.contains(variable.name)) allocate(variable, further);
    }
    // Variables with addresses of others may have those of the moved ones.
    for (const ptx::Variable& variable : ptx_.variables()) {
      if (further.contains(variable.name) || !variable.addresses.empty()) initialise(variable);
    }
  }

  // Decodes the kernel on first use: few of a template's many instances are needed.
  const LoadedKernel* find_kernel(std::string_view mangled) const override {
    const std::lock_guard lock(mutex_);
    const auto known = kernels_.find(mangled);
    if (known != kernels_.end()) return known->second.get();
    const ptx::Function* const function = ptx_.find(mangled);
    if (function == nullptr || !function->is_entry) return nullptr;
    auto kernel = std::make_unique<LoadedKernel>(
        device_, decode(*function, ptx_, addresses_, *level().instructions));
    return kernels_.emplace(function->name, std::move(kernel)).first->second.get();
  }

  void check_kernels() const override {
    for (const std::string& name : ptx_.functions()) {
      const LoadedKernel* const kernel = find_kernel(name);
      const SourceInstruction* const unknown =
          kernel == nullptr ? nullptr : kernel->unknown_instruction();
      if (unknown == nullptr) continue;
      throw Unreadable{
          kernel->demangled() + " has an instruction outside the subset: " + unknown->text,
          unknown->where};
    }
  }

  std::vector<CodeLine> code(std::string_view mangled) const override {
    const std::lock_guard lock(mutex_);
    const ptx::Function* const function = ptx_.find(mangled);
    if (function == nullptr) return {};
    std::multimap<size_t, std::string> labels;
    for (const auto& [label, index] : function->labels) {
      const bool is_for_debuggers = label.starts_with("$L__tmp") || label.starts_with("$L__func");
      if (!is_for_debuggers) labels.emplace(index, label);
    }
    std::vector<CodeLine> code;
    for (size_t i = 0; i < function->body.size(); ++i) {
      const ptx::Instruction& instruction = function->body[i];
      const std::vector<SourceLine>& chain = function->lines[instruction.line].chain;
      const SourceLine where = chain.empty() ? SourceLine{} : chain.front();
      const auto [first, last] = labels.equal_range(i);
      for (auto label = first; label != last; ++label) code.push_back({where, label->second + ":"});
      const std::string guard =
          instruction.guard.empty()
              ? ""
              : std::string(instruction.guard_negated ? "@!" : "@") + instruction.guard + " ";
      code.push_back({where, guard + instruction.source});
    }
    return code;
  }

  uint64_t find_variable(std::string_view mangled, size_t* bytes) const override {
    const auto found = addresses_.find(mangled);
    if (found == addresses_.end()) return 0;
    if (bytes != nullptr) *bytes = device_.memory.find(found->second)->bytes;
    return found->second;
  }

 private:
  void place_variables(const HostPlaces& managed) {
    for (const ptx::Variable& variable : ptx_.variables()) {
      if (variable.space == "global" || variable.space == "const") allocate(variable, managed);
    }
    for (const ptx::Variable& variable : ptx_.variables()) initialise(variable);
  }

  void give_back(uint64_t address) {
    DeviceMemory& memory = device_.memory;
    if (!memory.release(address)) memory.forget(memory.host_pointer(address, 1));
  }

  void allocate(const ptx::Variable& variable, const HostPlaces& managed) {
    DeviceMemory& memory = device_.memory;
    const uint64_t bytes = std::max<uint64_t>(variable.bytes(), 1);
    uint64_t address = 0;
    if (const auto place = managed.find(variable.name); place == managed.end()) {
      address = memory.allocate(bytes);
    } else if (memory.adopt(place->second, bytes)) {
      address = reinterpret_cast<uint64_t>(place->second);
    } else if (memory.find(reinterpret_cast<uint64_t>(place->second)) != nullptr) {
      addresses_[variable.name] = reinterpret_cast<uint64_t>(place->second);
      initialised_.insert(variable.name);  // by another device's module
      return;
    }
    // The host's memory is used up.
    if (address == 0 && bytes <= memory.free_bytes()) throw std::bad_alloc();
    if (address == 0)
      throw std::runtime_error("no memory for the device variable " + variable.name);
    addresses_[variable.name] = address;
    memory.set_name(address, variable.name);
  }

  void initialise(const ptx::Variable& variable) {
    const auto found = addresses_.find(variable.name);
    if (found == addresses_.end() || initialised_.contains(variable.name)) return;
    std::byte* host = device_.memory.host_pointer(found->second, variable.bytes());
    std::memset(host, 0, variable.bytes());
    if (!variable.initial.empty()) {
      std::memcpy(host, variable.initial.data(),
                  std::min<uint64_t>(variable.initial.size(), variable.bytes()));
    }
    for (const auto& [offset, symbol] : variable.addresses) {
      const auto target = addresses_.find(symbol.name);
      const std::optional<uint64_t> address = target == addresses_.end()
                                                  ? function_address(ptx_, symbol.name)
                                                  : std::optional(target->second);
      if (!address) continue;
      const uint64_t value = *address + static_cast<uint64_t>(symbol.offset);
      std::memcpy(host + offset, &value, sizeof value);
    }
  }

  Device& device_;
  const ptx::Module ptx_;
  VariableAddresses addresses_;
  std::set<std::string, std::less<>> initialised_;  // managed variables that have their values
  mutable std::mutex mutex_;                        // guards the kernels decoded so far
  mutable std::map<std::string, std::unique_ptr<LoadedKernel>, std::less<>> kernels_;
};

}  // namespace

std::optional<FaultKind> LaunchState::must_stop() {
  if (stop_requested.load(std::memory_order_relaxed)) return FaultKind::interrupted;
  if (turns_left && turns_left->fetch_sub(1, std::memory_order_relaxed) == 0) {
    cut_short = true;
    return FaultKind::interrupted;
  }
  if (deadline && Clock::now() > *deadline) return FaultKind::timed_out;
  return std::nullopt;
}

void set_excerpt(const LaunchExcerpt& excerpt) {
  const std::lock_guard lock(excerpts().mutex);
  excerpts().of_launches = excerpt;
}
bool take_cut_short() { return cut_short.exchange(false); }

void set_schedule(uint64_t seed) { schedule_seed() = seed; }
uint64_t schedule() { return schedule_seed(); }

LaunchProgress launch_progress() { return {watched().ended, watched().blocks}; }

void interrupt() {
  if (launches_under_way.load() > 0) stop_requested = true;
}

void repeat_launches(bool on) { repeats_are_off = !on; }

void set_worker_threads(int count) { requested_workers = count; }

int worker_threads() {
  const int requested = requested_workers.load();
  if (requested > 0) return requested;
  // The cores that this process may use (taskset, a container's share); glibc 2.36 counts all of the machine's.
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::unique_ptr<Module> Module::load(Device& device, std::string_view ptx,
                                     const HostPlaces& managed) {
  return std::make_unique<LoadedModule>(device, ptx, managed);
}

}  // namespace simulator
