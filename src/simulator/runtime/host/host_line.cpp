#include "simulator/runtime/host/host_line.hpp"

#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "simulator/runtime/api/registry.hpp"

namespace simulator::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// The symbolizer answers in some hundredths of a second; the machine may be busy.
constexpr std::chrono::seconds PATIENCE{10};

// More than its output for the frames of a call.
constexpr size_t MOST_OUTPUT = size_t{1} << 20;

// --- frames -------------------------------------------------------------------------------------------

struct Walk {
  CallSite site;
  size_t frames = 0;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  int before_instruction = 0;
  const uint64_t address = _Unwind_GetIPInfo(context, &before_instruction);
  if (address == 0 || walk.frames == walk.site.frames.size()) return _URC_END_OF_STACK;
  // A return address is the address after the call, which may belong to the next line.
  walk.site.frames[walk.frames++] = before_instruction != 0 ? address : address - 1;
  return _URC_NO_REASON;
}

// --- the executable -----------------------------------------------------------------------------------

struct Executable {
  uint64_t base = 0;  // the offset added to its addresses at loading
  uint64_t first = ~uint64_t{0}, past_end = 0;
};

// Notes the first entry: the program itself.
int note_executable(dl_phdr_info* info, size_t /*bytes*/, void* data) {
  Executable& executable = *static_cast<Executable*>(data);
  executable.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uint64_t first = info->dlpi_addr + segment.p_vaddr;
    executable.first = std::min(executable.first, first);
    executable.past_end = std::max(executable.past_end, first + segment.p_memsz);
  }
  return 1;
}

const Executable& executable() {
  static const Executable instance = [] {
    Executable found;
    dl_iterate_phdr(note_executable, &found);
    return found;
  }();
  return instance;
}

// --- the symbolizer -----------------------------------------------------------------------------------

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  ~Pipe() {
    if (ends_[0] >= 0) close(ends_[0]);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool open() const { return ends_[0] >= 0; }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_writer() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2];
};

// Starts a process. Returns its id, or nothing if it could not be started.
std::optional<pid_t> start(std::vector<std::string> words, int output) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return std::nullopt;
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? std::optional(child) : std::nullopt;
}

// Reads until the other end is closed. Returns nothing if that is too much or takes too long.
std::optional<std::string> read_all(int descriptor) {
  const auto deadline = Clock::now() + PATIENCE;
  std::string text;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    pollfd watched{descriptor, POLLIN, 0};
    const int ready = poll(&watched, 1, static_cast<int>(left));
    if (ready == 0) return std::nullopt;
    if (ready < 0) {
      if (errno == EINTR) continue;
      return std::nullopt;
    }
    char part[4096];
    const ssize_t got = read(descriptor, part, sizeof part);
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got > 0) text.append(part, static_cast<size_t>(got));
    if (text.size() > MOST_OUTPUT) return std::nullopt;
  }
}

// Returns the command's output; empty if it cannot be run, fails or hangs. Leaves no process behind.
std::string output_of(const std::vector<std::string>& words) {
  Pipe pipe;
  if (!pipe.open()) return "";
  const std::optional<pid_t> child = start(words, pipe.writer());
  pipe.close_writer();
  if (!child) return "";
  const std::optional<std::string> text = read_all(pipe.reader());
  if (!text) kill(*child, SIGKILL);
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  return text.value_or("");
}

