#!/usr/bin/env python3
"""Tests the Python package with arrays of every library that this Python has.

    package_test.py BUILD     builds a wheel with the library of a build folder, installs it in an empty folder, and tests it
    package_test.py           tests the package that is installed

On CUDA devices the arrays are PyTorch's and CuPy's, and objects with one protocol alone. For the simulated GPU they are in the host's
memory: NumPy's, PyTorch's if it is there, and objects with __dlpack__ alone.
"""

import importlib.metadata
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def install(build, folder):
    """Builds the package with the library of a build folder, and installs it in an empty folder. Compiles only the module."""
    cache = (build / "CMakeCache.txt").read_text()
    machine = re.search(r"^SGEMM_MACHINE:\w+=(\w+)$", cache, re.MULTILINE)[1]
    prefix = folder / "library"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    config = next(prefix.rglob("sgemm_ladder-config.cmake")).parent
    target = folder / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--target", target,
                    "-C", f"build-dir={folder / 'build'}", "-C", f"cmake.define.SGEMM_MACHINE={machine}",
                    "-C", f"cmake.define.sgemm_ladder_DIR={config}", ROOT / "python"], check=True)
    return target


# ---- Libraries of arrays.


class Library:
    """Makes arrays of a library and reads them. A copy keeps an array's strides."""

    def __init__(self, name, from_numpy, to_numpy, result=None):
        self.name, self.from_numpy, self.to_numpy = name, from_numpy, to_numpy
        self.result = result  # the type of results; None if nobody promises one


class OnlyDlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyCudaArray:
    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


