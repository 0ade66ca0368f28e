// NVRTC's functions.
#include <nvrtc.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "simulator/live_handles.hpp"
#include "simulator/nvrtc/compiler.hpp"
#include "simulator/nvrtc/options.hpp"

struct _nvrtcProgram {
  std::string source, name;
  std::vector<simulator::nvrtc::Header> headers;
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;  // names in the PTX, by expression
  bool was_compiled = false;
  bool has_machine_code = false;
  std::string ptx, log;
};

namespace simulator::nvrtc {
namespace {

constexpr int MAJOR = 13, MINOR = 0;
constexpr int ARCHITECTURES[] = {75, 80, 86, 87, 88, 89, 90};
constexpr const char* VARIABLE =
    "__simulator_nvrtc_name_";  // holds the address of a name expression

LiveHandles<nvrtcProgram>& programs() {
  static auto* const made = new LiveHandles<nvrtcProgram>;
  return *made;
}

// Calls use(program) for a program that exists.
template <typename Use>
nvrtcResult with_program(nvrtcProgram program, Use use) {
  if (!programs().contains(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  try {
    return use(*program);
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  }
}

nvrtcResult give_size(const std::string& text, size_t* size) {
  if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *size = text.size() + 1;
  return NVRTC_SUCCESS;
}

nvrtcResult give_text(const std::string& text, char* place) {
  if (place == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(place, text.c_str(), text.size() + 1);
  return NVRTC_SUCCESS;
}

// Returns lines that hold the addresses of the name expressions. So their templates are instantiated, and the PTX has their names.
std::string addresses_of(const std::vector<std::string>& expressions) {
  std::string lines = "\n#line 1 \"name expressions\"\n";
  for (size_t i = 0; i < expressions.size(); ++i) {
    const std::string& expression = expressions[i];
    const std::string operation =
        expression.find_first_not_of(" \t") == expression.find('&') ? "" : "&";
    lines += "__device__ auto ";
    lines.append(VARIABLE).append(std::to_string(i)).append(" = ");
    lines.append(operation).append(expression).append(";\n");
  }
  return lines;
}

// Takes the lines with these addresses out of the PTX, and notes the names in them.
void take_names(_nvrtcProgram& program, const std::string& ptx) {
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size() - 1) + 1;
    const std::string line = ptx.substr(at, end - at);
    at = end;
    const size_t variable = line.find(VARIABLE), value = line.find("= ");
    if (variable == std::string::npos || value == std::string::npos) {
      program.ptx += line;
      continue;
    }
    // "... .u64 __simulator_nvrtc_name_0 = generic(_Z3fooi);"
    std::string name = line.substr(value + 2);
    name.erase(name.find_last_of(';'));
    if (name.starts_with("generic(")) name = name.substr(8, name.size() - 9);
    const size_t number = std::stoull(line.substr(variable + std::strlen(VARIABLE)));
    program.lowered[program.expressions.at(number)] = name;
  }
}

nvrtcResult compile(_nvrtcProgram& program, const std::vector<std::string>& words) {
  program.was_compiled = program.has_machine_code = false;
  program.ptx.clear();
  program.lowered.clear();
  const Options options = translate(words);
  if (options.unknown) {
    program.log = "nvrtc: error: unrecognized option " + *options.unknown + " found\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  std::string source = program.source;
  if (options.device_is_default) {
    source = "#pragma clang force_cuda_host_device begin\n#line 1\n" + source +
             "\n#pragma clang force_cuda_host_device end";
  }
  const Compiled compiled = nvrtc::compile(source + addresses_of(program.expressions), program.name,
                                           program.headers, options.for_simcc);
  program.log = compiled.log;
  if (!compiled.is_ok) return NVRTC_ERROR_COMPILATION;
  take_names(program, compiled.ptx);
  program.has_machine_code = options.has_machine_code;
  program.was_compiled = true;
  return NVRTC_SUCCESS;
}

}  // namespace
}  // namespace simulator::nvrtc

using namespace simulator::nvrtc;

extern "C" {

const char* nvrtcGetErrorString(nvrtcResult result) {
  switch (result) {
#define NAME(value) \
  case value:       \
    return #value
    NAME(NVRTC_SUCCESS);
    NAME(NVRTC_ERROR_OUT_OF_MEMORY);
    NAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE);
    NAME(NVRTC_ERROR_INVALID_INPUT);
    NAME(NVRTC_ERROR_INVALID_PROGRAM);
    NAME(NVRTC_ERROR_INVALID_OPTION);
    NAME(NVRTC_ERROR_COMPILATION);
    NAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    NAME(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    NAME(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    NAME(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    NAME(NVRTC_ERROR_INTERNAL_ERROR);
#undef NAME
  }
  return "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcVersion(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = MAJOR;
  *minor = MINOR;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(std::size(ARCHITECTURES));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  if (architectures == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::copy(std::begin(ARCHITECTURES), std::end(ARCHITECTURES), architectures);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name,
                               int header_count, const char* const* headers,
                               const char* const* header_names) {
  if (program == nullptr || source == nullptr || header_count < 0 ||
      (header_count > 0 && (headers == nullptr || header_names == nullptr)))
    return NVRTC_ERROR_INVALID_INPUT;
  try {
    auto made = std::make_unique<_nvrtcProgram>();
    made->source = source;
    made->name = name == nullptr || *name == '\0' ? "default_program" : name;
    for (int i = 0; i < header_count; ++i) {
      if (headers[i] == nullptr || header_names[i] == nullptr) return NVRTC_ERROR_INVALID_INPUT;
      made->headers.push_back({header_names[i], headers[i]});
    }
    programs().add(made.get());
    *program = made.release();
    return NVRTC_SUCCESS;
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  }
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!programs().remove(*program)) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                const char* const* options) {
  return with_program(program, [&](_nvrtcProgram& p) {
    if (option_count < 0 || (option_count > 0 && options == nullptr))
      return NVRTC_ERROR_INVALID_INPUT;
    try {
      return compile(p, {options, options + option_count});
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {  // simcc cannot be run, for instance
      p.log = std::string("nvrtc: error: ") + error.what() + '\n';
      return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
  });
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size) {
  return with_program(program, [&](const _nvrtcProgram& p) { return give_size(p.ptx, size); });
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx) {
  return with_program(program, [&](const _nvrtcProgram& p) { return give_text(p.ptx, ptx); });
}

// There is no machine code for the simulated GPU. Its driver takes PTX in the same place.
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  return with_program(program, [&](const _nvrtcProgram& p) {
    if (size == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    *size = p.has_machine_code ? p.ptx.size() + 1 : 0;
    return NVRTC_SUCCESS;
  });
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  return with_program(program, [&](const _nvrtcProgram& p) {
    return p.has_machine_code ? give_text(p.ptx, cubin) : NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  return with_program(program, [&](const _nvrtcProgram& p) { return give_size(p.log, size); });
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  return with_program(program, [&](const _nvrtcProgram& p) { return give_text(p.log, log); });
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  return with_program(program, [&](_nvrtcProgram& p) {
    if (p.was_compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    p.expressions.emplace_back(expression);
    return NVRTC_SUCCESS;
  });
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression,
                                const char** lowered_name) {
  return with_program(program, [&](const _nvrtcProgram& p) {
    if (!p.was_compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    if (expression == nullptr || lowered_name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    const auto known = p.lowered.find(expression);
    if (known == p.lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *lowered_name = known->second.c_str();
    return NVRTC_SUCCESS;
  });
}

}  // extern "C"
