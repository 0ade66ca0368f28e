// The module _native: what the package's Python code calls. Refused arguments raise ValueError (WithoutLines is one), failures of CUDA
// RuntimeError, and a lack of memory MemoryError.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "plan.hpp"
#include "run.hpp"
#include "sgemm_ladder.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace python {
namespace {

using Strided =
    std::tuple<uintptr_t, std::vector<int64_t>, std::vector<int64_t>>;  // pointer, shape, strides

Array array_of(const Strided& x) {
  const auto& [pointer, shape, strides] = x;
  if (shape.size() != strides.size())
    throw std::invalid_argument("an array has as many strides as dimensions");
  return {reinterpret_cast<float*>(pointer), shape, strides};
}

std::string name_of(nb::dlpack::dtype type) {
  static constexpr const char* KINDS[] = {"int",    "uint",    "float", "opaque",
                                          "bfloat", "complex", "bool"};
  const size_t code = type.code;
  const std::string kind =
      code < std::size(KINDS) ? KINDS[code] : "type " + std::to_string(code) + " of ";
  return kind == "bool" ? kind
                        : kind + std::to_string(type.bits) +
                              (type.lanes > 1 ? "x" + std::to_string(type.lanes) : "");
}

// The pointer, shape and strides of an array, the name of its elements' type, and the object that keeps its memory.
template <typename NdArray>
nb::tuple described(NdArray x) {
  std::vector<int64_t> shape, strides;
  for (size_t i = 0; i < x.ndim(); ++i) {
    shape.push_back(static_cast<int64_t>(x.shape(i)));
    strides.push_back(x.stride(i));
  }
  return nb::make_tuple(
      reinterpret_cast<uintptr_t>(x.data()), nb::tuple(nb::cast(shape)),
      nb::tuple(nb::cast(strides)), name_of(x.dtype()),
      nb::capsule(new NdArray(x), [](void* kept) noexcept { delete static_cast<NdArray*>(kept); }));
}

// Memory for floats, as an object that frees it.
nb::capsule new_memory(int64_t floats, int device) {
  float* memory = nullptr;
  {
    const nb::gil_scoped_release others_may_run;
    memory = new_floats(floats, device);
  }
  return nb::capsule(memory, [](void* kept) noexcept { free_floats(static_cast<float*>(kept)); });
}

// The memory as a capsule of DLPack: an array without gaps, row by row.
nb::object exported(const nb::capsule& memory, const std::vector<size_t>& shape, int device) {
  const int where = ON_HOST ? nb::device::cpu::value : nb::device::cuda::value;
  return nb::cast(nb::ndarray<float>(memory.data(), shape.size(), shape.data(), memory, nullptr,
                                     nb::dtype<float>(), where, ON_HOST ? 0 : device));
}

}  // namespace
}  // namespace python

NB_MODULE(_native, m) {
  using namespace python;
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const OutOfMemory& error) {
      PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const Failure& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
  });
  nb::exception<WithoutLines>(m, "WithoutLines", PyExc_ValueError);
  m.attr("ON_HOST") = ON_HOST;
  const int version = sgemm_ladder_version();
  m.attr("VERSION") = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                      "." + std::to_string(version % 100);
  m.def("described", &described<nb::ndarray<nb::ro>>, "x"_a);
  m.def("described_for_writing", &described<nb::ndarray<>>, "x"_a);
  m.def("new_memory", &new_memory, "floats"_a, "device"_a);
  m.def(
      "pointer_to",
      [](const nb::capsule& memory) { return reinterpret_cast<uintptr_t>(memory.data()); },
      "memory"_a);
  m.def("exported", &exported, "memory"_a, "shape"_a, "device"_a);
  m.def(
      "run",
      [](const Strided& a, const Strided& b, const Strided& c, float alpha, float beta, int device,
         uintptr_t stream) {
        const Array array_a = array_of(a), array_b = array_of(b), array_c = array_of(c);
        const nb::gil_scoped_release others_may_run;
        run(array_a, array_b, array_c, alpha, beta, device, stream);
      },
      "a"_a, "b"_a, "c"_a, "alpha"_a, "beta"_a, "device"_a, "stream"_a);
  m.def(
      "check",
      [](const Strided& a, const Strided& b, const Strided& c) {
        static_cast<void>(calls_for(array_of(a), array_of(b), array_of(c)));
      },
      "a"_a, "b"_a, "c"_a);
  m.def(
      "copy",
      [](const Strided& from, const Strided& to, int device, uintptr_t stream) {
        copy(array_of(from), array_of(to), device, stream);
      },
      "source"_a, "target"_a, "device"_a, "stream"_a);
  m.def("synchronize", &synchronize, "device"_a, "stream"_a,
        nb::call_guard<nb::gil_scoped_release>());  // the stream may hold a function of Python's
  m.def("device_of", &device_of, "pointer"_a);
  m.def("has_lines", [](const Strided& x) { return has_lines(array_of(x)); }, "x"_a);
}
