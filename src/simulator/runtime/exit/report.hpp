// The report of a program's counters, launch by launch: as text to read and as JSON to compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/count/counters.hpp"

namespace simulator::runtime {

/// Returns a table for each kind of launch, with one row for each line and buffer; the first few dozen kinds. A
/// table's figures are of one launch. ASCII, in lines of at most `columns`, or of 60 if that is more.
std::string report(const Counters& program, const std::vector<LaunchCounters>& launches,
                   int columns);

/// Returns all of `launches` with exact figures as JSON; docs/simulator.md has the schema. `devices`: the number of each
/// launch's device, if there are several.
std::string json_report(const Counters& program, const std::vector<LaunchCounters>& launches,
                        const std::vector<uint32_t>& devices = {});

/// Registers the work of SIMULATOR_REPORT at the program's exit: 1 prints the report on stderr, FILE.json writes
/// the JSON to that file. An invalid value is reported on stderr.
void report_at_exit();

}  // namespace simulator::runtime
