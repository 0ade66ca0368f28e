#include "simulator/nvrtc/compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

// simcc itself, and then the settings with which it compiled the program, as NAME=value. simcc links it into the program; a program
// that another tool linked has none.
// NOLINTNEXTLINE(readability-identifier-naming): a name of C
extern "C" [[gnu::weak]] const char* const simulated_cuda_compiler[];

namespace simulator::nvrtc {
namespace {

namespace files = std::filesystem;

// A folder that ends with the object.
class WorkFolder {
 public:
  WorkFolder() {
    std::string name = files::temp_directory_path() / "nvrtc.XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "no folder for NVRTC in " + name);
    path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    files::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const files::path& path() const { return path_; }

 private:
  files::path path_;
};

void write(const files::path& file, const std::string& text) {
  files::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string text_of(const files::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string simcc() {
  if (const char* const asked = std::getenv("SIMCC"); asked != nullptr && *asked != '\0')
    return asked;
  return simulated_cuda_compiler != nullptr ? simulated_cuda_compiler[0] : "simcc";
}

// The program's environment, in which the settings that simcc had come first.
std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (size_t i = 1; simulated_cuda_compiler != nullptr && simulated_cuda_compiler[i] != nullptr;
       ++i)
    all.emplace_back(simulated_cuda_compiler[i]);
  // NVCC_APPEND_FLAGS is for nvcc.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("NVCC_")) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Runs a command with its output in a file. Returns its exit code.
int run(std::vector<std::string> words, const files::path& output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  std::vector<std::string> settings = environment();
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0].c_str(), &actions, nullptr,
                                 pointers_to(words).data(), pointers_to(settings).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(),
                            "NVRTC cannot run " + words[0] + "; the variable SIMCC may name simcc");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

// Removes the folder's name from messages.
std::string without(std::string text, const std::string& folder) {
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

}  // namespace

Compiled compile(const std::string& source, const std::string& name,
                 const std::vector<Header>& headers, const std::vector<std::string>& options) {
  const WorkFolder work;
  const files::path folder = work.path() / "headers";
  files::create_directory(folder);
  for (const Header& header : headers) {
    const files::path place =
        (folder / files::path(header.name).relative_path()).lexically_normal();
    if (!place.string().starts_with(folder.string() + '/'))
      throw std::runtime_error("a header's name leads out of its folder: " + header.name);
    write(place, header.text);
  }
  const files::path file = work.path() / "program.cu";
  write(file, "#line 1 \"" + name + "\"\n" + source);
  std::vector<std::string> words{simcc(),
                                 "--ptx",
                                 file,
                                 "-o",
                                 work.path() / "program.ptx",
                                 "-I",
                                 folder,
                                 "-D__CUDACC_RTC__=1"};
  words.insert(words.end(), options.begin(), options.end());
  Compiled compiled;
  compiled.is_ok = run(words, work.path() / "log") == 0;
  compiled.log = without(text_of(work.path() / "log"), work.path().string() + '/');
  if (compiled.is_ok) compiled.ptx = text_of(work.path() / "program.ptx");
  return compiled;
}

}  // namespace simulator::nvrtc
