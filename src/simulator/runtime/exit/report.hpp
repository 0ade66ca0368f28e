// What a program's kernels were counted to do, launch by launch: as text to read and as JSON to compare.
#pragma once

#include <string>
#include <vector>

#include "simulator/count/counters.hpp"

namespace simulator::runtime {

/// A table for each kind of launch, with one row for each line and buffer; the first few dozen kinds. Each
/// table's figures are of one launch. ASCII, in lines of at most `columns`, or of 60 if that is more.
std::string report(const Counters& program, const std::vector<LaunchCounters>& launches,
                   int columns);

/// All of `launches` in exact figures; docs/simulator.md has the schema.
std::string json_report(const Counters& program, const std::vector<LaunchCounters>& launches);

/// What SIMULATOR_REPORT asks for is done when the program exits: 1 prints the report on stderr, FILE.json
/// writes the JSON there. What it cannot mean is said on stderr.
void report_at_exit();

}  // namespace simulator::runtime
