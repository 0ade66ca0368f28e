#include "runner/playground/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "kernels/ladder.hpp"
#include "labs/lab.hpp"
#include "lens/drawing.hpp"
#include "runner/choose/select.hpp"
#include "runner/playground/parts.hpp"
#include "runner/playground/presets.hpp"
#include "runner/playground/setting.hpp"
#include "text/foreign.hpp"

namespace runner::playground {
namespace {

// ---- Controls.

std::string slider(const Field& field, int usual) {
  return fmt::format(
      R"(<div class="field" data-key="{0}">
<label for="{0}">{1}</label>
<input type="number" id="{0}" min="{2}" max="{3}" value="{4}" aria-describedby="{0}-about">
<input type="range" min="{2}" max="{3}" value="{4}" aria-label="{1}" aria-describedby="{0}-about">
<p id="{0}-about">{5}</p>
</div>
)",
      field.key, field.label, field.least, field.most, usual, field.about);
}

std::string choice(const Field& field, int usual) {
  std::string html = fmt::format(
      "<fieldset class=\"field\" data-key=\"{0}\" "
      "aria-describedby=\"{0}-about\">\n<legend>{1}</legend>\n",
      field.key, field.label);
  for (size_t i = 0; i < field.choices.size(); ++i) {
    html += fmt::format(
        "<label><input type=\"radio\" name=\"{}\" value=\"{}\"{}><span>{}</span></label>\n",
        field.key, field.choices[i].word, static_cast<int>(i) == usual ? " checked" : "",
        field.choices[i].label);
  }
  return html + fmt::format("<p id=\"{}-about\">{}</p>\n</fieldset>\n", field.key, field.about);
}

std::string controls() {
  const Setting usual;
  std::string html;
  for (const Field& field : fields()) {
    html += (field.choices.empty() ? slider : choice)(field, usual.*field.value);
  }
  return html;
}

// ---- Presets: a lab's name, question and ideas, or a rung's name and idea.

const lab::Lab* lab_of(const Lesson& lesson) {
  const auto is_it = [&](const lab::Lab* one) { return one->name == lesson.name; };
  const auto found = std::ranges::find_if(lab::all(), is_it);
  return found == lab::all().end() ? nullptr : *found;
}

// Returns the idea of vector_float4 for the lesson "06_vector_float4".
const char* idea_of_rung(const Lesson& lesson) {
  for (const ladder::Rung* rung : ladder::all()) {
    if (label(*rung) == lesson.name) return rung->idea;
  }
  throw std::logic_error(
      fmt::format("the playground's '{}' is neither a lab nor a rung", lesson.name));
}

const char* idea_of_variant(const lab::Lab& lab, const Preset& preset) {
  for (const lab::Variant& variant : lab.variants) {
    if (variant.name == preset.variant) return variant.idea;
  }
  throw std::logic_error(fmt::format("lab {} has no variant '{}'", lab.name, preset.variant));
}

std::string presets() {
  std::string html;
  for (const Lesson& lesson : lessons()) {
    const lab::Lab* lab = lab_of(lesson);
    html += fmt::format("<optgroup label=\"{}: {}\" data-slider=\"{}\" data-task=\"{}\">\n",
                        lesson.name, text::in_markup(lab ? lab->question : idea_of_rung(lesson)),
                        lesson.slider, text::in_markup(lesson.task));
    for (const Preset& preset : lesson.presets) {
      const std::string label =
          lab ? fmt::format("{}: {}", preset.name, idea_of_variant(*lab, preset)) : preset.name;
      html += fmt::format("<option value=\"{}\" data-state=\"{}\">{}</option>\n", preset.name,
                          text::in_markup(address_of(preset.setting)), text::in_markup(label));
    }
    html += "</optgroup>\n";
  }
  return html;
}

// Returns the numbers of the rules, which are the simulated GPU's.
std::string rules() {
  return fmt::format(
      R"({{"LANES": {}, "SECTOR_BYTES": {}, "LINE_BYTES": {}, "WORD_BYTES": {}, "BANKS": {}}})",
      lens::LANES, lens::SECTOR_BYTES, lens::LINE_BYTES, lens::WORD_BYTES, lens::WORDS);
}

void put(std::string& html, std::string_view mark, std::string_view text) {
  const size_t at = html.find(mark);
  if (at == html.npos) throw std::logic_error(fmt::format("page.html has no {}", mark));
  html.replace(at, mark.size(), text);
}

}  // namespace

std::string page() {
  std::string html(PAGE_HTML);
  put(html, "{{controls}}", controls());
  put(html, "{{presets}}", presets());
  put(html, "{{rules}}", rules());
  put(html, "{{style}}", PAGE_CSS);
  put(html, "{{script}}", PAGE_JS);
  return html;
}

}  // namespace runner::playground