def tensor_of(torch, array, device):
    """Returns a tensor with the strides of a NumPy array. PyTorch has no negative ones."""
    whole = torch.from_numpy(np.ascontiguousarray(base_of(array))).to(device)
    strides = [stride // 4 for stride in array.strides]
    return whole.as_strided(array.shape, strides, offset_in(array))


def base_of(array):
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.reshape(-1)


def offset_in(array):
    return (array.__array_interface__["data"][0] - base_of(array).__array_interface__["data"][0]) // 4


def libraries():
    found = []
    device = "cpu" if package.ON_HOST else "cuda"
    if package.ON_HOST:
        found.append(Library("numpy", lambda x: x, np.asarray, np.ndarray))
        found.append(Library("dlpack", OnlyDlpack, np.from_dlpack))
    if torch is not None:
        found.append(Library("torch", lambda x: tensor_of(torch, x, device), lambda x: x.detach().cpu().numpy(), torch.Tensor))
    if not package.ON_HOST:
        import cupy

        def to_cupy(array):
            whole = cupy.asarray(np.ascontiguousarray(base_of(array)))
            return cupy.lib.stride_tricks.as_strided(whole[offset_in(array):], array.shape, array.strides)

        found.append(Library("cupy", to_cupy, cupy.asnumpy, cupy.ndarray))
        found.append(Library("dlpack", lambda x: OnlyDlpack(to_cupy(x)), lambda x: cupy.asnumpy(cupy.from_dlpack(x))))
        found.append(Library("cuda array", lambda x: OnlyCudaArray(to_cupy(x)), lambda x: cupy.asnumpy(cupy.from_dlpack(x))))
    return found


def randoms(*shape, seed=1):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(np.float32)


def in_fp64(a, b):
    return np.matmul(a.astype(np.float64), b.astype(np.float64))


def with_each_library(test):
    """Runs a test with each library."""

    def run(self):
        self.assertNotEqual(libraries(), [])
        for library in libraries():
            with self.subTest(library=library.name):
                test(self, library)

    return run


class Products(unittest.TestCase):
    def assert_product(self, got, a, b, more=0.0, scale=1.0):
        """Compares with FP64. Each element's error is at most 2^-20 of the sum of its terms' magnitudes."""
        want = scale * in_fp64(a, b) + more
        self.assertEqual(np.shape(got), want.shape)
        self.assertEqual(got.dtype, np.float32)
        bound = 2.0**-20 * (abs(scale) * in_fp64(abs(a), abs(b)) + np.abs(more)) + 1e-37
        self.assertTrue((np.abs(got - want) <= bound).all(), f"largest error {np.abs(got - want).max(initial=0)}")

    @with_each_library
    def test_of_matrices_of_any_size(self, library):
        for M, N, K in ((1, 1, 1), (33, 41, 20), (129, 65, 67), (1, 70, 33), (70, 1, 33), (5, 6, 0), (0, 4, 3), (64, 64, 64)):
            a, b = randoms(M, K), randoms(K, N, seed=2)
            c = package.mm(library.from_numpy(a), library.from_numpy(b))
            if library.result is not None:
                self.assertIsInstance(c, library.result)
            self.assert_product(library.to_numpy(c), a, b)

    @with_each_library
    def test_of_transposed_matrices_and_parts_of_larger_ones(self, library):
        whole = randoms(80, 90)
        forms = {"part": whole[3:43, 5:55], "transposed part": whole[5:55, 3:43].T, "transposed": randoms(50, 40).T,
                 "one row": whole[7:8, :50], "one column": whole[:40, 9:10], "every other row": whole[::2, 5:55]}
        for name, a in forms.items():
            for b in (randoms(a.shape[1], 30), randoms(30, a.shape[1]).T, randoms(a.shape[1] + 1, 47)[1:, 11:41]):
                with self.subTest(a=name, strides_of_b=b.strides):
                    self.assert_product(library.to_numpy(package.mm(library.from_numpy(a), library.from_numpy(b))), a, b)

    @with_each_library
    def test_of_stacks_and_vectors(self, library):
        stack = randoms(3, 4, 6, 7)
        pairs = [(stack, randoms(3, 4, 7, 5)), (stack, randoms(7, 5)), (stack, randoms(4, 7, 5)), (randoms(5, 6), stack),
                 (stack[:, :1], randoms(1, 4, 7, 5)), (stack.swapaxes(0, 1), randoms(3, 7, 5)), (stack.swapaxes(2, 3), randoms(6, 9)),
                 (stack.swapaxes(1, 2), randoms(7, 5)), (randoms(7), randoms(7, 5)), (randoms(6, 7), randoms(7)), (randoms(7), randoms(7)),
                 (randoms(7), randoms(2, 7, 3)), (stack, randoms(7)), (randoms(9, 1, 7), randoms(7, 5)), (randoms(9, 20)[:, None, 3:10], randoms(7, 5)), (randoms(0, 2, 3), randoms(3, 4)),
                 (np.broadcast_to(randoms(2, 3), (4, 2, 3)), randoms(4, 3, 5))]
        for a, b in pairs:
            with self.subTest(a=a.shape, b=b.shape, strides_of_a=a.strides):
                c = package.matmul(library.from_numpy(a), library.from_numpy(b))
                self.assert_product(library.to_numpy(c), a, b)

    @with_each_library
    def test_into_an_array_of_the_callers(self, library):
        if library.result is None:  # it has no views
            return
        a, b = randoms(21, 13), randoms(13, 17)
        stack_a, stack_b = randoms(3, 21, 13), randoms(3, 13, 17)
        places = {"dense": lambda x: x.reshape(-1)[: 21 * 17].reshape(21, 17), "padded": lambda x: x[:21, 3:20], "columns": lambda x: x[:17, 4:25].T}
        for name, place in places.items():
            with self.subTest(place=name):
                before = np.full((40, 40), 7, np.float32)
                whole = library.from_numpy(before)
                out = place(whole)
                self.assertIs(package.mm(library.from_numpy(a), library.from_numpy(b), out=out), out)
                want, after = np.full((40, 40), 7, np.float32), library.to_numpy(whole)
                self.assert_product(place(after), a, b)
                place(want)[...] = place(after)
                self.assertTrue((after == want).all(), "it wrote between the elements")
        whole = library.from_numpy(np.zeros((21, 3, 17), np.float32))
        out = whole.swapaxes(0, 1)  # the results' rows lie between each other
        package.matmul(library.from_numpy(stack_a), library.from_numpy(stack_b), out=out)
        self.assert_product(library.to_numpy(whole).swapaxes(0, 1), stack_a, stack_b)
        rows = randoms(9, 1, 13)  # become the rows of one product
        whole = library.from_numpy(np.zeros((9, 30), np.float32))
        package.matmul(library.from_numpy(rows), library.from_numpy(b), out=whole[:, None, 2:19])
        self.assert_product(library.to_numpy(whole)[:, None, 2:19], rows, b)

    @with_each_library
    def test_plus_another_matrix(self, library):
        a, b = randoms(9, 7), randoms(7, 11)
        stretches = library.result is not None
        whole = randoms(30, 40)
        more = [randoms(11), randoms(9, 1), randoms(1, 1), whole[2:3, 4:15], whole[::2][:9, :11], whole[:9, 3:25:2], whole[1, 2:24:2],
                whole[:11, :9].T, whole[:22:2, :9].T]
        if library.name != "torch":
            more += [whole[8::-1, :11], whole[:9, 10::-1], whole[3, 10::-1]]
        if library.name == "numpy":
            more.append(np.lib.stride_tricks.sliding_window_view(whole[0, :19], 11))
        for c in (randoms(9, 11), *(more if stretches else ())):
            with self.subTest(c=c.shape, strides=c.strides):
                got = package.addmm(library.from_numpy(c), library.from_numpy(a), library.from_numpy(b), beta=0.5, alpha=-2)
                self.assert_product(library.to_numpy(got), a, b, more=0.5 * c.astype(np.float64), scale=-2.0)
                if stretches:
                    columns = library.from_numpy(np.zeros((11, 9), np.float32)).T
                    package.addmm(library.from_numpy(c), library.from_numpy(a), library.from_numpy(b), beta=0.5, out=columns)
                    self.assert_product(library.to_numpy(columns), a, b, more=0.5 * c.astype(np.float64))
        nothing = np.full((9, 11), np.nan, np.float32)
        got = package.addmm(library.from_numpy(nothing), library.from_numpy(a), library.from_numpy(b), beta=0)
        self.assert_product(library.to_numpy(got), a, b)
        if library.result is None:
            return
        c = randoms(9, 11)
        out = library.from_numpy(c.copy())
        self.assertIs(package.addmm(out, library.from_numpy(a), library.from_numpy(b), out=out), out)
        self.assert_product(library.to_numpy(out), a, b, more=c.astype(np.float64))

    @with_each_library
    def test_leave_the_arguments_as_they_are(self, library):
        a, b, c = randoms(20, 30), randoms(30, 10), randoms(20, 10)
        given = [library.from_numpy(x.copy()) for x in (c, a, b)]
        package.addmm(*given)
        if library.result is not None:
            for x, was in zip(given, (c, a, b)):
                self.assertTrue((library.to_numpy(x) == was).all())

    def test_of_several_threads(self):
        library = libraries()[0]
        a, b = randoms(40, 30), randoms(30, 50)
        wrong = []

        def work():
            for _ in range(5):
                got = library.to_numpy(package.mm(library.from_numpy(a), library.from_numpy(b)))
                if not np.allclose(got, in_fp64(a, b), atol=1e-4):
                    wrong.append(got)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Refusing(unittest.TestCase):
    def assert_refused(self, error, pattern, function, *arguments, **options):
        with self.assertRaises(error) as raised:
            function(*arguments, **options)
        self.assertRegex(str(raised.exception), pattern)
        self.assertNotIn("\n", str(raised.exception))


class Refused(Refusing):
    def test_arguments_that_do_not_fit(self):
        a, b = randoms(3, 4), randoms(4, 5)
        for library in libraries():
            if library.result is None:
                continue
            with self.subTest(library=library.name):
                L = library.from_numpy
                refused = self.assert_refused
                refused(ValueError, r"a has the shape \(3, 4\) and b \(3, 4\): .* 4 is not 3", package.mm, L(a), L(a))
                refused(ValueError, r"a has the shape \(2, 3, 4\); it must have 2 dimensions", package.mm, L(randoms(2, 3, 4)), L(b))
                refused(ValueError, r"out has the shape \(2, 2\); the result has \(3, 5\)", package.mm, L(a), L(b), out=L(randoms(2, 2)))
                refused(ValueError, r"accuracy is 'tf32'; 'fp32' is allowed", package.mm, L(a), L(b), accuracy="tf32")
                refused(TypeError, r"b is a list; it must be", package.mm, L(a), [[1.0]])
                refused(TypeError, r"a is a list; it must be", package.mm, [[1.0]], L(b))
                refused(ValueError, r"b is a single number", package.matmul, L(a), L(randoms()))
                refused(ValueError, r"b \(3, 4, 5\)", package.matmul, L(randoms(2, 3, 4)), L(randoms(3, 4, 5)))
                refused(ValueError, r"c has the shape \(4,\), which does not stretch to \(3, 5\)", package.addmm, L(randoms(4)), L(a), L(b))
                square = L(randoms(4, 4))
                refused(ValueError, r"out overlaps a", package.mm, square, L(randoms(4, 4)), out=square)
                whole = L(randoms(10, 20))
                refused(ValueError, r"out overlaps a", package.mm, whole[0:4], L(randoms(20, 20)), out=whole[2:6])
                refused(ValueError, r"out overlaps b", package.mm, L(randoms(4, 5)), whole[0:5, 3:9], out=whole[4:8, 8:14])
                package.mm(L(randoms(4, 5)), whole[0:5, 3:9], out=whole[4:8, 9:15])  # its columns are beside those of b
                package.mm(L(randoms(4, 5)), whole[0:5, 3:9], out=whole[5:9, 3:9])
                refused(ValueError, r"out overlaps b", package.mm, L(randoms(4, 5)), whole[0:5, 8:14], out=whole[2:6, 3:9])
                package.mm(L(randoms(4, 5)), whole[0:5, 8:14], out=whole[2:6, 2:8])
                if library.name != "torch":  # which makes a copy
                    refused(ValueError, r"a has the strides \(8, 2\); .* contiguous", package.mm, L(randoms(3, 8)[:, ::2]), L(b))

    def test_write_nothing(self):
        for library in libraries():
            if library.result is None:
                continue
            with self.subTest(library=library.name):
                L = library.from_numpy
                square = randoms(4, 4)
                a = L(square.copy())
                self.assert_refused(ValueError, "out overlaps a", package.addmm, L(randoms(4, 4, seed=2)), a, L(randoms(4, 4)), out=a)
                self.assertTrue((library.to_numpy(a) == square).all())
                if library.name != "torch":
                    out = L(square.copy())
                    self.assert_refused(ValueError, "a has the strides", package.addmm, L(randoms(4, 4, seed=2)), L(randoms(4, 8))[:, ::2],
                                        L(randoms(4, 4)), out=out)
                    self.assertTrue((library.to_numpy(out) == square).all())
                    whole = L(randoms(9, 9))
                    self.assert_refused(ValueError, "out overlaps c", package.addmm, whole[:4, :4], a, a, out=whole[1:5, :4])

    def test_elements_of_other_types(self):
        for type_ in (np.float64, np.float16, np.int32):
            x = np.ones((3, 3), type_)
            for library in libraries():
                if library.result is None:
                    continue
                given = x if library.name == "numpy" else torch.from_numpy(x).to("cpu" if package.ON_HOST else "cuda") if library.name == "torch" \
                    else sys.modules["cupy"].asarray(x)
                self.assert_refused(TypeError, f"b has elements of {np.dtype(type_).name}; they must be float32", package.mm,
                                    library.from_numpy(randoms(3, 3)), given)

    def test_arrays_elsewhere(self):
        if package.ON_HOST:
            class Elsewhere(OnlyDlpack):
                def __dlpack_device__(self):
                    return 2, 0

            self.assert_refused(ValueError, "takes arrays in the host's memory", package.mm, Elsewhere(randoms(3, 3)), randoms(3, 3))
        else:
            self.assert_refused(ValueError, "a is a numpy.ndarray in the host's memory; it must be on a CUDA device", package.mm,
                                randoms(3, 3), randoms(3, 3))
            if torch is not None:
                self.assert_refused(ValueError, "a is a torch.Tensor in the host's memory", package.mm, torch.ones(3, 3), torch.ones(3, 3))


class HostArrays(Refusing):
    """What only NumPy's arrays can be. Nothing on a device."""

    def test_results_whose_elements_share_a_place(self):
        out = np.lib.stride_tricks.as_strided(np.zeros(20, np.float32), (4, 5), (4, 4))
        self.assert_refused(ValueError, "lie in the same place", package.mm, randoms(4, 2), randoms(2, 5), out=out)

    def test_results_that_are_read_only(self):
        out = np.zeros((4, 5), np.float32)
        out.flags.writeable = False
        self.assert_refused(TypeError, "out is a numpy.ndarray that cannot be written", package.mm, randoms(4, 2), randoms(2, 5), out=out)

    def test_read_only_factors_are_fine(self):
        a = randoms(4, 2)
        a.flags.writeable = False
        package.mm(a, randoms(2, 5))

    def test_results_for_other_libraries_are_not_copied(self):
        c = package.mm(OnlyDlpack(randoms(4, 2)), randoms(2, 5))
        self.assertEqual((c.shape, c.__dlpack_device__()), ((4, 5), (1, 0)))
        for options in ({"copy": True}, {"dl_device": (2, 0)}):
            with self.assertRaisesRegex(BufferError, "no copy"):
                c.__dlpack__(**options)

    def test_tensors_beside_them(self):
        if torch is None:
            return
        a, b = randoms(4, 2), torch.from_numpy(randoms(2, 5))
        self.assertTrue(np.allclose(package.mm(a, b), a @ b.numpy(), atol=1e-5))
        self.assertTrue(np.allclose(package.mm(a, torch._neg_view(b)), -(a @ b.numpy()), atol=1e-5))
        self.assert_refused(ValueError, "b requires a gradient", package.mm, a, b.clone().requires_grad_())
        self.assert_refused(TypeError, "b is a tensor with the layout torch.sparse_coo", package.mm, a, b.to_sparse())
        self.assert_refused(TypeError, "out is a tensor of PyTorch, and a is not", package.mm, a, b, out=torch.zeros(4, 5))


class Package(unittest.TestCase):
    def test_has_the_version_of_the_project(self):
        version = re.search(r"^  VERSION (\S+)$", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
        self.assertEqual(package.__version__, version)
        self.assertEqual(importlib.metadata.version("sgemm-ladder"), version)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if arguments and not arguments[0].startswith("-"):
            sys.path.insert(0, str(install(pathlib.Path(arguments.pop(0)).resolve(), pathlib.Path(folder))))
        try:
            import torch
        except ImportError:
            torch = None
        import sgemm_ladder as package

        if not package.ON_HOST:
            del HostArrays
        if torch is None:
            print("PyTorch is not installed, so its operators are not tested", file=sys.stderr)
        else:
            from torch_test import Operators  # noqa: F401
        unittest.main(argv=[sys.argv[0], *arguments])
