"""experiments/python/poise.py against the built program:  test_poise.py SOURCE PROGRAM"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
os.environ["POISE"] = PROGRAM
sys.path.insert(0, str(SOURCE / "experiments" / "python"))
sys.dont_write_bytecode = True
import poise  # noqa: E402

SWEEP = {"schema": 1, "kind": "sweep", "name": "s", "size": "test", "kernels": [{"name": "mvt", "launches": [0]}],
         "stacks": ["gto", {"mech": "tuple", "axes": {"N": [1, 2], "p": [1]}}]}
TUNE = {"schema": 1, "kind": "tune", "name": "t", "size": "test", "kernels": [{"name": "mvt", "launches": [0]}],
        "mech": "tuple", "parameters": {"N": {"from": 1, "to": 8}, "p": {"from": 1, "to": 8}}, "where": "p <= N",
        "method": {"name": "gp", "budget": 12, "initial": 5}}


def rows(table):
    return table.to_dict("records") if hasattr(table, "to_dict") else table


class Poise(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="poise-python-")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def test_a_run_is_a_dictionary_and_comes_from_the_store_the_second_time(self):
        def sim():
            return poise.sim(kernel="mvt", launch=0, size="test", mech=[("tuple", {"N": 2, "p": 1})],
                             set={"l1.ways": 8}, store="new/my.sqlite")
        first, again = sim(), sim()
        self.assertEqual((first.pop("run_info")["runs_reused"], again.pop("run_info")["runs_reused"]), (0, 1))
        self.assertEqual(first, again)
        self.assertEqual(first["mech"][0]["params"]["N"], 2)
        stopped = poise.sim(kernel="mvt", launch=0, size="test", max_cycles=500)
        self.assertEqual((stopped["complete"], stopped["stats"]["core_cycles"]), (False, 500))

    def test_a_failure_is_an_exception_that_carries_the_json_error(self):
        with self.assertRaises(poise.PoiseError) as raised:
            poise.sim(kernel="mvtt")
        self.assertEqual((raised.exception.code, raised.exception.status), ("ERR_INPUT", 2))
        self.assertIn("did you mean 'mvt'?", raised.exception.message)
        self.assertIn("poise kernels", raised.exception.hint)
        with self.assertRaises(poise.PoiseError) as raised:
            poise.sweep({**SWEEP, "stackz": 1}, out="s")
        self.assertIsInstance(raised.exception.line, int)
        self.assertTrue(raised.exception.file.endswith(".yaml"))
        with self.assertRaises(poise.PoiseError):
            poise.runs("nowhere.sqlite")

    def test_a_sweep_s_store_is_a_table(self):
        results = poise.sweep(SWEEP, out="s")
        self.assertEqual(results.summary["runs"], 3)
        table = rows(results.runs())
        self.assertEqual(len(table), 3)
        one = rows(results.runs(columns=["N", "core_cycles"], mechanism="tuple", N=2))
        self.assertEqual(len(one), 1)
        run = poise.sim(kernel="mvt", launch=0, size="test", mech="tuple,N=2,p=1", store=results.store)
        self.assertEqual(run["run_info"]["runs_reused"], 1)
        self.assertEqual(one[0]["core_cycles"], run["stats"]["core_cycles"])
        self.assertEqual(poise.units(results.store)["core_cycles"][0], "core cycles")
        with self.assertRaisesRegex(poise.PoiseError, "no column 'core_cyclez'"):
            results.runs(columns=["core_cyclez"])
        counted = poise.query(results.store, "SELECT count(*) AS n FROM runs_tidy WHERE N = ?", 1)
        self.assertEqual(rows(counted)[0]["n"], 1)

    def test_models_are_trained_judged_and_used(self):
        table = SOURCE / "datasets" / "features" / "quickstart" / "dataset.csv"
        fit = poise.train(table, "N", "m.json", family="poisson", features=["h_o,intercept"])
        self.assertEqual([c["name"] for c in fit["coef"]], ["h_o", "intercept"])
        self.assertTrue(os.path.exists("m.json"))
        predictions = [{"benchmark": "mvt", "launch": launch, "N": 1, "p": 1} for launch in (0, 1)]
        answer = poise.eval(predictions=predictions, size="test", points=3)
        self.assertEqual(answer["hmean"]["predictions"], answer["hmean"]["constant_1"])
        with self.assertRaisesRegex(poise.PoiseError, "no row for 1 of 2 launches: mvt/1"):
            poise.eval(predictions=predictions[:1], size="test")

    def test_a_tuner_evaluates_trials_and_the_program_points_of_its_own(self):
        def value(N, p):
            return 10 - abs(N - 5) - abs(p - 2)
        with poise.Tuner(TUNE, out="asked") as tuner:
            for trial in tuner:
                tuner.tell(trial, value(**trial["params"]))
        self.assertEqual(tuner.report["points"], 12)
        self.assertEqual(tuner.report["train_metric"], max(value(**t["params"]) for t in tuner.report["trials"]))
        with poise.Tuner(TUNE, out="both") as tuner:
            ours = tuner.evaluate({"N": 2, "p": 1})
            trials = [tuner.ask(), tuner.ask(), tuner.ask()]
            self.assertEqual([t["id"] for t in trials], [1, 2, 3])
            tuner.tell(trials[2], ours / 2)
        self.assertEqual(tuner.report["best"]["params"], {"N": 2, "p": 1})
        run = poise.sim(kernel="mvt", launch=0, size="test", mech="tuple,N=2,p=1")
        gto = poise.sim(kernel="mvt", launch=0, size="test")
        self.assertAlmostEqual(ours, gto["stats"]["core_cycles"] / run["stats"]["core_cycles"], places=12)
        with self.assertRaisesRegex(poise.PoiseError, "no such trial is out"):
            with poise.Tuner(TUNE, out="bad") as tuner:
                tuner.tell(99, 1)

    def test_the_readme_s_example_of_asking_and_telling_runs(self):
        page = (SOURCE / "experiments" / "README.md").read_text(encoding="utf-8")
        example = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "--ask-tell" in block)
        example = example.replace("experiments/specs/ci-tune.yaml", str(SOURCE / "experiments/specs/ci-tune.yaml"))
        words = [sys.executable, "-c", example]
        path = str(pathlib.Path(PROGRAM).parent) + os.pathsep + os.environ["PATH"]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("best of 16 points", done.stderr)

    def test_the_notebook_has_no_outputs_and_its_code_compiles(self):
        import json
        path = SOURCE / "experiments" / "python" / "outside_model.ipynb"
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        self.assertGreater(len(code), 3)
        for cell in code:
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None))
            compile("".join(cell["source"]), str(path), "exec")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
