// NVTX as its version 3 names its header.
#pragma once
#include "../nvToolsExt.h"
