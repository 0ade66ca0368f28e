// The folders of the project and of this program's build, and the commit of its sources.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace runner {

/// Returns the build folder of the running program, absolute. Programs are in its folder bin.
std::filesystem::path build_folder();

/// Returns the project's folder, absolute. It is found from the program's place, so a tree can be moved together with
/// its build.
std::filesystem::path project_folder();

/// Returns the short name of a source file: relative to the project's folder if the file is in it, else unchanged.
std::string name_in_project(const std::string& file);

/// Returns the path of the file whose short name is `name`.
std::string path_of_name(const std::string& name);

struct Commit {
  std::optional<std::string> name;    // unknown without a repository, git or SGEMM_COMMIT
  std::optional<bool> has_changes{};  // the tree has uncommitted changes
};

/// Returns the commit of the project's folder, which takes git some milliseconds. For a tree without its repository, SGEMM_COMMIT in the
/// environment names the commit.
Commit commit_of_sources();

}  // namespace runner
