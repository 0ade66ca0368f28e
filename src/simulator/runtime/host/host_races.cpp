// Accesses of host code to memory that it may not touch: the device's own memory, and memory that both see
// (cudaMallocManaged, cudaMallocHost) before the program has waited for the kernel or asynchronous copy that
// works on it, which is a race.
//
// Memory that a launch touched is protected until a call waits for the launch. If host code accesses it before, the access is
// noted, the protection lifted, and the access done: the program goes on as if nothing had happened. Memory that a launch has
// only read may be read. While a launch waits in a stream, nobody knows what it will touch: the allocations that its arguments
// point into are protected, and an access is judged when the launch has run.
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/api/streams.hpp"
#include "simulator/runtime/host/host_line.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

// Whole pages touched by work that the program has not waited for.
struct Span {
  uint64_t first = 0, past_end = 0;
  bool written = false;          // False if only read
  bool is_queued = false;        // True if the kernel has not run: it may touch less
  const char* worker = nullptr;  // the kernel, or the API call
  uint32_t launch = 0;     // the kernel's launch number; 0: a call, or a kernel that has not run
  uint64_t operation = 0;  // its number
  uint32_t stream = 0;     // and its place: see Issue
  uint64_t position = 0;
};

// An access by host code before the wait.
struct Sighting {
  Span span;
  uint64_t address = 0;
  bool writes = false;  // known only of an access to memory of a queued kernel
  CallSite site;
};

// The signal handler reads all of it, so it is plain data in fixed places. Data that does not fit is not checked.
struct State {
  std::atomic_flag lock;
  std::array<Span, 256> spans;
  size_t span_count = 0;
  bool is_protected = false;
  int open = 0;  // kernels and copies at work; nothing is protected meanwhile
  std::array<Sighting, 32> sightings;
  std::atomic<size_t> sighting_count = 0;
  struct sigaction before = {};
  bool has_handler = false;
};
State state;

// A lock for the state. Its holder touches no protected memory, and runs no signal handler that could.
class Locked {
 public:
  Locked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask_);
    while (state.lock.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Locked() {
    state.lock.clear(std::memory_order_release);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  sigset_t mask_;
};

void set_protection(const Span& span, int protection) {
  mprotect(reinterpret_cast<void*>(span.first), span.past_end - span.first, protection);
}

void unprotect() {
  if (!state.is_protected) return;
  for (size_t i = 0; i < state.span_count; ++i)
    set_protection(state.spans[i], PROT_READ | PROT_WRITE);
  state.is_protected = false;
}

// --- the signal ---------------------------------------------------------------------------------------

// Returns the simulator's own allocation at this address, if host code may use it.
const Allocation* shared_with_host(uint64_t address) {
  const Allocation* const found = current_device().memory.find(address);
  return found != nullptr && found->host_visible && !found->adopted ? found : nullptr;
}

// Notes a faulting access. Returns true if it must be repeated, false if the protection here did not cause it.
bool note_access(uint64_t address, bool writes) {
  const CallSite site = CallSite::here();
  const Locked lock;
  if (state.is_protected) {
    for (size_t i = 0; i < state.span_count; ++i) {
      const Span& span = state.spans[i];
      if (address < span.first || address >= span.past_end) continue;
      const size_t count = state.sighting_count;
      if (count < state.sightings.size()) {
        state.sightings[count] = {span, address, writes, site};
        state.sighting_count = count + 1;
      }
      unprotect();
      return true;
    }
  }
  return shared_with_host(address) != nullptr;  // another thread has lifted the protection
}

// True if the faulting access writes. Without the processor's word for it, it counts as a read.
bool is_write(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t WRITES = 2;  // in the error code of a page fault
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & WRITES) != 0;
#else
  static_cast<void>(context);
  return false;
#endif
}

