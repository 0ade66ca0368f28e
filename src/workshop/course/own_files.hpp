// The learner's folder: what lies in it is the learner's, and is never lost.
#pragma once

#include <string>

#include "workshop/course/exercise.hpp"

namespace workshop {

/// Where a learner's files are.
class OwnFiles {
 public:
  /// An empty folder's name: exercises/mine in the project.
  explicit OwnFiles(const std::string& folder);

  /// The learner's file for an exercise, there or not: "02_coalesced.cu", of a lab "copy_stride.txt".
  std::string path(const Exercise& exercise) const;
  bool exists(const Exercise& exercise) const;
  /// Writes it where there is none. True if it was written.
  bool make(const Exercise& exercise, const std::string& text) const;
  std::string progress_path() const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// A path as one types it in the folder where one is, where that is shorter.
std::string as_typed(const std::string& path);

}  // namespace workshop
