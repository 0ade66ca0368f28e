"""Tests plots/results.py: the values that it reads from a run, and its refusals."""

import json
import tempfile
import unittest
from pathlib import Path

import runs
from runs import results, samples


def read(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return results.read(path)


def refusal(text):
    """Returns the reader's message, without the file's own name."""
    try:
        read(text)
    except results.Unusable as unusable:
        return str(unusable).split(": ", 1)[1]
    return "nothing was refused"


class GoodRun(unittest.TestCase):
    def test_of_a_gpu(self):
        run = read(
            samples.text_of(
                samples.document([samples.timed_row(0, "256"), samples.timed_row(2, "64x32x16", doubts=["few samples"])])
            )
        )
        self.assertEqual((run.context.device, run.context.driver, run.context.cublas), ("NVIDIA X", "570.1", "12.8.4"))
        self.assertEqual(run.context.roofs["fp32_gflops"], 60000.0)
        reference, row = run.rows
        self.assertTrue(reference.is_reference and reference.trusted and reference.is_right)
        self.assertEqual(
            (row.set, row.number, row.kernel, row.label, row.size), ("sgemm", 2, "coalesced", "02_coalesced", (64, 32, 16))
        )
        self.assertEqual(row.figures["percent_of_cublas"], 20.08)
        self.assertEqual((row.samples_ms, row.reference_samples_ms), ([2.0, 2.5], [1.0, 1.0]))
        self.assertEqual((row.trusted, row.cold, row.once), (False, False, False))

    def test_of_the_simulator(self):
        run = read(
            samples.text_of(
                samples.document(
                    [samples.counted_row(1, "256", path="float4")], machine="simulator", driver=None, roofs={"fp32_gflops": None}
                )
            )
        )
        self.assertIsNone(run.context.driver)
        self.assertEqual(run.context.roofs, {})
        (row,) = run.rows
        self.assertEqual(row.path, "float4")
        self.assertEqual(row.figures["load_sectors_per_request"], 16.5)
        self.assertNotIn("percent_of_cublas", row.figures)
        self.assertNotIn("m", row.figures)
        self.assertEqual(row.sectors_per_request, {"load A": 32.0})
        self.assertEqual(row.counts, {"load_requests": {"A": 8, "B": 8}, "launches": 1})
        self.assertEqual(row.samples_ms, [])

    def test_gives_the_judgement_of_the_program(self):
        broken = {
            "correct": False,
            "promise_kept": False,
            "contract_broken": ["beta = 0: reads C"],
            "hazards": [{"kind": "race", "message": "two lanes\nat mine.cu:7\n"}],
        }
        for key, value in broken.items():
            (row,) = read(samples.text_of(samples.document([samples.counted_row(1, "256", **{key: value})]))).rows
            self.assertFalse(row.is_right, key)
            self.assertEqual(row.hazards, ["two lanes at mine.cu:7"] if key == "hazards" else [])

    def test_knows_a_stranger_and_a_variant(self):
        stranger = samples.counted_row(
            1, "256", set="kernel", kernel_id=None, kernel="mine", variant="wide", parameters={"stride": -2}
        )
        (row,) = read(samples.text_of(samples.document([stranger]))).rows
        self.assertEqual((row.number, row.label, row.variant, row.parameters), (None, "mine", "wide", {"stride": -2}))

    def test_takes_an_error_that_is_no_number(self):
        (row,) = read(
            samples.text_of(
                samples.document([samples.counted_row(1, "256", correct=False, max_abs_error="nan", error_over_bound="inf")])
            )
        ).rows
        self.assertFalse(row.correct)

    def test_gives_the_lines_of_the_source(self):
        line = samples.line_of("01_naive.cu", 20, bytes_per_lane=4, requests=8)
        line |= {"sectors_per_request": 32.0, "bytes_used_over_fetched": 0.125, "wavefronts_per_request": None, "waste": "much"}
        counted = samples.counted_row(1, "256", lines=[line, line | {"waste": "none"}])
        (row,) = read(samples.text_of(samples.document([counted]))).rows
        self.assertEqual([one.waste for one in row.lines], ["much", "none"])
        first = row.lines[0]
        self.assertEqual((first.file, first.line, first.instruction, first.buffer), ("01_naive.cu", 20, "ld.global.f32", "A"))
        self.assertEqual((first.bytes_per_lane, first.requests, first.bank_conflicts), (4, 8, 0))
        self.assertEqual((first.sectors_per_request, first.bytes_used_over_fetched), (32.0, 0.125))
        self.assertIsNone(first.wavefronts_per_request)

    def test_gives_the_products_of_many_processes(self):
        run = results.read(samples.ROOT / "test/data/runs/sound_distributed.json")
        self.assertEqual(run.rows, [])
        product, continued = run.context.distributed
        self.assertEqual((continued["tiles_found"], continued["efficiency"]), (2, None))
        self.assertEqual([product[key] for key in ("m", "n", "k", "grid_rows", "carrier", "trans_a")], [512, 384, 256, 2, "nccl", True])
        self.assertEqual([product[key] for key in ("seconds", "hidden_share", "efficiency")], [0.5, 0.5, 0.8125])
        self.assertEqual([process["host"] for process in product["processes"]], ["first", "second"])
        span = product["processes"][0]["spans"][2]
        self.assertEqual(span, {"is_product": False, "panel": 1, "begin_s": 0.125, "end_s": 0.1875})
        self.assertEqual(read(samples.text_of(samples.document([]))).context.distributed, [])

    def test_gives_the_verdicts_on_many_gpus(self):
        run = results.read(samples.ROOT / "test/data/runs/sound_acceptance.json")
        self.assertEqual([(gpu["rank"], gpu["verdict"]) for gpu in run.context.acceptance], [(0, "OK"), (1, "SLOWER"), (2, "WRONG")])
        slow, of_a_lab = run.context.acceptance[1]["rows"]
        self.assertEqual([slow[key] for key in ("kernel", "m", "change_percent", "verdict", "base_rank")], ["12 stream_k", 4096, -25, "SLOWER", 0])
        self.assertEqual((of_a_lab["m"], of_a_lab["quartiles_ms"], of_a_lab["slowdowns"]), (None, None, []))
        self.assertEqual(read(samples.text_of(samples.document([]))).context.acceptance, [])

    def test_knows_what_a_product_of_many_processes_omits(self):
        product = runs.distributed(grid=(1, 1))
        del product["efficiency"], product["processes"][0]["spans"]
        (read_back,) = read(samples.text_of(samples.document([], distributed=[product]))).context.distributed
        self.assertEqual((read_back["tiles"], read_back["failures"], read_back["reproducible"]), (1, [], False))
        self.assertEqual((read_back["efficiency"], read_back["processes"][0]["spans"]), (None, []))

    def test_drops_what_would_move_the_cursor(self):
        self.assertEqual(read(samples.text_of(samples.document([], device="N\x1b[2J\nX"))).context.device, "N[2J X")

    def test_the_recorded_counters(self):
        run = results.read(samples.ROOT / "bench/baselines/simulator.json")
        self.assertEqual(run.context.machine, "simulator")
        self.assertTrue(all(row.is_right for row in run.rows))
        naive = next(row for row in run.rows if row.kernel == "naive" and row.size == (256, 256, 256))
        self.assertEqual(naive.sectors_per_request, {"load A": 32.0, "load B": 1.0, "store C": 32.0})

    def test_is_written_as_it_was_read(self):
        document = samples.document([samples.timed_row(1, "256"), samples.counted_row(2, "64x32x16")])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            results.write(path, results.from_document(document))
            self.assertEqual(json.loads(path.read_text()), document)
            self.assertEqual([file.name for file in Path(folder).iterdir()], ["run.json"])


class Compared(unittest.TestCase):
    COMPARISON = {
        "verdict": "SLOWER",
        "reasons": ["5 % below"],
        "base_percent": [99, 100.0, 101],
        "base_ms": 2.5,
        "change_percent": -5.0,
        "threshold_percent": 3,
        "p_value": 0.001,
    }
    WITH = {"file": "base.json", "date": "2026-01-02T10:00:00+00:00", "commit": None, "notes": ["driver 570 there, 580 here"]}

    def row(self, **changes):
        return samples.timed_row(1, "256", comparison=self.COMPARISON | changes)

    def test_is_read(self):
        run = read(samples.text_of(samples.document([self.row(), samples.timed_row(2, "256")], compared_with=self.WITH)))
        self.assertEqual(run.context.compared_with.file, "base.json")
        self.assertIsNone(run.context.compared_with.commit)
        comparison = run.rows[0].comparison
        self.assertEqual((comparison.verdict, comparison.base_percent, comparison.change_percent), ("SLOWER", [99, 100, 101], -5))
        self.assertIsNone(run.rows[1].comparison)

    def test_several_runs(self):
        row = samples.timed_row(1, "256")
        count = len(row["samples_ms"])
        row |= {"samples_of_runs": [1, count - 1], "sample_seconds": [0.5] * count, "sample_clocks_mhz": [0] * count}
        (read_row,) = read(samples.text_of(samples.document([row]))).rows
        self.assertEqual((read_row.samples_of_runs, read_row.sample_seconds), ([1, count - 1], [0.5] * count))

    def test_damaged(self):
        for changes, why in (
            ({"verdict": "BETTER"}, "benchmarks[0].comparison.verdict: is no verdict"),
            ({"base_percent": [1, 2]}, "benchmarks[0].comparison.base_percent: does not have three values"),
            ({"reasons": "many"}, "benchmarks[0].comparison.reasons: is not a list"),
            ({"p_value": -1}, "benchmarks[0].comparison.p_value: is not between"),
        ):
            self.assertIn(why, refusal(samples.text_of(samples.document([self.row(**changes)]))))
        for key, value, why in (
            ("samples_of_runs", [1], "benchmarks[0].samples_of_runs: does not add up"),
            ("sample_seconds", [1], "benchmarks[0].sample_seconds: has not as many values"),
            ("sample_clocks_mhz", [-1], "benchmarks[0].sample_clocks_mhz[0]: is not between"),
        ):
            self.assertIn(why, refusal(samples.text_of(samples.document([samples.timed_row(1, "256", **{key: value})]))))


class OtherSchema(unittest.TestCase):
    def test_none(self):
        said = refusal(samples.text_of(samples.document([], schema=None)))
        self.assertIn("context: has no 'schema'", said)
        self.assertIn("bench/record.py", said)

    def test_an_older_one(self):
        said = refusal(samples.text_of(samples.document([], schema=1)))
        self.assertIn("has schema 1, and this version reads schema 2: record it anew", said)

    def test_a_newer_one(self):
        self.assertIn(
            "has schema 3, and this version reads schema 2: use newer", refusal(samples.text_of(samples.document([], schema=3)))
        )


class Damaged(unittest.TestCase):
    def test_is_no_json(self):
        whole = samples.text_of(samples.document([samples.timed_row(1, "256")]))
        for text in ("", "{", whole[: len(whole) // 2], whole.replace("2469.0", "NaN"), b"\xff\xfe{}", "1" * 10000):
            self.assertIn("it is not JSON", refusal(text), text[:20])

    def test_as_the_program_has_it(self):
        """Tries the files with which test/results/files/damaged_file_test.cpp tries the program's reader, for the same answers."""
        folder = samples.ROOT / "test/data/runs"
        sound = {name: (folder / f"{name}.json").read_text() for name in ("sound", "sound_lab", "sound_distributed", "sound_acceptance")}
        for text in sound.values():
            read(text)
        damages = json.loads((folder / "damages.json").read_text())
        self.assertGreater(len(damages), 125)
        for damage in damages:
            document = json.loads(sound[damage["run"]])
            *way, last = [int(word) if word.isdigit() else word for word in damage["at"].split("/")[1:]]
            place = document
            for word in way:
                place = place[word]
            if "gone" in damage:
                del place[last]
            elif isinstance(place, list):
                place[last : last + 1] = [damage["value"]]
            else:
                place[last] = damage["value"]
            self.assertTrue(refusal(samples.text_of(document)).startswith(damage["complaint"]), damage)

    def test_what_two_readers_read_differently(self):
        whole = samples.text_of(samples.document([samples.timed_row(1, "256")]))
        self.assertIn("'m' stands twice in one object", refusal(whole.replace('"m": ', '"m": 1, "m": ')))
        self.assertIn("it is not JSON", refusal(whole.replace('"device": "', '"device": "\\ud800')))
        self.assertIn("it is UTF-16", refusal(whole.encode("utf-16")))
        self.assertIn("it is UTF-16", refusal(whole.encode("utf-16-le")))
        self.assertIn("nested deeper than 16", refusal("[" * 200_000_000))
        self.assertIn("nested deeper than 16", refusal("[" * 17 + "]" * 17))
        self.assertEqual(len(read(b"\xef\xbb\xbf" + whole.encode()).rows), 1, "a mark that some editors write")

    def test_is_no_run(self):
        for text in ("[]", "{}", '{"context": {}}', "7"):
            self.assertIn("it is no run of sgemm_runner", refusal(text), text)

    def test_context(self):
        for key, value, why in (
            ("machine", "abacus", "context.machine: is neither 'simulator' nor 'cuda'"),
            ("schema", True, "context.schema: is not a whole number"),
            ("device", 7, "context.device: is not a text"),
            ("driver", [], "context.driver: is not a text"),
            ("uncommitted_changes", "no", "context.uncommitted_changes: is neither true nor false"),
            ("roofs", {"fp32_gflops": -1}, "context.roofs.fp32_gflops: is not between 1e-09 and 1e+18"),
            ("roofs", 7, "context.roofs: is not an object"),
            ("power_limit_watts", 0, "context.power_limit_watts: is not between"),
        ):
            self.assertIn(why, refusal(samples.text_of(samples.document([], **{key: value}))))

    def test_row(self):
        for key, value, why in (
            ("name", None, "name: is not a text"),
            ("kernel_id", -1, "kernel_id: is not between 0 and"),
            ("kernel_id", 1.5, "kernel_id: is not a whole number"),
            ("m", "256", "m: is not a whole number"),
            ("m", 1 << 40, "m: is not between 0 and"),
            ("alpha", 1e39, "alpha: is not between"),
            ("seed", -1, "seed: is not a whole number from 0"),
            ("correct", 1, "correct: is neither true nor false"),
            ("max_abs_error", "small", "max_abs_error: is not a number"),
            ("gflops", -5, "gflops: is not between 0 and 1e+18"),
            ("percent_of_cublas", 10**308, "percent_of_cublas: is not between 0 and 1e+18"),
            ("doubts", "none", "doubts: is not a list"),
            ("l2", "lukewarm", "l2: is neither 'warm' nor 'cold'"),
            ("once", None, "once: is neither true nor false"),
            ("samples_ms", [], "samples_ms: is empty"),
            ("samples_ms", [1.0, 0], "samples_ms[1]: is not between"),
            ("samples_ms", [1.0], "reference_samples_ms: has not as many values as samples_ms"),
            ("sectors_per_request", {"load A": "4"}, "sectors_per_request.load A: is not a number"),
            ("counts", {"load_requests": {"A": -1}}, "counts.load_requests.A: is not a whole number from 0"),
            ("hazards", [{"kind": "race"}], "hazards[0]: has no 'message'"),
        ):
            document = samples.document([samples.timed_row(0, "256"), samples.timed_row(1, "256", **{key: value})])
            self.assertIn(f"benchmarks[1].{why}", refusal(samples.text_of(document)))

    def test_lines(self):
        cases = (
            (samples.line_of(1, 1), "benchmarks[0].lines[0].file: is not a text"),
            (samples.line_of("a", -1), "benchmarks[0].lines[0].line: is not between"),
            ({"file": "a"}, "benchmarks[0].lines[0]: has no '"),
            (samples.line_of("a", 1, requests=0.5), "benchmarks[0].lines[0].requests: is not a whole number"),
            (samples.line_of("a", 1, waste="huge"), "benchmarks[0].lines[0].waste: is neither"),
            ("a", "benchmarks[0].lines[0]: is not an object"),
        )
        for line, told in cases:
            self.assertIn(told, refusal(samples.text_of(samples.document([samples.counted_row(1, "256", lines=[line])]))))

    def test_what_is_missing(self):
        for key in ("name", "set", "kernel", "correct", "n", "lda", "elements_compared", "reference_samples_ms", "is_reference"):
            row = samples.timed_row(1, "256")
            del row[key]
            self.assertIn(f"benchmarks[0]: has no '{key}'", refusal(samples.text_of(samples.document([row]))))

    def test_infinity(self):
        text = samples.text_of(samples.document([samples.timed_row(1, "256", gflops=12345)])).replace("12345", "1e999")
        self.assertIn("benchmarks[0].gflops: is not between", refusal(text))

    def test_rows_that_are_none(self):
        self.assertIn("benchmarks: is not a list", refusal(samples.text_of(samples.document({}))))
        self.assertIn("benchmarks[0]: is not an object", refusal(samples.text_of(samples.document([7]))))


class NoFile(unittest.TestCase):
    def test_is_named(self):
        for path in (Path("/nowhere/run.json"), Path("/")):
            with self.assertRaises(results.Unusable) as caught:
                results.read(path)
            self.assertIn(f"'{path}' cannot be read", str(caught.exception))


class UnreadableRun(unittest.TestCase):
    def test_is_not_written(self):
        document = samples.document([samples.timed_row(1, "256")])
        run = results.from_document(document)
        document["benchmarks"][0]["gflops"] = -1
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(results.Unusable):
                results.write(Path(folder) / "run.json", run)
            self.assertEqual(list(Path(folder).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
