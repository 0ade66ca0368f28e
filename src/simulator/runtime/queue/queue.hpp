// Streams as queues of device work.
//
// A device may run the work of a stream at any time after the call. Here it runs as late as possible: when a call
// waits for it, or when work that does run must come after it. So a program that forgets to wait gets an old result,
// as it may on a device. Work in the legacy default stream runs at once, after all that it must wait for.
//
// A program may also wait without a call, by polling memory. So a thread of the simulator's own runs queued work when
// the program has made no call for a while.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "simulator/hazards/clock.hpp"

namespace simulator {
struct SimulatedDevice;
}

namespace simulator::runtime {

struct Stream;

/// The first operations of a stream, and all that comes before them.
struct Point {
  std::shared_ptr<Stream> stream;
  uint64_t count = 0;
  Clock clock = {};
};

/// An operation's place in the order of the program's work.
struct Issue {
  uint64_t number = 0;                // in the order of the calls, from 1; 0: no operation
  const char* call = "";              // the function of the API: "cudaMemcpyAsync"
  uint32_t stream = 0;                // the stream's number in clocks
  uint64_t position = 0;              // in the stream, from 1
  Clock clock;                        // this operation and all that come before it
  SimulatedDevice* device = nullptr;  // the stream's

  /// True if a point with this clock comes after the operation.
  bool is_before(const Clock& point) const { return point.of(stream) >= position; }
};

/// One step of a stream. Steps of a stream run one after the other.
struct Step {
  std::function<void(const Issue&)> work = {};  // must not throw; may be empty
  std::vector<Point> after = {};                // besides earlier operations of the stream
  bool is_seen_by_host = false;  // True if host code may see its effect without a call
  bool has_site = false;         // True if a report may name the call
  bool needs_program = false;    // True if it uses the program's own code or memory
  Issue issue = {};              // filled in by enqueue()
};

/// How a stream and the legacy default stream of its device order their work.
enum class StreamKind { legacy, blocking, non_blocking };

/// A stream. Its members are guarded by the lock of the queues, except the constant ones.
struct Stream {
  SimulatedDevice* const device;
  const StreamKind kind;
  const uint32_t number;  // in clocks; given again after the stream has ended
  std::deque<Step> pending = {};
  uint64_t issued = 0, done = 0;
  Clock clock = {};           // of its last operation
  bool is_destroyed = false;  // True if it only ends its work
};

/// Makes a stream. There is one legacy stream for each device: the first call makes it.
std::shared_ptr<Stream> make_stream(SimulatedDevice& device, StreamKind kind);
std::shared_ptr<Stream> legacy_stream(SimulatedDevice& device);
/// True if the program has made more than one stream.
bool has_several_streams();
/// Ends a stream as soon as its work has run.
void retire(const std::shared_ptr<Stream>& stream);

/// Returns a number for an operation that will be queued.
uint64_t next_issue();
/// Queues an operation, whose `issue` has a number and a call. Returns its complete issue. In the legacy stream the
/// operation has run when the call returns. A stream holds as many operations as a device's; then the oldest run.
Issue enqueue(const std::shared_ptr<Stream>& stream, Step operation);

/// Returns the operations of the stream so far, with the work that a new one would wait for.
Point end_of(const std::shared_ptr<Stream>& stream);

/// Runs all operations up to the point, and those before them.
void run_to(const Point& point);
/// Runs all operations so far of the device's streams. Returns their clock.
Clock run_all(SimulatedDevice& device);
/// Runs the rest at the program's end, without the operations that need the program.
void run_rest();
/// True if the operations up to the point have run. Else runs one of them.
bool poll(const Point& point);

/// Records that host code has waited for a point with this clock: later operations come after it.
void host_waited(const Clock& clock);
/// Returns the clock of host code: all that any of its calls has waited for.
Clock host_clock();

/// Returns the operation that the calling thread runs, or nullptr.
const Issue* running();
/// Tells the queues that the program makes a call.
void note_call();

}  // namespace simulator::runtime
