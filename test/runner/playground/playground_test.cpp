// The playground's presets equal the claims of labs and rungs, and the page equals the one in docs/.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "kernels/ladder.hpp"
#include "labs/lab.hpp"
#include "runner/playground/page.hpp"
#include "runner/playground/presets.hpp"
#include "test/support/files.hpp"

namespace {

namespace playground = runner::playground;
using playground::Lesson;
using playground::Preset;

// Returns the claim of a preset's lab or rung on the preset's counter.
std::vector<device::Claim> claims_of(const Lesson& lesson, const Preset& preset) {
  std::vector<device::Claim> claims;
  for (const lab::Lab* lab : lab::all()) {
    for (const lab::Variant& variant : lab->variants) {
      if (lab->name == lesson.name && variant.name == preset.variant) claims = variant.claims;
    }
  }
  for (const ladder::Rung* rung : ladder::all()) {
    if (fmt::format("{:02}_{}", rung->number, rung->name) == lesson.name)
      claims.assign(rung->promise.begin(), rung->promise.end());
  }
  std::erase_if(claims, [&](const device::Claim& claim) {
    return claim.counter != preset.counter || claim.buffer != preset.buffer;
  });
  return claims;
}

bool is_refused(const Lesson& lesson, const Preset& preset) {
  for (const lab::Lab* lab : lab::all()) {
    for (const lab::Variant& variant : lab->variants) {
      if (lab->name == lesson.name && variant.name == preset.variant)
        return lab::refusal(variant, lab::counted_sizes(*lab)) != nullptr;
    }
  }
  return false;
}

double counted(const playground::Cost& cost, const std::string& counter) {
  if (counter == "shared_bank_conflicts") return cost.wavefronts - cost.phases;
  return counter.starts_with("shared_") ? cost.wavefronts : cost.sectors;
}

TEST(Playground, EachPresetCostsWhatItsLabOrRungClaims) {
  for (const Lesson& lesson : playground::lessons()) {
    for (const Preset& preset : lesson.presets) {
      SCOPED_TRACE(preset.name);
      const auto cost = cost_of(preset.setting);
      ASSERT_EQ(!cost.has_value(), is_refused(lesson, preset));
      if (!cost) continue;
      const std::vector<device::Claim> claims = claims_of(lesson, preset);
      ASSERT_EQ(claims.size(), 1u) << preset.counter << " of " << preset.buffer;
      if (claims[0].relation == device::Relation::at_least) {
        EXPECT_GE(counted(*cost, preset.counter), claims[0].value);
      } else {
        EXPECT_EQ(counted(*cost, preset.counter), claims[0].value);
      }
    }
  }
}

TEST(Playground, ASettingIsTheOneOfItsAddress) {
  for (const Lesson& lesson : playground::lessons()) {
    EXPECT_TRUE(std::ranges::any_of(playground::fields(),
                                    [&](const playground::Field& field) {
                                      return field.key == lesson.slider && field.choices.empty();
                                    }))
        << lesson.name << " is about no slider";
    for (const Preset& preset : lesson.presets) {
      const std::string address = address_of(preset.setting);
      if (address.empty()) continue;
      EXPECT_EQ(playground::setting_of(address), preset.setting) << address;
    }
  }
}

TEST(Playground, AListThatIsNoneIsRefusedWithItsLine) {
  for (const auto& [list, complaint] : {
           std::pair{"  - 2 counter in stride=2", "1: an exercise comes first, and its slider"},
           {"banks stride\n  - 2 stride=2",
            "2: a preset is its name, a counter, a buffer and a setting"},
           {"banks stride\n\n  - 2 counter - stride=65", "3: 'stride=65' is not within its bounds"},
           {"banks stride\n  - 2 counter - memory=far", "2: 'memory=far' is not within its bounds"},
           {"banks stride\n  - 2 counter - step=2", "2: there is no 'step'"},
       }) {
    try {
      playground::read_lessons(list);
      ADD_FAILURE() << list;
    } catch (const std::logic_error& error) {
      EXPECT_EQ(error.what(), std::string("playground.txt:") + complaint);
    }
  }
}

TEST(Playground, IsThePageInDocs) {
  EXPECT_TRUE(contents(SGEMM_SOURCE_DIR "/docs/playground.html") == playground::page())
      << "write it anew: ./sgemm_runner playground --replace --output docs/playground.html";
}

TEST(Playground, AsksForNothingElse) {
  const std::string page = playground::page();
  const std::regex outside(
      R"(\b(src|href)\s*=\s*["']?[^#"' ]|url\(|@import|\bfetch\(|\bimport\b|https?:)");
  std::smatch found;
  EXPECT_FALSE(std::regex_search(page, found, outside)) << found.str();
}

TEST(Playground, IsLinkedToByTheExerciseOfEachLesson) {
  for (const Lesson& lesson : playground::lessons()) {
    const std::string link = fmt::format("(../../docs/playground.html#{}/", lesson.name);
    const std::string file = fmt::format("/exercises/{}/README.md", lesson.name);
    EXPECT_NE(contents(SGEMM_SOURCE_DIR + file).find(link), std::string::npos)
        << file << " has no link " << link << "PRESET)";
  }
}

}  // namespace
