#include "runner/trial/kernel_file.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "app/error.hpp"
#include "app/interrupt.hpp"
#include "app/project.hpp"
#include "app/suggest.hpp"
#include "promise/can_be_broken.hpp"
#include "results/values/metrics.hpp"
#include "runner/choose/select.hpp"
#include "runner/trial/apart.hpp"
#include "runner/trial/judged_code.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::string complaint(const std::string& path, const std::string& why) {
  return fmt::format("--kernel '{}': {}", path, why);
}

// The limits of a compiler, nvcc or clang: the largest rung takes seconds, and several times as many on a busy machine.
constexpr Bounds OF_A_COMPILER{.step_seconds = 300,
                               .seconds = 300,
                               .memory_bytes = int64_t{6} << 30,
                               .output_bytes = size_t{256} << 10,
                               .may_start_processes = true};

// Returns the exit code of a program that writes to this process's streams; 127 if it cannot be started.
int exit_code_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = -1;
  if (posix_spawn(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    return 127;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void compile(const std::string& path, const std::string& library) {
  const DoneApart done = do_apart(OF_A_COMPILER, [&](Told& told) {
    told.say(fmt::format("{}", exit_code_of({build_folder() / "compile_kernel", path, library})));
  });
  using End = DoneApart::End;
  if (done.end == End::interrupted) stop_if_interrupted();
  if (done.end == End::done && done.said == "0") return;
  std::string words = done.printed;
  if (done.end == End::timed_out) {
    words += fmt::format("error: the compiler was ended after {:.0f} s\n", done.seconds);
  } else if (done.end == End::too_much_memory) {
    words += fmt::format("error: the compiler was ended when it held more than {} GiB\n",
                         done.bytes >> 30);
  }
  throw DoesNotCompile(complaint(path, "it does not compile\n" + words), words);
}

// Returns the words after the colon of a rule for make. A space in a name has a backslash before it.
std::vector<std::string> names_in_rule(const std::string& file) {
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::vector<std::string> names(1);
  for (size_t i = text.find(": ") + 1; i > 0 && i < text.size(); ++i) {
    const bool escapes = text[i] == '\\' && i + 1 < text.size();
    if (escapes && text[i + 1] != '\n') {
      names.back() += text[++i];
    } else if (escapes || text[i] == ' ' || text[i] == '\n') {
      if (!names.back().empty()) names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

struct Symbols {
  std::vector<std::string> like_a_rung{};  // variables of a rung's size
  std::vector<std::string> imports{};
};

// Returns the library's table of dynamic symbols.
Symbols symbols_of(const std::string& library) {
  std::ifstream file(library, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const auto at = [&]<typename T>(T& value, size_t offset) {
    if (offset > bytes.size() || sizeof value > bytes.size() - offset) return false;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return true;
  };
  const auto name_at = [&](size_t offset) {
    const size_t begin = std::min(offset, bytes.size());
    const auto end =
        std::find(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end(), '\0');
    return std::string(bytes.begin() + static_cast<std::ptrdiff_t>(begin), end);
  };
  Symbols symbols;
  Elf64_Ehdr header{};
  if (!at(header, 0)) return symbols;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{}, strings{};
    if (!at(section, header.e_shoff + i * sizeof section) || section.sh_type != SHT_DYNSYM)
      continue;
    if (!at(strings, header.e_shoff + section.sh_link * sizeof strings)) continue;
    for (size_t offset = 0; offset + sizeof(Elf64_Sym) <= section.sh_size;
         offset += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      if (!at(symbol, section.sh_offset + offset)) break;
      const std::string name = name_at(strings.sh_offset + symbol.st_name);
      if (symbol.st_shndx == SHN_UNDEF) {
        symbols.imports.push_back(name);
      } else if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
                 symbol.st_size == sizeof(ladder::Rung)) {
        symbols.like_a_rung.push_back(name);
      }
    }
  }
  return symbols;
}

bool is_plain(const std::string& name) {
  return std::ranges::all_of(name, [](char c) { return c > ' ' && c < '\x7f'; });
}

void refuse_what_cannot_run(const std::string& path, const ladder::Rung& rung) {
  if (rung.launch == nullptr) throw UnusableKernel(path, "its rung has no .launch");
  if (rung.name == nullptr || *rung.name == '\0')
    throw UnusableKernel(path, "its rung has no .name");
  if (!is_plain(rung.name)) {
    throw UnusableKernel(path, "its rung's .name should be a word of letters, digits and '_'");
  }
  if (!rung.promise.empty() && rung.promise.whole_tiles < 1) {
    throw UnusableKernel(path,
                         "its promise needs .whole_tiles: M, N and K must be multiples of it");
  }
  std::vector<std::string> known;
  for (const results::Metric& metric : results::metrics()) known.emplace_back(metric.key);
  for (const device::Claim& claim : rung.promise) {
    if (results::find_metric(claim.counter) == nullptr) {
      throw UnusableKernel(path, fmt::format("its promise speaks of '{}', which nobody counts{}",
                                             claim.counter, did_you_mean(claim.counter, known)));
    }
    if (!device::can_be_broken(claim)) {
      throw UnusableKernel(
          path, fmt::format("its claim about '{}' can never be broken, so it promises nothing",
                            claim.counter));
    }
  }
}

}  // namespace

UnusableKernel::UnusableKernel(const std::string& path, const std::string& why, bool has_a_rung)
    : Error(ExitCode::usage, complaint(path, why)), why_(why), has_a_rung_(has_a_rung) {}

CompiledKernel compile_kernel_file(const std::string& path, const std::string& appended) {
  std::error_code none;
  if (fs::is_directory(path, none)) {
    throw UnusableKernel(path, "it is a folder; name one file: --kernel mine.cu");
  }
  if (!fs::is_regular_file(path, none)) throw UnusableKernel(path, "there is no such file");
  if (!path.ends_with(".cu")) throw UnusableKernel(path, "a kernel's file ends in .cu");

  CompiledKernel compiled{.path = path, .folder = std::make_unique<TemporaryFolder>()};
  compiled.library = *compiled.folder / "kernel.so";
  std::string source = fs::absolute(path).string();
  if (!appended.empty()) {
    const std::string both = *compiled.folder / "kernel.cu";
    std::ofstream(both) << fmt::format("#include \"{}\"\n#include \"{}\"\n", source,
                                       fs::absolute(appended).string());
    source = both;
  }
  compile(source, compiled.library);
  compiled.files = names_in_rule(compiled.library + ".d");
  compiled.imports = symbols_of(compiled.library).imports;
  return compiled;
}

const ladder::Rung& load(const CompiledKernel& compiled) {
  const std::string& path = compiled.path;
  const std::vector<std::string> names = symbols_of(compiled.library).like_a_rung;
  if (names.empty()) {
    throw UnusableKernel(path,
                         "it defines no rung, `extern const ladder::Rung mine{...};`: "
                         "docs/your_kernel.md shows one. For a program of your own: ./simcc",
                         false);
  }
  if (names.size() > 1) {
    throw UnusableKernel(
        path,
        fmt::format("it defines {} variables of type ladder::Rung that can be seen from outside, "
                    "and should define one: `extern const ladder::Rung mine{{...}};` "
                    "(src/kernels/{}.cu is a short one to start "
                    "from)",
                    names.size(), label(*ladder::all()[1])),
        false);
  }
  void* const loaded = dlopen(compiled.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    std::string why = dlerror();
    if (const size_t end = why.find(compiled.library); end != why.npos)
      why.erase(end, compiled.library.size() + 2);
    throw UnusableKernel(path, fmt::format("it cannot be loaded: {}", why));
  }
  const auto* rung = static_cast<const ladder::Rung*>(dlsym(loaded, names.front().c_str()));
  if (rung == nullptr) throw UnusableKernel(path, "its rung cannot be found");
  refuse_what_cannot_run(path, *rung);
  return guarded(*rung);
}

void* function_of(const CompiledKernel& loaded, const char* name) {
  void* const library = dlopen(loaded.library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  void* const function = dlsym(library, name);
  dlclose(library);  // load() keeps it loaded
  return function;
}

const ladder::Rung& load_kernel_file(const std::string& path) {
  return load(compile_kernel_file(path));
}

}  // namespace runner
