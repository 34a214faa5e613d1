//! The suite every store must pass: one function per claim, grouped by noun, and a test that compares a
//! store with a plain model of it.
//!
//! A backend instantiates all of it with [`conformance_tests!`], so that each failure names its claim.
//! Nothing here may know a concrete database. Start reading at [`requests`].

#![expect(clippy::unwrap_used, reason = "the whole crate is tests")]

pub mod agent_playbook_revisions;
pub mod agent_playbooks;
pub mod agent_versions;
pub mod aggregations;
pub mod analytics;
pub mod answers;
pub mod configs;
pub mod conversations;
pub mod cost_totals;
pub mod costs;
mod embedding;
pub mod evaluations;
pub mod injections;
pub mod interactions;
pub mod jobs;
pub mod keys;
pub mod lanes;
pub mod learning;
pub mod leases;
pub mod lineage;
pub mod maintenance;
pub mod meaning;
pub mod model;
pub mod nearest;
pub mod operations;
pub mod optimizations;
pub mod outcomes;
pub mod playbook_runs;
pub mod profiles;
mod property;
pub mod queue;
pub mod requests;
pub mod runs;
mod sample;
pub mod search;
pub mod shadow_comparisons;
pub mod transfer;
pub mod turns;
pub mod undo;
pub mod user_playbooks;
pub mod vector_models;
pub mod vectors;
mod workers;