// Returns the device address, or freed address, of an access; 0 if there is none. No host memory can lie in the
// device's range, so x86-64 reports no address, but a register holds it.
uint64_t device_address(const siginfo_t& info, const void* context) {
  const auto is_device = [](uint64_t address) {
    const DeviceMemory& memory = device_at(reinterpret_cast<void*>(address)).memory;
    const Allocation* const around = memory.find(address);
    return around != nullptr ? !around->host_visible : memory.was_freed(address);
  };
  if (is_device(reinterpret_cast<uint64_t>(info.si_addr)))
    return reinterpret_cast<uint64_t>(info.si_addr);
#if defined(__x86_64__)
  if (info.si_code != SI_KERNEL) return 0;
  for (const greg_t value : static_cast<const ucontext_t*>(context)->uc_mcontext.gregs) {
    const auto address = static_cast<uint64_t>(value);
    if (address >> 47 != 0 && is_device(address)) return address;
  }
#else
  static_cast<void>(context);
#endif
  return 0;
}

// Reports an access that will end the program.
void tell_device_access(const siginfo_t& info, const void* context) {
  const uint64_t address = looks_for_hazards() ? device_address(info, context) : 0;
  if (address == 0) return;
  const DeviceMemory& memory = device_at(reinterpret_cast<void*>(address)).memory;
  const bool was_freed = memory.was_freed(address);
  const Message message{(was_freed ? "host code uses memory that was freed before: "
                                   : "host code uses a pointer to the device's memory: ") +
                            memory.place_of(address).text(),
                        line_of(CallSite::here()).text(),
                        was_freed ? "call cudaFree after the last use"
                                  : "cudaMemcpy the data to host memory and read it there, or "
                                    "cudaMallocManaged it for both"};
  const std::string text = message.text();
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

void handle(int signal, siginfo_t* info, void* context) {
  if (note_access(reinterpret_cast<uint64_t>(info->si_addr), is_write(context))) return;
  tell_device_access(*info, context);
  const struct sigaction& before = state.before;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
    sigaction(signal, &before, nullptr);  // the repeated access ends the program
  } else {
    before.sa_handler(signal);
  }
}

// True under a debugger, which would stop at every access that is only noted.
bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    int tracer = 0;
    if (word == "TracerPid:") return status >> tracer && tracer != 0;
  }
  return false;
}

