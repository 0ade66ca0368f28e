#include "runner/machine/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace runner {

std::string kernel_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return mangled;
  std::string name = text.get();
  constexpr std::string_view ANONYMOUS = "(anonymous namespace)::";
  for (size_t at = 0; (at = name.find(ANONYMOUS, at)) != name.npos;) {
    name.erase(at, ANONYMOUS.size());
  }
  int depth = 0;  // template arguments may hold brackets too
  for (size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] != '(' || depth != 0) continue;
    name.resize(i);
    break;
  }
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

}  // namespace runner
