"""The products as operators of PyTorch: torch.ops.sgemm_ladder.matmul, addmm, and the same into a given tensor.

They run on the current stream of their tensors' device. Autograd, torch.compile and CUDA graphs know them. Transposed
tensors and parts of larger ones are used without copies, if the elements of their rows or of their columns are neighbours.
"""

import contextlib
import math

import torch
from torch.autograd import forward_ad

from . import _native, arrays

_KEY = arrays.TENSORS_ON.upper()
_library = torch.library.Library("sgemm_ladder", "DEF")  # as long as it lives, the operators are there

_library.define("mm(Tensor a, Tensor b) -> Tensor")
_library.define("matmul(Tensor a, Tensor b) -> Tensor")
_library.define("addmm(Tensor c, Tensor a, Tensor b, float beta=1.0, float alpha=1.0) -> Tensor")
_library.define("matmul_out(Tensor a, Tensor b, Tensor(a!) out) -> ()")
_library.define("addmm_out(Tensor c, Tensor a, Tensor b, float beta, float alpha, Tensor(a!) out) -> ()")

# As overloads: a call by the name alone looks for the overload each time.
_mm, _matmul, _addmm = (getattr(torch.ops.sgemm_ladder, name).default for name in ("mm", "matmul", "addmm"))
_matmul_out, _addmm_out = (getattr(torch.ops.sgemm_ladder, name).default for name in ("matmul_out", "addmm_out"))


# ---- What the functions of the package call.


def matmul(a, b, out, stream, of_matrices):
    """sgemm_ladder.matmul() for tensors of any number of dimensions, or sgemm_ladder.mm()."""
    if out is None and stream is None and _are_plain(a, b):
        return _mm(a, b)
    for name, x in (("a", a), ("b", b)):
        _check(name, x, a)
        arrays.check_dimensions(name, x.shape, of_matrices)
    a_is_row, b_is_column = a.dim() == 1, b.dim() == 1
    given = tuple(a.shape), tuple(b.shape)
    a = a.unsqueeze(0) if a_is_row else a
    b = b.unsqueeze(-1) if b_is_column else b
    shape = arrays.result_shape(a.shape, b.shape, *given)
    if out is None:
        with _on(stream, a, b):
            if a.dim() == 2 and b.dim() == 2:
                c = _mm(a, b)
            elif b.dim() == 2 and a.is_contiguous():  # one product, whose gradients are single matrices too
                c = _mm(a.reshape(math.prod(a.shape[:-1]), a.shape[-1]), b).reshape(shape)
            else:
                counts = shape[:-2]
                c = _matmul(a.expand(*counts, *a.shape[-2:]), b.expand(*counts, *b.shape[-2:]))
        c = c.squeeze(-2) if a_is_row else c
        return c.squeeze(-1) if b_is_column else c
    _check("out", out, a)
    _refuse_gradients(a, b, out)
    c = out.unsqueeze(-1) if b_is_column else out
    c = c.unsqueeze(-2) if a_is_row else c
    if tuple(c.shape) != tuple(shape):
        raise ValueError(f"out has the shape {tuple(out.shape)}; the result has {arrays.without_added(shape, a_is_row, b_is_column)}")
    with _on(stream, a, b, out):
        _matmul_out(a, b, c)
    return out


def _are_plain(a, b):
    """True for two matrices in whose product nothing is to be checked or changed."""
    return (isinstance(b, torch.Tensor) and a.dim() == 2 == b.dim() and a.shape[1] == b.shape[0] and a.device == b.device
            and arrays.is_usual(a) and arrays.is_usual(b) and not _has_tangent(a) and not _has_tangent(b))


def _has_tangent(x):
    return forward_ad.unpack_dual(x).tangent is not None


def addmm(c, a, b, out, beta, alpha, stream):
    """sgemm_ladder.addmm() for tensors."""
    for name, x in (("a", a), ("b", b)):
        _check(name, x, a)
        arrays.check_dimensions(name, x.shape, of_matrices=True)
    _check("c", c, a)
    shape = arrays.result_shape(a.shape, b.shape, tuple(a.shape), tuple(b.shape))
    try:
        c = c.expand(shape)
    except RuntimeError:
        raise ValueError(f"c has the shape {tuple(c.shape)}, which does not stretch to {tuple(shape)}") from None
    if out is None:
        with _on(stream, a, b, c):
            return _addmm(c, a, b, beta, alpha)
    _check("out", out, a)
    _refuse_gradients(c, a, b, out)
    if tuple(out.shape) != tuple(shape):
        raise ValueError(f"out has the shape {tuple(out.shape)}; the result has {tuple(shape)}")
    with _on(stream, a, b, c, out):
        _addmm_out(c, a, b, beta, alpha, out)
    return out