/// Writes one test per claim. `$make` is an async function that gives a fresh store and whatever has to
/// live as long as the store: `async fn make() -> (Guard, Store)`.
#[macro_export]
macro_rules! conformance_tests {
    ($make:path) => {
        $crate::claims! { $make,
            requests: [
                a_publish_is_read_back_whole,
                ids_grow_in_the_order_of_arrival,
                a_request_may_be_empty,
                a_taken_request_id_is_refused_and_leaves_nothing_behind,
                two_orgs_may_use_the_same_request_id,
                requests_tell_their_sessions,
                sessions_come_newest_first_and_so_do_their_requests,
                sessions_are_paged,
                sessions_are_filtered_by_each_field_of_their_requests,
                deleted_requests_take_their_interactions_along,
                a_deleted_session_is_gone_whole,
                a_deleted_request_id_can_be_used_again,
                requests_of_another_org_are_neither_seen_nor_deleted,
            ],
            interactions: [
                interactions_come_newest_first_and_one_second_in_the_order_said,
                interactions_are_filtered_by_each_field,
                the_best_match_comes_first_and_of_equal_ones_the_newest,
                every_part_of_a_turn_that_people_read_is_found,
                queries_that_say_nothing_find_nothing,
                many_matches_are_still_found_best_first,
                a_request_goes_with_its_last_interaction,
                an_interaction_of_another_user_is_not_deleted,
                deleting_all_interactions_leaves_no_request,
                interactions_of_another_org_are_neither_seen_nor_deleted,
                an_image_is_stored_once_and_goes_with_its_last_reference,
                images_belong_to_their_org,
            ],
            conversations: [
                the_neighbours_of_a_turn_are_those_of_its_publish,
                a_conversation_goes_on_over_the_publishes_of_its_session_in_time,
                publishes_of_one_second_follow_each_other_as_they_came,
                the_session_of_another_user_or_org_is_another_conversation,
                without_a_session_a_users_turns_are_one_timeline,
                a_session_named_like_a_request_does_not_lead_elsewhere,
                stretches_that_overlap_are_one,
                deleted_turns_are_left_out_and_unknown_ones_bring_nothing,
            ],
            profiles: [
                a_profile_is_read_back_whole,
                profiles_come_by_newest_change_then_by_id,
                a_taken_profile_id_is_refused_and_none_of_the_batch_is_stored,
                profiles_are_filtered_by_each_field,
                profiles_are_found_by_content_features_and_expanded_terms,
                deleted_profiles_are_gone_from_lists_and_searches,
                an_upgrade_moves_every_row_one_step,
                an_upgrade_keeps_to_its_user,
                an_upgrade_of_affected_users_leaves_the_others_alone,
                an_upgrade_of_all_users_also_archives_those_without_pending_rows,
                an_upgrade_without_pending_rows_changes_nothing,
                a_downgrade_takes_an_upgrade_back,
                a_downgrade_keeps_to_its_user_and_leaves_pending_rows_alone,
                a_downgrade_of_affected_users_leaves_the_others_alone,
                a_downgrade_without_archived_rows_changes_nothing,
                profiles_of_another_org_are_neither_seen_nor_touched,
            ],
            user_playbooks: [
                a_user_playbook_is_read_back_whole,
                user_playbooks_get_new_ids_in_the_order_given,
                user_playbooks_come_newest_first,
                user_playbooks_are_filtered_by_each_field,
                an_edit_of_a_user_playbook_is_found_by_the_next_search,
                an_edit_of_a_user_playbook_changes_only_what_it_names,
                deleted_user_playbooks_are_gone_from_lists_and_searches,
                an_upgrade_of_user_playbooks_keeps_to_version_and_name,
                an_upgrade_of_user_playbooks_may_keep_the_current_ones,
                an_upgrade_of_user_playbooks_without_pending_rows_changes_nothing,
                a_downgrade_of_user_playbooks_keeps_to_version_and_name,
                a_downgrade_of_user_playbooks_takes_an_upgrade_back,
                user_playbooks_of_another_org_are_neither_seen_nor_touched,
            ],
            agent_playbooks: [
                an_agent_playbook_is_read_back_whole,
                agent_playbooks_come_newest_first,
                agent_playbooks_are_filtered_by_each_field,
                a_review_changes_the_decision_and_nothing_else,
                an_edit_of_an_agent_playbook_is_found_by_the_next_search,
                deleted_agent_playbooks_are_gone_from_lists_and_searches,
                agent_playbooks_of_another_org_are_neither_seen_nor_touched,
            ],
            agent_versions: [
                a_rule_is_carried_over_once_as_a_run,
                the_first_publish_of_a_version_brings_its_job,
                the_latest_version_with_rules_is_told,
            ],
            configs: [
                a_configuration_grows_by_one_version_at_a_time,
                a_configuration_written_by_somebody_else_is_not_overwritten,
                configurations_belong_to_their_org,
                a_stall_is_kept_replaced_and_lifted,
            ],
            keys: [
                a_key_is_found_by_its_hash_until_it_is_revoked,
                a_taken_key_id_or_secret_is_refused,
            ],
            operations: [
                the_newest_operation_of_a_service_is_told,
                an_operation_is_updated_in_place,
                operations_belong_to_their_org,
                an_erased_user_is_taken_out_of_operations,
            ],
            jobs: [
                a_publish_queues_its_job_once,
                jobs_belong_to_their_user_and_org,
                a_job_is_read_back_whole,
                a_key_covers_only_while_its_job_is_queued,
                a_job_that_rearms_puts_the_queued_one_off_and_changes_its_work,
                a_job_that_failed_comes_back_beside_the_one_that_took_its_key,
                jobs_are_listed_latest_first_by_each_filter_and_in_pages,
                jobs_are_counted_per_org,
                a_queued_job_is_cancelled_at_once,
                a_running_job_is_asked_to_stop_and_ends_cancelled_unless_done,
                only_dead_and_cancelled_jobs_are_queued_again,
                finished_jobs_are_deleted_by_state_and_age,
                an_erased_user_takes_its_jobs_along_and_their_lanes_go_on,
                jobs_of_another_org_are_neither_seen_nor_touched,
            ],
            leases: [
                a_claim_starts_a_job_for_one_worker,
                only_the_kinds_asked_for_are_claimed,
                a_job_is_not_claimed_before_its_time,
                a_heartbeat_keeps_a_job,
                a_silent_worker_loses_its_job_and_the_history_says_so,
                attempts_that_get_somewhere_do_not_use_a_job_up,
                jobs_whose_workers_are_gone_are_taken_over_before_their_leases_run_out,
                an_old_lease_changes_nothing,
                a_lease_that_ran_out_is_good_until_somebody_claims,
                a_lease_is_good_in_its_org_only,
                a_failed_job_waits_for_its_retry_and_dies_after_its_last_attempt,
                a_permanent_failure_is_not_retried,
                a_released_job_keeps_its_attempts,
                progress_is_told,
                many_jobs_are_completed_at_once_and_lost_ones_are_named,
                the_history_keeps_the_latest_twenty,
            ],
            lanes: [
                jobs_of_one_lane_run_one_at_a_time_in_the_order_of_arrival,
                a_lane_waits_for_its_first_job_while_that_waits,
                free_jobs_wait_for_nobody,
                a_named_lane_holds_jobs_of_several_users_and_kinds,
                a_retried_job_goes_before_those_that_arrived_after_it,
                a_lane_goes_on_after_its_first_job_was_cancelled_or_died,
            ],
            turns: [
                a_long_queue_of_one_org_delays_another_by_one_turn,
                a_long_queue_of_one_user_delays_another_by_one_turn,
                users_who_keep_arriving_do_not_starve_the_first,
                many_jobs_that_come_due_at_once_do_not_delay_others,
                paused_work_is_left_alone,
                kinds_take_turns,
            ],
            learning: [
                turns_are_read_in_the_order_of_arrival_with_their_requests,
                a_lesson_stores_its_rows_moves_its_cursors_and_ends_its_job,
                a_lesson_without_its_lease_changes_nothing,
                a_cursor_that_stands_elsewhere_undoes_the_lesson,
                superseded_rows_go_when_the_new_ones_come,
                a_confirmed_row_lives_on_with_more_evidence,
                rows_give_way_to_their_successors_and_say_so,
                a_row_that_changed_meanwhile_undoes_the_lesson,
                what_a_user_wants_forgotten_is_deleted,
                publishers_are_found_by_what_they_published,
            ],
            agent_playbook_revisions: [
                an_edit_keeps_who_when_and_the_text_before,
                a_decision_keeps_its_reason,
                several_writes_happen_together_or_not_at_all,
                the_text_of_a_deleted_rule_goes_with_it,
                revisions_are_exported_and_imported,
            ],
            aggregations: [
                an_aggregation_stores_rules_and_what_it_remembers_together,
                a_pending_rule_gives_way_and_a_decided_one_does_not,
                a_pending_rule_grows_in_place,
                an_aggregation_of_old_knowledge_changes_nothing,
                approving_a_successor_archives_what_it_follows,
                scopes_are_those_of_playbooks_in_use,
            ],
            optimizations: [
                a_run_is_stored_with_its_job_and_one_at_a_time,
                a_step_is_stored_under_the_lease_or_not_at_all,
                a_run_ends_with_its_successor_and_its_job,
                a_rule_that_was_touched_meanwhile_stays_and_nothing_is_stored,
                a_user_playbook_gives_way_to_its_better_wording,
                runs_are_listed_newest_first_by_each_filter_and_in_pages,
                an_erased_user_takes_the_runs_along_that_replayed_them,
                runs_of_another_org_are_neither_seen_nor_touched,
            ],
            answers: [
                an_answer_is_kept_with_the_calls_it_took,
                answers_outlive_an_attempt_and_go_with_their_job,
                answers_go_however_their_job_ends,
                a_job_that_is_done_with_a_user_needs_no_answers_about_it,
                an_erased_user_takes_its_answers_along,
                answers_belong_to_their_org,
            ],
            costs: [
                calls_are_summed_by_each_group,
                costs_are_filtered_by_each_field,
                groups_beyond_the_limit_are_the_rest,
                what_was_spent_is_told_by_day_and_by_run,
                forgotten_calls_stay_in_the_totals,
                an_erased_user_stays_in_the_totals_without_a_name,
                costs_belong_to_their_org,
            ],
            outcomes: [
                the_first_outcome_of_a_session_stays,
                outcomes_are_filtered_by_each_field_and_paged,
                an_outcome_goes_with_the_last_request_of_its_session,
                outcomes_of_another_org_are_neither_seen_nor_touched,
            ],
            evaluations: [
                a_judgement_is_read_back_whole_and_replaces_the_one_before,
                a_judgement_is_stored_with_the_end_of_its_job_or_not_at_all,
                a_session_that_is_gone_is_not_judged,
                judgements_go_with_the_turns_they_rest_on,
                judgements_are_filtered_by_each_field_latest_first,
                sessions_of_a_time_are_told_with_their_last_version,
                judgements_of_another_org_are_neither_seen_nor_touched,
            ],
            playbook_runs: [
                a_run_is_read_back_with_its_journal_and_its_program,
                a_journal_grows_only_from_where_its_writer_found_it,
                a_run_rests_together_with_the_end_of_its_job,
                a_cancelled_run_stays_cancelled,
                runs_are_listed_newest_first_by_each_field,
                runs_go_with_their_user_and_belong_to_their_org,
            ],
            shadow_comparisons: [
                a_comparison_is_stored_with_the_end_of_its_job,
                a_comparison_without_its_lease_is_not_stored,
                a_turn_has_one_comparison_and_a_later_one_takes_its_place,
                a_comparison_goes_with_its_turn,
                comparisons_come_newest_first_by_each_filter_and_in_pages,
                turns_with_an_alternative_are_found_until_they_are_judged,
                comparisons_of_another_org_are_neither_seen_nor_written,
                comparisons_are_exported_and_imported,
            ],
            runs: [
                a_run_tells_what_it_changed,
                a_run_that_changes_nothing_leaves_no_trace,
                an_undo_restores_the_exact_rows_and_can_be_undone,
                a_row_that_was_changed_since_refuses_the_whole_undo,
                a_later_run_has_to_be_undone_first,
                an_approved_rule_is_not_taken_back,
                a_run_grows_over_many_transactions,
                a_run_whose_job_goes_on_is_not_undone,
                an_imported_row_is_taken_back_with_its_run,
                an_erased_user_is_taken_out_of_runs_that_stay_done,
                a_row_deleted_for_good_leaves_no_text_in_runs,
                old_changes_are_forgotten_and_their_runs_stay,
                runs_are_listed_latest_first_by_each_filter_and_in_pages,
                runs_of_another_org_are_neither_seen_nor_undone,
            ],
            injections: [
                an_injection_is_read_back_whole_and_newest_first,
                injections_are_filtered_by_each_field,
                uses_are_counted_by_wording_and_different_session,
                sessions_with_a_rule_come_with_those_that_got_others_or_with_all,
                a_judgement_counts_where_nobody_told_the_outcome,
                a_session_of_the_same_name_is_another_users,
                old_injections_are_forgotten_a_few_at_a_time,
                an_erased_user_takes_their_injections_along,
                injections_of_another_org_are_neither_seen_nor_touched,
                injections_are_exported_and_imported,
            ],
            analytics: [
                playbooks_are_counted_by_type_version_status_and_time,
                versions_are_compared_by_what_their_requests_taught,
                what_waits_longest_for_a_person_comes_first,
            ],
            lineage: [
                the_life_of_a_profile_is_told,
                an_upgrade_is_told_of_each_row_it_deletes,
                the_life_of_a_user_playbook_is_told,
                the_decisions_about_an_agent_playbook_are_told,
                the_history_of_another_org_is_not_told,
                profile_changes_are_grouped_by_request_newest_first,
            ],
            maintenance: [
                a_store_in_order_answers,
                rows_are_counted_per_org_and_per_user,
                an_erased_user_leaves_nothing_behind,
                erasing_a_user_spares_the_same_name_in_another_org,
                a_store_in_use_is_sound,
            ],
            transfer: [
                an_export_holds_every_row_once_in_an_order_that_can_be_imported,
                a_failing_receiver_ends_the_export,
                importing_what_is_there_changes_nothing,
                an_import_brings_back_deleted_rows_with_their_ids,
                an_id_taken_by_other_content_undoes_the_whole_import,
                a_number_taken_by_another_org_is_a_duplicate,
                an_import_that_does_not_fit_together_is_refused,
            ],
            vectors: [
                a_written_row_waits_until_it_has_its_vector,
                what_was_written_before_there_was_a_model_waits_too,
                a_row_without_text_does_not_wait,
                an_edited_row_waits_again_and_is_not_found_by_what_it_meant,
                a_vector_that_comes_after_an_edit_is_not_taken,
                deleted_rows_neither_wait_nor_are_found,
                a_store_that_was_emptied_finds_nothing_and_fills_again,
                an_erased_user_is_neither_listed_nor_found,
                orgs_take_turns_and_the_newest_rows_come_first,
                a_refused_row_waits_no_more_until_a_rebuild,
                a_refused_row_waits_again_after_an_edit,
                a_rebuild_queues_every_row_of_the_org_and_the_old_vectors_serve,
                a_vector_that_does_not_fit_is_not_taken,
                one_vector_that_does_not_fit_does_not_keep_out_the_others,
            ],
            vector_models: [
                another_model_makes_all_rows_wait_and_compares_none,
                switching_back_serves_what_is_left_and_asks_for_the_rest,
                using_the_same_model_again_changes_nothing,
                what_one_model_refused_the_next_may_take,
                without_a_model_only_words_are_searched,
                a_model_that_cannot_be_searched_is_refused_and_the_one_before_stays,
                the_index_tells_how_many_rows_it_holds,
            ],
            meaning: [
                a_row_of_every_kind_is_found_by_its_meaning,
                the_cosine_is_exact_and_the_nearest_comes_first,
                a_row_is_as_near_as_the_nearest_of_several_vectors,
                another_org_never_sees_a_row,
                an_upgrade_and_a_downgrade_are_seen_by_the_next_search,
                a_decision_is_seen_by_the_next_search,
                words_and_meaning_bring_each_row_once,
                a_limit_holds_for_words_and_for_meaning,
                a_question_of_another_length_is_answered_by_words,
            ],
        }
        $crate::properties! { $make,
            search: [a_search_finds_exactly_what_its_query_matches],
            cost_totals: [groups_and_rest_are_always_the_totals],
            queue: [no_interleaving_loses_a_job_or_runs_two_of_a_lane],
            nearest: [a_search_by_meaning_finds_what_looking_at_every_row_finds],
            model: [a_store_behaves_like_plain_lists, an_export_imported_elsewhere_exports_the_same],
            undo: [undoing_and_redoing_runs_restores_every_row],
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! claims {
    ($make:path, $($noun:ident: [$($claim:ident),+ $(,)?]),+ $(,)?) => {
        $(mod $noun {
            use super::*;
            $(#[tokio::test]
            async fn $claim() {
                let (_guard, store) = $make().await;
                $crate::$noun::$claim(&store).await;
            })+
        })+
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! properties {
    ($make:path, $($noun:ident: [$($claim:ident),+ $(,)?]),+ $(,)?) => {
        $(mod $noun {
            use super::*;
            $(#[test]
            fn $claim() {
                $crate::$noun::$claim($make);
            })+
        })+
    };
}
