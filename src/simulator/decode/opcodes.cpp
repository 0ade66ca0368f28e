#include "simulator/decode/opcodes.hpp"

#include <algorithm>
#include <map>
#include <variant>

#include "simulator/ptx/ptx.hpp"

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
    {"ldmatrix", {Family::load, true}},
    {"st", {Family::store, false}},
    {"stmatrix", {Family::store, false}},
    {"atom", {Family::atomic, true}},
    {"red", {Family::atomic, false}},
    {"cp", {Family::async_copy, false}},  // also the other forms of cp.async
    {"mbarrier", {Family::mbarrier, false}},
    {"tex", {Family::texture, true}},
    {"tld4", {Family::texture, true}},
    {"prefetch", {Family::prefetch, false}},
    {"prefetchu", {Family::prefetch, false}},
    // Policies are advice to caches. griddepcontrol has no effect, because a launch begins when all earlier ones
    // are done.
    {"createpolicy", {Family::prefetch, true}},
    {"applypriority", {Family::prefetch, false}},
    {"discard", {Family::prefetch, false}},
    {"griddepcontrol", {Family::prefetch, false}},
    {"setmaxnreg", {Family::registers, false}},
    {"mma", {Family::matrix, true}},
    {"wgmma", {Family::warpgroup, false}},  // D is read and written
    {"shfl", {Family::warp, true}},
    {"vote", {Family::warp, true}},
    {"match", {Family::warp, true}},
    {"redux", {Family::warp, true}},
    {"elect", {Family::warp, true}},
    {"activemask", {Family::warp, true}},
    {"isspacep", {Family::warp, true}},
    {"mapa", {Family::warp, true}},
    {"getctarank", {Family::warp, true}},
    {"membar", {Family::warp, false}},
    {"fence", {Family::warp, false}},
    {"nanosleep", {Family::warp, false}},
    {"trap", {Family::warp, false}},
    {"vprintf", {Family::warp, true}},
    {"__assertfail", {Family::warp, false}},
    {"__simulator_malloc", {Family::warp, true}},
    {"__simulator_free", {Family::warp, false}},
    {"__simulator_grid_is_valid", {Family::warp, true}},
    {"__simulator_grid_arrive", {Family::warp, true}},
    {"__simulator_grid_wait", {Family::grid_wait, false}},
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

template <typename Value>
using Words = std::map<std::string_view, Value>;

template <typename Value>
std::optional<Value> find(const Words<Value>& words, std::string_view word) {
  const auto found = words.find(word);
  return found == words.end() ? std::nullopt : std::optional(found->second);
}

// The operation by an opcode's first word, or by another word in families whose first word does not tell it.
const Words<Operation> BY_HEAD = {
    {"mov", Operation::copy},
    {"add", Operation::add},
    {"mul", Operation::multiply},
    {"mad", Operation::multiply_add},
    {"fma", Operation::multiply_add},
    {"selp", Operation::select},
    {"and", Operation::logical_and},
    {"or", Operation::logical_or},
    {"xor", Operation::logical_xor},
    {"min", Operation::minimum},
    {"max", Operation::maximum},
    {"membar", Operation::fence},
    {"fence", Operation::fence},
    {"vprintf", Operation::print},
    {"__simulator_malloc", Operation::allocate},
    {"__simulator_free", Operation::free},
};
const Words<Operation> OF_ATOMIC = {
    {"add", Operation::add},       {"and", Operation::logical_and},
    {"or", Operation::logical_or}, {"xor", Operation::logical_xor},
    {"min", Operation::minimum},   {"max", Operation::maximum},
    {"inc", Operation::increment}, {"dec", Operation::decrement},
    {"exch", Operation::exchange}, {"cas", Operation::compare_and_swap},
};
const Words<Operation> OF_COPY = {
    {"ca", Operation::copy},
    {"cg", Operation::copy},
    {"commit_group", Operation::commit},
    {"wait_group", Operation::wait_group},
    {"wait_all", Operation::wait_all},
};
const Words<Operation> OF_MBARRIER = {
    {"init", Operation::initialise},
    {"inval", Operation::invalidate},
    {"arrive", Operation::arrive},
    {"arrive_drop", Operation::arrive_and_drop},
    {"expect_tx", Operation::expect_bytes},
    {"complete_tx", Operation::complete_bytes},
    {"test_wait", Operation::test_wait},
    {"try_wait", Operation::test_wait},
    {"pending_count", Operation::count_pending},
};
const Words<Operation> OF_SHUFFLE = {
    {"idx", Operation::shuffle_index},
    {"up", Operation::shuffle_up},
    {"down", Operation::shuffle_down},
    {"bfly", Operation::shuffle_butterfly},
};
const Words<Operation> OF_VOTE = {
    {"all", Operation::vote_all},
    {"any", Operation::vote_any},
    {"uni", Operation::vote_uniform},
    {"ballot", Operation::ballot},
};
const Words<Operation> OF_MATCH = {{"any", Operation::match_any}, {"all", Operation::match_all}};
const Words<Operation> OF_MEETING = {{"warp", Operation::meet}};

