// The facts about a decoded instruction. No code after the decoder reads its spelling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "simulator/decode/decoder.hpp"
#include "simulator/decode/opcodes.hpp"
#include "simulator/execute/level/level.hpp"

namespace simulator {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::vector<std::string> words_of(const std::string& opcode) {
  std::vector<std::string> words;
  std::istringstream text(opcode);
  for (std::string word; std::getline(text, word, '.');) words.push_back(word);
  return words;
}

Facts facts(const std::string& opcode) { return facts_of(words_of(opcode)); }

struct Known {
  const char* opcode;
  Family family;
  Operation operation = Operation::other;
};

const Known KNOWN[] = {
    {"add.s64", Family::arithmetic, Operation::add},
    {"mul.wide.u32", Family::arithmetic, Operation::multiply},
    {"mul24.lo.u32", Family::arithmetic},
    {"mad.lo.s32", Family::arithmetic, Operation::multiply_add},
    {"fma.rn.f32", Family::arithmetic, Operation::multiply_add},
    {"selp.b32", Family::arithmetic, Operation::select},
    {"and.pred", Family::arithmetic, Operation::logical_and},
    {"or.b32", Family::arithmetic, Operation::logical_or},
    {"xor.b64", Family::arithmetic, Operation::logical_xor},
    {"min.s32", Family::arithmetic, Operation::minimum},
    {"max.f32", Family::arithmetic, Operation::maximum},
    {"setp.lt.s32", Family::arithmetic},
    {"mov.u32", Family::move, Operation::copy},
    {"cvta.to.global.u64", Family::move},
    {"ld.global.nc.v4.f32", Family::load},
    {"ldu.global.f32", Family::load},
    {"st.volatile.shared.u32", Family::store},
    {"atom.global.add.f32", Family::atomic, Operation::add},
    {"atom.acq_rel.gpu.global.cas.b32", Family::atomic, Operation::compare_and_swap},
    {"atom.shared.exch.b32", Family::atomic, Operation::exchange},
    {"atom.global.inc.u32", Family::atomic, Operation::increment},
    {"atom.global.dec.u32", Family::atomic, Operation::decrement},
    {"red.global.max.s32", Family::atomic, Operation::maximum},
    {"red.global.and.b32", Family::atomic, Operation::logical_and},
    {"cp.async.cg.shared.global", Family::async_copy, Operation::copy},
    {"cp.async.ca.shared.global", Family::async_copy, Operation::copy},
    {"cp.async.commit_group", Family::async_copy, Operation::commit},
    {"cp.async.wait_group", Family::async_copy, Operation::wait_group},
    {"cp.async.wait_all", Family::async_copy, Operation::wait_all},
    {"prefetch.global.L2", Family::prefetch},
    {"prefetchu.L1", Family::prefetch},
    {"createpolicy.fractional.L2::evict_first.b64", Family::prefetch},
    {"applypriority.global.L2::evict_normal", Family::prefetch},
    {"discard.global.L2", Family::prefetch},
    {"griddepcontrol.wait", Family::prefetch},
    {"shfl.sync.idx.b32", Family::warp, Operation::shuffle_index},
    {"shfl.sync.up.b32", Family::warp, Operation::shuffle_up},
    {"shfl.sync.down.b32", Family::warp, Operation::shuffle_down},
    {"shfl.sync.bfly.b32", Family::warp, Operation::shuffle_butterfly},
    {"vote.sync.all.pred", Family::warp, Operation::vote_all},
    {"vote.sync.any.pred", Family::warp, Operation::vote_any},
    {"vote.sync.uni.pred", Family::warp, Operation::vote_uniform},
    {"vote.sync.ballot.b32", Family::warp, Operation::ballot},
    {"match.any.sync.b32", Family::warp, Operation::match_any},
    {"match.all.sync.b64", Family::warp, Operation::match_all},
    {"redux.sync.add.s32", Family::warp, Operation::add},
    {"redux.sync.xor.b32", Family::warp, Operation::logical_xor},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Family::matrix},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", Family::load},
    {"stmatrix.sync.aligned.m8n8.x2.shared::cta.b16", Family::store},
    {"activemask.b32", Family::warp},
    {"isspacep.shared", Family::warp},
    {"membar.gl", Family::warp, Operation::fence},
    {"fence.acq_rel.gpu", Family::warp, Operation::fence},
    {"nanosleep.u32", Family::warp},
    {"trap", Family::warp},
    {"vprintf", Family::warp, Operation::print},
    {"__assertfail", Family::warp},
    {"__simulator_malloc", Family::warp, Operation::allocate},
    {"__simulator_free", Family::warp, Operation::free},
    {"__simulator_grid_is_valid", Family::warp},
    {"__simulator_grid_arrive", Family::warp},
    {"__simulator_grid_wait", Family::grid_wait},
    {"tex.2d.v4.f32.f32", Family::texture},
    {"tld4.r.2d.v4.f32.f32", Family::texture},
    {"bra.uni", Family::branch},
    {"brx.idx", Family::indirect},
    {"ret", Family::exit},
    {"exit", Family::exit},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", Family::bulk_copy,
     Operation::copy},
    {"cp.async.bulk.global.shared::cta.bulk_group", Family::bulk_copy, Operation::copy},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16", Family::bulk_copy,
     Operation::add},
    {"cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor.b64", Family::bulk_copy,
     Operation::logical_xor},
    {"cp.async.bulk.commit_group", Family::bulk_copy, Operation::commit},
    {"cp.async.bulk.wait_group.read", Family::bulk_copy, Operation::wait_group},
    {"cp.async.bulk.prefetch.L2.global", Family::prefetch},
    {"cp.async.mbarrier.arrive.noinc.shared::cta.b64", Family::mbarrier,
     Operation::arrive_after_copies},
    {"mbarrier.init.shared::cta.b64", Family::mbarrier, Operation::initialise},
    {"mbarrier.inval.shared.b64", Family::mbarrier, Operation::invalidate},
    {"mbarrier.arrive.expect_tx.shared::cta.b64", Family::mbarrier, Operation::arrive},
    {"mbarrier.arrive_drop.b64", Family::mbarrier, Operation::arrive_and_drop},
    {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64", Family::mbarrier, Operation::expect_bytes},
    {"mbarrier.complete_tx.shared::cta.b64", Family::mbarrier, Operation::complete_bytes},
    {"mbarrier.try_wait.parity.shared::cta.b64", Family::mbarrier, Operation::test_wait},
    {"mbarrier.test_wait.b64", Family::mbarrier, Operation::test_wait},
    {"mbarrier.pending_count.b64", Family::mbarrier, Operation::count_pending},
    {"elect.sync", Family::warp},
    {"setmaxnreg.inc.sync.aligned.u32", Family::registers},
    {"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", Family::warpgroup},
    {"wgmma.fence.sync.aligned", Family::warpgroup},
    {"wgmma.wait_group.sync.aligned", Family::warpgroup},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes",
     Family::bulk_copy, Operation::copy},
    {"bar.sync", Family::barrier},
    {"bar.red.popc.u32", Family::barrier},
    {"barrier.sync.aligned", Family::barrier},
    {"bar.warp.sync", Family::warp, Operation::meet},
    {"barrier.cluster.arrive", Family::warp},
    {"barrier.cluster.wait.acquire", Family::barrier},
    {"mapa.shared::cluster.u32", Family::warp},
    {"getctarank.u64", Family::warp},
    {"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32", Family::async_store},
    {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32",
     Family::async_store, Operation::add},
    {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", Family::bulk_copy,
     Operation::copy},
    {"call.uni", Family::unavailable},
    {CALL, Family::call},
    {FUNCTION_RETURN, Family::function_return},
};

