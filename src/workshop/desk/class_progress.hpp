// A class's progress files summed up: who has solved what, and where most are stuck.
#pragma once

#include <string>
#include <vector>

#include "text/page.hpp"
#include "workshop/desk/progress.hpp"

namespace workshop {

/// One learner's file.
struct Learner {
  std::string file{};  // as it was named
  Progress progress{};
  std::string
      called{};  // in tables: the learner, and the file too where others are called the same
};

/// Reads them. One that cannot be used is left out, and said so on stderr. Throws runner::Error(ExitCode::usage) where none can.
std::vector<Learner> read_class(const std::vector<std::string>& files);

/// Of one exercise, over all learners.
struct Standing {
  std::string exercise{};
  int begun = 0, solved = 0, skipped = 0;
  int stuck = 0;  // begun, and neither solved nor skipped
  int seen = 0;   // looked at the solution before they had solved it
  int checks = 0, hints = 0;
  std::map<std::string, int> endings{};  // as in a Step, added up
  std::map<std::string, int> known{};
};

/// For each exercise of the course that somebody has begun, in the course's order.
std::vector<Standing> standings(const std::vector<Learner>& learners);

/// A table of learners by exercises, and below it the exercises where most are stuck.
std::string class_as_text(const std::vector<Learner>& learners, const text::Page& page);
std::string class_as_json(const std::vector<Learner>& learners);

}  // namespace workshop
