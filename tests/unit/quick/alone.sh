#!/bin/bash
# alone.sh NM PROGRAM: the program links plans and configurations, and no function that ticks a machine.
set -euo pipefail
symbols=$("$1" "$2" | awk '{print $NF}')
for there in quick_run plan_new gpu_params_load; do grep -qx "$there" <<<"$symbols" || { echo "$2: no $there"; exit 1; }; done
for absent in gpu_run gpu_run_carry simulation_new dram_tick l2_tick; do
    ! grep -qx "$absent" <<<"$symbols" || { echo "$2 has $absent: the quick model links the timing model"; exit 1; }
done
