// Sums up a class's progress files: the learners who solved each exercise, and the exercises where
// most are stuck.
#pragma once

#include <string>
#include <vector>

#include "text/page.hpp"
#include "workshop/desk/progress.hpp"

namespace workshop {

/// One learner's file.
struct Learner {
  std::string file{};  // as the user named it
  Progress progress{};
  std::string called{};  // in tables: the learner, with the file if several have the same name
};

/// Reads the files. Leaves out each file that cannot be used and says so on stderr. Throws
/// runner::Error(ExitCode::usage) if no file can be used.
std::vector<Learner> read_class(const std::vector<std::string>& files);

/// One exercise, summed over all learners.
struct Standing {
  std::string exercise{};
  int begun = 0, solved = 0, skipped = 0;
  int stuck = 0;  // begun, and neither solved nor skipped
  int seen = 0;   // learners who saw the solution before solving it
  int checks = 0, hints = 0;
  std::map<std::string, int> endings{};  // the sum of Step::endings
  std::map<std::string, int> known{};
};

/// Returns a Standing for each exercise that somebody has begun, in the order of the course.
std::vector<Standing> standings(const std::vector<Learner>& learners);

/// Returns a table of learners by exercises, and below it the exercises where most are stuck.
std::string class_as_text(const std::vector<Learner>& learners, const text::Page& page);
std::string class_as_json(const std::vector<Learner>& learners);

}  // namespace workshop