def _check(name, x, a):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} is a {arrays.type_name(x)}; it must be a tensor of PyTorch, as a is")
    arrays.check_tensor(x, name)
    if x.device != a.device:
        raise ValueError(f"{name} is on {x.device} and a on {a.device}; they must be on the same device")
    if _has_tangent(x):  # PyTorch would leave it out without a word
        raise NotImplementedError(f"{name} has a tangent, and these operators have no forward derivatives; use torch.mm, or backward()")


def _refuse_gradients(*tensors):
    if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
        raise ValueError("a tensor requires a gradient, and a product into `out` has none; leave `out` away, or use torch.no_grad()")


def _on(stream, *tensors):
    return contextlib.nullcontext() if stream is None or arrays.ON_HOST else _on_another(stream, tensors)


@contextlib.contextmanager
def _on_another(stream, tensors):
    """Makes a stream the current one. It waits for what the tensors' stream has to do, and keeps their memory until it has read it."""
    device = tensors[0].device
    if not isinstance(stream, torch.cuda.Stream):
        stream = torch.cuda.ExternalStream(arrays.handle_of(stream), device=device)
    if stream.device != device:
        raise ValueError(f"stream is on {stream.device} and a on {device}; they must be on the same device")
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        yield
    for x in tensors:
        x.record_stream(stream)


# ---- The operators.


def _with_lines(x):
    """Returns a tensor that the library can read: x itself, or a copy if its elements are neighbours in no direction."""
    return x if _native.has_lines(arrays.view_of_tensor(x, "a tensor").strided) else x.contiguous()


def _run(a, b, c, alpha, beta):
    try:
        _run_as_they_lie(a, b, c, alpha, beta)
    except _native.WithoutLines:
        _run_as_they_lie(_with_lines(a), _with_lines(b), c, alpha, beta)


def _run_as_they_lie(a, b, c, alpha, beta):
    stream = arrays.current_stream(c)
    a, b, c = arrays.view_of_tensor(a, "a"), arrays.view_of_tensor(b, "b"), arrays.view_of_tensor(c, "out")
    arrays.check_same_device(a, b=b, out=c)
    arguments = a.strided, b.strided, c.strided, alpha, beta, a.device, stream
    try:
        _native.run(*arguments)
    except MemoryError:
        if arrays.ON_HOST or beta != 0 or torch.cuda.is_current_stream_capturing():
            raise
        torch.cuda.empty_cache()  # PyTorch keeps memory that it does not use
        _native.run(*arguments)


def _check_target(a, b, out):
    """Checks a tensor that is to be written, before it is. Returns its view."""
    a, b, target = arrays.view_of_tensor(a, "a"), arrays.view_of_tensor(b, "b"), arrays.view_of_tensor(out, "out")
    arrays.check_same_device(a, b=b, out=target)
    arrays.check_apart(a, b, target)
    return target


def _run_into(a, b, out, target, alpha, beta):
    """Runs a product into a tensor of the caller's, which may be any. `target` is its view."""
    if _native.has_lines(target.strided):
        _run(a, b, out, alpha, beta)
    else:
        dense = out.contiguous()
        _run(a, b, dense, alpha, beta)
        out.copy_(dense)
    if not out.is_inference():
        torch.autograd.graph.increment_version(out)  # so that autograd notices the change


@torch.library.impl(_library, "mm", _KEY)
@torch.library.impl(_library, "matmul", _KEY)
def _compute_matmul(a, b):
    c = a.new_empty((*a.shape[:-1], b.shape[-1]))
    _run(a, b, c, 1.0, 0.0)
    return c


@torch.library.impl(_library, "addmm", _KEY)
def _compute_addmm(c, a, b, beta=1.0, alpha=1.0):
    out = a.new_empty((a.shape[0], b.shape[1]))
    if beta != 0:
        out.copy_(c)
    _run(a, b, out, alpha, beta)
    return out


