// Watches a file and reports each save.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "text/page.hpp"

namespace workshop {

/// Tells watch() when to end, and pauses between two looks.
struct Watching {
  std::function<bool()> is_over;                         // called before each look
  std::function<void(std::chrono::milliseconds)> pause;  // waits between two looks
};

/// Returns a watch that lasts until Ctrl-C. The caller must have begun to catch signals (app/interrupt.hpp).
Watching until_interrupted();

/// Calls `saved` at once and after each save, when the file has not changed for 50 ms. So an editor that writes another
/// file and renames it has saved once. A save during a call is reported after the call. Calls `gone` once when the file
/// disappears, and goes on when it is back. Returns when `is_over` returns true.
void watch(const std::string& path, const Watching& watching, const std::function<void()>& saved,
           const std::function<void()>& gone);

/// Returns a line across the page with the time: "---- 14:03:27 ----...".
std::string rule(const std::string& time, const text::Page& page);
/// Returns the local time of day.
std::string time_of_day();

}  // namespace workshop
