#include "simulator/decode/opcodes.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace simulator {
namespace {

struct Entry {
  Family family;
  bool has_result;
};

const std::map<std::string_view, Entry> HEADS = {
    {"mov", {Family::move, true}},
    {"cvta", {Family::move, true}},
    {"ld", {Family::load, true}},
    {"ldu", {Family::load, true}},
    {"st", {Family::store, false}},
    {"atom", {Family::atomic, true}},
    {"red", {Family::atomic, false}},
    {"cp", {Family::async_copy, false}},
    {"prefetch", {Family::prefetch, false}},
    {"prefetchu", {Family::prefetch, false}},
    // Policies are advice to caches, and a launch begins when all before it is done.
    {"createpolicy", {Family::prefetch, true}},
    {"applypriority", {Family::prefetch, false}},
    {"discard", {Family::prefetch, false}},
    {"griddepcontrol", {Family::prefetch, false}},
    {"shfl", {Family::warp, true}},
    {"vote", {Family::warp, true}},
    {"match", {Family::warp, true}},
    {"redux", {Family::warp, true}},
    {"activemask", {Family::warp, true}},
    {"isspacep", {Family::warp, true}},
    {"membar", {Family::warp, false}},
    {"fence", {Family::warp, false}},
    {"nanosleep", {Family::warp, false}},
    {"trap", {Family::warp, false}},
    {"vprintf", {Family::warp, true}},
    {"__assertfail", {Family::warp, false}},
    {"__simulator_malloc", {Family::warp, true}},
    {"__simulator_free", {Family::warp, false}},
    {"bra", {Family::branch, false}},
    {"brx", {Family::indirect, false}},
    {"ret", {Family::exit, false}},
    {"exit", {Family::exit, false}},
    {"bar", {Family::barrier, false}},
    {"barrier", {Family::barrier, false}},
    {"call", {Family::unavailable, false}},
    {CALL, {Family::call, false}},
    {FUNCTION_RETURN, {Family::function_return, false}},
};

}  // namespace

Opcode classify(const std::vector<std::string>& opcode) {
  const auto has = [&](std::string_view word) {
    return std::find(opcode.begin() + 1, opcode.end(), word) != opcode.end();
  };
  const auto found = HEADS.find(opcode[0]);
  if (found == HEADS.end()) return {};
  Opcode result{found->second.family, found->second.has_result, false};
  if (result.family == Family::barrier && has("cluster")) return {Family::arithmetic, false};
  if (result.family == Family::barrier && has("warp")) {
    result.family = Family::warp;
    result.gathers = true;
  } else if (result.family == Family::barrier) {
    result.has_result = has("red");
  } else if (result.family == Family::warp) {
    result.gathers = has("sync");
  }
  return result;
}

}  // namespace simulator
