# Workloads: those whose results agree with the CPU reference at size test, of the 56 that the issue names.
passing=$(ctest --test-dir build/release -L workload -j2 | grep -c "Test *#.*Passed" || true)
check D.workloads "workloads that pass their check at size test: all 56" "ctest --test-dir build/release -L workload" "$passing" "m >= 56" ""
