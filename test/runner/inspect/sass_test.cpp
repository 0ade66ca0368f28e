// Texts in the form of cuobjdump 13.5's output for the rungs (nvcc 13.0, sm_90a), cut to a few lines each. The
// instructions are real. Addresses of the loops and some encodings were fitted to the remaining lines.
#include "runner/inspect/sass.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/error.hpp"
#include "runner/choose/select_workloads.hpp"
#include "runner/inspect/sass_report.hpp"
#include "runner/machine/kernel_name.hpp"
#include "test/support/files.hpp"

namespace {

namespace fs = std::filesystem;
using runner::SassAccess;
using runner::SassEntry;
using runner::SassFunction;
using runner::SassReport;
using runner::SassSummary;
using runner::Workload;
using testing::HasSubstr;

// Rung 6. The first half of its loop over tiles stages them, with guarded loads for the edge; the second half
// multiplies. The epilogue follows, and at the very end the branch to itself that never runs.
const std::string VECTOR_FLOAT4 = R"sass(
Fatbin elf code:
================
arch = sm_90a
code version = [1,8]
host = linux
compile_size = 64bit
identifier = 06_vector_float4.cu

	code for sm_90a
	.target	sm_90a

		Function : _ZN6ladder52_GLOBAL__N__20243af7_19_06_vector_float4_cu_b383211820vector_float4_kernelILb1EEEvNS_5SgemmEl
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                               /* 0x00000a00ff017b82 */
                                                                                        /* 0x000fe20000000800 */
        /*0040*/              @!P0 BRA 0x110 ;                                          /* 0x0000000000308947 */
                                                                                        /* 0x000fea0003800000 */
        /*0110*/                   LDC R4, c[0x0][0x268] ;                              /* 0x00009a00ff047b82 */
        /*09b0*/               @P2 LDG.E R37, desc[UR8][R100.64+0x4] ;                  /* 0x0000040864252981 */
                                                                                        /* 0x000ea8000c1e1900 */
        /*0a10*/                   BRA 0xa30 ;                                          /* 0x0000000000047947 */
        /*0a20*/                   LDG.E.128 R36, desc[UR8][R100.64] ;                  /* 0x0000000864247981 */
        /*0a30*/                   STS [R93], R36 ;                                     /* 0x000000245d007388 */
        /*0a40*/                   STS.128 [R96], R40 ;                                 /* 0x0000002860007388 */
        /*0a50*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;                        /* 0x0000000000007b1d */
        /*0c50*/                   LDS.128 R24, [UR4] ;                                 /* 0x00000004ff187984 */
        /*0ca0*/                   FFMA R81, R24.reuse, R28, R81 ;                      /* 0x0000001c18517223 */
                                                                                        /* 0x040fe20000000051 */
        /*0cb0*/                   FFMA R92, R24.reuse, R29, R92 ;                      /* 0x0000001d185c7223 */
        /*0cc0*/                   FFMA R83, R24.reuse, R30, R83 ;                      /* 0x0000001e18537223 */
        /*2e00*/               @P0 BRA 0x9b0 ;                                          /* 0xffffffdc00680947 */
        /*2f00*/                   LDG.E R4, desc[UR8][R2.64] ;                         /* 0x0000000802047981 */
        /*2f10*/                   FFMA R81, R4, R28, R81 ;                             /* 0x0000001c18517223 */
        /*2f20*/                   STG.E.128 desc[UR8][R2.64], R80 ;                    /* 0x0000005002007986 */
        /*2f30*/                   EXIT ;                                               /* 0x000000000000794d */
        /*8100*/                   BRA 0x8100;                                          /* 0xfffffffc00fc7947 */
        /*8110*/                   NOP;                                                 /* 0x0000000000007918 */
		..........
)sass";

// Rung 10's staging, without the loop over k in it: two loops. The inner loop multiplies.
const std::string NESTED = R"sass(
	code for sm_90a
		Function : _ZN6ladder53_GLOBAL__N__9b3e9247_20_10_async_pipeline_cu_888ecfec21async_pipeline_kernelILb1EEEvNS_5SgemmEl
        /*0000*/                   LDGSTS.E.BYPASS.128.ZFILL [R5], desc[UR8][R2.64], P0 ;    /* 0x0 */
        /*0010*/                   LDGSTS.E [R5+0x10], desc[UR8][R2.64] ;    /* 0x0 */
        /*0020*/                   LDGDEPBAR ;    /* 0x0 */
        /*0030*/                   LDS R9, [R5] ;    /* 0x0 */
        /*0040*/                   FFMA R81, R24, R28, R81 ;    /* 0x0 */
        /*0050*/              @!P0 BRA 0x30 ;    /* 0x0 */
        /*0060*/                   STL.64 [R1+0x8], R24 ;    /* 0x0 */
        /*0070*/                   LDL.64 R24, [R1+0x8] ;    /* 0x0 */
        /*0080*/              @!P0 BRA 0x0 ;    /* 0x0 */
        /*0090*/                   EXIT ;    /* 0x0 */
)sass";