// The meaning of words that occur in opcodes of several families.
using Saying = std::variant<Order, Scope, Space>;
const Words<Saying> SAYINGS = {
    {"weak", Order::weak},
    {"volatile", Order::as_volatile},
    {"cv", Order::as_volatile},
    {"relaxed", Order::relaxed},
    {"acquire", Order::acquire},
    {"release", Order::release},
    {"acq_rel", Order::acquire_release},
    {"sc", Order::sequential},
    {"cta", Scope::block},
    {"cluster", Scope::cluster},
    {"gpu", Scope::device},
    {"gl", Scope::device},
    {"sys", Scope::system},
    {"global", Space::global},
    {"shared", Space::shared},
    {"shared::cta", Space::shared},
    {"shared::cluster", Space::shared},
    {"local", Space::local},
    {"const", Space::constant},
    {"param", Space::parameter},
};

template <typename What>
std::optional<What> get(std::string_view word) {
  const auto found = SAYINGS.find(word);
  const What* const said = found == SAYINGS.end() ? nullptr : std::get_if<What>(&found->second);
  return said == nullptr ? std::nullopt : std::optional(*said);
}

}  // namespace

std::optional<Operation> operation_of(std::string_view head, std::string_view word) {
  static const Words<const Words<Operation>*> tables = {
      {"atom", &OF_ATOMIC},       {"red", &OF_ATOMIC},   {"redux", &OF_ATOMIC},
      {"cp", &OF_COPY},           {"shfl", &OF_SHUFFLE}, {"vote", &OF_VOTE},
      {"match", &OF_MATCH},       {"bar", &OF_MEETING},  {"barrier", &OF_MEETING},
      {"mbarrier", &OF_MBARRIER},
  };
  const auto table = tables.find(head);
  return table == tables.end() ? std::nullopt : find(*table->second, word);
}

std::optional<Order> order_of(std::string_view word) { return get<Order>(word); }
std::optional<Scope> scope_of(std::string_view word) { return get<Scope>(word); }
std::optional<Space> space_of(std::string_view word) { return get<Space>(word); }

uint8_t vector_of(std::string_view word) {
  return word == "v2" ? 2 : word == "v4" ? 4 : word == "v8" ? 8 : 0;
}

std::string spelled(const std::vector<std::string>& opcode) {
  std::string text;
  for (const std::string& word : opcode) text += (text.empty() ? "" : ".") + word;
  return text;
}

Facts classify(const std::vector<std::string>& opcode) {
  const auto has = [&](std::string_view word) {
    return std::find(opcode.begin() + 1, opcode.end(), word) != opcode.end();
  };
  Facts result;
  const auto found = HEADS.find(opcode[0]);
  if (found == HEADS.end()) return result;
  result.family = found->second.family;
  result.has_result = found->second.has_result;
  if (result.family == Family::barrier && has("cluster")) {
    // An arrival does not wait, so it is no barrier.
    if (has("arrive")) result.family = Family::warp;
  } else if (result.family == Family::barrier && has("warp")) {
    result.family = Family::warp;
    result.gathers = true;
  } else if (result.family == Family::barrier) {
    result.has_result = has("red");
  } else if (result.family == Family::warp) {
    result.gathers = has("sync");
  } else if (result.family == Family::mbarrier) {
    result.has_result = has("arrive") || has("arrive_drop") || has("test_wait") ||
                        has("try_wait") || has("pending_count");
  } else if ((opcode[0] == "st" || opcode[0] == "red") && has("async")) {
    result.family = Family::async_store;
  } else if (result.family == Family::async_copy && has("mbarrier")) {
    result.family = Family::mbarrier;
  } else if (result.family == Family::async_copy && has("bulk")) {
    result.family = has("prefetch") ? Family::prefetch : Family::bulk_copy;
  }
  return result;
}

