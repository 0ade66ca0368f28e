// Runs a program as a user or a script does.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

/// The end of a program, and its output.
struct Ended {
  int code = -1;   // its exit code; 128 + the signal if one ended it
  int signal = 0;  // the signal that ended it; 0 if none
  std::string out, err;
};

/// Runs in its own thread: sends the program signals, or waits for an event in it. Must return when asked to stop, once
/// the program has ended.
using Meanwhile = std::function<void(const std::stop_token& stop, pid_t child)>;

struct Call {
  std::vector<std::string> words{};           // the program and its arguments
  std::vector<std::string> environment{};     // "NAME=value", added to the caller's
  std::function<void()> before_exec = [] {};  // runs in the child
  bool err_is_terminal = false;
  std::string interrupt_at{};  // send a signal once stderr, which is then a terminal, shows this
  std::function<bool(const std::string& err)> interrupt_when{};  // or once this is true of stderr
  int interrupt_with = SIGINT;                                   // the signal
  bool interrupt_twice = false;
  Meanwhile meanwhile{};
};

/// The environment of a program that runs a stranger's host code under the address sanitizer. The stranger's crash
/// stays a signal, and its exit() in the middle of our work is no leak of ours.
inline constexpr const char* STRANGERS_MAY_CRASH = "ASAN_OPTIONS=handle_segv=0:detect_leaks=0";

/// Runs the program to its end with stdin empty. Needs no timeout of its own, because CTest has one.
Ended run_program(const Call& call);

/// Waits until a process that handles SIGINT has been asleep for a while: it waits for an event.
void wait_until_asleep(const std::stop_token& stop, pid_t child);

/// Waits until a process ignores a signal.
void wait_until_ignoring(int signal, const std::stop_token& stop, pid_t child);
