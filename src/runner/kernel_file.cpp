#include "runner/kernel_file.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "results/metrics.hpp"
#include "runner/error.hpp"
#include "runner/interrupt.hpp"
#include "runner/select.hpp"
#include "runner/subprocess.hpp"
#include "runner/suggest.hpp"
#include "runner/temporary_folder.hpp"

namespace runner {
namespace {

namespace fs = std::filesystem;

std::string complaint(const std::string& path, const std::string& why) {
  return fmt::format("--kernel '{}': {}", path, why);
}

Error unusable(const std::string& path, const std::string& why) {
  return {ExitCode::usage, complaint(path, why)};
}

void compile(const std::string& path, const std::string& library) {
  const Finished compiled = run_command({SGEMM_COMPILE_KERNEL, path, library}, true);
  stop_if_interrupted();
  if (compiled.code == 0) return;
  throw DoesNotCompile(complaint(path, "it does not compile\n" + compiled.output), compiled.output);
}

// The names of the library's variables that are as large as a rung, read off its table of dynamic symbols.
std::vector<std::string> variables_like_a_rung(const std::string& library) {
  std::ifstream file(library, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  const auto at = [&]<typename T>(T& value, size_t offset) {
    if (offset + sizeof value > bytes.size()) return false;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return true;
  };
  std::vector<std::string> names;
  Elf64_Ehdr header{};
  if (!at(header, 0)) return names;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{}, strings{};
    if (!at(section, header.e_shoff + i * sizeof section) || section.sh_type != SHT_DYNSYM)
      continue;
    if (!at(strings, header.e_shoff + section.sh_link * sizeof strings)) continue;
    for (size_t offset = 0; offset + sizeof(Elf64_Sym) <= section.sh_size;
         offset += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol{};
      if (!at(symbol, section.sh_offset + offset)) break;
      const bool variable =
          ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF;
      const size_t name = strings.sh_offset + symbol.st_name;
      if (variable && symbol.st_size == sizeof(ladder::Rung) && name < bytes.size()) {
        names.emplace_back(bytes.data() + name);
      }
    }
  }
  return names;
}

void refuse_what_cannot_run(const std::string& path, const ladder::Rung& rung) {
  if (rung.launch == nullptr) throw unusable(path, "its rung has no .launch");
  if (rung.name == nullptr || *rung.name == '\0') throw unusable(path, "its rung has no .name");
  if (!rung.promise.claims.empty() && rung.promise.whole_tiles < 1) {
    throw unusable(path, "its promise needs .whole_tiles, a multiple of which M, N and K must be");
  }
  std::vector<std::string> known;
  for (const results::Metric& metric : results::metrics()) known.emplace_back(metric.key);
  for (const device::Claim& claim : rung.promise.claims) {
    if (results::find_metric(claim.counter) == nullptr) {
      throw unusable(path, fmt::format("its promise speaks of '{}', which nobody counts{}",
                                       claim.counter, did_you_mean(claim.counter, known)));
    }
    if (!device::can_be_broken(claim)) {
      throw unusable(path,
                     fmt::format("its claim about '{}' can never be broken, so it promises nothing",
                                 claim.counter));
    }
  }
}

}  // namespace

const ladder::Rung& load_kernel_file(const std::string& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) throw unusable(path, "there is no such file");
  if (!path.ends_with(".cu")) throw unusable(path, "a kernel's file ends in .cu");

  const TemporaryFolder folder;
  const std::string library = folder / "kernel.so";
  compile(fs::absolute(path).string(), library);
  const std::vector<std::string> names = variables_like_a_rung(library);
  if (names.size() != 1) {
    throw unusable(
        path,
        fmt::format("it defines {} variables of type ladder::Rung that can be seen from outside, "
                    "and should define one: `extern const ladder::Rung mine{{...}};` "
                    "(src/kernels/{}.cu is a short one to start "
                    "from)",
                    names.size(), label(*ladder::all()[1])));
  }
  void* const loaded = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) {
    std::string why = dlerror();
    if (const size_t end = why.find(library); end != why.npos) why.erase(end, library.size() + 2);
    throw unusable(path, fmt::format("it cannot be loaded: {}", why));
  }
  const auto* rung = static_cast<const ladder::Rung*>(dlsym(loaded, names.front().c_str()));
  if (rung == nullptr) throw unusable(path, "its rung cannot be found");
  refuse_what_cannot_run(path, *rung);
  return *rung;
}

}  // namespace runner
