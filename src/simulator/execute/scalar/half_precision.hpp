// Arithmetic in FP16 and BF16, alone and in pairs, and conversions from and to them and to TF32.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simulator/decode/instruction_set.hpp"

namespace simulator {

/// Returns the instruction with this opcode, if it computes with FP16, BF16 or their pairs, or if it converts from
/// or to them or to TF32. Otherwise returns one with execute == nullptr.
Arithmetic find_half_precision(const std::vector<std::string>& opcode);

/// Returns a + b of the bits of "f16", "f16x2", "bf16" or "bf16x2", for atomics.
uint16_t add_f16(uint16_t a, uint16_t b);
uint16_t add_bf16(uint16_t a, uint16_t b);
/// Return the smaller or the larger number of the bits. If one is NaN, they return the other.
uint16_t smaller_f16(uint16_t a, uint16_t b);
uint16_t larger_f16(uint16_t a, uint16_t b);
uint16_t smaller_bf16(uint16_t a, uint16_t b);
uint16_t larger_bf16(uint16_t a, uint16_t b);
uint32_t add_f16x2(uint32_t a, uint32_t b);
uint32_t add_bf16x2(uint32_t a, uint32_t b);

/// Replaces the bits of FP16 numbers by those of the same numbers in FP32, and of FP32 numbers by those of the nearest in FP16.
void halves_to_singles(std::span<uint32_t> numbers);
void singles_to_halves(std::span<uint32_t> numbers);

}  // namespace simulator
