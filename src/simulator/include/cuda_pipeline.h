// The pipeline primitives. cuda::pipeline, the class, is not covered.
#pragma once
#pragma GCC system_header

#include "cuda_pipeline_primitives.h"
