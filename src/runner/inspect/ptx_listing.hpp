// `ptx`: lists the simulated GPU's code of a kernel below its source lines.
#pragma once

#include <functional>
#include <string>

#include "runner/machine/machine.hpp"
#include "text/page.hpp"

namespace runner {

/// A trimmed line of a source file; empty if it cannot be read.
using SourceText = std::function<std::string(const std::string& file, int line)>;

/// Lists each source line with code, by file and number, and its code in order. Statements of a line that differ only in
/// registers, offsets and labels are listed once, with their number.
std::string ptx_listing(const machine::KernelCode& code, const SourceText& source,
                        const text::Page& page);

/// Returns a reader of the files as they are now.
SourceText source_files();

}  // namespace runner
