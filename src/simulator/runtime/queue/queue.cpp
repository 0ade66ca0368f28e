#include "simulator/runtime/queue/queue.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace simulator::runtime {
namespace {

using Time = std::chrono::steady_clock;

// The operations that a stream holds before a call has to wait, as seen on devices.
constexpr size_t MOST_PENDING = 1024;
// A program that has made no call for so long may be polling memory.
constexpr auto QUIET = std::chrono::milliseconds(200);
constexpr auto GLANCE = std::chrono::milliseconds(50);

struct Queues {
  std::mutex running;  // held while an operation runs; taken before `mutex`
  std::mutex mutex;    // guards all below, and the streams
  std::vector<std::shared_ptr<Stream>> streams;  // with destroyed ones that have work
  std::map<SimulatedDevice*, std::shared_ptr<Stream>> legacy;
  std::map<uint32_t, uint64_t> free_numbers;  // of ended streams, with their operations
  uint32_t numbers = 0;
  Clock host;
  uint64_t pending = 0;
  bool has_thread = false;
  std::atomic<uint64_t> issues{0};
  std::atomic<Time::rep> last_call{0};
};

Queues& queues() {
  static Queues* const instance = new Queues;  // static destructors may still make calls
  return *instance;
}

thread_local const Issue* running_here = nullptr;

// During its lifetime, the thread runs the operation.
class Running {
 public:
  explicit Running(const Issue& issue) : before_(std::exchange(running_here, &issue)) {}
  ~Running() { running_here = before_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  const Issue* before_;
};

// With the lock held.
void end_if_drained(Queues& q, const std::shared_ptr<Stream>& stream) {
  if (!stream->is_destroyed || !stream->pending.empty()) return;
  q.free_numbers[stream->number] = stream->issued;
  std::erase(q.streams, stream);
}

// Runs the stream's first operation, and what it comes after. `running` is held.
void run_front(const std::shared_ptr<Stream>& stream, bool with_program = true) {
  Queues& q = queues();
  Step operation;
  {
    const std::lock_guard lock(q.mutex);
    operation = std::move(stream->pending.front());
  }
  for (const Point& point : operation.after) {
    while (true) {
      {
        const std::lock_guard lock(q.mutex);
        if (point.stream->done >= point.count) break;
      }
      run_front(point.stream, with_program);
    }
  }
  if (operation.work && (with_program || !operation.needs_program)) {
    const Running now(operation.issue);
    operation.work(operation.issue);
  }
  const std::lock_guard lock(q.mutex);
  stream->pending.pop_front();
  ++stream->done;
  --q.pending;
  end_if_drained(q, stream);
}

bool is_done(const Point& point) {
  const std::lock_guard lock(queues().mutex);
  return point.stream->done >= point.count;
}

// Runs one operation: the stream's first, or one that it must wait for. `running` is held.
void run_one(std::shared_ptr<Stream> stream) {
  while (true) {
    Point first;
    {
      const std::lock_guard lock(queues().mutex);
      if (stream->pending.empty()) return;
      for (const Point& point : stream->pending.front().after) {
        if (point.stream->done >= point.count) continue;
        first = point;
        break;
      }
    }
    if (first.stream == nullptr) return run_front(stream);
    stream = first.stream;
  }
}

// Returns the stream with the oldest operation, or nullptr.
std::shared_ptr<Stream> oldest() {
  const std::lock_guard lock(queues().mutex);
  std::shared_ptr<Stream> found;
  for (const auto& stream : queues().streams) {
    if (stream->pending.empty()) continue;
    if (found == nullptr ||
        stream->pending.front().issue.number < found->pending.front().issue.number)
      found = stream;
  }
  return found;
}

bool is_quiet() {
  const Time::time_point last{Time::duration{queues().last_call.load()}};
  return Time::now() - last > QUIET;
}

// Runs the oldest operation for a program that makes no calls. Returns false if there was none, or if another thread runs one.
bool run_for_quiet_program() {
  Queues& q = queues();
  const std::unique_lock running(q.running, std::try_to_lock);
  if (!running.owns_lock() || !is_quiet()) return false;
  const std::shared_ptr<Stream> stream = oldest();
  if (stream == nullptr) return false;
  {
    // Host code that polls the memory may go on while the operation still runs, and has waited for it.
    const std::lock_guard lock(q.mutex);
    const Step& front = stream->pending.front();
    if (front.is_seen_by_host) q.host.join(front.issue.clock);
  }
  run_front(stream);
  return true;
}

[[noreturn]] void watch_for_quiet_program() {
  while (true) {
    std::this_thread::sleep_for(GLANCE);
    while (is_quiet() && run_for_quiet_program()) {
    }
  }
}

// Starts the thread that runs work for a quiet program. Returns false if the host has none.
bool start_thread() {
  try {
    std::thread(watch_for_quiet_program).detach();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

std::shared_ptr<Stream> make_stream(SimulatedDevice& device, StreamKind kind) {
  Queues& q = queues();
  const std::lock_guard lock(q.mutex);
  uint32_t number = 0;
  uint64_t issued = 0;
  if (q.free_numbers.empty()) {
    number = q.numbers++;
  } else {
    std::tie(number, issued) = *q.free_numbers.begin();
    q.free_numbers.erase(q.free_numbers.begin());
  }
  auto stream = std::make_shared<Stream>(Stream{.device = &device, .kind = kind, .number = number});
  stream->issued = stream->done = issued;
  q.streams.push_back(stream);
  return stream;
}

bool has_several_streams() {
  Queues& q = queues();
  const std::lock_guard lock(q.mutex);
  return q.numbers > 1;
}

std::shared_ptr<Stream> legacy_stream(SimulatedDevice& device) {
  Queues& q = queues();
  {
    const std::lock_guard lock(q.mutex);
    if (const auto known = q.legacy.find(&device); known != q.legacy.end()) return known->second;
  }
  const std::shared_ptr<Stream> made = make_stream(device, StreamKind::legacy);
  const std::lock_guard lock(q.mutex);
  return q.legacy.emplace(&device, made).first->second;
}

void retire(const std::shared_ptr<Stream>& stream) {
  Queues& q = queues();
  const std::lock_guard lock(q.mutex);
  stream->is_destroyed = true;
  end_if_drained(q, stream);
}

uint64_t next_issue() { return ++queues().issues; }

namespace {

// Joins what an operation of the stream waits for because of the legacy default stream, and adds it to `after` if it has
// not run. With the lock held.
void order_with_legacy(Queues& q, const Stream& stream, Clock& clock, std::vector<Point>* after) {
  const auto wait_for = [&](const std::shared_ptr<Stream>& other) {
    clock.join(other->clock);
    if (after != nullptr && other->done < other->issued) after->push_back({other, other->issued});
  };
  if (stream.kind == StreamKind::blocking) {
    if (const auto legacy = q.legacy.find(stream.device); legacy != q.legacy.end())
      wait_for(legacy->second);
  }
  if (stream.kind != StreamKind::legacy) return;
  for (const auto& other : q.streams) {
    if (other->device == stream.device && other->kind == StreamKind::blocking) wait_for(other);
  }
}

}  // namespace

Issue enqueue(const std::shared_ptr<Stream>& stream, Step operation) {
  Queues& q = queues();
  Issue issue = operation.issue;
  size_t waiting = 0;
  bool may_wait = true;
  {
    const std::lock_guard lock(q.mutex);
    for (const Point& point : operation.after) stream->clock.join(point.clock);
    order_with_legacy(q, *stream, stream->clock, &operation.after);
    stream->clock.join(q.host);
    issue.device = stream->device;
    issue.stream = stream->number;
    issue.position = ++stream->issued;
    stream->clock.raise(issue.stream, issue.position);
    issue.clock = stream->clock;
    operation.issue = issue;
    stream->pending.push_back(std::move(operation));
    waiting = stream->pending.size();
    ++q.pending;
    if (stream->kind != StreamKind::legacy && !q.has_thread)
      may_wait = q.has_thread = start_thread();
  }
  if (stream->kind == StreamKind::legacy || !may_wait) {
    run_to({stream, issue.position});
  } else if (waiting > MOST_PENDING) {
    run_to({stream, issue.position - MOST_PENDING});
  }
  return issue;
}

Point end_of(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(queues().mutex);
  Point end{stream, stream->issued, stream->clock};
  order_with_legacy(queues(), *stream, end.clock, nullptr);
  return end;
}

void run_to(const Point& point) {
  if (is_done(point)) return;
  const std::lock_guard running(queues().running);
  while (!is_done(point)) run_front(point.stream);
}

Clock run_all(SimulatedDevice& device) {
  std::vector<Point> ends;
  Clock clock;
  {
    const std::lock_guard lock(queues().mutex);
    for (const auto& stream : queues().streams) {
      if (stream->device != &device) continue;
      ends.push_back({stream, stream->issued});
      clock.join(stream->clock);
    }
  }
  for (const Point& end : ends) run_to(end);
  return clock;
}

void run_rest() {
  const std::lock_guard running(queues().running);
  while (const std::shared_ptr<Stream> stream = oldest()) run_front(stream, false);
}

bool poll(const Point& point) {
  if (is_done(point)) return true;
  const std::unique_lock running(queues().running, std::try_to_lock);
  if (running.owns_lock() && !is_done(point)) run_one(point.stream);
  return false;
}

void host_waited(const Clock& clock) {
  const std::lock_guard lock(queues().mutex);
  queues().host.join(clock);
}

Clock host_clock() {
  const std::lock_guard lock(queues().mutex);
  return queues().host;
}

const Issue* running() { return running_here; }

void note_call() {
  queues().last_call.store(Time::now().time_since_epoch().count(), std::memory_order_relaxed);
}

}  // namespace simulator::runtime
