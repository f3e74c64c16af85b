#!/bin/bash
# The faults that two audits found, and the test that holds each mend: faults.sh [ITEM...]   (none: all)
# Each test was seen failing before its mend, but for those marked +: they came with an option or a guard that was not there before, or the
# fault was read in the code and not run.
# Needs a release build. Items of the first audit (model version 2): 1 to 8 machine and mechanisms, 9 and 10 wrong results, 11 and 12 crashes
# and losses. Items of the second begin with V: V1 to V5 machines, V6 to V9 statistics, V10 to V17 wrong or lost without an error, V18 to V20
# CUDA and PTX, V21 small ones.
set -euo pipefail
cd "$(dirname "$0")/.."
# item, ctest, test function, what was wrong
list() { cat <<'LIST'
1a  test_presets        the_switch_of_fermi_and_kepler_moves_one_flit_a_port_and_cycle  presets of Fermi and Kepler had a switch of speedup 2
1b  test_presets        fills_share_the_data_port_and_bank_groups_are_off_by_default  the shared fill port and plain banks are the defaults
1c  test_dram           a_request_is_pending_from_when_it_is_in_the_queue  DRAM efficiency counted the delay line before the scheduler
1d  test_dram           banks_of_one_group_wait_longer_for_each_other  + bank groups by the high bits of a bank's number
1e  test_units          l2_waits_for_a_line_then_an_mshr_then_its_miss_queue  + the order of the causes of L2's stalls
2a  test_presets        fermi_and_kepler_hash_sets_as_fermi_does_and_only_where_the_papers_say  'hash' was an XOR of all bits
2b  test_set_index      -  + which set counts a hash is defined for
3a  test_units          a_miss_that_fills_no_line_asks_for_the_sectors_it_touches_or_for_the_line  misses without the pollute bit fetched lines
3b  test_units          a_load_that_joins_a_miss_of_other_sectors_asks_for_the_rest_and_waits_for_it  joining loads took what they had not asked for
3c  test_mech_fetch     -  + one option for every mechanism
4   test_mech_mrpb      a_FIFO_holds_a_whole_divergent_load  FIFOs of 8 blocked the load-store queue
5a  test_mech_poise     an_idle_sm_is_not_compute_bound_and_is_sampled_again  idle SMs left the engine early
5b  test_mech_poise     with_p_following_N_the_search_comes_from_2_2_to_1_1  N could not go below p
5c  test_mech_poise     a_diagonal_search_comes_from_2_2_to_1_1_and_stays_on_the_diagonal_while_it_climbs  nor both together
6a  test_repro_ch5      every_term_of_the_objective_is_the_whole_benchmarks  Fig. 5.5 mixed one launch and the whole benchmark
6b  test_repro_ch5      the_engines_storage_follows_from_the_features_of_its_model  storage was typed in
6c  test_mech_ccws      a_lost_hit_adds_to_the_score_and_with_the_option_replaces_it  the score was set, not incremented
7a  test_repro_bucl     the_papers_KMN_turns_its_points_before_it_assigns_them  + kmeans without invert_mapping
7b  test_mech_bucl      loads_that_join_a_pending_miss_are_hits_for_L1DHR_if_so_wanted  + L1DHR with merges as hits
8a  test_operators      -  memory operators had no effect
8b  test_accelsim_import loads_that_are_strong_beyond_the_SM_or_cached_in_L2_alone_pass_L1  scopes of imported traces
8c  e2e_synth           loads_are_ordinary_ones  synth's measured loads were volatile
9a  test_gpu            a_packet_without_header_and_payload_is_still_one_flit  header_bytes=0 parked a port for 64 cycles
9b  test_simulation     a_snapshot_goes_on_ticking_or_skipping_whichever_run_left_it  a skipping warm-up changed a ticking run
9c  test_simulation     a_limit_on_instructions_ends_with_a_whole_core_cycle  max_insts cut a core cycle in two
9d  test_gpu            a_launch_behind_one_that_a_limit_ended_misses_what_had_not_arrived  carried lines that never came
9e  differential        -  + every case that failed, and random ones, skipping against ticking
10a e2e_lab_faults      rows_whose_statistics_were_altered_or_emptied_are_refused_by_name_and_simulated_again  they counted as zeros
10b test_accelsim_import every_block_of_the_grid_comes_once_in_any_order  blocks outside of the grid were imported
11a test_count_cdf      probabilities_of_counts_rise_from_0_to_1_over_the_whole_plane  + GSL gave up, and was wrong
11b test_count_cdf      a_predictor_that_was_read_from_a_file_gives_its_quantiles_whatever_its_errors  GSL's handler ended the process
12a test_losses         output_that_does_not_arrive_ends_with_1_and_says_so_for_every_command  a full disk went unseen
12b test_losses         the_name_of_a_spec_cannot_lead_out_of_the_results  name: ../../x
12c test_losses         numbers_beyond_their_range_are_usage_errors  --max-cycles beyond 2^64
12d test_base           a_document_that_is_too_deep_is_refused_in_time_that_does_not_grow_with_it  YAML of depth 50,000
12e test_gpu            a_barrier_that_is_never_complete_is_the_same_deadlock_with_and_without_skipping  the watchdog missed it
12f test_ptx_flow       a_kernel_that_never_goes_on_ends_with_its_place_though_nothing_is_recorded  + L: bra L
12g e2e_lab_ranks       ranks_whose_first_is_killed_say_so_and_end  the others waited for ever
V1z e2e_lab_share       a_crash_is_its_runs_result_and_the_others_go_on_and_the_same_build_skips_it  one crashing point ended a sweep with 0 runs
V1y e2e_lab_share       another_build_tries_a_crashed_run_again  + a crash is kept with its build
V1x e2e_lab_share       a_process_that_is_ended_by_a_fault_begins_again_and_loses_nothing  the sweep was over
V2a test_lab_store_tables a_row_altered_in_any_table_is_found_by_name_and_written_again  plans and other tables had no checksum
V2b test_lab_store_tables a_schema_number_that_no_build_writes_is_refused  user_version = -1 crashed
V2c test_lab_store_tables a_database_of_another_program_is_refused_by_name_and_stays_as_it_is  foreign databases got our tables
V2d test_lab_store_tables a_store_of_schema_3_gets_an_application_id_and_checksums_in_every_table  + stores made so far are taken
V15a e2e_lab_share      three_processes_of_one_sweep_simulate_each_run_once_and_write_the_bytes_of_one  each simulated all
V15b e2e_lab_share      tasks_of_an_srun_without_pmix_are_told_that_they_share_a_store  nothing was said
V15c e2e_lab_share      what_a_killed_process_had_in_hand_another_takes_over  + claims of a dead process
V15d e2e_lab_share      a_second_host_is_told_to_use_mpirun  + WAL is for one host
V15e e2e_lab_ranks      a_second_command_in_one_rank_is_refused_in_our_words  MPI_Init ended the job
V15f e2e_lab_ranks      ranks_and_a_plain_process_share_a_store  both simulated all
V16a e2e_report_cli     where_cycles_go_adds_up_no_two_machines  two configurations were added up
V16b test_lab_store_tables exports_name_machine_benchmark_and_mechanism_and_have_a_column_a_parameter  exports had no machine
V16c e2e_lab_share      sweep_csv_names_machine_benchmark_and_mechanism_and_has_a_column_a_parameter  sweep.csv neither
V21a e2e_report_cli     what_cannot_be_read_in_a_folder_is_named_and_passed_over  a dangling link stopped the report
V21b e2e_report_cli     a_file_that_cannot_be_written_is_named_as_it_was_asked_for  the temporary file was named
LIST
}
failed=0
while read -r item test function what; do
    [ $# -eq 0 ] || [[ " $* " == *" $item "* || " $* " == *" ${item%%[a-z]*} "* ]] || continue
    # a function that is no longer there must not pass unseen
    if [ "$function" != - ] && ! grep -rqw --include='*.c' "$function" tests; then
        printf '%-4s %-22s no such test: %s\n' "$item" "$test" "$function"
        failed=1
        continue
    fi
    if ctest --test-dir build/release -R "^$test\$" --no-tests=error >build/faults.log 2>&1; then state=holds; else state=FAILS failed=1; fi
    printf '%-4s %-22s %-6s %s\n' "$item" "$test" "$state" "${what#+ }"
done < <(list)
exit "$failed"
