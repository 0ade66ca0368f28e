// The project for a class: an archive without solutions.
#pragma once

#include <string>

namespace workshop {

/// Writes an archive (FILE.tar.gz) of the project in which learners find no solution: what the rungs are made of stands there
/// compiled for the simulated GPU, and each exercise ready cut. Everything else works as it does here. The same tree gives
/// the same archive. Throws runner::Error: where the name is taken or no archive's, and in a build that has no such objects.
void pack_for_class(const std::string& file);

}  // namespace workshop
