#include "simulator/execute/level/memory_choice.hpp"

#include "simulator/execute/level/memory_handlers.hpp"
#include "simulator/execute/scalar/float_sums.hpp"
#include "simulator/execute/scalar/half_precision.hpp"
#include "simulator/execute/watch/observer.hpp"

BEGIN_LEVEL
namespace {

// Calls choose with the space as a constant. Constant memory is read like global memory.
template <typename Choose>
Execute with_space(Space space, Choose&& choose) {
  switch (space) {
    case Space::generic:
      return choose(std::integral_constant<Space, Space::generic>{});
    case Space::shared:
      return choose(std::integral_constant<Space, Space::shared>{});
    case Space::local:
      return choose(std::integral_constant<Space, Space::local>{});
    case Space::global:
    case Space::constant:
      return choose(std::integral_constant<Space, Space::global>{});
    case Space::parameter:
      break;
  }
  return nullptr;
}

// The type for moving bits: floating point moves as unsigned integers.
template <typename T>
using Moved = std::conditional_t<sizeof(T) == 8, uint64_t,
                                 std::conditional_t<std::is_same_v<T, float>, uint32_t, T>>;

enum class Direction { load, store };

// A sign matters only if a register is wider than the loaded value. All other cases use the code for unsigned
// integers.
template <Direction DIRECTION, Space SPACE, typename Element, int COUNT, bool WIDE>
constexpr Execute handler() {
  using Unsigned = std::make_unsigned_t<Element>;
  if constexpr (DIRECTION == Direction::store) {
    return store<Watch, SPACE, Unsigned, COUNT, WIDE>;
  } else if constexpr (sizeof(Element) == (WIDE ? 8 : 4)) {
    return load<Watch, SPACE, Unsigned, COUNT, WIDE>;
  } else {
    return load<Watch, SPACE, Element, COUNT, WIDE>;
  }
}

template <Direction DIRECTION, Space SPACE, typename Element, bool WIDE>
Execute find_count(size_t count) {
  if (count == 1) return handler<DIRECTION, SPACE, Element, 1, WIDE>();
  if (count == 2) return handler<DIRECTION, SPACE, Element, 2, WIDE>();
  if (count == 4) return handler<DIRECTION, SPACE, Element, 4, WIDE>();
  if constexpr (sizeof(Element) <= 4) {
    if (count == 8) return handler<DIRECTION, SPACE, Element, 8, WIDE>();
  }
  return nullptr;
}

template <Direction DIRECTION, Space SPACE, typename Element>
Execute find_width(size_t count, bool wide) {
  if constexpr (sizeof(Element) == 8) {
    return wide ? find_count<DIRECTION, SPACE, Element, true>(count) : nullptr;
  } else {
    // Only single values are loaded into wider registers.
    if (wide) return count == 1 ? handler<DIRECTION, SPACE, Element, 1, true>() : nullptr;
    return find_count<DIRECTION, SPACE, Element, false>(count);
  }
}

template <Direction DIRECTION>
Execute find_access(const MemoryShape& shape) {
  return with_space(shape.space, [&](auto space) {
    return with_type(shape.type, [&](auto type) -> Execute {
      using Element = Moved<typename decltype(type)::type>;
      return find_width<DIRECTION, decltype(space)::value, Element>(shape.count, shape.wide);
    });
  });
}

template <Space SPACE, typename T>
Execute compare_and_swap() {
  return atomic<Watch, SPACE, T, [](T old, T b, T c) { return old == b ? c : old; }>;
}

// Makes a lambda of a function, because each has a type of its own.
template <typename T, T (*ADD)(T, T)>
constexpr auto SUM = [](T old, T b, T) { return ADD(old, b); };

// Returns atom.add. In shared memory a GPU adds floating point as elsewhere in a kernel, in other memory by units of their own.
template <Space SPACE, typename T>
Execute find_add() {
  if constexpr (std::is_same_v<T, float>) {
    return atomic<Watch, SPACE, T, SUM<T, add_f32_ftz>, SUM<T, add_f32>>;
  } else if constexpr (std::is_same_v<T, double>) {
    return atomic<Watch, SPACE, T, SUM<T, add_f64_as_is>, SUM<T, add_f64>>;
  } else {
    return atomic<Watch, SPACE, T, [](T old, T b, T) { return static_cast<T>(old + b); }>;
  }
}

template <Space SPACE, typename T>
Execute find_atomic_of(Operation operation) {
  if (operation == Operation::minimum)
    return atomic<Watch, SPACE, T, [](T old, T b, T) { return std::min(old, b); }>;
  if (operation == Operation::maximum)
    return atomic<Watch, SPACE, T, [](T old, T b, T) { return std::max(old, b); }>;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    // Signs matter only to an order.
    return find_atomic_of<SPACE, std::make_unsigned_t<T>>(operation);
  } else {
    if (operation == Operation::add) return find_add<SPACE, T>();
    if (operation == Operation::exchange)
      return atomic<Watch, SPACE, T, [](T, T b, T) { return b; }>;
  }
  if constexpr (std::is_unsigned_v<T>) {
    if (operation == Operation::compare_and_swap) return compare_and_swap<SPACE, T>();
    if (operation == Operation::logical_and)
      return atomic<Watch, SPACE, T, [](T old, T b, T) { return static_cast<T>(old & b); }>;
    if (operation == Operation::logical_or)
      return atomic<Watch, SPACE, T, [](T old, T b, T) { return static_cast<T>(old | b); }>;
    if (operation == Operation::logical_xor)
      return atomic<Watch, SPACE, T, [](T old, T b, T) { return static_cast<T>(old ^ b); }>;
    if (operation == Operation::increment)
      return atomic<Watch, SPACE, T,
                    [](T old, T b, T) { return old >= b ? T{0} : static_cast<T>(old + 1); }>;
    if (operation == Operation::decrement)
      return atomic<Watch, SPACE, T, [](T old, T b, T) {
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
      }>;
  }
  return nullptr;
}

