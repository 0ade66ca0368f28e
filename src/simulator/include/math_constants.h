// CUDA's names for commonly used constants.
#pragma once
#pragma GCC system_header

#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.14159265f
#define CUDART_L2E_F 1.44269504f
#define CUDART_LN2_F 0.693147181f
#define CUDART_SQRT_TWO_F 1.41421356f
#define CUDART_INF __builtin_inf()
#define CUDART_NAN __builtin_nan("")
#define CUDART_PI 3.14159265358979324
