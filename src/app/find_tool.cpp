#include "app/find_tool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/words.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
}

// Returns the folder itself. For a folder that ends in "/*" it returns all folders in it, the last by name first.
std::vector<fs::path> expanded(const fs::path& folder) {
  if (folder.filename() != "*") return {folder};
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder.parent_path(), none)) {
    if (entry.is_directory(none)) found.push_back(entry.path());
  }
  std::ranges::sort(found, std::greater{});
  return found;
}

}  // namespace

const char* const WHERE_CUDA_TOOLS_LIE =
    "in PATH, beside nvcc, in /usr/local/cuda/bin and in /opt/nvidia/nsight-compute";

std::optional<std::string> find_program(const std::string& name, const std::string& path,
                                        const std::vector<std::string>& folders) {
  std::vector<std::string> places = split(path, ':');
  std::erase(places, "");
  places.insert(places.end(), folders.begin(), folders.end());
  for (const std::string& place : places) {
    for (const fs::path& folder : expanded(place)) {
      if (is_program(folder / name)) return (folder / name).string();
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_cuda_tool(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  const std::string path = variable == nullptr ? "" : variable;
  std::vector<std::string> folders;
  if (const auto nvcc = find_program("nvcc", path, {})) {
    std::error_code none;
    const fs::path real = fs::canonical(*nvcc, none);  // it may be a link to where its tools are
    if (!real.empty()) folders.push_back(real.parent_path().string());
  }
  folders.insert(folders.end(), {"/usr/local/cuda/bin", "/opt/nvidia/nsight-compute/*"});
  return find_program(name, path, folders);
}

}  // namespace runner
