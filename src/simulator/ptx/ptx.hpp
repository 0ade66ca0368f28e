// PTX text, read into statements. This reader does not know the meaning of an instruction.
//
// A module is read in two steps. First come its variables and the heads of its functions. A function's body is
// read when the function is asked for, because few of a template's many kernels are launched.
//
// The grammar is the PTX ISA manual's, as far as clang's NVPTX back end and inline assembly in CUDA sources use
// it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/fault.hpp"

namespace simulator::ptx {

/// One operand of an instruction, as written.
struct Operand {
  enum class Kind {
    reg,        // %r1, %f3, %p2, and registers that inline assembly declares
    immediate,  // the bits of an integer or of a 0f / 0d floating-point constant
    // The name of a label, variable, parameter, special register or function, plus an offset.
    symbol,
    // [base + offset]; the base is a register, a symbol or absent. [base, {%r1, %r2}]: a tensor map and coordinates.
    address,
    list,  // {%r1, %r2}: the parts of a vector, or the arguments of a call in ( )
    pair,  // %r1|%p1: two results
  };
  Kind kind{};
  std::string name;               // reg, symbol, address: the name; empty for [1234]
  bool base_is_register = false;  // address
  bool negated = false;           // !%p1
  bool is_double = false;         // an immediate written as 0d..., or in decimal with a point
  bool is_float = false;          // an immediate written as 0f...
  uint64_t bits = 0;              // immediate
  int64_t offset = 0;             // address, symbol
  std::vector<Operand> parts;     // list, pair; address: the coordinates
};

/// One instruction.
struct Instruction {
  std::vector<std::string> opcode;  // "ld.global.f32" as {"ld", "global", "f32"}
  std::string guard;                // the register of @%p, or empty
  bool guard_negated = false;
  std::vector<Operand> operands;
  uint32_t line = 0;   // index into Function::lines
  std::string source;  // as written, without the guard, blanks folded
  bool is_handed_on =
      false;  // set by call inlining: the loaded value is only a part of an argument
};

/// A variable: a parameter, a register array's name, or a .shared, .global, .const or .local variable.
struct Variable {
  std::string name;
  std::string space;  // "param", "shared", "global", "const", "local"
  std::string type;   // "u64", "b8", ...
  uint64_t align = 1;
  uint64_t count = 1;  // elements; 0 for an unsized extern array
  bool is_array = false;
  std::vector<uint8_t> initial;  // may be shorter than the variable
  std::vector<std::pair<uint64_t, Operand>>
      addresses;  // (byte offset, symbol): parts initialised with addresses
  uint64_t bytes() const;
};

/// A place in the source and the chain of places at which it was inlined, innermost first.
struct Location {
  std::vector<SourceLine> chain;
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Variable> parameters;
  std::vector<Variable> results;
  std::vector<Variable> variables;               // .shared, .local and .param declared in the body
  std::map<std::string, std::string> registers;  // name -> type ("b32"); %r<9> is expanded on use
  std::vector<Instruction> body;
  std::map<std::string, size_t> labels;                            // label -> index into body
  std::map<std::string, std::vector<std::string>> branch_targets;  // .branchtargets tables
  std::vector<Location> lines;                                     // lines[0] is "no line"
  uint64_t max_threads = 0;                                        // .maxntid; 0 if not given
  uint64_t min_blocks = 0;                                         // .minnctapersm; 0 if not given
  uint64_t max_registers = 0;                                      // .maxnreg; 0 if not given
  uint64_t most_in_cluster = 0;       // .maxclusterrank; 0 if not given
  std::array<uint64_t, 3> cluster{};  // .reqnctapercluster; zeros if not given
};

/// Not thread-safe.
class Module {
 public:
  /// Copies the text. Throws std::runtime_error, which names the line, if the text is not PTX.
  explicit Module(std::string_view text);
  Module(Module&&) noexcept;
  ~Module();

  /// Returns the architecture that the module was compiled for: "sm_90a". Empty if it names none.
  const std::string& target() const;
  const std::vector<Variable>& variables() const;
  /// Returns the names of all functions and kernels, each once.
  const std::vector<std::string>& functions() const;
  /// Returns the function of this name with its body read, or nullptr if there is none. Throws Unreadable.
  const Function* find(std::string_view name) const;

 private:
  struct Text;
  std::unique_ptr<Text> text_;
};

/// Returns the bytes of a PTX type: "f32" -> 4, "b8" -> 1, "pred" -> 0. Returns 0 for a word that is no type.
uint32_t type_bytes(std::string_view type);

}  // namespace simulator::ptx
