#include "app/project.hpp"

#include <cstdlib>
#include <vector>

#include "app/own_program.hpp"
#include "app/subprocess.hpp"

namespace runner {

namespace fs = std::filesystem;

fs::path build_folder() { return own_program().parent_path().parent_path(); }

fs::path project_folder() {
  return (build_folder() / SGEMM_PROJECT_FROM_BUILD / ".").lexically_normal().parent_path();
}

std::string name_in_project(const std::string& file) {
  const std::string root = project_folder().string() + "/";
  return file.starts_with(root) ? file.substr(root.size()) : file;
}

std::string path_of_name(const std::string& name) { return (project_folder() / name).string(); }

namespace {

std::optional<std::string> git(std::vector<std::string> words) {
  words.insert(words.begin(), {"git", "-C", project_folder()});
  Finished finished = run_command(words, false);
  if (finished.code != 0) return std::nullopt;
  while (finished.output.ends_with('\n')) finished.output.pop_back();
  return finished.output;
}

}  // namespace

Commit commit_of_sources() {
  if (const char* told = std::getenv("SGEMM_COMMIT"); told != nullptr && *told != '\0')
    return {told};
  Commit commit{git({"rev-parse", "HEAD"})};
  if (!commit.name) return commit;
  if (const auto changes = git({"status", "--porcelain", "--untracked-files=no"}); changes)
    commit.has_changes = !changes->empty();
  return commit;
}

}  // namespace runner