@torch.library.impl(_library, "matmul_out", _KEY)
def _compute_matmul_into(a, b, out):
    _run_into(a, b, out, _check_target(a, b, out), 1.0, 0.0)


@torch.library.impl(_library, "addmm_out", _KEY)
def _compute_addmm_into(c, a, b, beta, alpha, out):
    target = _check_target(a, b, out)
    if beta != 0 and not (c.data_ptr() == out.data_ptr() and c.stride() == out.stride()):
        out.copy_(c)
    _run_into(a, b, out, target, alpha, beta)


def _result_without_data(a, b):
    for name, x in (("a", a), ("b", b)):
        if x.dtype != torch.float32:
            raise TypeError(f"{name} has elements of {str(x.dtype).replace('torch.', '')}; they must be float32")
    torch._check(a.shape[-1] == b.shape[-2], lambda: f"a has the shape {tuple(a.shape)} and b {tuple(b.shape)}")
    return a.new_empty((*a.shape[:-1], b.shape[-1]))


torch.library.register_fake("sgemm_ladder::mm", _result_without_data, lib=_library)
torch.library.register_fake("sgemm_ladder::matmul", _result_without_data, lib=_library)
torch.library.register_fake(
    "sgemm_ladder::addmm", lambda c, a, b, beta=1.0, alpha=1.0: _result_without_data(a, b), lib=_library
)
torch.library.register_fake("sgemm_ladder::matmul_out", lambda a, b, out: None, lib=_library)
torch.library.register_fake("sgemm_ladder::addmm_out", lambda c, a, b, beta, alpha, out: None, lib=_library)


# ---- torch.func.vmap: a batch of products is one product of stacks.


def _first(x, dim):
    return x if dim is None else x.movedim(dim, 0)


def _matmul_of_batch(info, in_dims, a, b):
    return matmul(_first(a, in_dims[0]), _first(b, in_dims[1]), None, None, of_matrices=False), 0


def _addmm_of_batch(info, in_dims, c, a, b, beta=1.0, alpha=1.0):
    product = alpha * matmul(_first(a, in_dims[1]), _first(b, in_dims[2]), None, None, of_matrices=False)
    sum_ = product if beta == 0 else product + beta * _first(c, in_dims[0])
    return sum_.expand(info.batch_size, *sum_.shape[-2:]), 0  # c alone may have a batch, and not be read


torch.library.register_vmap("sgemm_ladder::mm", _matmul_of_batch, lib=_library)
torch.library.register_vmap("sgemm_ladder::matmul", _matmul_of_batch, lib=_library)
torch.library.register_vmap("sgemm_ladder::addmm", _addmm_of_batch, lib=_library)


# ---- Gradients: those of C = A B are dA = dC B' and dB = A' dC.


def _keep_factors(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _gradients(operator):
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        of_a = operator(gradient, b.mT) if ctx.needs_input_grad[0] else None
        of_b = operator(a.mT, gradient) if ctx.needs_input_grad[1] else None
        return of_a, of_b

    return backward


def _keep_sum(ctx, inputs, output):
    _, a, b, ctx.beta, ctx.alpha = inputs
    ctx.save_for_backward(a, b)


def _gradients_of_sum(ctx, gradient):
    a, b = ctx.saved_tensors
    zero = gradient.new_zeros(())
    of_c = gradient * ctx.beta if ctx.needs_input_grad[0] else None
    of_a = _addmm(zero.expand(a.shape), gradient, b.mT, 0.0, ctx.alpha) if ctx.needs_input_grad[1] else None
    of_b = _addmm(zero.expand(b.shape), a.mT, gradient, 0.0, ctx.alpha) if ctx.needs_input_grad[2] else None
    return of_c, of_a, of_b, None, None


torch.library.register_autograd(
    "sgemm_ladder::mm", _gradients(_mm), setup_context=_keep_factors, lib=_library
)
torch.library.register_autograd(
    "sgemm_ladder::matmul", _gradients(_matmul), setup_context=_keep_factors, lib=_library
)
torch.library.register_autograd("sgemm_ladder::addmm", _gradients_of_sum, setup_context=_keep_sum, lib=_library)