TEST(Facts, OfEveryOpcodeThatIsListed) {
  std::set<std::string> seen;
  for (const Known& known : KNOWN) {
    EXPECT_EQ(facts(known.opcode).family, known.family) << known.opcode;
    EXPECT_EQ(facts(known.opcode).operation, known.operation) << known.opcode;
    seen.insert(words_of(known.opcode)[0]);
  }
  for (const std::string_view head : listed_heads())
    EXPECT_TRUE(seen.contains(std::string(head))) << head << " has no opcode in this list";
}

TEST(Facts, OfOrderAndScope) {
  EXPECT_EQ(facts("ld.global.f32").order, Order::weak);
  EXPECT_EQ(facts("ld.volatile.global.f32").order, Order::as_volatile);
  EXPECT_EQ(facts("ld.global.cv.f32").order, Order::as_volatile);
  EXPECT_EQ(facts("ld.relaxed.sys.global.u32").order, Order::relaxed);
  EXPECT_EQ(facts("ld.acquire.gpu.global.u32").order, Order::acquire);
  EXPECT_EQ(facts("st.release.cta.shared.u32").order, Order::release);
  EXPECT_EQ(facts("fence.acq_rel.cluster").order, Order::acquire_release);
  EXPECT_EQ(facts("fence.sc.cta").order, Order::sequential);
  EXPECT_EQ(facts("ld.relaxed.sys.global.u32").scope, Scope::system);
  EXPECT_EQ(facts("membar.cta").scope, Scope::block);
  EXPECT_EQ(facts("membar.gl").scope, Scope::device);
  EXPECT_EQ(facts("fence.acq_rel.cluster").scope, Scope::cluster);
  EXPECT_EQ(facts("fence.proxy.async.shared::cta").scope, Scope::block);
  EXPECT_EQ(facts("ld.shared::cta.u32").scope, Scope::none);
}

