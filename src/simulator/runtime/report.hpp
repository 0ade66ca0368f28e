// The table of counters that a program prints when it ends, if SIMULATOR_REPORT=1 is in its environment.
#pragma once

#include <string>

#include "simulator/count/counters.hpp"

namespace simulator::runtime {

/// One row for each line and buffer, no wider than `columns` where the lines' names allow it. ASCII.
std::string report(const Counters& counters, int columns);

/// Sees to it that the report is written to stderr at exit if the environment asks for it.
void report_at_exit();

}  // namespace simulator::runtime
