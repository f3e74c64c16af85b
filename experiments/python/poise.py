"""Poise from Python: its commands as functions, its results as dictionaries, its stores as tables.

One file without dependencies (Python 3.9 or later). It runs the program `poise` and reads what that prints
with --json; where pandas is installed, tables are data frames, else lists of dictionaries.

    import poise
    atax = poise.sim(kernel="atax", mech=("tuple", {"N": 3, "p": 1}), store="results/my.sqlite")
    atax["stats"]["ipc"]
    sweep = poise.sweep("experiments/specs/ci-sweep.yaml", out="results/ci-sweep")
    sweep.runs()                                        # the view runs_tidy of its store
    poise.eval(predictions=[{"benchmark": "mvt", "launch": 0, "N": 3, "p": 1}, ..])["hmean"]

What the keys of an answer mean is in experiments/CONTRACTS.md. A command that fails raises PoiseError, which has the
message, file, line and hint that the program gives. Keywords become options: max_cycles=1000 is --max-cycles 1000, True
is an option without a value, a list repeats an option, None leaves it out.
"""

import contextlib
import csv
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile

__all__ = ["PoiseError", "Results", "Tuner", "call", "cv", "eval", "frame", "hint", "policies", "predict", "program",
           "query", "run", "runs", "sim", "sweep", "train", "tune", "units", "version"]

LIMIT_REACHED = 6  # exit status of a run that ended at a limit: its figures are printed all the same


class PoiseError(RuntimeError):
    """A command that failed: `message`, and where there are any `code`, `file`, `line`, `byte` and `hint`."""

    def __init__(self, message, status=None, command=None, stderr="", **where):
        self.message, self.status, self.command, self.stderr = message, status, command, stderr
        nothing = ("", 0, -1, None)  # as the program says that it has none
        self.code, self.file, self.line, self.byte, self.hint = (
            None if where.get(key) in nothing else where[key] for key in ("code", "file", "line", "byte", "hint"))
        super().__init__(f"{message} ({self.hint})" if self.hint else message)


# ---- the program ----

def program():
    """The program's path: $POISE, else beside this file in a build or an installation, else on PATH."""
    named = os.environ.get("POISE")
    if named:
        return named
    here = pathlib.Path(__file__).resolve().parent
    built = [up / "build" / "release" / "experiments" / "poise" for up in here.parents[:2]]
    for path in [*built, *(up / "bin" / "poise" for up in here.parents[:4])]:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("poise")
    if found:
        return found
    raise PoiseError("the program poise is not found: build it (cmake --build --preset release), or name it in $POISE")


def _mech(mech):
    """"swl,N=4", ("swl", {"N": 4}) or {"mech": "swl", "N": 4}, as --mech has it."""
    if isinstance(mech, str):
        return mech
    if isinstance(mech, dict):
        mech = (mech["mech"], {key: value for key, value in mech.items() if key != "mech"})
    name, parameters = mech
    return ",".join([name, *(f"{key}={_text(value)}" for key, value in parameters.items())])


def _text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _options(options):
    words = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif name == "set" and isinstance(value, dict):
            words += [word for key, item in value.items() for word in (flag, f"{key}={_text(item)}")]
        elif name == "mech":
            is_pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict)
            stack = [value] if is_pair or isinstance(value, (str, dict)) else value
            words += [word for item in stack for word in (flag, _mech(item))]
        elif isinstance(value, (list, tuple)):
            words += [word for item in value for word in (flag, _text(item))]
        else:
            words += [flag, _text(value)]
    return words


def _error(stderr):
    """The error among the lines that the program wrote to stderr; None."""
    for line in reversed(stderr.splitlines()):
        if line.startswith('{"error"'):
            with contextlib.suppress(ValueError):
                return json.loads(line)["error"]
    return None


def _failed(words, status, stderr):
    error = _error(stderr) or {}
    message = error.pop("message", None) or stderr.strip() or f"poise ended with status {status}"
    return PoiseError(message, status=status, command=words, stderr=stderr, **error)


def call(command, *arguments, program_arguments=(), cwd=None, **options):
    """Runs `poise COMMAND ARGUMENTS --options --json` and returns what it prints, a dictionary.

    `program_arguments` follow `--`: they are those of a CUDA program of your own.
    """
    words = [program(), *command.split(), *(_text(a) for a in arguments), *_options(options), "--json"]
    if program_arguments:
        words += ["--", *(_text(a) for a in program_arguments)]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode not in (0, LIMIT_REACHED) and (_error(done.stderr) or not done.stdout.strip()):
        raise _failed(words, done.returncode, done.stderr)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise _failed(words, done.returncode, done.stderr or f"poise {command} printed no JSON") from None


