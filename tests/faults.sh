#!/bin/bash
# The faults that two audits found, and the test that holds each mend: faults.sh [ITEM...]   (none: all)
# Each test was seen failing before its mend, but for those marked +: they came with an option or a guard that was not there before, or the
# fault was read in the code and not run. Rows V15, V16 and most of V1, V5, V13 and V17 were not run against the code before their mends: the faults were
# seen by hand.
# Needs a release build. Items of the first audit (model version 2): 1 to 8 machine and mechanisms, 9 and 10 wrong results, 11 and 12 crashes
# and losses. Items of the second begin with V: V1 to V5 machines, V6 to V9 statistics, V10 to V17 wrong or lost without an error, V18 to V20
# CUDA and PTX, V21 small ones. Later rows begin with their issue and item (W13: issue W, item 13); rows F to L were
# found by wrong inputs on purpose, and seen by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
# item, ctest, test function, what was wrong
list() { cat <<'LIST'
1a  test_presets        the_switch_of_fermi_and_kepler_moves_one_flit_a_port_and_cycle  presets of Fermi and Kepler had a switch of speedup 2
1b  test_presets        fills_share_the_data_port_and_bank_groups_are_off_by_default  the shared fill port and plain banks are the defaults
1c  test_dram           a_request_is_pending_from_when_it_is_in_the_queue  DRAM efficiency counted the delay line before the scheduler
1d  test_dram           banks_of_one_group_wait_longer_for_each_other  + bank groups by the high bits of a bank's number
1f  test_dram_model     the_same_lines_end_in_the_same_cycles_as_in_a_plain_model_and_no_rule_is_broken  tCCDL held the group used last alone, and a bank more than 64 cycles from its next command was looked at late
1g  test_steady         no_error_is_told_that_an_uneven_last_wave_breaks  --early-end took the end of a launch for the rest of it
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
V1a  test_geometry          what_is_stored_is_sent_and_what_is_asked_for_comes_in_every_geometry  two rules for masks of chunks: crashes, wrong flits
V1b  test_organisations     every_geometry_keeps_to_it_as_well  a chunk of 64 bytes was there when half of it had come
V1c  test_geometry          every_geometry_skips_as_it_ticks_in_caches_that_are_too_small  loads around L1, misses of many requests
V1d  test_mech_atom         atomics_of_lines_of_L1_are_performed_in_their_line_of_L2  L1's line was asked of L2
V1e  test_units             a_store_that_covers_a_line_of_any_size_fetches_nothing  L2 lines of 32 and 64 bytes were fetched for stores that cover them
V1f  e2e_lab_share          a_crash_is_its_runs_result_and_the_others_go_on_and_the_same_build_skips_it  one crashing point ended a sweep with 0 runs
V1g  e2e_lab_share          another_build_tries_a_crashed_run_again  + a crash is kept with its build
V1h  e2e_lab_share          a_process_that_is_ended_by_a_fault_begins_again_and_loses_nothing  the sweep was over
V2a  test_lab_store_tables  a_row_altered_in_any_table_is_found_by_name_and_written_again  plans and other tables had no checksum
V2b  test_lab_store_tables  a_schema_number_that_no_build_writes_is_refused  user_version = -1 crashed
V2c  test_lab_store_tables  a_database_of_another_program_is_refused_by_name_and_stays_as_it_is  foreign databases got our tables
V2d  test_lab_store_tables  a_store_of_schema_3_gets_an_application_id_and_checksums_in_every_table  + stores made so far are taken
V3a  cpu_record             -  recordings of CPU programs depended on the folder of traces
V4a  test_table_csv         what_the_csv_writer_writes_is_read_back_and_is_no_formula  cells with = + - @ were formulas
V4b  test_lab_spec_errors   every_wrong_sweep_is_refused_at_its_line_and_column  names of synthetic kernels were unchecked
V4c  test_inputs            escapes_of_names_and_errors_do_not_reach_a_terminal  they did
V4d  test_dataset           a_dataset_is_written_and_trained_on  a kernel's name with a comma was refused
V5a  test_inputs            a_signal_ends_a_long_statement_a_recording_and_a_search_with_130  SIGINT and SIGTERM were ignored
V5b  test_inputs            a_pipe_in_place_of_a_file_is_refused_at_once_by_every_command  they waited for a writer
V5c  test_cuda_graph        a_while_node_whose_body_is_empty_never_ends_and_says_so  a WHILE node with an empty body never returned
V5d  test_cuda_graph        a_while_node_whose_rounds_change_nothing_ends_with_an_error  nor one whose body cannot change the condition
V5e  cpu_record             -  SIGTERM while recording was 'the program ended'; folders of killed recordings stayed
V5f  test_mech_atom         what_waits_for_a_timer_or_a_long_way_is_no_deadlock  slow atomics were taken for a deadlock
V5g  test_cpu_machine       a_kernel_that_stands_ends_a_mix_though_its_programs_go_on  such a mix never ended
V5h  cpu_record             -  + cpu run --no-skip
V6a  test_oracles           terms_of_the_likelihood_have_ten_digits_for_counts_to_1e15_and_theta_to_1e12  + differences of lgamma and psi cancelled
V6b  test_oracles           fits_of_means_from_1e2_to_1e13_converge_to_their_fifty_digit_oracles  not converged from a mean of 3e5 on
V6c  test_families          quantiles_of_counts_of_1e12_are_where_their_probability_is  quantiles ended at 4e9
V7a  test_families          an_offset_that_is_no_logarithm_is_refused_by_every_family  weights 0, log-likelihood -inf, converged
V7b  e2e_cv                 a_predictor_trained_with_an_offset_is_used_with_one_or_not_at_all  the offset was forgotten
V7c  test_model             a_model_that_was_trained_with_an_offset_says_so_and_is_none_for_the_engine  nor did model files know it
V8a  test_report            frequency_weights_give_every_figure_of_the_expanded_table  robust errors, dispersion, degrees of freedom differed
V8b  test_families          a_row_of_weight_2_is_that_row_twice_and_of_weight_0_is_none  so did the distribution around a prediction
V8c  e2e_cv                 frequency_weights_give_the_cross_validation_and_the_tuning_of_the_expanded_table  folds and figures ignored weights
V8d  test_report            precision_weights_count_rows_and_leave_robust_errors_alone  + the other meaning, by name
V8e  test_report            a_separated_weight_has_no_finite_robust_error  it had one
V9a  test_table_csv         what_a_regression_leaves_out_is_named_with_its_reason  '2,5' and '10%' were dropped in silence
V9b  e2e_cv                 what_is_left_out_of_a_table_is_said_on_stderr_and_in_the_report  an empty or NA group was a group
V10a test_accelsim_config   what_is_no_value_no_option_or_no_list_is_refused_by_line  X SMs became 10; lines without a dash vanished
V10b test_accelsim_config   a_missing_cache_is_no_machine_of_ours  it took kepler32's
V10c test_accelsim_config   lenience_leaves_out_what_is_wrong_and_lists_it  + --lenient
V10d test_validate_cli      a_fault_of_a_configuration_is_an_error_unless_lenient_and_then_listed  they were 'mapped' or 'without effect'
V11a test_inputs            kernels_of_two_applications_are_imported_into_files_of_their_own  both went to kernel-1.ptrace
V11b test_accelsim_import   a_warp_without_instructions_or_without_its_exit_is_not_imported  damaged traces were imported
V12a test_inputs            brackets_in_a_folder_are_its_name_and_a_path_comes_before_a_pattern  other traces were selected
V12b test_inputs            a_trace_that_is_not_beside_the_spec_is_told  it was taken from elsewhere in silence
V13a test_lab_runner        runs_that_are_shorter_than_a_warm_up_or_a_period_are_told_once  a policy never acted, and nothing was said
V13b test_lab_runner        runs_that_are_long_enough_have_no_note  + no note where all is well
V14a test_validate_cli      a_run_printed_in_familiar_names_differs_in_nothing_from_its_json_on_every_preset  DRAM in 64-byte bursts
V15a e2e_lab_share          three_processes_of_one_sweep_simulate_each_run_once_and_write_the_bytes_of_one  each simulated all
V15b e2e_lab_share          tasks_of_an_srun_without_pmix_are_told_that_they_share_a_store  nothing was said
V15c e2e_lab_share          what_a_killed_process_had_in_hand_another_takes_over  + claims of a dead process
V15d e2e_lab_share          a_second_host_is_told_to_use_mpirun  + WAL is for one host
V15e e2e_lab_ranks          a_second_command_in_one_rank_is_refused_in_our_words  MPI_Init ended the job
V15f e2e_lab_ranks          ranks_and_a_plain_process_share_a_store  both simulated all
V16a e2e_report_cli         where_cycles_go_adds_up_no_two_machines  two configurations were added up
V16b test_lab_store_tables  exports_name_machine_benchmark_and_mechanism_and_have_a_column_a_parameter  exports had no machine
V16c e2e_lab_share          sweep_csv_names_machine_benchmark_and_mechanism_and_has_a_column_a_parameter  sweep.csv neither
V17a test_gpu               a_line_serves_who_asked_for_it_though_another_replaces_it_before_their_turn  perfect memory livelocked
V17b test_gpu               a_limit_in_a_run_that_stands_is_a_deadlock_and_one_in_a_run_that_goes_on_is_not  a hang was a figure
V17c test_cpu_machine       replies_are_taken_whatever_waits_to_leave  CPU cores deadlocked the machine
V17d test_repro             a_run_that_failed_is_a_row_that_says_so  what failed was left out
V18a test_cuda_rules        after_a_fault_every_call_answers_with_it  new kernels, symbols and attributes answered otherwise
V18b test_cuda_graph        what_a_capture_forbids_spoils_it_and_its_end_gives_no_graph  an invalidated capture gave a graph
V18c test_cuda_launch       a_module_with_more_constant_or_declared_shared_memory_than_there_is_is_refused  no limit was kept
V18d test_cuda_rules        more_constant_or_static_shared_memory_than_there_is_does_not_compile  nor by poise cc
V18e test_cuda_rules        host_code_may_touch_managed_and_pinned_memory_alone_where_that_is_asked_for  + device memory was open to the host
V19a test_cuda_graph        captured_memory_is_taken_and_given_back_by_each_launch  a captured cudaFreeAsync freed at once
V19b test_cuda_graph        every_call_that_takes_a_captured_stream_waits_for_the_launch  copies of arrays and host to host ran at capture
V19c test_cuda_graph        a_capture_into_a_graph_adds_to_its_nodes  cudaStreamBeginCaptureToGraph was not offered
V19d test_cuda_rules        variables_that_files_keep_to_themselves_are_linked  static device variables with -rdc=true
V19e test_cuda_rules        calls_of_CUDA_11_12_and_13_compile_and_run  cudaGraphExecUpdate of four arguments, capture calls of CUDA 13
V19f test_cuda_rules        numbers_of_8_bits_are_rounded_and_saturated  cuda_fp8.h and cuda_gl_interop.h were missing
V19g test_cuda_rules        memory_is_that_of_the_device_that_programs_see  4 GiB whatever the device
V19h test_gpu               launches_that_count_lines_from_different_ones_carry_L2_over_from_one_that_all_share  --carry-l2 refused srad_v2
V19i test_cuda_rules        long_launches_use_all_threads_and_tell_how_far_they_are  + threads had to be asked for; no --progress
V19j test_cuda_build        loops_with_barriers_are_unrolled_and_loads_stay_behind_them  barriers were assembly, which ends LLVM's estimate of a loop
V19k test_cuda_build        what_nvccs_front_end_takes_builds_and_messages_keep_their_places  << <, __shared__ alignas, "a"MACRO"b", narrowing
V19l test_cuda_rules        calls_of_both_APIs_meet_in_the_context_that_a_program_made  the runtime API made the primary context current
V19m test_cuda_rules        calls_of_both_APIs_meet_in_the_context_that_a_program_made  poise cc -ptx took static variables of the device for zero
V19n test_cuda_rules        numbers_of_8_bits_are_rounded_and_saturated  dim3 of blockDim had no body; integer extremes of halves were missing
V19o test_cuda_build        the_hosts_compiler_links_objects_and_compiles_the_file_of_cuda  objects of poise cc -c linked with our libcudart alone; -cuda was refused
V19p test_cuda_build        the_hosts_compiler_links_objects_and_compiles_the_file_of_cuda  register with -std=c++17 and cuda::std::identity did not compile
V19q test_cuda_nvcc         every_function_of_the_toolkits_cuda_h_is_in_our_library  cuStreamUpdateCaptureDependencies_v2 was not exported after a merge
V19r test_ptx_family_compare -  signed averages of halves were rounded upwards (vavrg2, vavrg4, __vavgs2), nvcc's go away from zero
V19s test_cuda_rules        whole_numbers_of_the_host_wrap_around  particlefilter_naive differed by compiler
V19t test_cuda_rules        loops_over_shared_memory_take_no_instructions_that_nvcc_does_not  64-bit addresses; a break was two branches
V19u test_cuda_memory       constants_are_read_by_32_bits_of_their_addresses_wherever_memory_is_free  32-bit addresses of constants were outside of memory
V19v test_ptx_flow          warps_take_turns_of_as_many_instructions_as_are_asked_for  + races that hardware hides always showed
V19w test_cuda_rules        powers_that_are_whole_come_out_whole_and_halves_have_signs_and_steps  pow(0.5, 46.0) was not 2^-46, so NPB's random numbers differed; pairs of halves had no sign
V19x test_cuda_build        programs_compile_kernels_while_they_run  + nvJitLink was not there
V19y test_cuda_nvcc         what_newer_toolkits_dropped_is_there_for_suites  texture references and members of cudaDeviceProp that CUDA 12 and 13 dropped were no second way to a result
V20a test_ptx_newer         an_instruction_behind_a_directive_of_debuggers_on_its_line_is_executed  all behind .loc, .file and @@DWARF was dropped
V20b test_ptx_newer         constant_expressions_are_those_of_C  only literals and sums were read
V20c test_ptx_newer         bytes_of_addresses_are_initialisers  0xff00(name) was refused
V20d test_ptx_newer         an_alias_is_its_function_called_or_by_address  .alias was refused
V20e test_ptx_newer         a_cta_knows_its_cluster  registers of clusters, 64-bit %gridid, most %envreg
V20f test_ptx_newer         matrices_are_stored_as_they_are_loaded  stmatrix
V20g test_ptx_newer         matrices_of_nibbles_and_bits_are_multiplied  mma of s4, u4 and b1
V20h test_ptx_newer         thirty_two_bytes_are_loaded_and_stored_at_once  .v8
V20i test_ptx_newer         the_largest_and_the_smallest_of_three_are_found  max and min with three values
V20j test_ptx_newer         the_page_lists_what_is_refused_and_each_is_refused_by_name  the page's list was written by hand
V20k test_ptx_newer         shared_memory_of_the_system_is_there_where_a_kernel_names_it  %reserved_smem_offset_1 was refused
V21a test_inputs            a_trace_of_the_other_simulator_is_told_to_be_imported  it was 'damaged: record it again'
V21b test_inputs            kernels_of_other_names_are_told_by_compare_and_another_order_is_refused  names were ignored
V21c test_lab_spec_errors   every_wrong_sweep_is_refused_at_its_line_and_column  a metric could shadow a column
V21d e2e_lab_tune           a_metric_that_is_finite_nowhere_is_named_at_its_line  'no point could be simulated'
V21e e2e_report_cli         what_cannot_be_read_in_a_folder_is_named_and_passed_over  a dangling link stopped the report
V21f e2e_report_cli         a_file_that_cannot_be_written_is_named_as_it_was_asked_for  the temporary file was named
AC3a test_replacement   ucp_shares_out_places_whatever_the_organisation_and_the_policy  + UCP, DRRIP and SRRIP were refused with sectors that have places of their own
AC3b test_replacement   lockdown_keeps_the_sectors_of_a_locked_line_and_with_all_locked_requests_go_around  + lockdown was refused there
W13a test_figures      a_row_is_met_by_direction_order_and_magnitude_of_its_gain_alone  0.26 % for the paper's 20 was 'met' by its sign, and a factor was judged by the speedup
W5  test_cpu_machine    a_near_cache_answers_cores_on_ports_of_their_own_whatever_sms_wait_for  + a hit of a CPU core waited in the queues of the SMs
W6a test_mech_llc       each_class_of_requesters_has_a_duel_that_forced_insertions_do_not_move  one selector of TAP-RRIP for all, moved by misses upon which BRRIP was forced
W6b test_mech_llc       lines_of_the_sampled_sm_that_nobody_uses_again_go_before_those_that_a_program_uses  lines of a sampled SM stayed longer than those in use
W8  test_chunks         a_line_of_128_bytes_asks_for_four_lines_of_l2_or_those_of_its_sectors  + lines of 32 bytes in L2 beside those of 128 in L1
AD4a test_figures      the_page_of_studies_has_every_study_and_is_made_from_the_stored_results  + 42 of 106 studies were on the page, and figures of older models stood as today's
AF1a e2e_report_cli        machines_of_one_folder_keep_their_names_and_nothing_is_added_up_over_them  two machines in one folder had one name, or eleven lines of parameters
AF1b test_lab_store_tables machines_go_by_short_names_that_differ  machines that are no presets had the values of all parameters for a name
AF2  test_lab_store_tables any_program_reads_the_table_that_the_export_writes  + no table for SQL, pandas and R
AF3  e2e_lab_tune          the_best_is_compared_with_its_own_machine_and_with_the_stack_s_own_values  what a larger L1 gives was told as the mechanism's
AF3b e2e_lab_tune          the_default_and_the_published_point_are_tried_first_and_told_in_words  + the default was tried last, and no row said what a paper gives
AF3c e2e_report_tune       every_trial_in_full_is_a_line_through_an_axis_of_each_parameter_and_the_metric  a tuning by halving drew its prefixes in place of its trials
AE3  e2e_lab_tune          sampled_trials_have_intervals_and_the_best_point_is_what_exact_runs_say  + tunings took no sample
AE3b e2e_report_tune       estimates_of_a_sampled_sweep_are_drawn_with_their_intervals_and_called_no_runs  + reports drew no intervals of estimates
AF7a test_lab_runner       a_line_of_progress_is_shorter_than_80_columns  a bar of 105 columns flooded the screen
AF7b test_policies         what_does_as_gto_does_is_named_below_a_table_of_80_columns  18 of 29 rows were gto's
AF7c test_lab_store_tables kernels_go_by_the_names_of_their_source  kernels went by their symbols
AF7d e2e_report_cli        a_sweeps_page_draws_the_fastest_stacks_and_says_which_that_is  none of more than twelve stacks was drawn
AF8a test_validate         few_groups_of_a_row_each_have_no_interval  the interval had the width 0
AF8b test_dataset          a_dropped_row_names_its_threshold_and_what_it_has  a count said that kernels were dropped
AF11 test_base             only_a_near_word_is_what_somebody_meant  any word got a 'did you mean'
AF5 test_policies       any_shipped_model_goes_wherever_a_model_goes  predict and eval refused a shipped response surface: 'scale: must be a number of warps'
AF5 test_policies       a_file_that_is_no_model_is_told_by_what_it_is  a file that is no model was called no JSON, or a model with a key missing
AF6 test_cli            train_fits_a_table_and_writes_a_model_that_the_engine_reads  a fit that explains nothing was reported without a word
X1a e2e_suite_shapes     a_folder_of_a_checkout_brings_what_its_programs_need_above_it  0 of PolyBench's 21 built from its folder CUDA, as ../../common was left out
X1b e2e_suite_shapes     a_test_repeats_what_a_program_counts_as_repeats_once_and_the_full_size_as_the_suite_says  size test repeated kernels as often as for a real GPU; main() on one line was none
X2  e2e_suite_shapes     a_program_is_built_once_checked_and_simulated_by_its_name  + helper_math.h, helper_image.h, exception.h and much of cutil.h were missing
X4  e2e_suite_shapes     every_shape_is_right_and_a_broken_kernel_differs_from_the_version_for_the_CPU  + a race that hardware hides was wrong without a word; programs had no environment
X1c e2e_suite_shapes     every_shape_is_right_and_a_broken_kernel_differs_from_the_version_for_the_CPU  + INT_MAX, memcpy, read without an #include, as older compilers took it, did not build
X5  e2e_suite_shapes     a_cap_counts_over_a_programs_launches_in_every_command  + sim, policies, sweep and run had no cap over programs, policies no --carry-l2
AA2 differential        -  a store that takes a line of L1 and is stuck was charged for two causes where runs tick, and for one where they skip (with mrpb)
F1  test_base           a_pipe_and_a_link_stay_what_they_are_when_they_are_written  -o /dev/null became a regular file, and a link to a file was replaced
F2  test_losses         numbers_beyond_their_range_are_usage_errors  --sms 0, --seeds 0, --max-memory 0 and --cap 0 were 'not given'; poise hint of nothing said nothing; --sample took an error twice
F3a test_losses         what_counts_for_nothing_is_told  a hint of other kernels was passed over without a word
F3b test_losses         what_counts_for_nothing_is_told  weights of 1e300 rows, or all 0, were fitted or blamed on the target
F3c test_losses         what_counts_for_nothing_is_told  ATTACH and BEGIN were queries; a store was merged into itself: 'locked'; a merge from nowhere made an empty store
F3d test_losses         what_counts_for_nothing_is_told  a recording of a program without a launch was 'ok'; a suite whose checkout is away asked for 'timeout'
F3e test_losses         what_counts_for_nothing_is_told  compare took the total where gpu_sim_cycle is no number
F3f test_losses         what_counts_for_nothing_is_told  poise cuda found a wrong --kernels or --trace-dir at the first launch, and the program went on with wrong results
F8  test_base           yaml_errors_name_file_line_and_column  what follows the first document of a YAML file was passed over, even where it is no YAML
F3g test_losses         what_counts_for_nothing_is_told  of an option of one value that is given twice, as sim --kernel mvt --kernel atax, the first was dropped in silence
F3h test_losses         what_counts_for_nothing_is_told  kernels and launches that there are not were told without their place in the spec
F4a test_lab_spec_errors every_wrong_sweep_is_refused_at_its_line_and_column  values of an axis counted twice; a value of `set` beside an axis was dropped
F4b test_lab_spec_errors every_wrong_tuning_is_refused_at_its_line_and_column  parameters that hang on themselves through others, or exist nowhere, were taken
F5a e2e_lab_tune        what_cannot_be_searched_is_told_before_anything_is_simulated  --against of no method was told after all was simulated, and nothing was written
F5b e2e_lab_tune        what_cannot_be_searched_is_told_before_anything_is_simulated  where conditions leave no point the metric was blamed
F5c test_tune           seeds_are_points_of_the_spec_and_of_a_table_and_are_told_by_line_where_they_are_none  a table of no points was none
F6a test_inputs         a_signal_ends_a_long_statement_a_recording_and_a_search_with_130  store scaling ignored Ctrl-C
F6b test_losses         an_interrupted_command_says_what_it_waits_for  Ctrl-C seemed ignored while a long run went on to its end
F7  test_ptx_flow       calls_take_registers_and_constants_for_parameters_that_are_no_arrays  only .param variables went to .param parameters
G1  test_losses         what_is_said_stands_on_lines_of_its_own  notes landed inside a sentence where both streams went to one file
G2a test_penalty        fewer_rows_than_columns_and_columns_that_depend_on_others_are_fitted_with_a_penalty  penalised fits refused fewer rows than columns and dropped dependent columns
G2b test_validate       tuning_chooses_the_penalty_that_predicts_best  --penalty ridge=cv refused folds of fewer rows than columns
G2c test_losses         what_counts_for_nothing_is_told  nor did the report of such a fit end well
G3a test_lab_spec_errors every_wrong_sweep_is_refused_at_its_line_and_column  kernels and stacks that stand twice in a sweep were two rows each
G3b test_losses         what_counts_for_nothing_is_told  policies that were given twice were two rows
G4a test_losses         what_counts_for_nothing_is_told  of a parameter that was given twice the first value was dropped in silence
G4b test_lab_spec_errors every_wrong_sweep_is_refused_at_its_line_and_column  in specs as well
G9  test_organisations  a_prefetch_counts_apart_and_holds_nothing_up  prefetches into chunks counted as loads do, and held up a later access
G10 test_organisations  a_load_of_the_chunks_that_are_there_takes_no_MSHR  with L1 lines longer than L2's, such a load took an MSHR for ever
G5  test_ptx_parse      a_module_begins_with_a_version_and_a_target_that_there_are  PTX without a version or of version 99.0 was taken in silence
G6  test_losses         an_interrupted_suite_says_that_the_same_command_goes_on  it said 'timeout was interrupted'
G7  test_tune           the_default_has_the_parameters_that_exist_with_its_values  the default off the grid had parameters that do not exist there
G8  test_losses         what_counts_for_nothing_is_told  more SMs than the machine has were taken for all of them in silence
G11a test_losses        what_counts_for_nothing_is_told  runs of --store '' were kept nowhere in silence
G11b test_losses        what_counts_for_nothing_is_told  a recording on a full disk was told that options left out all launches
H1  test_losses         what_counts_for_nothing_is_told  an option of another subcommand or mode was dropped in silence, as choice ask -o FILE and hint --trace T --size full
H2  test_losses         what_counts_for_nothing_is_told  -o, --table, --timeline and others were written over the files that the command reads
H3  test_losses         what_counts_for_nothing_is_told  --json gave no JSON for an error whose file name is no UTF-8; such a --name was 'out of memory', a long one was cut
H4  test_losses         what_counts_for_nothing_is_told  hint --work 1 was a hint of 0.00 times the speed
H5  test_choice_cli     what_a_table_or_a_model_must_not_say_is_named_with_its_line  rows without a part, cycles or a window counted or vanished; launches twice, families in both parts, gains of 1e31 were learned
H6  test_choice_cli     what_is_wrong_is_named  a spec's policies took further options in their texts, or were the same twice; 33 to 54 were simulated and could not be learned; no family was sealed
H7  test_choice         broken_files_are_refused_by_the_key_that_is_wrong  a choice's policies without options were the baseline; names could be the same
H8  test_response_families there_is_room_for_blas_where_there_is_for_every_thread_of_the_team  with little address space two threads both found the room for one buffer of OpenBLAS, and one never returned
H9  test_base           yaml_errors_name_file_line_and_column  a YAML text ended at its first zero byte
H10 test_lab_spec_errors every_wrong_tuning_is_refused_at_its_line_and_column  `sample:` without a value was no sample
I1  test_lab_spec_errors every_wrong_sweep_is_refused_at_its_line_and_column  a spec's doc was not read: lists and maps were taken; texts held escapes; an axis value nan left its points out in silence; [] was a stack
I2  test_lab_spec_errors every_wrong_tuning_is_refused_at_its_line_and_column  a metric without a statistic was searched; an empty goal was max
I3  test_lab_spec_errors pipelines_name_line_and_column_too  names of contenders were unchecked; [] and [[a]] were names of kernels
I4  test_cv             specs_are_read_and_mistakes_named_with_line_and_hint  names of models were unchecked, escapes and formulas among them
I5  test_table_csv      a_wrong_file_is_refused_with_file_line_and_column  names of columns and cells with escapes reached the terminal
I6  test_model          a_wrong_file_is_refused_with_file_and_key  so did names in models' files
I7  test_mech_hooks     two_owners_of_one_hook_and_a_mechanism_twice_are_refused_by_name  swl,N=2 and swl,N=3 were one stack; sweeps and choices found stacks that contradict themselves at the run
I9  test_lab_store_tables a_row_altered_in_any_table_is_found_by_name_and_written_again  tables beside runs_tidy, which SQL has machines and energy from, could be altered unseen
I8  test_choice_cli     what_is_wrong_is_named  a choice's window or trial in which nothing is executed gave columns of figures; one longer than the launch gave its outcome without a word
I10 test_accelsim_import a_warp_without_instructions_or_without_its_exit_is_not_imported  masks that were cut, blocks without their place, headers without -shmem or with a line twice were imported
I11 test_accelsim_config what_is_no_value_no_option_or_no_list_is_refused_by_line  an address mapping of any length was read as the default
I12 test_losses         what_counts_for_nothing_is_told  a pipeline's kernel that there is not was told without its line; run --dry-run showed progress
I13 test_cuda_runtime   wrong_calls_give_CUDAs_codes_and_the_last_error_is_told_once  too much dynamic shared memory was an invalid configuration, not an invalid value
I14 test_lab_runner     a_stopped_batch_says_so_and_the_next_goes_on  an interrupted command without a store said that its runs were in the store
J1  test_losses         what_counts_for_nothing_is_told  the first words of an option's help decided which modes of its command take it
J2  test_cuda_runtime   limits_are_those_of_cuda_and_unknown_ones_are_refused  cudaDeviceSetLimit took any limit, cudaDeviceGetLimit knew three of seven
J3a test_ptx_parse      wrong_operands_are_told_with_line_and_column  bfe and bfi of bits beyond 255 were cut in silence
J3b test_ptx_integer    constants_are_cut_to_the_width_of_their_type_as_ptxas_does  + constants wider than their type, as ptxas has them
J4  test_lab_spec_errors every_wrong_sweep_is_refused_at_its_line_and_column  knobs of synthetic kernels were checked when they were recorded, by no line
J5  test_losses         what_counts_for_nothing_is_told  store gc made a store out of an empty file
J6  test_cuda_build     what_the_device_cannot_run_is_said_at_compile_time  __cluster_dims__ gave errors of C++ syntax
K1a test_lab_runner     of_launches_side_by_side_each_stack_is_told_with_its_own_launch  periods longer than a launch of sim --beside went unsaid
K1b test_lab_runner     runs_that_are_shorter_than_a_warm_up_or_a_period_are_told_once  so did a warmup of ccn, and a T_correct of poise, that are longer than the launch
K2a test_ptx_parse      wrong_operands_are_told_with_line_and_column  unknown modifiers of barriers, fences, branches, votes and others, and modifiers that exclude each other, were passed over
K2b test_ptx_newer      the_page_lists_what_is_refused_and_each_is_refused_by_name  seventeen kinds of instructions that PTX has were 'unknown' and on no list
K2c test_ptx_parse      tokens_that_cannot_be_are_told_with_line_and_column  unknown attributes were taken, attributes of functions were not
K3a test_accelsim_config what_is_no_value_no_option_or_no_list_is_refused_by_line  a timing given twice lost the first; a byte order mark was an invisible word before any option
K3b test_accelsim_config wrong_values_are_refused_with_file_line_and_range  a quote without its end was told at the file's last line
K4  test_accelsim_import a_list_gives_copies_and_kernels_in_order_and_skips_other_lines  lines of a list that name a trace and do not begin with 'kernel' were passed over, as was the first of a list with a byte order mark
K2d test_ptx_parse      a_module_begins_with_a_version_and_a_target_that_there_are  two architectures in .target, .reqntid 0 and .maxntid 2048 were taken, as was atom.inc of 64 bits
K6  test_table_csv      offsets_that_are_whole_numbers_are_a_warning_and_a_missing_group_is_none  + a column Weight became a feature without a word
L1  cpu_record          -  two recordings of one command from its first instruction on were two streams, as were those in two folders
L2  cpu_record          -  a stream that was just written had 0 bytes
L3a test_cuda_memory    fills_and_copies_move_the_bytes  cudaFreeHost gave device memory back, and cudaFree pinned memory
L3b test_cuda_graph     nodes_run_after_those_they_depend_on_and_else_in_the_order_of_making  an edge of a graph could be added twice, and removed where there is none
L3c test_cuda_graph     what_a_capture_forbids_spoils_it_and_its_end_gives_no_graph  the default stream was not captured beside a stream that is; mode 9 was an illegal state
L4a test_lab_store_tables a_row_altered_in_any_table_is_found_by_name_and_written_again  views that queries read could be replaced unseen
L4b test_lab_store_tables a_schema_number_that_no_build_writes_is_refused  triggers ran, and a store without its later tables was refused by SQLite's words
L5  e2e_lab_share       who_waits_for_a_stopped_process_is_told  a sweep waited for one that Ctrl-Z stopped and did not say so
L6  test_losses         what_counts_for_nothing_is_told  compare of a file that is no JSON did not say what it should be
K5  test_house          modes_of_options_are_verbs_and_options_of_their_command  + a mode that is no verb and no option of its command
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
