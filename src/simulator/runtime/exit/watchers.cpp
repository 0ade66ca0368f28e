// The list of watchers of API calls.
#include <cstdio>
#include <cstdlib>

#include "simulator/runtime/api/events.hpp"
#include "simulator/runtime/exit/hazards_at_exit.hpp"
#include "simulator/runtime/exit/report.hpp"
#include "simulator/runtime/exit/show_at_exit.hpp"
#include "simulator/runtime/host/host_watchers.hpp"
#include "simulator/runtime/queue/queue.hpp"

namespace simulator::runtime {
namespace {

// Runs before the reports: the streams' last work, and the program's own text.
void finish() {
  run_rest();
  std::fflush(stdout);
}

// Registers the work at the program's exit when the program begins.
class AtExit final : public Watcher {
 public:
  void code_registered() override {
    report_at_exit();
    show_at_exit();
    hazards_at_exit();
    static const int once = std::atexit(finish);
    static_cast<void>(once);
  }
  void call_begins() override { hazards_at_exit(); }  // for a program without a kernel
};

Watcher& at_exit_watcher() {
  static AtExit watcher;
  return watcher;
}

}  // namespace

std::span<Watcher* const> watchers() {
  static Watcher* const all[] = {&at_exit_watcher(), &call_sites(),  &host_races(), &stream_races(),
                                 &refused_calls(),   &never_asked(), &never_freed()};
  return all;
}

}  // namespace simulator::runtime