const std::string COPY = R"(
	code for sm_90a
		Function : _ZN3lab47_GLOBAL__N__c4e6aa3d_14_copy_stride_cu_6431312e18copy_stride_kernelILi1000EEEvPKfPfll
        /*0080*/               @P0 EXIT ;                                     /* 0x000000000000094d */
        /*0140*/                   LDG.E R5, desc[UR4][R4.64] ;               /* 0x0000000404057981 */
        /*0170*/                   STG.E desc[UR4][R6.64], R5 ;               /* 0x0000000506007986 */
        /*0180*/                   EXIT ;                                     /* 0x000000000000794d */
        /*0190*/                   BRA 0x190;                                 /* 0xfffffffc00fc7947 */
        /*01a0*/                   NOP;                                       /* 0x0000000000007918 */
)";

const std::string RESOURCES = R"(
Fatbin elf code:
================
arch = sm_80
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0
 Function _ZN6ladder52_GLOBAL__N__20243af7_19_06_vector_float4_cu_b383211820vector_float4_kernelILb1EEEvNS_5SgemmEl:
  REG:99 STACK:16 SHARED:4096 LOCAL:0 CONSTANT[0]:624 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin elf code:
================
arch = sm_90a
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0
 Function _ZN6ladder52_GLOBAL__N__20243af7_19_06_vector_float4_cu_b383211820vector_float4_kernelILb1EEEvNS_5SgemmEl:
  REG:125 STACK:0 SHARED:8192 LOCAL:0 CONSTANT[0]:624 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function f:
  REG:32 STACK:8 SHARED:0 LOCAL:0 CONSTANT[0]:624 TEXTURE:0 SURFACE:0 SAMPLER:0
)";

SassSummary summary_of(const std::string& text) {
  const std::vector<SassFunction> functions = runner::read_sass(text);
  EXPECT_EQ(functions.size(), 1u);
  return functions.empty() ? SassSummary() : runner::summary_of(functions.front());
}

Workload workload(const char* name) {
  return runner::select_workloads({.names = {name}, .sizes = {}, .parameters = {}}).at(0);
}

TEST(Sass, ReadsInstructionsAndBranches) {
  const std::vector<SassFunction> functions = runner::read_sass(VECTOR_FLOAT4);
  ASSERT_EQ(functions.size(), 1u);
  EXPECT_EQ(functions[0].architecture, "sm_90a");
  const auto& code = functions[0].code;
  ASSERT_EQ(code.size(), 20u);
  EXPECT_EQ(code[1], (runner::SassInstruction{0x40, "BRA", 0x110}));
  EXPECT_EQ(code[3], (runner::SassInstruction{0x9b0, "LDG.E", {}}));
  EXPECT_EQ(code[18], (runner::SassInstruction{0x8100, "BRA", 0x8100}));
}

TEST(Sass, FindsTheMainLoopAndItsAccesses) {
  const SassSummary summary = summary_of(VECTOR_FLOAT4);
  EXPECT_EQ(summary.kernel, "ladder::vector_float4_kernel<true>");
  EXPECT_TRUE(summary.has_loop);
  EXPECT_EQ(summary.loop_instructions, 11);
  EXPECT_EQ(summary.loop_ffma, 3);
  EXPECT_EQ(summary.spills, 0);
  EXPECT_THAT(summary.accesses,
              testing::ElementsAre(SassAccess{"global load", 16, "LDG.E.128", 1, 0},
                                   SassAccess{"global load", 4, "LDG.E", 1, 1},
                                   SassAccess{"global store", 16, "STG.E.128", 0, 1},
                                   SassAccess{"shared load", 16, "LDS.128", 1, 0},
                                   SassAccess{"shared store", 16, "STS.128", 1, 0},
                                   SassAccess{"shared store", 4, "STS", 1, 0}));
}

TEST(Sass, TakesTheLoopInWhichFfmaStandAndCountsSpills) {
  const SassSummary summary = summary_of(NESTED);
  EXPECT_EQ(summary.loop_instructions, 3);
  EXPECT_EQ(summary.loop_ffma, 1);
  EXPECT_EQ(summary.spills, 2);
  EXPECT_THAT(summary.accesses,
              testing::ElementsAre(SassAccess{"cp.async", 16, "LDGSTS.E.BYPASS.128.ZFILL", 0, 1},
                                   SassAccess{"cp.async", 4, "LDGSTS.E", 0, 1},
                                   SassAccess{"shared load", 4, "LDS", 1, 0},
                                   SassAccess{"local load", 8, "LDL.64", 0, 1},
                                   SassAccess{"local store", 8, "STL.64", 0, 1}));
}

