// The project for a class: an archive without solutions.
#pragma once

#include <string>

namespace workshop {

/// Writes an archive (FILE.tar.gz) of the project without solutions. It has the programs and the rungs compiled for the
/// simulated GPU, and each exercise with its holes already cut. The same tree gives the same archive. Throws
/// runner::Error if the name is taken or is not the name of an archive, and in a build without the simulated GPU.
void pack_for_class(const std::string& file);

}  // namespace workshop
