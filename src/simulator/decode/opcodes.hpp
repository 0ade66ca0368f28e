// THE list of PTX's opcodes: what the words of one say. What an opcode computes is known to those who execute it; everybody
// else asks for its facts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/decode/facts.hpp"

namespace simulator {

/// In the place of a call and a ret of PTX where they are to be carried out as such. No PTX begins so.
constexpr const char* CALL = "@call";
constexpr const char* FUNCTION_RETURN = "@return";

/// "bar.red.popc.u32" comes as {"bar", "red", "popc", "u32"}. Family, has_result and gathers alone: what the flow of control
/// and registers depend on.
Facts classify(const std::vector<std::string>& opcode);
/// All but Facts::spelling.
Facts facts_of(const std::vector<std::string>& opcode);

/// What one word of an opcode says; nothing where it says no such thing. What an operation is called depends on the head.
std::optional<Operation> operation_of(std::string_view head, std::string_view word);
std::optional<Order> order_of(std::string_view word);
std::optional<Scope> scope_of(std::string_view word);
std::optional<Space> space_of(std::string_view word);
/// Elements of "v4"; 0 for any other word.
uint8_t vector_of(std::string_view word);

/// The first words of all opcodes that are no arithmetic.
std::vector<std::string_view> listed_heads();

}  // namespace simulator
