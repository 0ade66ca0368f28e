"""Arrays of any library: what a product must know of them, and new arrays for results."""

import importlib
import math
import sys
from typing import Any, NamedTuple, Optional, Tuple

from . import _native

ON_HOST = _native.ON_HOST  # the package of the simulated GPU: it takes arrays in the host's memory, and no others

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLPack's kinds of devices
TENSORS_ON = "cpu" if ON_HOST else "cuda"  # PyTorch's name
_KINDS = (_CPU, _CUDA_HOST) if ON_HOST else (_CUDA, _CUDA_MANAGED)
_PLACES = {_CPU: "the host's memory", _CUDA_HOST: "the host's memory"}


class View(NamedTuple):
    """An array's place in memory, as long as `owner` lives."""

    pointer: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  # in elements
    device: Optional[int]  # None of an empty array that is nowhere
    owner: Any

    @property
    def strided(self):
        return self.pointer, self.shape, self.strides


def is_torch(x):
    """True if x is a tensor of PyTorch. Does not import it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def view(x, name: str, stream: int, writes: bool = False) -> View:
    """Returns an array's view. `stream` is the stream of the product: the array is ready there. Raises TypeError and ValueError."""
    if is_torch(x):
        return _view_beside_other_libraries(x, name, stream, writes)
    if hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__"):
        return _view_of_dlpack(x, name, stream, writes)
    if hasattr(x, "__cuda_array_interface__"):
        return _view_of_cuda_array(x, name, writes)
    raise TypeError(f"{name} is a {type_name(x)}; it must be an array with __dlpack__ or __cuda_array_interface__")


def is_usual(x) -> bool:
    """True if check_tensor() finds nothing wrong. It makes no text, because products of small tensors take about as long as one."""
    torch = sys.modules["torch"]
    return x.dtype is torch.float32 and x.layout is torch.strided and x.device.type == TENSORS_ON


def check_tensor(x, name: str):
    """Raises an error if a tensor of PyTorch is sparse, not where this package computes, or not of float32."""
    if is_usual(x):
        return
    if x.layout != sys.modules["torch"].strided:
        raise TypeError(f"{name} is a tensor with the layout {x.layout}; it must be a dense one")
    _check_place(x.device.type == TENSORS_ON, name, x, str(x.device))
    _check_type(str(x.dtype).replace("torch.", ""), name)


def view_of_tensor(x, name: str) -> View:
    """Returns the view of a tensor of PyTorch."""
    check_tensor(x, name)
    return View(x.data_ptr(), tuple(x.shape), x.stride(), x.device.index or 0, x)


def _view_beside_other_libraries(x, name, stream, writes) -> View:
    """Returns the view of a tensor that is multiplied by arrays of another library, on a stream of that library."""
    torch = sys.modules["torch"]
    check_tensor(x, name)
    if writes:
        raise TypeError(f"{name} is a tensor of PyTorch, and a is not; {name} must be of a's library")
    if torch.is_grad_enabled() and x.requires_grad:
        raise ValueError(f"{name} requires a gradient, which the product has only if a is a tensor of PyTorch; call {name}.detach()")
    x = x.resolve_neg()
    if not ON_HOST:
        computing = torch.cuda.ExternalStream(stream, device=x.device)
        computing.wait_stream(torch.cuda.current_stream(x.device))
        x.record_stream(computing)
    return view_of_tensor(x, name)


def _view_of_dlpack(x, name, stream, writes) -> View:
    kind, device = (int(value) for value in x.__dlpack_device__())
    _check_place(kind in _KINDS, name, x, _PLACES.get(kind, f"a device of DLPack's kind {kind}"))
    try:
        exported = x.__dlpack__() if ON_HOST else x.__dlpack__(stream=stream or 1)  # 1 is CUDA's default stream
    except BufferError:  # NumPy exports what is read-only by the buffer protocol alone
        if not ON_HOST:
            raise
        exported = x
    try:
        described = (_native.described_for_writing if writes else _native.described)(exported)
    except TypeError:
        raise TypeError(f"{name} is a {type_name(x)} that cannot be {'written' if writes else 'read'} in place") from None
    pointer, shape, strides, type_, owner = described
    _check_type(type_, name)
    return View(pointer, shape, strides, device, (x, owner))


