#include "simulator/hazards/hazard.hpp"

namespace simulator {

const char* name_of(HazardKind kind) {
  switch (kind) {
    case HazardKind::race:
      return "race";
    case HazardKind::host_race:
      return "race with the host";
    case HazardKind::stream_race:
      return "race between streams";
    case HazardKind::unwritten_read:
      return "unwritten read";
    case HazardKind::early_use:
      return "early use";
    case HazardKind::unawaited_copy:
      return "unawaited copy";
    case HazardKind::misused_mbarrier:
      return "misused mbarrier";
    case HazardKind::missing_fence:
      return "missing fence";
    case HazardKind::split_warpgroup:
      return "split warpgroup";
    case HazardKind::ended_block:
      return "ended block";
    case HazardKind::absent_lane:
      return "absent lane";
    case HazardKind::false_mask:
      return "false mask";
    case HazardKind::forbidden_barrier:
      return "forbidden barrier";
    case HazardKind::beyond_array:
      return "beyond an array";
    case HazardKind::refused_call:
      return "refused call";
    case HazardKind::never_freed:
      return "never freed";
    case HazardKind::never_asked:
      return "never asked";
  }
  return "hazard";
}

bool Hazard::is_same(const Hazard& hazard) const {
  return kind == hazard.kind && kernel == hazard.kernel && where == hazard.where &&
         other == hazard.other && code == hazard.code;
}

}  // namespace simulator
