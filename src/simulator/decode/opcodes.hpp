// THE list of PTX's opcodes by their first word: what kind of statement each is. What an opcode computes is
// known to those who execute it; everybody else asks here.
#pragma once

#include <string>
#include <vector>

namespace simulator {

enum class Family {
  arithmetic,  // computes a result lane by lane; also whatever is not listed
  move,        // mov and cvta in all their forms
  load,
  store,
  atomic,
  async_copy,  // cp.async and its groups
  prefetch,    // and other advice without an effect here
  warp,        // looks beyond one lane, or asks something of the device
  branch,      // bra
  indirect,    // brx.idx
  exit,        // ret, exit
  barrier,     // of the block
  call,        // of a function that is not folded into its caller
  function_return,
  unavailable,  // a call of what has no body
};

struct Opcode {
  Family family = Family::arithmetic;
  bool has_result = true;  // the first operand is written
  bool gathers = false;    // waits for the lanes that its last operand names: the .sync of a warp
};

/// In the place of a call and a ret of PTX where they are to be carried out as such. No PTX begins so.
constexpr const char* CALL = "@call";
constexpr const char* FUNCTION_RETURN = "@return";

/// "bar.red.popc.u32" comes as {"bar", "red", "popc", "u32"}.
Opcode classify(const std::vector<std::string>& opcode);

}  // namespace simulator
