# CUDA. PROGRAMS: the last line of tests/e2e/cuda/programs/table.sh (minutes: every program is built three ways).
handed D.programs "programs of our own that pass by poise cc, by nvcc, and on the driver API by library path: at least 40" "tests/e2e/cuda/programs/table.sh" "$(awk '{print $1}' <<<"${PROGRAMS:-}")" "m >= 40" ""
handed D.ptx_features "features of the public programs' PTX table that none of them uses: none" "tests/e2e/cuda/programs/table.sh" "${PROGRAMS:+$(sed 's/.*not used by any: //; s/none//; s/\.$//' <<<"$PROGRAMS" | wc -w)}" "m == 0" ""
# Workloads: those whose results agree with the CPU reference at size test, of the 56 that the issue names.
passing=$(ctest --test-dir build/release -L workload -E 'many|synth' -j2 | grep -c "Test *#.*Passed" || true)
check D.workloads "workloads that pass their check at size test: all 56" "ctest --test-dir build/release -L workload" "$passing" "m >= 56" ""
# Synthetic kernels: properties of the recorded traces that equal the knobs.
holding=$(build/release/tests/e2e/synth/e2e_synth 2>&1 | grep -c "       OK" || true)
check D.synth "properties of synthetic kernels that the recorded traces have: all 5" "build/release/tests/e2e/synth/e2e_synth" "$holding" "m == 5" ""
# The large training set, from the results of its own spec (half an hour) where they are.
if [ -f results/thesis-ch5-training/dataset.csv ]; then
    check D.training "training kernels of gco, pvr and ccl that pass the thresholds: at least 250" "poise run experiments/specs/thesis-ch5/training.yaml" "$(($(wc -l <results/thesis-ch5-training/dataset.csv) - 1))" "m >= 250" ""
else
    keep D.training
fi
