#include "simulator/nvrtc/options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace simulator::nvrtc {
namespace {

// Options with a value: NVRTC's long and short names, and simcc's name.
struct Valued {
  std::string_view name, short_name, simcc;
};
constexpr std::array<Valued, 6> VALUED{{
    {"--gpu-architecture", "-arch", "-arch"},
    {"--include-path", "-I", "-I"},
    {"--define-macro", "-D", "-D"},
    {"--undefine-macro", "-U", "-U"},
    {"--pre-include", "-include", "-include"},
    {"--std", "-std", "-std"},
}};

// Options that make no difference to the simulated GPU, up to their value.
constexpr std::string_view HARMLESS =
    " -G --device-debug -lineinfo --generate-line-info -maxrregcount --maxrregcount -ftz --ftz "
    "-prec-sqrt --prec-sqrt "
    "-prec-div --prec-div -fmad --fmad -use_fast_math --use_fast_math -extra-device-vectorization "
    "--extra-device-vectorization -restrict --restrict -w --disable-warnings -Xptxas "
    "--ptxas-options -diag-suppress "
    "--diag-suppress -no-err-no --no-display-error-number -builtin-move-forward "
    "--builtin-move-forward "
    "-builtin-initializer-list --builtin-initializer-list -no-source-include --no-source-include "
    "-rdc "
    "--relocatable-device-code -dc --device-c ";

// Returns the value after a name and `=`, or right after a short name of one letter (-Ifolder).
std::optional<std::string> value_in(const std::string& option, std::string_view name) {
  if (!option.starts_with(name) || option.size() == name.size()) return std::nullopt;
  if (option[name.size()] == '=') return option.substr(name.size() + 1);
  return name.size() == 2 ? std::optional(option.substr(2)) : std::nullopt;
}

bool is_harmless(const std::string& option) {
  return HARMLESS.find(' ' + option.substr(0, option.find('=')) + ' ') != std::string_view::npos;
}

}  // namespace

Options translate(const std::vector<std::string>& options) {
  Options translated;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string& option = options[i];
    if (option == "--device-as-default-execution-space" || option == "-default-device") {
      translated.device_is_default = true;
      continue;
    }
    const auto add = [&](const Valued& valued) {
      std::optional<std::string> value = value_in(option, valued.name);
      if (!value) value = value_in(option, valued.short_name);
      const bool has_next = i + 1 < options.size();
      if (!value && has_next && (option == valued.name || option == valued.short_name))
        value = options[++i];
      if (!value) return false;
      if (valued.simcc == "-arch") translated.has_machine_code = !value->starts_with("compute_");
      if (valued.simcc.size() == 2 || valued.simcc == "-include") {
        translated.for_simcc.emplace_back(valued.simcc);
        translated.for_simcc.push_back(*value);
      } else {
        translated.for_simcc.push_back(std::string(valued.simcc) + '=' + *value);
      }
      return true;
    };
    if (!std::ranges::any_of(VALUED, add) && !is_harmless(option) && !translated.unknown)
      translated.unknown = option;
  }
  return translated;
}

}  // namespace simulator::nvrtc