TEST(Sass, IsAllOfTheCodeWhereThereIsNoLoop) {
  const SassSummary summary = summary_of(COPY);
  EXPECT_FALSE(summary.has_loop);
  EXPECT_EQ(summary.loop_instructions, 5);
  EXPECT_THAT(summary.accesses, testing::ElementsAre(SassAccess{"global load", 4, "LDG.E", 1, 0},
                                                     SassAccess{"global store", 4, "STG.E", 1, 0}));
}

TEST(Sass, ReadsResourcesOfEachArchitecture) {
  const auto resources = runner::read_resources(RESOURCES);
  ASSERT_EQ(resources.size(), 3u);
  EXPECT_EQ(resources[0].architecture, "sm_80");
  EXPECT_EQ(resources[0].registers, 99);
  EXPECT_EQ(resources[0].stack_bytes, 16);
  EXPECT_EQ(resources[1].architecture, "sm_90a");
  EXPECT_EQ(resources[1].registers, 125);
  EXPECT_EQ(resources[2], (runner::SassResources{"f", "sm_90a", 32, 8}));
}

TEST(Sass, ReadsNothingInWhatIsNone) {
  EXPECT_TRUE(runner::read_sass("").empty());
  EXPECT_TRUE(runner::read_sass("/*0000*/ LDG.E R1, [R2] ;\ngarbage /* */\n\x01;\n").empty());
  EXPECT_TRUE(runner::read_resources("  REG:32 STACK:0\nnothing\n").empty());
  EXPECT_EQ(runner::summary_of({}).loop_instructions, 0);
}

TEST(Sass, NamesKernelsAsTheSimulatorDoes) {
  EXPECT_EQ(runner::kernel_name("_ZN6ladder12_GLOBAL__N_116coalesced_kernelENS_5SgemmEl"),
            "ladder::coalesced_kernel");
  EXPECT_EQ(runner::kernel_name("not mangled"), "not mangled");
}

// ---- Verdicts.

TEST(SassVerdict, WantsThePromisedWidthInTheMainLoop) {
  SassEntry entry{.subject = "", .is_promised = true, .summary = summary_of(VECTOR_FLOAT4)};
  const auto kept = runner::width_verdicts(workload("6"), entry);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].buffers, "A, B");
  ASSERT_NE(kept[0].access, nullptr);
  EXPECT_EQ(kept[0].access->opcode, "LDG.E.128");

  // A wide load elsewhere does not keep the promise.
  std::swap(entry.summary.accesses[0].in_loop, entry.summary.accesses[0].outside);
  EXPECT_EQ(runner::width_verdicts(workload("6"), entry)[0].access, nullptr);
  EXPECT_THAT(runner::sass_text(workload("6"), entry, {}),
              HasSubstr("WRONG A, B: 16 bytes a lane promised"));
  // A fallback has no promise.
  entry.is_promised = false;
  EXPECT_TRUE(runner::width_verdicts(workload("6"), entry).empty());
}

// A workload may launch several kernels, and not each of them reads A and B.
TEST(SassVerdict, WantsThePromisedWidthInOneOfTheKernels) {
  const SassEntry with{
      .subject = "rung", .is_promised = true, .summary = summary_of(VECTOR_FLOAT4)};
  SassEntry without = with;
  for (auto& access : without.summary.accesses) access.bytes = 4;
  const std::vector<SassEntry> both = {with, without}, alone = {without};
  EXPECT_TRUE(runner::width_verdicts(workload("6"), without, both).empty());
  EXPECT_EQ(runner::width_verdicts(workload("6"), with, both).size(), 1u);
  EXPECT_EQ(runner::width_verdicts(workload("6"), without, alone).size(), 1u);
  std::vector<SassEntry> fallback = both;
  fallback[0].is_promised = false;
  EXPECT_EQ(runner::width_verdicts(workload("6"), without, fallback).size(), 1u);
  std::vector<SassEntry> other = both;
  other[0].subject = "another rung";
  EXPECT_EQ(runner::width_verdicts(workload("6"), without, other).size(), 1u);
}

TEST(SassVerdict, WantsEachWidthOfSeveral) {
  const SassEntry entry{.subject = "", .is_promised = true, .summary = summary_of(NESTED)};
  const auto verdicts = runner::width_verdicts(workload("10"), entry);
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].access->opcode, "LDGSTS.E");
  EXPECT_EQ(verdicts[1].access->opcode, "LDGSTS.E.BYPASS.128.ZFILL");
}

