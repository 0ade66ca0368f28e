// A header of CUDA that old programs include. All of it is in cuda_runtime.h.
#pragma once

#include "cuda_runtime.h"
