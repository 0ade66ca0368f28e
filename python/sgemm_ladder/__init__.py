"""Matrix products in single precision, with the accuracy of FP32, on tensor cores where the GPU has them.

    import sgemm_ladder
    c = sgemm_ladder.mm(a, b)

The arrays may be of any library that has `__dlpack__` or `__cuda_array_interface__`: PyTorch, CuPy, JAX, Numba. A result is an array of the
first argument's library. Where PyTorch is installed, the functions are operators of it too: autograd, torch.compile and CUDA graphs know
them.

The package is built for CUDA devices, or for the simulated GPU of this project, which takes arrays in the host's memory (`ON_HOST`).
"""

import importlib.util

from . import _native, arrays
from .arrays import ON_HOST, Array

__version__ = _native.VERSION
__all__ = ["mm", "matmul", "addmm", "Array", "ON_HOST", "__version__"]

ACCURACIES = ("fp32",)

if importlib.util.find_spec("torch") is not None:
    from . import torch_operators
else:
    torch_operators = None


def mm(a, b, out=None, accuracy="fp32", *, stream=None):
    """Returns the product of two matrices.

    a is M x K, b is K x N, the result is M x N. All elements are float32. Transposed matrices and parts of larger ones are used as they lie,
    without copies, if the elements of their rows or of their columns are neighbours.

    out       an array for the result, which must not overlap a or b
    accuracy  "fp32": the error is at most about that of FP32 arithmetic
    stream    the CUDA stream, as an object or a handle; by default the current one of the library of a, else CUDA's default stream

    On a CUDA device the function returns at once. Raises TypeError, ValueError (which argument, what it was, what is allowed), MemoryError
    and RuntimeError.
    """
    _check_accuracy(accuracy)
    return _product(a, b, out, stream, of_matrices=True)


def matmul(a, b, out=None, accuracy="fp32", *, stream=None):
    """Returns the product of two matrices, or of stacks of them, by the rules of numpy.matmul.

    The last two dimensions are those of matrices; those before them are stretched to each other. An array with one dimension is a row (a) or
    a column (b), and the result lacks that dimension. The other arguments are those of mm().
    """
    _check_accuracy(accuracy)
    return _product(a, b, out, stream, of_matrices=False)


def addmm(c, a, b, out=None, accuracy="fp32", *, beta=1.0, alpha=1.0, stream=None):
    """Returns beta c + alpha a b for two matrices. c stretches to the shape of a b. If beta is 0, c is not read.

    `out` may be c: then c is changed in place. The other arguments are those of mm().
    """
    _check_accuracy(accuracy)
    if torch_operators is not None and arrays.is_torch(a):
        return torch_operators.addmm(c, a, b, out, float(beta), float(alpha), stream)
    return _Product(a, b, out, stream, of_matrices=True).plus(c, float(beta), float(alpha))


def _product(a, b, out, stream, of_matrices):
    if torch_operators is not None and arrays.is_torch(a):
        return torch_operators.matmul(a, b, out, stream, of_matrices)
    return _Product(a, b, out, stream, of_matrices).alone()


class _Product:
    """A product of arrays that are no tensors of PyTorch."""

    def __init__(self, a, b, out, stream, of_matrices):
        self.first = a
        self.stream = arrays.current_stream(a) if stream is None else arrays.handle_of(stream)
        self.kept_stream = stream  # as long as a result may wait for it
        self.a, self.b = arrays.view(a, "a", self.stream), arrays.view(b, "b", self.stream)
        shape_a, shape_b = self.a.shape, self.b.shape
        arrays.check_dimensions("a", shape_a, of_matrices)
        arrays.check_dimensions("b", shape_b, of_matrices)
        if self.a.device is None:  # an empty array, which is nowhere
            self.a = self.a._replace(device=self.b.device or 0)
        self.is_row, self.is_column = len(shape_a) == 1, len(shape_b) == 1
        if self.is_row:
            self.a = self.a._replace(shape=(1, *shape_a), strides=(shape_a[0], *self.a.strides))
        if self.is_column:
            self.b = self.b._replace(shape=(*shape_b, 1), strides=(*self.b.strides, 1))
        self.shape = arrays.result_shape(self.a.shape, self.b.shape, shape_a, shape_b)
        self.result = self._new() if out is None else out
        self.c = arrays.view(self.result, "out", self.stream, writes=True)
        asked = self._without_added(self.shape)
        if self.c.shape != asked:
            raise ValueError(f"out has the shape {self.c.shape}; the result has {asked}")
        self._add_dimensions()
        self.is_new = out is None
        arrays.check_same_device(self.a, b=self.b, out=self.c)
        if not self.is_new:
            arrays.check_apart(self.a, self.b, self.c)

    def _new(self):
        return arrays.empty_like(self.first, self._without_added(self.shape), self.a.device, self.stream)

    def _without_added(self, shape):
        return arrays.without_added(shape, self.is_row, self.is_column)

    def _add_dimensions(self):
        shape, strides = list(self.c.shape), list(self.c.strides)
        if self.is_column:
            shape.append(1)
            strides.append(1)
        if self.is_row:
            shape.insert(len(shape) - 1, 1)
            strides.insert(len(strides) - 1, max(1, shape[-1]))
        self.c = self.c._replace(shape=tuple(shape), strides=tuple(strides))

    def alone(self):
        return self._run(1.0, 0.0)

    def plus(self, c, beta, alpha):
        if beta != 0:
            self._copy(c)
        return self._run(alpha, beta)

    def _copy(self, c):
        """Copies what is to be added into the result."""
        given = arrays.view(c, "c", self.stream)
        arrays.check_same_device(self.a, c=given)
        if given.strided == self.c.strided:
            return
        stretched = stretched_to(given, self.shape)
        if not self.is_new and arrays.meet(given, self.c):
            raise ValueError("out overlaps c; it must be c itself, or lie elsewhere")
        _native.check(self.a.strided, self.b.strided, self.c.strided)  # before anything is written
        _native.copy(stretched, self.c.strided, self.a.device, self.stream)

    def _run(self, alpha, beta):
        _native.run(self.a.strided, self.b.strided, self.c.strided, alpha, beta, self.a.device, self.stream)
        if isinstance(self.result, Array):
            self.result.computed_on(self.stream, self.kept_stream)
        return arrays.as_of(self.first, self.result) if self.is_new else self.result


def stretched_to(x, shape):
    """Returns the pointer, shape and strides of a matrix or vector that is stretched to a shape, as NumPy's are."""
    missing = len(shape) - len(x.shape)
    fits = missing >= 0 and all(own in (1, whole) for own, whole in zip(x.shape, shape[missing:]))
    if not fits:
        raise ValueError(f"c has the shape {x.shape}, which does not stretch to {tuple(shape)}")
    strides = [0] * missing + [0 if own == 1 else stride for own, stride in zip(x.shape, x.strides)]
    return x.pointer, tuple(shape), tuple(strides)


def _check_accuracy(accuracy):
    if accuracy not in ACCURACIES:
        allowed = ", ".join(f"'{one}'" for one in ACCURACIES)
        raise ValueError(f"accuracy is {accuracy!r}; {allowed} is allowed")