def version():
    """{'version', 'model_version'} of the program."""
    answer = call("stats")
    return {key: answer[key] for key in ("version", "model_version")}


# ---- one run, one kernel ----

def sim(kernel=None, trace=None, *, cuda=None, **options):
    """Simulates a workload, a trace or a CUDA program (`cuda`, with program_arguments=[..]).

    mech="swl,N=4", ("swl", {"N": 4}) or a list of these, a stack; config="volta80"; set={"l1.ways": 8}; store=FILE: a
    run that is there is not simulated again, a new one is kept.
    """
    return call("sim", kernel=kernel, trace=trace, program=cuda, **options)


def policies(kernel=None, **options):
    """Every policy on one kernel, trace or program."""
    return call("policies", kernel=kernel, **options)


def hint(kernel=None, **options):
    """The warp tuple that the quick model proposes."""
    return call("hint", kernel=kernel, **options)


# ---- studies ----

class Results:
    """What a study left in a folder: `summary` is what it printed, `runs()` its table of runs."""

    def __init__(self, folder, summary):
        self.folder, self.summary = pathlib.Path(folder), summary

    @property
    def store(self):
        return self.folder / "store.sqlite"

    def runs(self, **choice):
        return runs(self.store, **choice)

    def csv(self, name):
        """A CSV file of the folder, such as 'profile.csv', as a table."""
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return frame(csv.DictReader(file))

    def report(self, out=None):
        """Writes the results as a page; returns its path."""
        out = pathlib.Path(out or self.folder / "report.html")
        words = [program(), "report", str(self.folder), "-o", str(out)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise _failed(words, done.returncode, done.stderr)
        return out

    def __repr__(self):
        return f"Results({str(self.folder)!r})"


@contextlib.contextmanager
def _file(value, suffix, write):
    """A path as it is; anything else as a file for as long as the command runs."""
    if isinstance(value, (str, os.PathLike)):
        yield os.fspath(value)
        return
    with tempfile.TemporaryDirectory(prefix="poise-") as folder:
        path = os.path.join(folder, "given" + suffix)
        with open(path, "w", newline="", encoding="utf-8") as file:
            write(file, value)
        yield path


def _spec(spec):
    """A spec's file, or a dictionary: every JSON text is YAML."""
    return _file(spec, ".yaml", lambda file, value: json.dump(value, file))


def _study(command, spec, out, options):
    with _spec(spec) as path:
        if out is None:
            with open(path, encoding="utf-8") as file:
                out = os.path.join("results", _name(spec, file.read()))
        return Results(out, call(command, path, out=out, **options))


def _name(spec, text):
    if isinstance(spec, dict):
        return spec["name"]
    for line in text.splitlines():
        if line.startswith("name:"):
            return line[5:].split("#")[0].strip().strip("'\"")
    raise PoiseError("the spec has no name: give out=FOLDER")


def sweep(spec, out=None, **options):
    """Runs a sweep's spec (a file, or a dictionary) and returns its Results."""
    return _study("sweep", spec, out, options)


def run(spec, out=None, **options):
    """Runs a spec of the main job, such as experiments/specs/quickstart.yaml, and returns its Results."""
    return _study("run", spec, out, options)


def tune(spec, out=None, **options):
    """Tunes and returns Results whose summary is the report. With a Tuner you evaluate the trials yourself."""
    return _study("tune", spec, out, options)


# ---- learning ----

def train(table, target, output, **options):
    """Fits one model of a table (a file, a frame, or rows) and writes it to `output`; returns the fit's report."""
    with _table(table) as path:
        return call("train", path, "-o", output, target=target, **options)


def cv(spec, **options):
    """Cross-validates as a spec says (a file, or a dictionary)."""
    with _spec(spec) as path:
        return call("cv", path, **options)


def predict(*traces, model, **options):
    """A warp tuple for traces, or for kernel=NAME, by a model's file."""
    return call("predict", *traces, model=model, **options)


def eval(model=None, predictions=None, **options):  # noqa: A001: the command's name
    """Judges a model's file, or tuples that a model of your own predicted.

    `predictions`: a CSV file, a frame, or rows {'benchmark', 'launch', 'N', 'p'}, one a launch.
    """
    if predictions is None:
        return call("eval", model=model, **options)
    with _table(predictions) as path:
        return call("eval", model=model, predictions=path, **options)


# ---- tables ----

def frame(rows):
    """Rows as a pandas frame where pandas is installed, else as a list of dictionaries."""
    rows = [dict(row) for row in rows]
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def _rows(table):
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        return table.to_dict("records")
    return [dict(row) for row in table]


def _write_rows(file, table):
    rows = _rows(table)
    if not rows:
        raise PoiseError("a table without rows")
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _table(table):
    return _file(table, ".csv", _write_rows)


def _select(store, sql, parameters=()):
    path = pathlib.Path(store)
    if not path.is_file():
        raise PoiseError(f"{path}: there is no such store")
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(sql, parameters)]
    except sqlite3.Error as error:
        hint = "a store of an older build gets the view runs_tidy when a command first writes to it"
        raise PoiseError(f"{path}: {error}", hint=hint if "runs_tidy" in str(error) else None) from None
    finally:
        database.close()


