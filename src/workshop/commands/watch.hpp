// A file, watched for being saved.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "text/page.hpp"

namespace workshop {

/// How a watch learns what it does not see in the file.
struct Watching {
  std::function<bool()> is_over;                         // asked before each look
  std::function<void(std::chrono::milliseconds)> pause;  // waits between two looks
};

/// Watches until Ctrl-C (app/interrupt.hpp), which somebody must have begun to catch.
Watching until_interrupted();

/// Calls `saved` now and then each time that the file has been saved and nothing more was done to it for some 50 ms: an editor
/// that writes another file and gives it the name has saved once. What is saved during a call is seen afterwards. Calls
/// `gone` once if the file is not there any more, and goes on when it is there again. Returns once it is over.
void watch(const std::string& path, const Watching& watching, const std::function<void()>& saved,
           const std::function<void()>& gone);

/// A line across the page with the time: "---- 14:03:27 ----...".
std::string rule(const std::string& time, const text::Page& page);
/// The time of day, here.
std::string time_of_day();

}  // namespace workshop
