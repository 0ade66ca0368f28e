// Runs a program as a user or a script does.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

/// How a program ended and what it wrote.
struct Ended {
  int code = -1;  // 128 + the signal if one ended it
  std::string out, err;
};

struct Call {
  std::vector<std::string> words{};           // the program and its arguments
  std::vector<std::string> environment{};     // "NAME=value", added to the caller's
  std::function<void()> before_exec = [] {};  // in the child
  std::string interrupt_at{};   // send a signal once stderr, a terminal then, shows this
  int interrupt_with = SIGINT;  // the signal
  bool interrupt_twice = false;
};

/// Runs it to its end with stdin empty. Needs no timeout of its own: CTest has one.
Ended run_program(const Call& call);
