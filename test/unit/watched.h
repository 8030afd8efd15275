/*
 * watched.h
 *	  The engine once more, with pegs_measure and pegs_choose led to the test:
 *	  watched_fit looks through watched_measure and chooses by watched_choose.
 */
#ifndef PEGS_WATCHED_H
#define PEGS_WATCHED_H

#define pegs_engine_fit watched_fit
#define pegs_engine_fit_aside watched_fit_aside
#define pegs_fit_oneways watched_fit_oneways
#define pegs_estimate_oneways watched_estimate_oneways
#define pegs_measure_oneways watched_measure_oneways
#define pegs_levels_in_use watched_levels_in_use
#define pegs_class_shares watched_class_shares
#define pegs_oneway_shares watched_oneway_shares
#define pegs_oneway_budget watched_oneway_budget
#define pegs_forest_cost watched_forest_cost
#define pegs_offer watched_offer
#define pegs_score watched_score
#define pegs_get_or_add_pair watched_get_or_add_pair
#define pegs_measure_pair watched_measure_pair
#define pegs_estimate_pairs watched_estimate_pairs
#define pegs_keep_common watched_keep_common
#define pegs_spread watched_spread
#define pegs_own_estimate watched_own_estimate
#define pegs_expected watched_expected
#define pegs_cut_pair watched_cut_pair
#define pegs_for_target watched_for_target
#define pegs_triple_cells watched_triple_cells
#define pegs_offer_triples watched_offer_triples
#define pegs_score_triple watched_score_triple
#define pegs_expected_triple watched_expected_triple
#define pegs_find_triple watched_find_triple
#define pegs_get_or_add_triple watched_get_or_add_triple
#define pegs_measure_triple watched_measure_triple
#define pegs_triple_margin watched_triple_margin
#define pegs_pairs_of_triple watched_pairs_of_triple
#define pegs_estimate_triples watched_estimate_triples
#define pegs_candidate_of_pair watched_candidate_of_pair
#define pegs_candidate_of_triple watched_candidate_of_triple
#define pegs_candidate_cells watched_candidate_cells
#define pegs_candidate_shared watched_candidate_shared
#define pegs_candidate_expected watched_candidate_expected
#define pegs_candidate_estimate watched_candidate_estimate
#define pegs_candidate_score watched_candidate_score
#define pegs_candidate_measure watched_candidate_measure
#define pegs_candidate_place watched_candidate_place
#define pegs_can_cover watched_can_cover
#define pegs_cover_blocks watched_cover_blocks
#define pegs_cover_share watched_cover_share
#define pegs_measure_cover watched_measure_cover
#define pegs_plan_cover watched_plan_cover
#define pegs_measure watched_measure
#define pegs_choose watched_choose
#define pegs_oneway_measure watched_oneway_measure
#define pegs_oneway_smooth watched_oneway_smooth
#define pegs_oneway_project watched_oneway_project
#define pegs_oneway_in_use watched_oneway_in_use
#include "core/graph/engine.c"
#include "core/column/oneway.c"
#include "core/graph/oneways.c"
#include "core/graph/pairs.c"
#include "core/graph/estimate.c"
#include "core/graph/common.c"
#include "core/graph/triples.c"
#include "core/graph/interaction.c"
#include "core/graph/target.c"
#include "core/graph/candidate.c"
#include "core/graph/cover.c"
#undef pegs_measure
#undef pegs_choose

#endif							/* PEGS_WATCHED_H */
