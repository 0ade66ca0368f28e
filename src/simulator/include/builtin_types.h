// The types of the runtime API, under the name of the toolkit's header for them.
#pragma once
#pragma GCC system_header

#include "device_types.h"
#include "driver_types.h"
#include "vector_types.h"
