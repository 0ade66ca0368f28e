#include "simulator/count/access.hpp"

namespace simulator {

std::string_view access_name(Access access) {
  switch (access) {
    case Access::global_load:
      return "global load";
    case Access::global_store:
      return "global store";
    case Access::global_atomic:
      return "global atomic";
    case Access::async_copy:
      return "cp.async read";
    case Access::async_copy_shared:
      return "cp.async write";
    case Access::bulk_load:
      return "bulk load";
    case Access::bulk_store:
      return "bulk store";
    case Access::shared_load:
      return "shared load";
    case Access::shared_store:
      return "shared store";
    case Access::shared_atomic:
      return "shared atomic";
    case Access::matrix_load:
      return "shared matrix load";
    case Access::local_load:
      return "local load";
    case Access::local_store:
      return "local store";
    case Access::constant_load:
      return "constant load";
    case Access::texture_load:
      return "texture load";
  }
  return "";
}

}  // namespace simulator