def _view_of_cuda_array(x, name, writes) -> View:
    _check_place(not ON_HOST, name, x, "a CUDA device")
    interface = x.__cuda_array_interface__
    pointer, is_read_only = interface["data"]
    if interface.get("mask") is not None:
        raise TypeError(f"{name} is a {type_name(x)} with a mask; it must have none")
    if writes and is_read_only:
        raise TypeError(f"{name} is a {type_name(x)} that is read-only")
    types = {"<f4": "float32", "=f4": "float32"}
    _check_type(types.get(interface["typestr"], interface["typestr"]), name)
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        strides = dense_strides(shape)
    elif any(stride % 4 for stride in strides):
        raise ValueError(f"{name} has strides of {tuple(strides)} bytes; they must be multiples of 4")
    else:
        strides = tuple(stride // 4 for stride in strides)
    device = _native.device_of(pointer) if pointer else None
    _check_place(device != -1, name, x, _PLACES[_CPU])
    if interface.get("stream") is not None:
        _native.synchronize(device or 0, interface["stream"])
    return View(pointer, shape, strides, device, (x, interface))


def dense_strides(shape) -> Tuple[int, ...]:
    """Returns the strides, in elements, of an array without gaps, row by row."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(1, size)
    return tuple(reversed(strides))


def result_shape(a, b, given_a, given_b):
    """Returns the shape of a product of stacks of matrices. `given_a` and `given_b` are the shapes for messages."""
    if a[-1] != b[-2]:
        raise ValueError(f"a has the shape {given_a} and b {given_b}: a's columns must be as many as b's rows, and {a[-1]} is not {b[-2]}")
    counts = []
    for i in range(max(len(a), len(b)) - 2, 0, -1):
        sizes = [x[-2 - i] if len(x) >= 2 + i else 1 for x in (a, b)]
        if sizes[0] != sizes[1] and 1 not in sizes:
            raise ValueError(f"a has the shape {given_a} and b {given_b}: {sizes[0]} matrices do not go with {sizes[1]}")
        counts.append(sizes[1] if sizes[0] == 1 else sizes[0])
    return (*counts, a[-2], b[-1])


def check_same_device(a, **others):
    """Raises ValueError if one of the other views is on another device than a."""
    for name, x in others.items():
        if x.device is not None and x.device != a.device:
            raise ValueError(f"{name} is on CUDA device {x.device} and a on {a.device}; they must be on the same")


def check_dimensions(name, shape, of_matrices: bool):
    """Raises ValueError if an array has not the dimensions of a matrix, or of a factor in matmul()."""
    if of_matrices and len(shape) != 2:
        raise ValueError(f"{name} has the shape {tuple(shape)}; it must have 2 dimensions")
    if len(shape) == 0:
        raise ValueError(f"{name} is a single number; it must have a dimension")


def check_apart(a, b, c):
    """Raises ValueError if the result overlaps a factor."""
    for name, x in (("a", a), ("b", b)):
        if meet(x, c):
            raise ValueError(f"out overlaps {name}; it must not overlap a or b")


def meet(x, y) -> bool:
    """True if two arrays have an element in the same place. Two arrays of more than two dimensions between whose elements others lie count as
    apart, unless they begin in the same place."""
    if 0 in x.shape or 0 in y.shape:
        return False
    first_x, last_x = _reach(x)
    first_y, last_y = _reach(y)
    if last_x < first_y or last_y < first_x:
        return False
    if x.pointer == y.pointer or (_is_dense(x) and _is_dense(y)):
        return True
    if len(x.shape) != 2 or len(y.shape) != 2:
        return False
    # Two parts of one larger matrix: their rows meet, so they overlap if their columns do.
    along = 1 if x.strides[1] == 1 else 0
    step = x.strides[1 - along]
    if x.strides[along] != 1 or y.strides[along] != 1 or y.strides[1 - along] != step or step <= 0:
        return False
    if x.pointer > y.pointer:
        x, y = y, x
    column = (y.pointer - x.pointer) // 4 % step  # where y's columns begin, seen from x's
    return column < x.shape[along] or column + y.shape[along] > step


def _reach(x):
    """Returns the addresses of the first and the last byte of an array."""
    far = [(size - 1) * stride * 4 for size, stride in zip(x.shape, x.strides)]
    return x.pointer + sum(f for f in far if f < 0), x.pointer + sum(f for f in far if f > 0) + 3


def _is_dense(x) -> bool:
    first, last = _reach(x)
    return last - first + 1 == 4 * math.prod(x.shape)


def without_added(shape, a_is_row: bool, b_is_column: bool) -> Tuple[int, ...]:
    """Returns the shape of a product of matrices without the dimensions that were added to vectors."""
    return (*shape[:-2], *(() if a_is_row else shape[-2:-1]), *(() if b_is_column else shape[-1:]))


def type_name(x) -> str:
    kind = type(x)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.split('.')[0]}.{kind.__name__}"


def _check_place(is_right: bool, name: str, x, place: str):
    if is_right:
        return
    if ON_HOST:
        raise ValueError(f"{name} is a {type_name(x)} on {place}; this package runs on the simulated GPU and takes arrays in the host's memory")
    raise ValueError(f"{name} is a {type_name(x)} in {place.replace('cpu', _PLACES[_CPU])}; it must be on a CUDA device")


def _check_type(type_: str, name: str):
    if type_ != "float32":
        raise TypeError(f"{name} has elements of {type_}; they must be float32")


# ---- New arrays.


def _library_of(x) -> Optional[Any]:
    """Returns the library of an array whose arrays can be made empty and filled later: NumPy or CuPy; None for others."""
    name = type(x).__module__.split(".")[0]
    return importlib.import_module(name) if name in ("numpy", "cupy") else None


class Array:
    """A result for a library whose arrays this package does not make: float32, without gaps, row by row.

    Other libraries read it by `__dlpack__`, and on a CUDA device also by `__cuda_array_interface__`.
    """

    dtype = "float32"

    def __init__(self, shape, device: int, stream: int):
        self.shape = tuple(shape)
        self._device = device
        self.computed_on(stream)
        self._memory = _native.new_memory(math.prod(self.shape), device)

    def __repr__(self):
        return f"sgemm_ladder.Array(shape={self.shape}, device={'host' if ON_HOST else self._device})"

    def computed_on(self, stream: int, kept=None):
        """Notes the stream that computes the array. `kept` is an object that keeps the stream."""
        self._stream, self._kept_stream = stream, kept

    def __dlpack__(self, *, dl_device=None, copy=None, **_):
        """Waits until the array is computed, so that it is ready on every stream."""
        if copy or dl_device not in (None, self.__dlpack_device__()):
            raise BufferError("a sgemm_ladder.Array gives its own memory, and no copy of it")
        _native.synchronize(self._device, self._stream)
        return _native.exported(self._memory, self.shape, self._device)

    def __dlpack_device__(self):
        return (_CPU, 0) if ON_HOST else (_CUDA, self._device)

    def __getattr__(self, name):
        if name != "__cuda_array_interface__" or ON_HOST:
            raise AttributeError(f"'Array' object has no attribute '{name}'")
        return {"version": 3, "shape": self.shape, "typestr": "<f4", "data": (_native.pointer_to(self._memory), False), "strides": None,
                "stream": self._stream or 1}


def empty_like(x, shape, device: int, stream: int):
    """Returns a new array for a result, of x's library if that is NumPy or CuPy, else an Array."""
    library = _library_of(x)
    if library is None:
        return Array(shape, device, stream)
    if ON_HOST:
        return library.empty(shape, dtype="float32")
    with library.cuda.Device(device):
        return library.empty(shape, dtype="float32")


def as_of(x, result):
    """Returns a result of empty_like() as an array of x's library, if that has the function from_dlpack()."""
    if isinstance(result, Array) and hasattr(x, "__array_namespace__"):
        return x.__array_namespace__().from_dlpack(result)
    return result


def current_stream(x) -> int:
    """Returns the stream on which x's library computes now, as CUDA's handle."""
    if ON_HOST:
        return 0
    if is_torch(x):
        return sys.modules["torch"].cuda.current_stream(x.device).cuda_stream
    if type(x).__module__.split(".")[0] == "cupy":
        with x.device:
            return sys.modules["cupy"].cuda.get_current_stream().ptr
    return 0


def handle_of(stream) -> int:
    """Returns the handle of a stream: a number, or an object of PyTorch, CuPy or another library that has __cuda_stream__."""
    if isinstance(stream, int):
        return stream
    for attribute in ("cuda_stream", "ptr"):
        if isinstance(getattr(stream, attribute, None), int):
            return getattr(stream, attribute)
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    raise TypeError(f"stream is a {type_name(stream)}; it must be a stream, or its handle as a number")
