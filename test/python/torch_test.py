"""Tests the operators of PyTorch. package_test.py calls this where PyTorch is installed."""

import unittest
import warnings

import sgemm_ladder
import torch

DEVICE = "cpu" if sgemm_ladder.ON_HOST else "cuda"
OPERATORS = torch.ops.sgemm_ladder


def random(*shape, **options):
    return torch.rand(*shape, device=DEVICE, **options) - 0.5


def addmm(operator):
    return lambda c, a, b: operator(c, a, b, beta=0.5, alpha=2)


class Operators(unittest.TestCase):
    PAIRS = [  # ours, PyTorch's, the shapes of the arguments
        (sgemm_ladder.mm, torch.mm, [(5, 7), (7, 3)]),
        (sgemm_ladder.matmul, torch.matmul, [(4, 1, 5, 7), (2, 7, 3)]),
        (sgemm_ladder.matmul, torch.matmul, [(4, 5, 7), (7, 3)]),
        (sgemm_ladder.matmul, torch.matmul, [(7,), (2, 7, 3)]),
        (addmm(sgemm_ladder.addmm), addmm(torch.addmm), [(3,), (5, 7), (7, 3)]),
        (addmm(sgemm_ladder.addmm), addmm(torch.addmm), [(5, 3), (5, 7), (7, 3)]),
    ]

    def setUp(self):
        torch.manual_seed(1)
        self.addCleanup(setattr, torch.backends.cuda.matmul, "allow_tf32", torch.backends.cuda.matmul.allow_tf32)
        torch.backends.cuda.matmul.allow_tf32 = False

    def assert_close(self, got, want):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)

    def test_have_the_gradients_of_pytorchs(self):
        for ours, theirs, shapes in self.PAIRS:
            with self.subTest(shapes=shapes):
                mine = [random(*shape, requires_grad=True) for shape in shapes]
                other = [x.detach().clone().requires_grad_() for x in mine]
                for x, y in zip(*(torch.autograd.grad((f(*given) ** 3).sum(), given, create_graph=True)
                                  for f, given in ((ours, mine), (theirs, other)))):
                    self.assert_close(x, y)
                    # Of second order.
                    for u, v in zip(torch.autograd.grad((x**2).sum(), mine, retain_graph=True),
                                    torch.autograd.grad((y**2).sum(), other, retain_graph=True)):
                        self.assert_close(u, v)

    def test_pass_pytorchs_own_check(self):
        grad = {"requires_grad": True}
        for operator, arguments in (
            (OPERATORS.mm, (random(33, 20, **grad), random(20, 41, **grad))),
            (OPERATORS.mm, (random(20, 33).t().requires_grad_(), random(41, 20).t().requires_grad_())),
            (OPERATORS.matmul, (random(3, 5, 7, **grad), random(3, 7, 4, **grad))),
            (OPERATORS.addmm, (random(33, 41, **grad), random(33, 20, **grad), random(20, 41, **grad), 0.5, 2.0)),
            (OPERATORS.matmul_out, (random(33, 20), random(20, 41), random(33, 41))),
            (OPERATORS.addmm_out, (random(33, 41), random(33, 20), random(20, 41), 0.5, 2.0, random(33, 41))),
        ):
            with self.subTest(operator=operator):
                torch.library.opcheck(operator.default, arguments)

    def test_are_compiled(self):
        def layer(x, w, b):
            return torch.relu(sgemm_ladder.addmm(b, x, w.t())) @ torch.ones(3, 1, device=DEVICE) + sgemm_ladder.mm(x, w.t()).sum()

        compiled = torch.compile(layer, backend="inductor" if DEVICE == "cuda" else "aot_eager", fullgraph=True)
        given = [random(5, 7, requires_grad=True), random(3, 7, requires_grad=True), random(3, requires_grad=True)]
        self.assert_close(compiled(*given), layer(*given))
        for x, y in zip(*(torch.autograd.grad(f(*given).sum(), given) for f in (compiled, layer))):
            self.assert_close(x, y)

    def test_are_compiled_for_any_size(self):
        compiled = torch.compile(sgemm_ladder.matmul, backend="aot_eager", fullgraph=True, dynamic=True)
        torch._dynamo.utils.counters.clear()
        for n in (3, 4, 5):
            a, b = random(2, n, 7), random(7, n)
            self.assert_close(compiled(a, b), a @ b)
        self.assertEqual(torch._dynamo.utils.counters["stats"]["unique_graphs"], 1)

    def test_are_mapped_over_batches(self):
        a, b, c = random(5, 3, 4), random(4, 5, 6), random(3, 6)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # PyTorch warns of products that it computes one by one
            mapped = torch.func.vmap(sgemm_ladder.mm, in_dims=(0, 1))(a, b)
            self.assert_close(mapped, a @ b.movedim(1, 0))
            self.assert_close(torch.func.vmap(sgemm_ladder.mm, in_dims=(0, None))(a, b[:, 0]), a @ b[:, 0])
            d = random(5, 4, 2, 6)
            self.assert_close(torch.func.vmap(sgemm_ladder.matmul, in_dims=(None, 2))(a, d), a @ d.movedim(2, 0))
            added = torch.func.vmap(lambda a: sgemm_ladder.addmm(c, a, b[:, 0], beta=0.5, alpha=2))(a)
            self.assert_close(added, 0.5 * c + 2 * (a @ b[:, 0]))
            alone = torch.func.vmap(lambda c: sgemm_ladder.addmm(c, a[0], b[:, 0], beta=0))(random(7, 3, 6))
            self.assert_close(alone, (a[0] @ b[:, 0]).expand(7, 3, 6))

    def test_refuse_tangents(self):
        a, b, c = random(3, 4), random(4, 5), random(3, 5)
        for function, x in ((lambda x: sgemm_ladder.mm(x, b), a), (lambda x: sgemm_ladder.matmul(a, x.expand(2, 4, 5)), b),
                            (lambda x: sgemm_ladder.addmm(x, a, b), c)):
            with self.assertRaisesRegex(NotImplementedError, "has a tangent"):
                torch.func.jvp(function, (x,), (torch.ones_like(x),))

    def test_give_gradients_of_a_shared_factor_without_a_stack(self):
        a, b = random(50, 1, 6), random(6, 5, requires_grad=True)
        c = sgemm_ladder.matmul(a, b)
        self.assertEqual(c.shape, (50, 1, 5))
        self.assert_close(torch.autograd.grad(c.sum(), b)[0], a.sum((0, 1)).unsqueeze(1).expand(6, 5))

    def test_tell_autograd_what_they_wrote(self):
        a, b, p, out = random(3, 3), random(3, 3), random(3, 3, requires_grad=True), random(3, 3)
        for write in (lambda: sgemm_ladder.mm(a, b, out=out), lambda: sgemm_ladder.addmm(a, a, b, out=out),
                      lambda: sgemm_ladder.mm(a, b, out=out[:, :])):
            y = (p * out).sum()
            write()
            with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
                y.backward()
        with torch.inference_mode():
            sgemm_ladder.mm(a, b, out=torch.zeros(3, 3, device=DEVICE))

    def test_read_tensors_without_neighbours(self):
        a, b = random(6, 16)[:, ::2], random(16, 6)[::2]
        self.assert_close(sgemm_ladder.mm(a, b), a @ b)
        out = torch.zeros(6, 12, device=DEVICE)
        self.assertIs(sgemm_ladder.mm(a, b, out=(part := out[:, ::2])), part)
        self.assert_close(out, torch.stack((a @ b, torch.zeros(6, 6, device=DEVICE)), -1).reshape(6, 12))

    def test_refuse_vectors(self):
        with self.assertRaisesRegex(ValueError, r"has the shape \(3,\); it must have two dimensions"):
            OPERATORS.mm(random(3), random(3, 3))

    def test_refuse_gradients_of_a_given_result(self):
        a = random(3, 3, requires_grad=True)
        with self.assertRaisesRegex(ValueError, "leave `out` away"):
            sgemm_ladder.mm(a, random(3, 3), out=random(3, 3))
        with torch.no_grad():
            sgemm_ladder.mm(a, random(3, 3), out=random(3, 3))

    if DEVICE == "cuda":  # PyTorch has no streams on the host

        def test_run_on_the_current_stream_and_in_graphs(self):
            a, b = random(300, 200), random(200, 100)
            want, out = a @ b, torch.zeros(300, 100, device=DEVICE)
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                sgemm_ladder.mm(a, b)
                got = sgemm_ladder.mm(a, b)
            stream.synchronize()
            self.assert_close(got, want)
            torch.cuda._sleep(10**8)  # so that what follows is not yet done when the other stream may begin
            late = a * 2
            got = sgemm_ladder.mm(late, b, stream=stream)
            del late  # its memory may be given away now
            random(300, 200).fill_(7)
            stream.synchronize()
            self.assert_close(got, 2 * want)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                sgemm_ladder.mm(a, b, out=out)
            for scale in (1, 2):
                a.mul_(scale)
                graph.replay()
                torch.cuda.synchronize()
                self.assert_close(out, scale * want)
