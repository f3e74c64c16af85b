#!/bin/sh
# NB2 regression, CPU time on one thread: ours, and beside it statsmodels' (python3-statsmodels) and R's glm.nb (r-cran-mass) on the same data
# in the same run where they are installed. tests/bench/learn.sh [BUILD] [ROWS...]; default build/release, 277 and 1000000.
set -e
cd "$(dirname "$0")/../.."
build=${1:-build/release}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 277 1000000
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
python=
for each in python3 /usr/bin/python3; do
    [ -n "$python" ] || ! "$each" -c 'import statsmodels' 2>/dev/null || python=$each
done
file=$(mktemp)
trap 'rm -f "$file"' EXIT
for rows in "$@"; do
    reps=5
    [ "$rows" -gt 10000 ] || reps=101
    echo "ours:        $("$build/tests/bench/learn/bench_learn" "$rows" 8 $reps "$file")"
    if [ -n "$python" ]; then
        echo "statsmodels: $("$python" - "$rows" "$file" <<'PY'
import sys, time, json, warnings
import numpy as np
import statsmodels.discrete.discrete_model as dm
warnings.simplefilter("ignore")
n = int(sys.argv[1])
d = np.fromfile(sys.argv[2]).reshape(9, n)
X, y, times = np.ascontiguousarray(d[:8].T), d[8], []
for _ in range(3):
    start = time.process_time()
    r = dm.NegativeBinomial(y, X).fit(method="newton", maxiter=200, disp=0)
    times.append(time.process_time() - start)
print(json.dumps({"rows": n, "columns": 8, "cpu_s": sorted(times)[1], "loglik": r.llf}))
PY
)"
    else
        echo "statsmodels: not installed"
    fi
    if Rscript -e 'library(MASS)' >/dev/null 2>&1; then
        echo "R glm.nb:    $(Rscript - "$rows" "$file" <<'R'
suppressMessages(library(MASS))
a <- commandArgs(TRUE); n <- as.integer(a[1])
d <- matrix(readBin(a[2], "double", 9 * n), n)
x <- d[, 2:8]; y <- d[, 9]
t <- system.time(f <- glm.nb(y ~ x))
cat(sprintf('{"rows": %d, "columns": 8, "cpu_s": %.6g, "loglik": %.10g}', n, t[["user.self"]] + t[["sys.self"]], as.numeric(logLik(f))))
R
)"
    else
        echo "R glm.nb:    not installed"
    fi
done