def query(store, sql, *parameters):
    """One SELECT on a store, as a table. Nothing is written."""
    return frame(_select(store, sql, parameters))


def runs(store, columns=None, **equal):
    """The view runs_tidy of a store: a row a run. runs(store, benchmark='mvt', mechanism='gto') chooses rows."""
    known = {row["name"] for row in _select(store, "SELECT name FROM runs_tidy_columns")}
    unknown = [name for name in [*(columns or []), *equal] if name not in known]
    if unknown:
        raise PoiseError(f"{store}: the table of runs has no column {', '.join(map(repr, unknown))}")
    quoted = ['"' + name.replace('"', '""') + '"' for name in columns or []]
    where = " AND ".join('"' + name.replace('"', '""') + '" IS ?' for name in equal)
    sql = f"SELECT {', '.join(quoted) or '*'} FROM runs_tidy" + (f" WHERE {where}" if where else "")
    values = [str(v).lower() if isinstance(v, bool) else v for v in equal.values()]
    return frame(_select(store, sql, values))


def units(store):
    """{column: (unit, meaning)} of the table of runs."""
    return {row["name"]: (row["unit"], row["meaning"])
            for row in _select(store, "SELECT name, unit, meaning FROM runs_tidy_columns")}


# ---- tuning, asked and told ----

class Tuner:
    """The trials of a tuning, which you evaluate: poise tune --ask-tell.

        with poise.Tuner("my.yaml", out="results/my") as tuner:
            for trial in tuner:                                   # {'id': 1, 'params': {'N': 4, 'p': 2}}
                tuner.tell(trial["id"], measure(**trial["params"]))
        tuner.report["best"]["params"]
    """

    def __init__(self, spec, out=None, **options):
        self._stack = contextlib.ExitStack()
        path = self._stack.enter_context(_spec(spec))
        with open(path, encoding="utf-8") as file:
            self.folder = pathlib.Path(out or os.path.join("results", _name(spec, file.read())))
        self._words = [program(), "tune", path, "--ask-tell", "--json", "--out", str(self.folder), *_options(options)]
        self._errors = self._stack.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8"))
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._words, stdin=pipe, stdout=pipe, stderr=self._errors, text=True,
                                         bufsize=1)
        self.report, self._waiting, self._proposed = None, [], 0  # trials that came before they were asked for

    def _send(self, line):
        with contextlib.suppress(BrokenPipeError):  # its end is told by what it wrote to stderr
            self._process.stdin.write(json.dumps(line) + "\n")
            self._process.stdin.flush()

    def _receive(self):
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self):
        """The next trial, {'id', 'params'}; None where the budget is spent. Several may be out at a time."""
        self._send({"ask": 1})
        return self._waiting.pop(0) if self._waiting else self._receive()

    def tell(self, trial, value):
        """What a trial gave, by its id; None where it failed."""
        self._send({"id": trial["id"] if isinstance(trial, dict) else trial, "value": value})

    def evaluate(self, params):
        """The metric at a point of your own, simulated as the spec says; a trial like any other."""
        self._proposed += 1
        name = f"mine-{self._proposed}"
        self._send({"id": name, "params": params})
        while True:
            answer = self._receive()
            if answer is None:
                self.close()
                raise PoiseError("the tuning has ended")
            if answer["id"] == name:
                return answer["value"]
            self._waiting.append(answer)

    def __iter__(self):
        while True:
            trial = self.ask()
            if trial is None:
                return
            yield trial

    def close(self):
        """Ends the tuning; its report is then there."""
        if self._process.poll() is None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process.stdout.read()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
        self._errors.seek(0)
        stderr = self._errors.read()
        self._stack.close()
        if self._process.returncode:
            raise _failed(self._words, self._process.returncode, stderr)
        with open(self.folder / "tune.json", encoding="utf-8") as file:
            self.report = json.load(file)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
            return
        self._process.kill()
        self._process.wait()
        self._stack.close()