template <Space SPACE, typename Bits, Bits (*ADD)(Bits, Bits)>
constexpr Execute HALF_ADD = atomic<Watch, SPACE, Bits, SUM<Bits, ADD>>;

// Returns atom.add.noftz of half precision.
template <Space SPACE>
Execute find_half_add(std::string_view type) {
  if (type == "f16") return HALF_ADD<SPACE, uint16_t, add_f16>;
  if (type == "bf16") return HALF_ADD<SPACE, uint16_t, add_bf16>;
  if (type == "f16x2") return HALF_ADD<SPACE, uint32_t, add_f16x2>;
  if (type == "bf16x2") return HALF_ADD<SPACE, uint32_t, add_bf16x2>;
  return nullptr;
}

}  // namespace

Execute find_load(const MemoryShape& shape) { return find_access<Direction::load>(shape); }

Execute find_store(const MemoryShape& shape) { return find_access<Direction::store>(shape); }

Execute find_atomic(const MemoryShape& shape, Operation operation) {
  if (shape.space == Space::local || shape.space == Space::constant) return nullptr;
  return with_space(shape.space, [&](auto space) {
    if (operation == Operation::add) {
      if (const Execute half = find_half_add<decltype(space)::value>(shape.type)) return half;
    }
    return with_type(shape.type, [&](auto type) -> Execute {
      using T = typename decltype(type)::type;
      if constexpr (std::is_same_v<T, uint16_t>) {
        return operation == Operation::compare_and_swap
                   ? compare_and_swap<decltype(space)::value, T>()
                   : nullptr;
      } else if constexpr (sizeof(T) < 4) {
        return nullptr;
      } else {
        return find_atomic_of<decltype(space)::value, T>(operation);
      }
    });
  });
}

Execute find_async_copy(uint32_t bytes) {
  if (bytes == 4) return async_copy<Watch, 4>;
  if (bytes == 8) return async_copy<Watch, 8>;
  if (bytes == 16) return async_copy<Watch, 16>;
  return nullptr;
}

Execute find_parameter_load(std::string_view type, bool wide) {
  return with_type(type, [&](auto t) -> Execute {
    using Element = Moved<typename decltype(t)::type>;
    if constexpr (sizeof(Element) == 8) {
      return wide ? load_parameter<Element, true> : nullptr;
    } else {
      return wide ? load_parameter<Element, true> : load_parameter<Element, false>;
    }
  });
}

END_LEVEL
