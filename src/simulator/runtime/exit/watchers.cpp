// The list of those who watch the calls of the API.
#include "simulator/runtime/api/events.hpp"
#include "simulator/runtime/exit/hazards_at_exit.hpp"
#include "simulator/runtime/exit/report.hpp"
#include "simulator/runtime/exit/show_at_exit.hpp"
#include "simulator/runtime/host/host_watchers.hpp"

namespace simulator::runtime {
namespace {

// What is said when the program exits is asked for when it begins.
class AtExit final : public Watcher {
 public:
  void code_registered() override {
    report_at_exit();
    show_at_exit();
    hazards_at_exit();
  }
  void call_begins() override { hazards_at_exit(); }  // a program may have no kernel
};

Watcher& at_exit_watcher() {
  static AtExit watcher;
  return watcher;
}

}  // namespace

std::span<Watcher* const> watchers() {
  static Watcher* const all[] = {&at_exit_watcher(), &host_races(), &refused_calls(),
                                 &never_asked(), &never_freed()};
  return all;
}

}  // namespace simulator::runtime
