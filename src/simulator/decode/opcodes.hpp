// THE list of PTX's opcodes: the meaning of their words. Only the code that executes an opcode knows its
// computation. All other code reads its facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/decode/facts.hpp"

namespace simulator {

/// The opcodes of a PTX call that is not inlined, and of the ret that ends it. No opcode of PTX begins with '@'.
constexpr const char* CALL = "@call";
constexpr const char* FUNCTION_RETURN = "@return";

/// Returns an opcode as PTX spells it: "bar.red.popc.u32" for {"bar", "red", "popc", "u32"}.
std::string spelled(const std::vector<std::string>& opcode);

/// Returns family, has_result and gathers alone: control flow and registers depend on them.
Facts classify(const std::vector<std::string>& opcode);
/// Returns all facts but Facts::spelling.
Facts facts_of(const std::vector<std::string>& opcode);

/// Each returns the meaning of one word of an opcode, or nothing if the word has no such meaning. The name of an
/// operation depends on the opcode's head.
std::optional<Operation> operation_of(std::string_view head, std::string_view word);
std::optional<Order> order_of(std::string_view word);
std::optional<Scope> scope_of(std::string_view word);
std::optional<Space> space_of(std::string_view word);
/// Returns the elements of "v4"; 0 for any other word.
uint8_t vector_of(std::string_view word);

/// True if only programs for sm_90a may have the opcode.
bool needs_features_of_90a(const std::vector<std::string>& opcode);
/// True if the opcode is known to need compute capability 10.0 or more.
bool needs_newer_device(const std::vector<std::string>& opcode);
/// Returns the first words of all opcodes that are not arithmetic.
std::vector<std::string_view> listed_heads();

}  // namespace simulator