Facts facts_of(const std::vector<std::string>& opcode) {
  Facts facts = classify(opcode);
  facts.operation = find(BY_HEAD, opcode[0]).value_or(Operation::other);
  const bool reduces = opcode[0] == "cp" && opcode[1] == "reduce";
  for (size_t i = 1; i < opcode.size(); ++i) {
    const std::string& word = opcode[i];
    // The operation follows cp.async and cp.async.bulk. Further on the same words have another meaning.
    const bool may_say_it = facts.operation == Operation::other &&
                            (opcode[0] != "cp" || reduces || i == (opcode[2] == "bulk" ? 3u : 2u));
    if (may_say_it)
      facts.operation = operation_of(reduces ? "red" : opcode[0], word).value_or(Operation::other);
    // The scope of a fence between proxies is in the name of a space.
    if (facts.is_fence() && word.ends_with("::cta")) facts.scope = Scope::block;
    if (facts.operation == Operation::fence && word.starts_with("async"))
      facts.operation = Operation::fence_async;
    if (facts.operation == Operation::fence && word == "mbarrier_init")
      facts.operation = Operation::fence_mbarriers;
    if (const auto said = SAYINGS.find(word); said != SAYINGS.end()) {
      if (const Order* const order = std::get_if<Order>(&said->second)) facts.order = *order;
      if (const Scope* const scope = std::get_if<Scope>(&said->second)) facts.scope = *scope;
      const Space* const space = std::get_if<Space>(&said->second);
      if (space != nullptr) (facts.space == Space::generic ? facts.space : facts.from) = *space;
      continue;
    }
    facts.is_tensor |= word == "tensor";
    facts.count = std::max(facts.count, vector_of(word));
    if (const uint32_t bytes = ptx::type_bytes(word); bytes != 0) {
      facts.bytes = static_cast<uint8_t>(bytes);
      facts.is_float = word.starts_with('f');
    }
  }
  if (facts.operation == Operation::other) {
    if (facts.family == Family::bulk_copy) facts.operation = Operation::copy;
    if (facts.family == Family::mbarrier) facts.operation = Operation::arrive_after_copies;
  }
  return facts;
}

bool needs_features_of_90a(const std::vector<std::string>& opcode) {
  return opcode[0] == "wgmma" || opcode[0] == "setmaxnreg" || opcode[0] == "tensormap";
}

// (PTX manual, "Target ISA Notes" of each instruction.)
bool needs_newer_device(const std::vector<std::string>& opcode) {
  const auto has = [&](std::string_view word) {
    return std::find(opcode.begin() + 1, opcode.end(), word) != opcode.end();
  };
  const auto has_one_that = [&](auto&& is_such) {
    return std::any_of(opcode.begin() + 1, opcode.end(), is_such);
  };
  const std::string& head = opcode[0];
  if (head == "tcgen05" || head == "clusterlaunchcontrol") return true;
  if (head == "ldmatrix" || head == "stmatrix")
    return has("m16n16") || has("m8n16") || has("m16n8");
  if (head == "st") return has("bulk");
  if (head == "redux") return has("f32");
  return has("f32x2") || has("tile::gather4") || has("tile::scatter4") ||
         has_one_that([](const std::string& word) { return word.starts_with("cta_group::"); });
}

std::vector<std::string_view> listed_heads() {
  std::vector<std::string_view> heads;
  heads.reserve(HEADS.size());
  for (const auto& [head, entry] : HEADS) heads.push_back(head);
  return heads;
}

}  // namespace simulator
