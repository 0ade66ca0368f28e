#include "workshop/words/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/error.hpp"
#include "app/output.hpp"

namespace workshop {
namespace {

namespace fs = std::filesystem;
using runner::Error;
using runner::ExitCode;

}  // namespace

std::string read_text(const std::string& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) {
    throw Error(ExitCode::usage, fmt::format("'{}' is a folder, and should be a file", path));
  }
  // Reading a pipe would wait, and a device file may have no end.
  if (fs::exists(path, none) && !fs::is_regular_file(path, none)) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' is a pipe or a device, and should be a file", path));
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) {
    throw Error(ExitCode::usage,
                fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)));
  }
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) {
    throw Error(ExitCode::usage, fmt::format("the folder '{}' cannot be made: {}", folder.string(),
                                             error.message()));
  }
  runner::OutputFile(path).commit(text);
}

std::string move_to_backup(const std::string& path) {
  const fs::path from = path;
  const fs::path folder = from.parent_path() / "backup";
  std::error_code error;
  fs::create_directories(folder, error);
  for (int number = 1; !error; ++number) {
    const fs::path to =
        folder / fmt::format("{}.{}{}", from.stem().string(), number, from.extension().string());
    if (fs::exists(fs::symlink_status(to))) continue;
    fs::rename(from, to, error);
    if (!error) return to.string();
  }
  throw Error(ExitCode::usage, fmt::format("'{}' cannot be kept in '{}': {}", path, folder.string(),
                                           error.message()));
}

}  // namespace workshop
