#include "app/interrupt.hpp"

#include <csignal>

#include "app/error.hpp"

namespace runner {
namespace {

volatile std::sig_atomic_t asked = 0;
void (*volatile further)() = nullptr;

void on_signal(int) {
  asked = 1;
  if (further != nullptr) further();
}

}  // namespace

void catch_signals(void (*on_signal_too)()) {
  further = on_signal_too;
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one is not caught
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup{};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler == SIG_IGN) return;
  hangup = action;
  hangup.sa_flags = 0;
  sigaction(SIGHUP, &hangup, nullptr);
}

bool interrupted() { return asked != 0; }

void stop_if_interrupted() {
  if (interrupted()) throw Error(ExitCode::interrupted, "interrupted");
}

}  // namespace runner