// True if the signal comes here. It does not under a debugger, or if the program or a sanitizer handles it:
// nothing is protected then.
bool has_signal() {
  struct sigaction now = {};
  if (!state.has_handler) {
    static const bool traced = is_traced();
    if (traced) return false;
    if (sigaction(SIGSEGV, nullptr, &state.before) != 0) return false;
    struct sigaction ours = {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | (state.before.sa_flags & SA_ONSTACK);
    sigfillset(&ours.sa_mask);
    if (sigaction(SIGSEGV, &ours, nullptr) != 0) return false;
    state.has_handler = true;
  }
  return sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == handle;
}

// --- protection ---------------------------------------------------------------------------------------

void protect() {
  if (state.open > 0 || state.span_count == 0 || !has_signal()) return;
  state.is_protected = true;
  // Protection of written spans comes last, and overrides the protection of spans only read.
  for (const bool written : {false, true}) {
    for (size_t i = 0; i < state.span_count; ++i) {
      const Span& span = state.spans[i];
      if (span.written == written) set_protection(span, written ? PROT_NONE : PROT_READ);
    }
  }
}

void add(const Span& added) {
  for (size_t i = 0; i < state.span_count; ++i) {
    Span& span = state.spans[i];
    if (span.first != added.first || span.past_end != added.past_end ||
        span.stream != added.stream || span.is_queued != added.is_queued)
      continue;
    if (added.written || !span.written) span = added;
    return;
  }
  if (state.span_count < state.spans.size()) state.spans[state.span_count++] = added;
}

// The allocations that host code also sees, by their bases.
struct SharedMemory {
  std::mutex mutex;
  std::set<uint64_t> bases;
};

SharedMemory& shared_memory() {
  static SharedMemory* const instance = new SharedMemory;
  return *instance;
}

uint64_t page_size() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uint64_t page_up(uint64_t address) {
  return (address + page_size() - 1) / page_size() * page_size();
}

// Returns the memory touched by this thread's launch that has just ended. Other threads' launches may be under way; their memory
// belongs to their streams.
std::vector<Span> touched_by_this_launch() {
  std::vector<Span> touched;
  const uint32_t launch = DeviceShadow::launch_of_this_thread();
  const std::lock_guard lock(shared_memory().mutex);
  for (const uint64_t base : shared_memory().bases) {
    const Allocation* const allocation = current_device().memory.find(base);
    if (allocation == nullptr) continue;
    const BufferShadow& shadow = current_device().shadow.of(*allocation);
    const bool written = shadow.written_in() == launch;
    if (!written && shadow.read_in() != launch) continue;
    Span span;
    span.launch = launch;
    span.first = base;
    span.past_end = page_up(base + allocation->bytes);
    span.written = written;
    touched.push_back(span);
  }
  return touched;
}

// Forgets such spans. Nothing is protected.
template <typename Which>
void drop(Which which) {
  const auto end = state.spans.begin() + static_cast<std::ptrdiff_t>(state.span_count);
  const auto kept = std::remove_if(state.spans.begin(), end, which);
  state.span_count = static_cast<size_t>(kept - state.spans.begin());
}

template <typename Which>
void lift(Which which) {
  const Locked lock;
  if (state.span_count == 0) return;
  unprotect();
  drop(which);
  protect();
}

Span span_of(const Issue& issue, const char* worker) {
  Span span;
  span.worker = worker;
  span.operation = issue.number;
  span.stream = issue.stream;
  span.position = issue.position;
  return span;
}

// --- messages -----------------------------------------------------------------------------------------

Hazard hazard_of(const Sighting& sighting) {
  const Span& span = sighting.span;
  const HostLine access = line_of(sighting.site);
  const HostLine launch = line_of(site_of_operation(span.operation));
  const Allocation* const around = current_device().memory.find(sighting.address);
  const std::string name =
      around == nullptr ? "memory" : current_device().memory.name_of(around->id);
  const std::string worker = span.worker;

  Hazard hazard;
  hazard.kind = HazardKind::host_race;
  if (span.launch != 0) hazard.kernel = worker;
  hazard.where = access.where;
  hazard.other = launch.where;
  if (!access.known()) hazard.code = sighting.site.id();
  hazard.message.what = "host code " + std::string(span.written ? "uses " : "writes ") + name +
                        " while " + worker + " may still " + (span.written ? "write" : "read") +
                        " it: nobody has waited for the " + (span.launch != 0 ? "kernel" : "copy");
  std::string& where = hazard.message.where;
  where = access.known() ? access.text() : "a line of host code that is not known";
  if (around != nullptr)
    where += ": byte " + std::to_string(sighting.address - around->base) + " of " + name;
  if (launch.known()) where += ", after " + worker + " at " + launch.text();
  const bool in_one_file = access.known() && launch.where.file == access.where.file;
  hazard.message.advice = in_one_file && launch.where.line < access.where.line
                              ? "cudaDeviceSynchronize() between lines " +
                                    std::to_string(launch.where.line) + " and " +
                                    std::to_string(access.where.line)
                              : "cudaDeviceSynchronize() before host code comes there";
  return hazard;
}

// True if the launch touched this place. Pages are protected as a whole, but the shadow knows each place. Host code may poll a
// place that the launch touches by volatile or atomic accesses alone.
bool is_race(const Sighting& sighting) {
  if (sighting.span.launch == 0) return true;
  const Allocation* const around = current_device().memory.find(sighting.address);
  if (around == nullptr) return false;
  BufferShadow& shadow = current_device().shadow.of(*around);
  if (shadow.is_for_messages(sighting.address, sighting.span.launch)) return false;
  return shadow.was_touched(sighting.address, sighting.span.launch, sighting.span.written);
}

class HostRaces final : public Watcher {
 public:
  void call_begins() override { tell(); }
  void program_ends(bool /*tidy*/) override { tell(); }

  void allocated(const NewMemory& memory) override {
    if (!looks_for_hazards()) return;
    {
      // Installs the handler, so that an access of host code to the device's own memory is reported before it
      // ends the program.
      const Locked lock;
      has_signal();
    }
    if (!memory.host_visible) return;
    const std::lock_guard lock(shared_memory().mutex);
    shared_memory().bases.insert(memory.base);
  }

  void about_to_free(uint64_t base, uint64_t bytes) override {
    {
      const std::lock_guard lock(shared_memory().mutex);
      if (shared_memory().bases.erase(base) == 0) return;
    }
    lift([&](const Span& span) { return span.first >= base && span.first < base + bytes; });
  }

  void kernel_queued(const std::string& kernel, const std::vector<uint64_t>& shared,
                     const Issue& issue) override {
    if (!looks_for_hazards()) return;
    const Locked lock;
    unprotect();
    for (const uint64_t base : shared) {
      const Allocation* const allocation = shared_with_host(base);
      if (allocation == nullptr) continue;
      Span span = span_of(issue, kernel.c_str());
      span.first = base;
      span.past_end = page_up(base + allocation->bytes);
      span.written = span.is_queued = true;
      add(span);
    }
    protect();
  }

  void launched(const std::string& kernel, const Issue& issue) override {
    if (!looks_for_hazards()) return;
    tell();
    judge(kernel, issue);
    const std::vector<Span> touched = touched_by_this_launch();
    const Locked lock;
    unprotect();
    drop([&](const Span& span) {
      return span.is_queued && span.stream == issue.stream && span.position <= issue.position;
    });
    for (Span span : touched) {
      const Span place = span_of(issue, kernel.c_str());
      span.worker = place.worker;
      span.operation = place.operation;
      span.stream = place.stream;
      span.position = place.position;
      add(span);
    }
    protect();
  }

  // Protects the whole pages of the range.
  void copied(uint64_t first, uint64_t bytes, bool written, const Issue& issue) override {
    if (!looks_for_hazards()) return;
    const Allocation* const around = shared_with_host(first);
    if (around == nullptr) return;
    const uint64_t past_end = first + bytes;
    const bool reaches_end = past_end == around->base + around->bytes;
    Span span = span_of(issue, Call::current());
    span.first = page_up(first);
    span.past_end = reaches_end ? page_up(past_end) : past_end / page_size() * page_size();
    if (span.first >= span.past_end) return;
    span.written = written;
    const Locked lock;
    unprotect();
    add(span);
    protect();
  }

  void waited() override {
    tell();
    const Clock clock = host_clock();
    lift([&](const Span& span) { return clock.of(span.stream) >= span.position; });
  }

  void work_begins() override {
    const Locked lock;
    ++state.open;
    unprotect();
  }
  void work_ends() override {
    const Locked lock;
    --state.open;
    protect();
  }

 private:
  // Accesses to memory of queued kernels, which only their runs can judge.
  struct Unjudged {
    std::mutex mutex;
    std::vector<Sighting> seen;
  };
  static Unjudged& unjudged() {
    static Unjudged* const instance = new Unjudged;
    return *instance;
  }

  static void tell() {
    if (state.sighting_count.load(std::memory_order_relaxed) == 0) return;
    std::vector<Sighting> seen;
    seen.reserve(state.sightings.size());
    {
      const Locked lock;
      seen.assign(
          state.sightings.begin(),
          state.sightings.begin() + static_cast<std::ptrdiff_t>(state.sighting_count.load()));
      state.sighting_count = 0;
    }
    for (const Sighting& sighting : seen) {
      if (sighting.span.is_queued) {
        const std::lock_guard lock(unjudged().mutex);
        unjudged().seen.push_back(sighting);
      } else if (is_race(sighting)) {
        current_device().hazards.add(hazard_of(sighting));
      }
    }
  }

  // Judges the accesses made while this kernel, which has just run, was the last one queued in its stream for that memory.
  static void judge(const std::string& kernel, const Issue& issue) {
    std::vector<Sighting> seen;
    {
      const std::lock_guard lock(unjudged().mutex);
      if (unjudged().seen.empty()) return;
      seen = unjudged().seen;
      std::erase_if(unjudged().seen, [&](const Sighting& sighting) {
        return sighting.span.stream == issue.stream && sighting.span.position <= issue.position;
      });
    }
    const uint32_t launch = DeviceShadow::launch_of_this_thread();
    for (Sighting& sighting : seen) {
      Span& span = sighting.span;
      if (span.stream != issue.stream || span.position < issue.position) continue;
      span.launch = launch;
      span.worker = kernel.c_str();
      span.operation = issue.number;
      span.written = true;
      bool is_found = is_race(sighting);
      if (!is_found && sighting.writes) {
        span.written = false;
        is_found = is_race(sighting);
      }
      if (is_found) current_device().hazards.add(hazard_of(sighting));
    }
  }
};

}  // namespace

Watcher& host_races() {
  static HostRaces watcher;
  return watcher;
}

}  // namespace simulator::runtime
