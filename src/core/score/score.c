/*
 * score.c
 *	  A score model: as bytes, in words, and of a row.
 *
 * It must never be asked about rows that it is fitted to: additive.c does that.
 */
#include "core/score/score.h"

#include <math.h>
#include <stdio.h>

#include "core/record.h"

const pegs_purpose pegs_score_purposes[PEGS_SCORE_PURPOSES] = {PEGS_FOR_ONEWAY, PEGS_FOR_RESIDUALS};

/* ---- of a row ---- */

int64_t
pegs_score_sum(const pegs_score_model *model, const int32_t *code)
{
	int64_t		sum = model->intercept;

	for (uint32_t i = 0; i < model->ncols; i++)
		sum += pegs_score_points(model, i, code[i]);
	return sum;
}

/* ---- bytes ---- */

/* A number with a sign, of at most `most` in absolute value. */
static void
walk_signed(pegs_cursor *c, int32_t *value, int32_t most)
{
	uint32_t	bits = (uint32_t) *value;

	pegs_u32(c, &bits);
	*value = (int32_t) bits;
	if (c->status == PEGS_OK && (*value > most || *value < -most))
		pegs_bad(c, PEGS_ERR_FORMAT);
}

/* Classes of neighbours, in order, none of them empty? */
static bool
are_classes(const pegs_feature *f)
{
	uint32_t	at = 0;

	for (uint32_t l = 0; l < f->levels; l++)
	{
		if (f->class_of[l] != at && (l == 0 || f->class_of[l] != ++at))
			return false;
	}
	return at == f->classes - 1;
}

/* u32 classes, to 8 bytes; two or more: class of each level, points, rows and sd of each class. */
static void
walk_feature(pegs_cursor *c, bool target, pegs_feature *f)
{
	pegs_u32(c, &f->classes);
	pegs_pad(c);
	if (c->status == PEGS_OK && (f->classes > PEGS_MAX_CLASSES || f->classes > f->levels || (f->classes == 0) != target))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status != PEGS_OK || f->classes < 2)
		return;
	pegs_u16s(c, &f->class_of, f->levels);
	if (c->pass == PEGS_READ && pegs_has_bytes(c, f->classes, sizeof(uint32_t)))
		f->points = c->env->alloc(c->env->context, sizeof(int32_t) * f->classes);
	for (uint32_t k = 0; k < f->classes && c->status == PEGS_OK; k++)
		walk_signed(c, &f->points[k], PEGS_MAX_POINTS);
	pegs_pad(c);
	pegs_f64s(c, &f->rows, f->classes);
	pegs_f64s(c, &f->sd, f->classes);
	if (c->status != PEGS_OK || c->pass != PEGS_READ)
		return;
	if (!are_classes(f))
		pegs_bad(c, PEGS_ERR_FORMAT);
	for (uint32_t k = 0; k < f->classes; k++)
		if (!(f->rows[k] >= 1 && f->rows[k] < INFINITY && f->sd[k] >= 0 && f->sd[k] < INFINITY))
			pegs_bad(c, PEGS_ERR_FORMAT);
}

static void
walk_target(pegs_cursor *c, pegs_score_model *model)
{
	uint32_t	levels = 0;

	pegs_u32(c, &model->target);
	pegs_u32(c, &model->npositive);
	if (c->status == PEGS_OK && model->target < model->ncols)
		levels = model->feature[model->target].levels;
	if (c->status == PEGS_OK && (model->npositive < 1 || model->npositive >= levels))
		pegs_bad(c, PEGS_ERR_FORMAT);
	if (c->status == PEGS_OK)
		pegs_u16s(c, &model->positive, model->npositive);
	for (uint32_t i = 0; c->status == PEGS_OK && i < model->npositive; i++)
		if (model->positive[i] >= levels || (i > 0 && model->positive[i] <= model->positive[i - 1]))
			pegs_bad(c, PEGS_ERR_FORMAT);
}

/*
 * The record (record.h), whose own number is the sweeps, to 8 bytes; u32 intercept, to 8 bytes; target; features.
 */
void
pegs_score_walk(pegs_cursor *c, uint32_t ncols, uint32_t *levels, void **written)
{
	pegs_score_model *model;

	if (c->pass == PEGS_READ)
	{
		if (!pegs_has_bytes(c, ncols, 8))
			return;
		model = c->env->alloc(c->env->context, sizeof(pegs_score_model));
		model->ncols = ncols;
		model->feature = c->env->alloc(c->env->context, sizeof(pegs_feature) * ncols);
		for (uint32_t i = 0; i < ncols; i++)
			model->feature[i].levels = levels[i];
		*written = model;
	}
	model = *written;
	pegs_record_walk(c, &model->accountant, &model->rows, &model->sweeps, pegs_score_purposes, PEGS_SCORE_PURPOSES);
	pegs_pad(c);
	walk_signed(c, &model->intercept, INT32_MAX / 2);
	pegs_pad(c);
	if (c->status == PEGS_OK && !(model->rows >= 1))
		pegs_bad(c, PEGS_ERR_FORMAT);
	walk_target(c, model);
	for (uint32_t i = 0; i < ncols && c->status == PEGS_OK; i++)
		walk_feature(c, i == model->target, &model->feature[i]);
}

/* ---- words ---- */

void
pegs_score_describe(const void *fitted, const pegs_writer *writer)
{
	const pegs_score_model *model = fitted;
	char		words[600];
	bool		first = true;

	pegs_record_words(writer, &model->accountant, model->rows, pegs_score_purposes, PEGS_SCORE_PURPOSES);
	snprintf(words, sizeof(words), ", \"sweeps\": %u, \"intercept\": %.6g, \"features\": [", model->sweeps,
			 ldexp(model->intercept, -PEGS_POINTS_BITS));
	writer->words(writer->to, words);
	for (uint32_t i = 0; i < model->ncols; i++)
	{
		if (i == model->target)
			continue;
		writer->words(writer->to, first ? "{\"column\": " : ", {\"column\": ");
		writer->column(writer->to, i);
		snprintf(words, sizeof(words), ", \"classes\": %u}", model->feature[i].classes);
		writer->words(writer->to, words);
		first = false;
	}
	writer->words(writer->to, "]");
}
