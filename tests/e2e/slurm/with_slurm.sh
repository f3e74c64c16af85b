#!/bin/bash
# Runs a command under a Slurm of one node that lives in a folder of its own, $POISE_SLURM_DIR, and ends with it.
#   with_slurm.sh COMMAND...
# Needs Debian's slurm-wlm and munge. Exit status 77, with the reason, where it cannot start.
set -uo pipefail
dir=$(mktemp -d /tmp/poise-slurm-XXXXXX) # short: the path of a socket
mkdir "$dir"/{state,spool,log}
export POISE_SLURM_DIR=$dir
PATH=$PATH:/usr/sbin:/sbin
cannot() { echo "no Slurm here, skipped: $*" >&2; exit 77; }
pids=()
stop() {
    for ((i = ${#pids[@]} - 1; i >= 0; i--)); do kill "${pids[i]}" 2>/dev/null; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null; done
    rm -rf "$dir"
}
trap stop EXIT
for program in munged slurmctld slurmd sbatch scontrol; do command -v $program >/dev/null || cannot "$program is missing (Debian: slurm-wlm, munge)"; done

host=$(hostname -s)
port=$((20000 + $$ % 20000))
head -c 1024 /dev/urandom >"$dir/munge.key"
chmod 600 "$dir/munge.key"
munged --foreground --force --num-threads 1 --key-file "$dir/munge.key" --socket "$dir/munge.socket" --pid-file "$dir/munged.pid" --log-file "$dir/log/munged" \
    --seed-file "$dir/munge.seed" >"$dir/log/munged.out" 2>&1 &
pids+=($!)
cat >"$dir/slurm.conf" <<CONF
ClusterName=poise
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=100000
ReturnToService=2
MpiDefault=none
MessageTimeout=30
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP
CONF
echo "CgroupPlugin=cgroup/v1" >"$dir/cgroup.conf"
export SLURM_CONF=$dir/slurm.conf
wait_for() { # seconds, command...
    local until=$((SECONDS + $1))
    shift
    while ! "$@" >/dev/null 2>&1; do [ $SECONDS -lt $until ] || return 1; sleep 0.2; done
}
wait_for 10 test -S "$dir/munge.socket" || cannot "munged did not start: $(tail -1 "$dir/log/munged" "$dir/log/munged.out" 2>/dev/null)"
slurmctld -D >"$dir/log/slurmctld.out" 2>&1 &
pids+=($!)
wait_for 15 scontrol ping || cannot "slurmctld did not start: $(grep -E 'error|fatal' "$dir/log/slurmctld" | tail -1)"
slurmd -D -N "$host" >"$dir/log/slurmd.out" 2>&1 &
pids+=($!)
is_up() { sinfo -h -o %t | grep -qE '^(idle|mix)$'; }
wait_for 20 is_up || cannot "slurmd did not start: $(grep -hE 'error|fatal' "$dir/log/slurmd" "$dir/log/slurmd.out" | tail -1)"
"$@"