// Returns the symbolizer's name: what the user says, else the first that is on the PATH.
std::string symbolizer() {
  const char* const named = std::getenv("SIMCC_SYMBOLIZER");
  if (named != nullptr && *named != '\0') return named;
  const char* const path = std::getenv("PATH");
  for (const char* const version : {"-19", "-20", "-21", "-22", ""}) {
    const std::string name = std::string("llvm-symbolizer") + version;
    std::istringstream folders(path == nullptr ? "/usr/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (access((folder + "/" + name).c_str(), X_OK) == 0) return name;
  }
  return "llvm-symbolizer-19";
}

std::string hex(uint64_t value) {
  char text[2 + 16 + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// --- its answers ------------------------------------------------------------------------------------

// True if a file does not belong to the program: a header of the simulator or of an installed library.
bool is_foreign(std::string_view file) {
  constexpr std::string_view OWN =
      "src/simulator/";  // relative in what the project's build compiles
  return file.starts_with(OWN) || file.find("/src/simulator/include/") != file.npos ||
         file.starts_with("/usr/");
}

// Parses "/home/you/scale.cu:12:5" into file and line. Returns no file if it is not known.
SourceLine parse_place(std::string_view text) {
  const size_t column = text.rfind(':');
  if (column == text.npos || column == 0) return {};
  const size_t line = text.rfind(':', column - 1);
  if (line == text.npos) return {};
  SourceLine place{std::string(text.substr(0, line)), 0};
  std::from_chars(text.data() + line + 1, text.data() + column, place.line);
  return place.line > 0 ? place : SourceLine{};
}

// Shortens "void ns::(anonymous namespace)::Sum::of<float>(float*)" to "ns::Sum::of<float>". A lambda has the
// name of its function, or none.
std::string name_for_a_person(std::string function) {
  constexpr std::string_view UNNAMED = "(anonymous namespace)::";
  for (size_t at = 0; (at = function.find(UNNAMED)) != function.npos;)
    function.erase(at, UNNAMED.size());
  for (const char* const lambda : {"::$_", "::'lambda", "operator()"}) {
    function.resize(std::min(function.size(), function.find(lambda)));
  }
  int depth = 0;
  size_t begin = 0;  // after the type of a template's result
  for (size_t i = 0; i < function.size(); ++i) {
    if (function[i] == '<') ++depth;
    if (function[i] == '>') --depth;
    if (depth == 0 && function[i] == ' ') begin = i + 1;
    if (depth == 0 && function[i] == '(') function.resize(i);
  }
  return function.substr(begin);
}

// Returns the program's first line in the answers: pairs of lines, function and place, with an empty line after
// each address.
HostLine first_of_the_program(const std::string& answers) {
  std::istringstream lines(answers);
  std::string function;
  std::string place;
  while (std::getline(lines, function)) {
    if (function.empty()) continue;
    if (!std::getline(lines, place)) break;
    const SourceLine where = parse_place(place);
    if (where.file.empty() || is_foreign(where.file)) continue;
    const std::string name = name_for_a_person(function);
    // A kernel's stub has the kernel's line. The launch is in the stub's caller.
    if (name.find("__device_stub__") != name.npos || is_named_as_a_kernel(name)) continue;
    return {where, name};
  }
  return {};
}

HostLine ask(const CallSite& site) {
  const Executable& program = executable();
  std::vector<std::string> words = {symbolizer(), "--no-debuginfod", "--demangle", "--inlines",
                                    "--obj=/proc/" + std::to_string(getpid()) + "/exe"};
  const size_t options = words.size();
  for (const uint64_t frame : site.frames) {
    const bool is_programs = frame >= program.first && frame < program.past_end;
    if (is_programs) words.push_back(hex(frame - program.base));
  }
  return words.size() == options ? HostLine{} : first_of_the_program(output_of(words));
}

}  // namespace

CallSite CallSite::here() {
  Walk walk;
  _Unwind_Backtrace(note_frame, &walk);
  return walk.site;
}

std::string CallSite::id() const {
  std::string text;
  for (const uint64_t frame : frames) text += " " + hex(frame);
  return text;
}

std::string HostLine::text() const {
  if (!known()) return "";
  return where.file + ":" + std::to_string(where.line) +
         (function.empty() ? "" : " in " + function);
}

HostLine line_of(const CallSite& site) {
  struct Known {
    std::mutex mutex;
    std::map<CallSite, HostLine> lines;
  };
  static Known* const known = new Known;  // static destructors may still make calls
  {
    const std::lock_guard lock(known->mutex);
    const auto place = known->lines.find(site);
    if (place != known->lines.end()) return place->second;
  }
  const HostLine line = ask(site);
  const std::lock_guard lock(known->mutex);
  known->lines.emplace(site, line);
  return line;
}

}  // namespace simulator::runtime
