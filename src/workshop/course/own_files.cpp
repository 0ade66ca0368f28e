#include "workshop/course/own_files.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "workshop/words/text_file.hpp"

namespace workshop {

namespace fs = std::filesystem;

OwnFiles::OwnFiles(const std::string& folder)
    : folder_(folder.empty() ? exercises_folder() + "/mine" : folder) {}

std::string OwnFiles::path(const Exercise& exercise) const {
  return fmt::format("{}/{}{}", folder_, exercise.name, exercise.is_written() ? ".cu" : ".txt");
}

bool OwnFiles::exists(const Exercise& exercise) const {
  return fs::exists(fs::symlink_status(path(exercise)));
}

bool OwnFiles::make(const Exercise& exercise, const std::string& text) const {
  if (exists(exercise)) return false;
  write_text(path(exercise), text);
  return true;
}

std::string OwnFiles::progress_path() const { return folder_ + "/progress.json"; }

std::string as_typed(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  const fs::path from_here = fs::absolute(path, error).lexically_relative(here);
  return error || from_here.empty() || *from_here.begin() == ".." ? path : from_here.string();
}

}  // namespace workshop
