// `ptx`: the simulated GPU's code of a kernel, beside the source lines that it came of.
#pragma once

#include <functional>
#include <string>

#include "runner/machine/machine.hpp"
#include "text/page.hpp"

namespace runner {

/// A line of a source file, without the blanks at its ends; empty where it cannot be had.
using SourceText = std::function<std::string(const std::string& file, int line)>;

/// Each source line that has code, by file and number, and below it that code in its order. Statements of a line that differ
/// in registers, offsets and labels alone stand there once, with their number.
std::string ptx_listing(const machine::KernelCode& code, const SourceText& source,
                        const text::Page& page);

/// The lines of the files as they are now.
SourceText source_files();

}  // namespace runner
