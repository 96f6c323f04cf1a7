/* contract_tests: every test of the contract, in the order they run. */
#ifndef TESTS_CONTRACT_CONTRACT_TESTS_H
#define TESTS_CONTRACT_CONTRACT_TESTS_H

#include "contract.h"

#define CONTRACT_TESTS(X)                                                                                              \
    /* contract_commit.c */                                                                                            \
    X(every_kind_of_row_comes_back_as_it_was_written)                                                                  \
    X(a_put_writes_a_row_and_writes_it_again)                                                                          \
    X(rows_are_told_apart_by_every_part_of_their_key)                                                                  \
    X(an_update_of_a_job_leaves_what_never_changes)                                                                    \
    X(an_update_without_a_definition_keeps_the_old_one)                                                                \
    X(an_update_of_a_trigger_leaves_what_never_changes)                                                                \
    X(deleting_a_job_deletes_its_row_alone)                                                                            \
    X(deleting_a_trigger_takes_its_attempts_along)                                                                     \
    X(operations_are_applied_in_their_order)                                                                           \
    X(reserved_ids_only_rise)                                                                                          \
    X(an_empty_batch_counts)                                                                                           \
    /* contract_refuse.c */                                                                                            \
    X(inserting_what_is_there_is_refused)                                                                              \
    X(updating_what_is_not_there_is_refused)                                                                           \
    X(deleting_what_is_not_there_is_refused)                                                                           \
    X(a_refused_batch_leaves_nothing_behind)                                                                           \
    X(a_name_is_given_once_in_a_tenant)                                                                                \
    X(no_job_fires_twice_for_one_time)                                                                                 \
    X(batch_numbers_have_no_gaps_and_no_repeats)                                                                       \
    /* contract_fence.c */                                                                                             \
    X(epochs_rise_with_every_acquisition)                                                                              \
    X(nobody_commits_before_acquiring)                                                                                 \
    X(an_old_owner_is_fenced_and_changes_nothing)                                                                      \
    X(who_acquires_again_may_commit_again)                                                                             \
    X(a_nonce_that_comes_again_does_not_let_an_old_owner_in)                                                           \
    X(batch_numbers_go_on_over_owners)                                                                                 \
    /* contract_old.c */                                                                                               \
    X(what_ended_long_ago_goes_with_its_attempts)                                                                      \
    X(what_lives_stays_whatever_its_age)                                                                               \
    X(dead_letters_have_an_age_of_their_own)                                                                           \
    X(a_trigger_that_a_claims_row_names_stays)                                                                         \
    X(a_one_time_job_s_own_trigger_stays_as_long_as_the_job)                                                           \
    X(the_history_of_a_deleted_job_goes_at_any_age)                                                                    \
    X(old_skips_and_answers_go)                                                                                        \
    X(an_old_owner_forgets_nothing)                                                                                    \
    /* contract_window.c */                                                                                            \
    X(a_window_comes_in_the_order_of_wake_and_id)                                                                      \
    X(a_window_begins_behind_its_edge)                                                                                 \
    X(a_window_ends_at_its_time_and_says_what_is_next)                                                                 \
    X(a_window_that_fits_exactly_has_no_more)                                                                          \
    X(windows_of_different_places_do_not_mix)                                                                          \
    X(living_triggers_come_along_with_their_jobs)                                                                      \
    X(a_job_that_moves_is_found_where_it_went)                                                                         \
    X(many_that_wake_in_one_step_are_counted)                                                                          \
    X(what_wakes_is_counted_by_place_and_step)                                                                         \
    X(places_say_when_their_first_job_wakes)                                                                           \
    /* contract_load.c */                                                                                              \
    X(a_new_store_starts_empty)                                                                                        \
    X(the_start_has_what_is_held_whole_and_nothing_else)                                                               \
    X(a_job_comes_with_all_that_is_its_own)                                                                            \
    X(a_name_leads_to_the_same_as_the_id)                                                                              \
    X(a_trigger_comes_with_its_job)                                                                                    \
    X(a_range_is_half_open)                                                                                            \
    X(an_answer_is_found_by_tenant_and_key)                                                                            \
    X(what_is_not_there_is_left_out)                                                                                   \
    X(a_row_comes_once_however_often_it_is_named)                                                                      \
    X(of_a_deleted_job_nothing_comes)                                                                                  \
    X(a_thousand_keys_are_answered_at_once)                                                                            \
    /* contract_read.c */                                                                                              \
    X(a_read_sees_every_commit_before_it)                                                                              \
    X(jobs_are_filtered)                                                                                               \
    X(labels_are_found_in_the_definition)                                                                              \
    X(prefixes_are_plain_text)                                                                                         \
    X(what_wakes_in_a_stretch_of_time_is_counted)                                                                      \
    X(a_rare_match_is_found_behind_many_others)                                                                        \
    X(history_is_newest_first)                                                                                         \
    X(triggers_are_counted_by_state)                                                                                   \
    X(a_store_says_what_it_takes_on_disk_or_that_it_does_not_know)                                                     \
    X(dead_letters_are_filtered)                                                                                       \
    X(a_dead_letter_that_was_replayed_is_off_the_list)                                                                 \
    X(a_trigger_shows_its_attempts_and_its_living_claims)                                                              \
    X(claims_and_settings_come_whole)                                                                                  \
    /* contract_pages.c */                                                                                             \
    X(pages_of_jobs_stay_right_under_writes)                                                                           \
    X(pages_of_history_stay_right_under_writes)                                                                        \
    X(pages_of_dead_letters_stay_right_under_writes)                                                                   \
    X(pages_of_skips_and_tenants_stay_right_under_writes)                                                              \
    X(pages_of_versions_and_attempts_stay_right_under_writes)                                                          \
    /* contract_fill.c */                                                                                              \
    X(whole_tables_have_what_belongs_to_nobody)                                                                        \
    X(a_store_that_is_being_filled_is_for_copies_alone)                                                                \
    X(filling_anew_begins_with_an_empty_store)                                                                         \
    X(an_old_owner_fills_nothing)                                                                                      \
    /* contract_keep.c */                                                                                              \
    X(texts_come_back_byte_for_byte)                                                                                   \
    X(large_texts_come_back_byte_for_byte)                                                                             \
    X(empty_texts_stay_empty)                                                                                          \
    X(numbers_reach_to_their_ends)                                                                                     \
    X(times_that_are_not_set_stay_so)                                                                                  \
    /* contract_large.c */                                                                                             \
    X(claims_and_waits_of_a_thousand_come_back)                                                                        \
    X(ten_thousand_operations_are_one_batch)                                                                           \
    X(ten_thousand_operations_are_refused_as_one)                                                                      \
    X(tidying_changes_nothing_and_comes_to_an_end)                                                                     \
    X(a_backup_is_a_store_of_its_own)                                                                                  \
    X(readers_on_other_threads_see_whole_batches)                                                                      \
    /* contract_random.c */                                                                                            \
    X(random_batches_give_what_a_naive_store_gives)

#define X(name) void name(struct contract *c);
CONTRACT_TESTS(X)
#undef X

#endif