TEST(Facts, OfSpaceAndType) {
  EXPECT_EQ(facts("ld.u32").space, Space::generic);
  EXPECT_EQ(facts("ld.shared::cta.u32").space, Space::shared);
  EXPECT_EQ(facts("st.local.v2.f64").space, Space::local);
  EXPECT_EQ(facts("ld.param.u64").space, Space::parameter);
  EXPECT_EQ(facts("cp.async.ca.shared.global").space, Space::shared);
  EXPECT_EQ(facts("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes").space,
            Space::shared);
  EXPECT_EQ(facts("cp.async.bulk.global.shared::cta.bulk_group").space, Space::global);
  EXPECT_EQ(facts("cp.async.bulk.global.shared::cta.bulk_group").from, Space::shared);
  EXPECT_FALSE(facts("cp.async.bulk.global.shared::cta.bulk_group").is_tensor);
  EXPECT_TRUE(facts("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group").is_tensor);
  const Facts vector = facts("ld.global.nc.L2::128B.v4.f32");
  EXPECT_EQ(vector.count * vector.bytes, 16);
  EXPECT_TRUE(vector.is_float);
  EXPECT_FALSE(facts("mul.wide.u32").is_float);
  EXPECT_EQ(facts("and.pred").bytes, 0);
}

// A product of matrices has four operands of several registers each.
TEST(Facts, OperandsAreInGroups) {
  const ptx::Module module(
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
      ".reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, "
      "{%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};\n"
      "st.global.v2.f32 [%rd1+8], {%f1, %f2};\nadd.s64 %rd2, %rd1, -8;\nret;\n}\n");
  const auto program = decode(*module.find("k"), module, {}, *level().instructions);
  ASSERT_EQ(program->sources.size(), 4u);
  EXPECT_THAT(program->sources[0].groups.size, ElementsAre(4, 4, 2, 4));
  const OperandGroups& store = program->sources[1].groups;
  EXPECT_THAT(store.size, ElementsAre(0, 1, 2, 0));
  const OperandFact& address = program->operands[store.first];
  EXPECT_EQ(address.kind, OperandFact::Kind::address);
  EXPECT_EQ(address.value, 8);
  const OperandGroups& sum = program->sources[2].groups;
  EXPECT_THAT(sum.size, ElementsAre(1, 1, 1, 0));
  EXPECT_EQ(program->operands[sum.first + 1].name, address.name);
  EXPECT_EQ(program->operands[sum.first + 2].value, -8);
}

// True if a line of source reads an instruction's spelling.
bool reads_spelling(const std::string& line) {
  static const std::string search = "(starts_with|ends_with|find|rfind|substr|compare|contains)";
  static const std::regex compares(R"(\.opcode\b\s*(==|!=|\[|\.)|\.(text|instruction)\.)" + search);
  static const std::regex keeps(R"(\b(string|string_view|auto)\b[^=]*=.*\.opcode\b)");
  static const std::regex asks_for_a_head = [] {
    std::string heads = "add|mul|mad|fma|selp|and|or|xor|min|max|setp|cvt";
    for (const std::string_view head : listed_heads()) heads += "|" + std::string(head);
    return std::regex("(" + search + R"re(\s*\(|[!=]=\s*)"()re" + heads + R"re()[."])re");
  }();
  return std::regex_search(line, compares) || std::regex_search(line, keeps) ||
         std::regex_search(line, asks_for_a_head);
}

TEST(Spelling, IsReadByTheDecoderAlone) {
  for (const char* line :
       {"if (source.opcode.starts_with(kind)) return;", "if (a.opcode == b.opcode) return;",
        "const std::string& opcode = program.sources[i].opcode;",
        "if (opcode.starts_with(\"ld.\")) return;", "if (opcode == \"and.pred\") return;",
        "if (fault.instruction.starts_with(word)) return;"})
    EXPECT_TRUE(reads_spelling(line)) << line;
  // The decoder asks tables from spellings to functions. Otherwise only code that reads or decodes
  // PTX may.
  const std::set<std::string> may = {"ptx", "decode", "execute/scalar",
                                     "execute/level/arithmetic.cpp",
                                     "execute/level/warp_instructions.cpp"};
  const fs::path simulator = fs::path(SOURCE_TREE) / "src/simulator";
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(simulator)) {
    const fs::path path = entry.path();
    const fs::path name = fs::relative(path, simulator);
    if (path.extension() != ".cpp" && path.extension() != ".hpp") continue;
    if (may.contains(name.string()) || may.contains(name.parent_path().string())) continue;
    ++files;
    std::ifstream file(path);
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      EXPECT_FALSE(reads_spelling(line)) << name << ":" << number << ": " << line;
    }
  }
  EXPECT_GT(files, 50);
}

}  // namespace
}  // namespace simulator
