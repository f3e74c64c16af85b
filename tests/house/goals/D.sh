# Title: CUDA programs and register counts
# CUDA. PROGRAMS: the last line of tests/e2e/cuda/programs/table.sh (minutes: every program is built three ways).
handed D.programs "programs of our own that pass by poise cc, by nvcc, and on the driver API by library path: at least 40" "tests/e2e/cuda/programs/table.sh" "$(awk '{print $1}' <<<"${PROGRAMS:-}")" "m >= 40" ""
handed D.ptx_features "features of the public programs' PTX table that none of them uses: none" "tests/e2e/cuda/programs/table.sh" "${PROGRAMS:+$(sed 's/.*not used by any: //; s/none//; s/\.$//' <<<"$PROGRAMS" | wc -w)}" "m == 0" ""
# Registers: estimates for the workloads' kernels on the half of the committed set that calibrates nothing, against ptxas (other settings were compared on all kernels) 13.0 -arch=sm_75 -O3.
half=$(build/release/tests/unit/ptx/test_ptx_registers | grep "^test half")
check D.registers "estimated registers a thread within 8 of ptxas, on kernels outside the calibrating half: above 79 %" "build/release/tests/unit/ptx/test_ptx_registers" "$(sed 's/.*registers \([0-9]*\) %.*/\1/' <<<"$half")" "m > 79" ""
check D.registers_median "median error of estimated registers a thread, on kernels outside the calibrating half: within 2" "build/release/tests/unit/ptx/test_ptx_registers" "$(sed 's/.*median error +*\(-*[0-9]*\),.*/\1/' <<<"$half")" "m >= -2 && m <= 2" ""
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
# PTX: every spelling of the instruction families against an oracle of its own; approximate functions against long double; lanes that diverge.
families=$(for test in build/release/tests/unit/ptx/test_ptx_family_*; do "$test" 2>/dev/null || true; done | awk '/ spellings$/ {n += $1} END {print n + 0}')
failing=$(ctest --test-dir build/release -R 'test_ptx_(family|divergence)' -j2 | grep -c "Test *#.*Failed" || true)
check D.ptx_families "spellings of PTX instructions held bit by bit to an oracle, all of them right: at least 2500" "ctest --test-dir build/release -R test_ptx_family" "$([ "$failing" = 0 ] && echo "$families" || echo 0)" "m >= 2500" ""
approximate=$(build/release/tests/unit/ptx/test_ptx_approximate 2>/dev/null | awk '/^[a-z0-9.]+ d, / {r = $(NF-2) / $(NF-1); if (r > worst) worst = r} END {printf "%.3f", worst}')
check D.ptx_approximate "largest error of ex2, lg2, sin, cos, tanh, rcp, rsqrt, sqrt and div.approx over what the PTX ISA states: at most 1" "build/release/tests/unit/ptx/test_ptx_approximate" "$approximate" "m > 0 && m <= 1" ""
# Workloads at size full: the last line of datasets/full.sh (an hour).
handed D.workloads_full "workloads whose results agree with the CPU reference at size full: all 57" "datasets/full.sh" "${FULL:+$(awk '{print $1}' <<<"$FULL")}" "m >= 57" ""