TEST(SassVerdict, TakesALoadOf32BytesForOneOf16) {
  SassSummary summary{.kernel = "k"};
  summary.accesses = {{"global load", 32, "LDG.E.ENL2.256", 1, 0}};
  EXPECT_NE(runner::load_of_width(summary, 16), nullptr);
  EXPECT_EQ(runner::load_of_width(summary, 4), nullptr);
}

TEST(Sass, TextShowsWidthsInsideAndOutside) {
  const SassEntry entry{.subject = "", .is_promised = true, .summary = summary_of(VECTOR_FLOAT4)};
  const std::string text = runner::sass_text(workload("6"), entry, {});
  EXPECT_THAT(text, HasSubstr("main loop: 11 instructions, 3 of them FFMA (27.3 %)"));
  EXPECT_THAT(text, HasSubstr("  global load               16           1         0  LDG.E.128\n"));
  EXPECT_THAT(text, HasSubstr("ok A, B: 16 bytes a lane promised: LDG.E.128 is there"));
}

// ---- The report, with a cuobjdump that a script plays.

class SassReportOf : public testing::Test {
 protected:
  std::string cuobjdump(const std::string& resources, const std::string& sass) {
    std::ofstream(folder_ / "resources") << resources;
    std::ofstream(folder_ / "sass") << sass;
    const fs::path file = folder_ / "cuobjdump";
    const std::string folder = folder_.path().string();
    std::ofstream(file) << "#!/bin/sh\ncase $1 in\n--version) echo 'release 13.5, V13.5.37' ;;\n"
                        << "-res-usage) cat '" << folder << "/resources' ;;\n-sass) echo \"$*\" > '"
                        << folder << "/words'; cat '" << folder << "/sass' ;;\nesac\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  // Rung 6 launches one kernel.
  static results::Run run() {
    results::Result result = workload("6").result();
    result.seen.kernels = {{.name = "ladder::vector_float4_kernel<true>"}};
    result.judged.claims = {{.counter = "local_bytes", .kept = true}};
    return {.results = {result}};
  }
  SassReport report(const std::string& resources, const std::string& sass) {
    return runner::sass_report({workload("6")}, run(), cuobjdump(resources, sass), "program");
  }
  TemporaryFolder folder_;
};

TEST_F(SassReportOf, AsksForTheKernelsThatAreLaunched) {
  const SassReport made = report(RESOURCES, VECTOR_FLOAT4);
  EXPECT_EQ(made.toolkit, "cuobjdump 13.5.37");
  ASSERT_EQ(made.entries.size(), 1u);
  EXPECT_EQ(made.entries[0].subject, "sgemm/06_vector_float4");
  EXPECT_TRUE(made.entries[0].is_promised);
  EXPECT_EQ(made.entries[0].summary.registers, 125) << "those of sm_90a";
  EXPECT_THAT(contents(folder_ / "words"),
              testing::AllOf(HasSubstr("-arch sm_90a"),
                             HasSubstr("vector_float4_kernelILb1EEEvNS_5SgemmEl")));
}

TEST_F(SassReportOf, IsReadBackAsItWasWritten) {
  const SassReport made = report(RESOURCES, VECTOR_FLOAT4);
  std::ofstream(folder_ / "report.json") << runner::to_json(made);
  EXPECT_EQ(runner::read_sass_report((folder_ / "report.json").string()), made);
}

TEST_F(SassReportOf, SaysWhatIsMissing) {
  const auto message = [&](const std::string& resources, const std::string& sass) -> std::string {
    try {
      report(resources, sass);
    } catch (const runner::Error& error) {
      EXPECT_EQ(error.code(), runner::ExitCode::failure);
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(message("", VECTOR_FLOAT4), HasSubstr("no machine code for a GPU at all"));
  EXPECT_THAT(message(RESOURCES, COPY),
              HasSubstr("printed no code of ladder::vector_float4_kernel<true>"));
  EXPECT_THAT(message("arch = sm_90a\n Function f:\n  REG:1\n", VECTOR_FLOAT4),
              HasSubstr("has no kernel ladder::vector_float4_kernel<true>"));
}

TEST_F(SassReportOf, RefusesAFileThatIsNone) {
  for (const char* text : {"", "{}", "[1]", R"({"context":{"sass_schema":99},"kernels":[]})",
                           R"({"context":{"sass_schema":1,"date":1}})"}) {
    std::ofstream(folder_ / "report.json") << text;
    EXPECT_THROW(runner::read_sass_report((folder_ / "report.json").string()), runner::Error)
        << text;
  }
}

}  // namespace
