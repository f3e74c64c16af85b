#!/bin/bash
# Runs the notebook of experiments/python where Jupyter, scikit-learn and matplotlib are installed:  notebook.sh PYTHON SOURCE PROGRAM
set -euo pipefail
python=$1 source=$2
export POISE=$3 PYTHONPATH=$2/experiments/python${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1
if ! "$python" -c 'import sklearn, matplotlib, nbconvert, ipykernel' 2>/dev/null; then
    echo "skipped: the notebook needs Jupyter (nbconvert, ipykernel), scikit-learn and matplotlib for $python"
    exit 77
fi
dir=$(mktemp -d /tmp/poise-notebook-XXXXXX)
trap 'rm -rf "$dir"' EXIT
cp "$source/experiments/python/outside_model.ipynb" "$dir"
cd "$dir"
export IPYTHONDIR=$dir/ipython JUPYTER_DATA_DIR=$dir/jupyter POISE_NOTEBOOK_SIZE=test
mkdir -p "$dir/jupyter/kernels/python3"
printf '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"], "display_name": "python", "language": "python"}\n' "$python" >"$dir/jupyter/kernels/python3/kernel.json"
"$python" -m nbconvert --to notebook --execute outside_model.ipynb --output done.ipynb --ExecutePreprocessor.timeout=280
grep -q '"image/png"' done.ipynb || { echo "no map was drawn"; exit 1; }
grep -q 'of the gain of Static-Best' done.ipynb || { echo "nothing was judged"; exit 1; }
