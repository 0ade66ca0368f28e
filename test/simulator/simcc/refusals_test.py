"""Tests src/simulator/subset.py and nvcc_spellings.py: what simcc says in place of clang's messages, and the launches it joins."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

SIMULATOR = pathlib.Path(__file__).resolve().parents[3] / "src/simulator"
sys.path.insert(0, str(SIMULATOR))
import nvcc_spellings  # noqa: E402
import subset  # noqa: E402

HEADERS = "/where/ours/lie"


class Messages(unittest.TestCase):
    def shown(self, text):
        said = io.StringIO()
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file, contextlib.redirect_stderr(said):
            file.write(text)
            file.flush()
            subset.show_messages(file.name, HEADERS)
        return said.getvalue()

    def expect_line(self, text, start, part):
        said = self.shown(text)
        self.assertEqual(said.count("\n"), 1, said)
        self.assertTrue(said.startswith(start), said)
        self.assertIn(part, said)

    def test_names_of_absent_parts(self):
        for name, part in {
            "cudaIpcGetMemHandle": "memory that processes share (IPC)",
            "cuGraphicsMapResources": "graphics",
            "surf2Dwrite": "surfaces",
            "cudaMipmappedArray_t": "mipmapped arrays",
            "cuLibraryLoadData": "driver API",
            "CUgraphNode": "driver API",
            "cuMemCreate": "virtual memory that a program maps itself",
            "cuSurfObjectCreate": "surfaces",
            "__nv_fp4_e2m1": "FP4",
            "cudaGraphConditionalHandleCreate": "part of CUDA's graphs",
            "cudaMemPoolExportToShareableHandle": "part of CUDA's memory pools",
            "cudaBindTexture": "try texture objects",
            "cudaLibraryLoadData": "kernels loaded at run time",
        }.items():
            with self.subTest(name):
                self.expect_line(
                    f"a/b.cu:12:3: error: use of undeclared identifier '{name}'; did you mean 'x'?\n   12 | x\n"
                    "a/b.cu:13:3: error: something else\n2 errors generated.\n",
                    f"a/b.cu:12: error: {name}: the simulated GPU does not have ",
                    part,
                )

    def test_every_way_to_say_that_a_name_is_unknown(self):
        for said in ("unknown type name 'cudaIpcEventHandle_t'", "no template named 'cudaIpcX'", "use of undeclared template 'cudaIpcX'"):
            with self.subTest(said):
                self.expect_line(f"x.cu:1:1: error: {said}\n", "x.cu:1: error: cudaIpc", "IPC")

    def test_colours_do_not_matter(self):
        self.expect_line(
            "\033[1mx.cu:1:1: \033[0m\033[0;1;31merror: \033[0m\033[1munknown type name 'cudaIpcMemHandle_t'\033[0m\n", "x.cu:1: error: cudaIpc", "IPC"
        )

    def test_a_name_like_cudas_that_nobody_declares(self):
        self.expect_line("x.cu:7:1: error: use of undeclared identifier 'cudaFrobnicate'\n", "x.cu:7: error: cudaFrobnicate is declared", "neither by")

    def test_other_messages_stay_as_they_are(self):
        for text in (
            "x.cu:7:1: error: use of undeclared identifier 'count'; did you mean 'counts'?\n",
            "x.cu:7:1: error: expected ';'\nx.cu:9:1: error: unknown type name 'cudaIpcMemHandle_t'\n",
            "x.cu:7:1: warning: unused variable 'cudaIpc' [-Wunused-variable]\n",
            "x.cu:1:10: fatal error: 'my_header.h' file not found\n",
            "x.cu:7:1: error: use of undeclared identifier 'texel'\n",
            "x.cu:7:1: error: use of undeclared identifier 'cursor'\n",
        ):
            with self.subTest(text):
                self.assertEqual(self.shown(text), text)

    def test_headers(self):
        for header, part in {
            "thrust/sort.h": "Thrust",
            "cub/cub.cuh": "CUB",
            "cuda/std/span": "libcu++",
            "cuda_fp4.h": "FP4",
            "cudaEGL.h": "graphics",
            "cuda_future.h": "this part of CUDA",
        }.items():
            with self.subTest(header):
                self.expect_line(f"dir/a.cu:3:10: fatal error: '{header}' file not found\n", f"dir/a.cu:3: error: {header} is not among", part)
        self.expect_line("a.cpp:1:10: fatal error: 'omp.h' file not found\n", "a.cpp:1: error: omp.h: ", "libomp-19-dev")

    def test_launches_from_device_code(self):
        self.expect_line(
            "c.cu:91:5: error: reference to __global__ function 'child' in __global__ function\n", "c.cu:91: error: ", "dynamic parallelism"
        )
        self.expect_line(
            "c.cu:5:5: error: reference to __host__ function 'cudaStreamCreate' in __global__ function\n",
            "c.cu:5: error: cudaStreamCreate in device code",
            "dynamic parallelism",
        )
        no_match = "c.cu:5:5: error: no matching function for call to 'cudaStreamCreateWithFlags'\n    5 |  x\n      |  ^\n"
        self.expect_line(
            no_match + "h.h:1:1: note: candidate function not viable: call to __host__ function from __global__ function\n",
            "c.cu:5: error: cudaStreamCreateWithFlags in device code",
            "dynamic parallelism",
        )
        wrong = no_match + "h.h:1:1: note: candidate function not viable: requires 2 arguments, but 1 was provided\n"
        self.assertEqual(self.shown(wrong), wrong)
        other = "c.cu:5:5: error: reference to __host__ function 'mine' in __global__ function\n"
        self.assertEqual(self.shown(other), other)

    def test_a_requirement_of_our_headers_is_said_at_the_users_line(self):
        self.expect_line(
            f"{HEADERS}/mma.h:92:17: error: static assertion failed due to requirement '!is_sum || x': the simulated GPU has sums in float, half, int and double\n"
            f"{HEADERS}/mma.h:120:3: note: in instantiation of member class 'x' requested here\n"
            "mine.cu:40:9: note: in instantiation of template class 'y' requested here\n",
            "mine.cu:40: error: the simulated GPU has sums in float, half, int and double",
            "",
        )
        self.expect_line(
            f"mine.cu:9:3: error: 'surf2Dwrite<float>' is unavailable: the simulated GPU does not have surfaces\n    9 | surf\n"
            f"{HEADERS}/x.h:1:1: note: 'surf2Dwrite<float>' has been explicitly marked unavailable here\n",
            "mine.cu:9: error: surf2Dwrite<float>: the simulated GPU does not have surfaces",
            "",
        )


class Libraries(unittest.TestCase):
    def test_those_of_nvidia(self):
        for library, part in {"curand_static": "cuRAND", "nvidia-ml": "NVML", "m": None}.items():
            found = subset.find_part("libraries", library)
            self.assertEqual(found and found["part"], part)

    def test_every_part_has_something_to_be_found_by(self):
        for part in subset.subset()["absent"]:
            self.assertTrue(part["part"])
            self.assertLessEqual(set(part), {"part", "headers", "names", "libraries", "try"})
            self.assertTrue({"headers", "names", "libraries"} & set(part), part)


class Spellings(unittest.TestCase):
    def test_brackets_are_joined(self):
        for text, want in {
            "k<< <1, 2>> >(a);": "k<<<1, 2>>>(a);",
            "k< <<g, b> >>(a);": "k<<<g, b>>>(a);",
            "k<float><< < dim3(1 << 2), b[x >> 1] >> > (a);": "k<float><<< dim3(1 << 2), b[x >> 1] >>> (a);",
            "k<<<1,\n  2>> >(a);": "k<<<1,\n  2>>>(a);",
        }.items():
            self.assertEqual(nvcc_spellings.respelled(text, set()), want)

    def test_registers_in_ptx_are_escaped(self):
        for text, want in {
            'asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));': 'asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));',
            'asm("{ mov.u32 %0, %tid.x; \\n"\n    " add.u32 %0, %0, %laneid; }" : "=r"(x));': 'asm("{ mov.u32 %0, %%tid.x; \\n"\n    " add.u32 %0, %0, %%laneid; }" : "=r"(x));',
        }.items():
            self.assertEqual(nvcc_spellings.respelled(text, set()), want)

    def test_dynamic_shared_memory_that_is_no_array_becomes_one(self):
        for text, want in {
            "  extern __shared__ Tile<T, 2> s;\n": "  extern __shared__ Tile<T, 2> s_dynamic[]; Tile<T, 2>& s = s_dynamic[0];\n",
            "\textern __shared__ __align__(16) float x ;": "\textern __shared__ __align__(16) float x_dynamic[]; float& x = x_dynamic[0];",
        }.items():
            self.assertEqual(nvcc_spellings.respelled(text, set()), want)

    def test_types_whose_variables_begin_with_a_call(self):
        texts = [
            "struct Complex { float r; __device__ Complex(float a = 0) : r(a) {} };\nstruct Pair : Base { Complex c; };\nusing Two = Pair;",
            "template <typename T> class Set { int n = 1; void f() { int x = 2; } };\ntypedef struct { int a; } Plain;\ntypedef Set<int> Ints;",
            "struct Empty { Empty() {} Empty(int n) { x = n; } int x; };\nstruct Aggregate { float x, y; };\nstruct Default { Default() = default; };",
        ]
        self.assertEqual(nvcc_spellings.constructed_types(texts), {"Complex", "Pair", "Two", "Set", "Ints", "T"})
        self.assertEqual(nvcc_spellings.constructed_types(["struct Timer { Timer() { begin(); } };\ntemplate <class T> T f();"]), {"Timer"})

    def test_shared_variables_without_construction(self):
        for text, want in {
            "{ __shared__ Set<int> a[4][2], b; x();": "{ __shared__ __simulator_raw<Set<int>[4][2]> a_raw; Set<int> (&a)[4][2] = "
            "reinterpret_cast<Set<int> (&)[4][2]>(a_raw); __shared__ __simulator_raw<Set<int>> b_raw; Set<int> (&b) = "
            "reinterpret_cast<Set<int> (&)>(b_raw); x();",
            "extern __shared__ Set<int> a[];": "extern __shared__ Set<int> a[];",
            "__shared__ float a[4];": "__shared__ float a[4];",
            "f(__shared__ Set<int> a)": "f(__shared__ Set<int> a)",
        }.items():
            self.assertEqual(nvcc_spellings.respelled(text, {"Set"}), want)

    def test_eigen_has_no_code_for_nvcc(self):
        text = "#if defined(__NVCC__)\n#define EIGEN_COMP_NVCC 1\n#endif\n"
        self.assertEqual(nvcc_spellings.respelled(text, set()), text.replace("__NVCC__", "__NVCC_ITSELF__"))

    def test_other_text_stays(self):
        for text in (
            "  extern __shared__ float s[];\n  extern __shared__ __align__(16) unsigned char t[];",
            "  extern __device__ int x;",
            "  // extern __shared__ Tile s;",
            "k<<<1, 2>>>(a);",
            "A<B<C> > x(1);",
            "A<B<C<D>> > x(1); int y = 1 << 2;",
            "y = a << b; z = c >> (d);",
            "std::cout << x; A<B<C>> >(y);",
            "a.operator<< <T>(b); c = x >> y;",
            'asm("mov.u32 %0, %%smid;" : "=r"(x)); asm("add.f32 %0, %[a], %1;" : "=f"(x) : [a] "f"(y));',
            'printf("%smid: %d", asm_name, x %globaltimer);',
        ):
            self.assertEqual(nvcc_spellings.respelled(text, set()), text)

    def test_an_overlay_names_the_files_that_change(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "a.cu").write_bytes(b"// caf\xe9\nk<< <1, 1>> >();\n#include <c.cuh>\n# include \"b.cuh\"\n#include <cstdio>\n")
            (folder / "b.cuh").write_text("int b;\n")
            (folder / "with").mkdir()
            (folder / "with/c.cuh").write_text('asm("mov.u32 %0, %smid;" : "=r"(x));\n')
            (folder / "with/unread.cuh").write_text('asm("mov.u32 %0, %smid;" : "=r"(x));\n')
            sys.argv = ["nvcc_spellings.py", str(folder / "overlay"), str(folder / "a.cu"), "-D", "A", "-I", str(folder / "with")]
            self.assertEqual(nvcc_spellings.main(), 0)
            roots = json.loads((folder / "overlay").read_text())["roots"]
            self.assertEqual({file["name"] for file in roots}, {str((folder / name).resolve()) for name in ("a.cu", "with/c.cuh")})
            copy = next(pathlib.Path(file["external-contents"]) for file in roots if file["name"].endswith("a.cu"))
            self.assertEqual(copy.read_bytes(), b"// caf\xe9\nk<<<1, 1>>>();\n#include <c.cuh>\n# include \"b.cuh\"\n#include <cstdio>\n")
            sys.argv = ["nvcc_spellings.py", str(folder / "overlay"), str(folder / "b.cuh")]
            self.assertEqual(nvcc_spellings.main(), 1)


if __name__ == "__main__":
    unittest.main()
