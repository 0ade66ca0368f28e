#include "app/project.hpp"

#include "app/own_program.hpp"

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

}  // namespace runner
