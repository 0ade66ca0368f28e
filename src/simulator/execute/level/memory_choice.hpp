// From the shape of a memory instruction to the function that executes it. Part of a level: see level.hpp.
#pragma once

#include <string>
#include <string_view>

#include "simulator/execute/level/lanes.hpp"

BEGIN_LEVEL

// Each returns nullptr for an instruction outside the subset.
Execute find_load(const MemoryShape& shape);
Execute find_store(const MemoryShape& shape);
Execute find_atomic(const MemoryShape& shape, Operation operation);
Execute find_async_copy(uint32_t bytes);
Execute find_parameter_load(std::string_view type, bool wide);

END_LEVEL
