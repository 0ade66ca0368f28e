// The output of the report: to stderr or into a file, by SIMULATOR_REPORT.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/runtime/api/simulated_device.hpp"
#include "simulator/runtime/exit/at_exit.hpp"
#include "simulator/runtime/exit/report.hpp"

namespace simulator::runtime {
namespace {

void print_report() {
  at_exit([] {
    for (const SimulatedDevice* const device : devices()) {
      if (devices().size() > 1) std::fprintf(stderr, "device %u\n", device->number);
      const std::string text =
          report(device->counters.since_start(), device->counters.launches(), stderr_page().width);
      std::fputs(text.c_str(), stderr);
    }
  });
}

#ifndef SIMULATOR_WITHOUT_JSON
// Made absolute at the start, because the program may change its folder. Never destroyed, because it is read at
// exit.
const std::string* json_path = nullptr;

// Returns the JSON of all devices' launches.
std::string json_of_devices() {
  Tally program;
  std::vector<LaunchCounters> launches;
  std::vector<uint32_t> numbers;  // of each launch's device
  for (const SimulatedDevice* const device : devices()) {
    program.add(device->counters.since_start());
    for (LaunchCounters& launch : device->counters.launches()) {
      launches.push_back(std::move(launch));
      numbers.push_back(device->number);
    }
  }
  if (devices().size() == 1) numbers.clear();
  return json_report(program.counters(), launches, numbers);
}

void write_report() {
  at_exit([] {
    if (const int error = replace_file(*json_path, json_of_devices())) {
      std::fprintf(stderr, "simulated GPU: cannot write the report to '%s': %s\n",
                   json_path->c_str(), std::strerror(error));
    }
  });
}
#endif

void read_environment() {
  const char* const value = std::getenv("SIMULATOR_REPORT");
  if (value == nullptr || *value == '\0') return;
  const std::string_view asked = value;
  if (asked == "1") {
    std::atexit(print_report);
  } else if (asked.ends_with(".json")) {
#ifdef SIMULATOR_WITHOUT_JSON
    std::fputs(
        "simulated GPU: it was built as a part of another project and writes no JSON; "
        "SIMULATOR_REPORT=1 prints a report\n",
        stderr);
#else
    json_path = new std::string(absolute_path(asked));
    std::atexit(write_report);
#endif
  } else {
    std::fprintf(stderr,
                 "simulated GPU: SIMULATOR_REPORT is '%s'; it must be 1, which prints a report at "
                 "the end, or the name of a file to write it to, which ends in .json\n",
                 value);
  }
}

}  // namespace

void report_at_exit() {
  static const bool once = (read_environment(), true);
  static_cast<void>(once);
}

}  // namespace simulator::runtime
