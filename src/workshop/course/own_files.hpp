// The learner's folder. No file in it is ever lost.
#pragma once

#include <string>

#include "workshop/course/exercise.hpp"

namespace workshop {

/// The files of a learner.
class OwnFiles {
 public:
  /// Uses this folder. An empty name stands for exercises/mine in the project.
  explicit OwnFiles(const std::string& folder);

  /// Returns the path of the learner's file for an exercise, even if it does not exist: "02_coalesced.cu", for a lab
  /// "copy_stride.txt".
  std::string path(const Exercise& exercise) const;
  bool exists(const Exercise& exercise) const;
  /// Writes the file unless it exists. Returns true if it was written.
  bool make(const Exercise& exercise, const std::string& text) const;
  std::string progress_path() const;
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

/// Returns the path relative to the current folder if that is shorter.
std::string as_typed(const std::string& path);

}  // namespace workshop
