/*
 * propensity.c
 *	  pMSE by a logistic model of the main effects and by an exact partition.
 *
 * The logistic model never has a design matrix and never keeps a score: the
 * Gram matrix of dummies is the table of weighted pair counts, and a row's
 * score is a sum over its levels, cheap to have again.
 */
#include "core/compare/propensity.h"

#include <math.h>
#include <string.h>

#include "core/compare/group.h"
#include "core/compare/linear.h"

/* the reference evaluator's (docs/reference.md, Sources) */
static const double RIDGE = 1e-4;
static const int MAX_STEPS = 20;
static const double SMALLEST_WEIGHT = 1e-10;

static bool
same_shape(const pegs_coded *a, const pegs_coded *b)
{
	if (a->ncols != b->ncols)
		return false;
	for (uint32_t c = 0; c < a->ncols; c++)
		if (a->levels[c] != b->levels[c])
			return false;
	return true;
}

/* (k - 1)(1 - c)^2 c / N, and the ratio to it. */
static double
standardised(double pmse, double share, double rows, double k)
{
	double		expected = (k - 1) * (1 - share) * (1 - share) * share / rows;

	return expected > 0 ? pmse / expected : NAN;
}

/* ---------- main effects ---------- */

/* A stack of two tables as a logistic model sees it: parameter 0 is the intercept. */
typedef struct stack
{
	const pegs_env *env;
	const pegs_coded *table[2]; /* original, synthetic */
	double		rows;
	double		share;			/* of synthetic rows */
	uint32_t	ncols;			/* those with two levels or more in the stack */
	uint32_t   *column;			/* [ncols] of the tables */
	uint32_t  **parameter;		/* [ncols][levels + 1] of each code */
	uint32_t	nparameters;
	uint32_t  **at;				/* [ncols][PEGS_CHUNK] parameters of a chunk's rows */
	double	   *eta;			/* [PEGS_CHUNK] of a chunk's rows */
} stack;

static pegs_status
stack_tables(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic, stack *s)
{
	*s = (stack) {.env = env, .table = {original, synthetic}, .nparameters = 1};
	s->rows = (double) original->nrows + (double) synthetic->nrows;
	s->share = (double) synthetic->nrows / s->rows;
	s->column = env->alloc(env->context, sizeof(uint32_t) * (original->ncols + 1));
	s->parameter = env->alloc(env->context, sizeof(uint32_t *) * (original->ncols + 1));
	s->at = env->alloc(env->context, sizeof(uint32_t *) * (original->ncols + 1));
	s->eta = env->alloc(env->context, sizeof(double) * PEGS_CHUNK);
	for (uint32_t c = 0; c < original->ncols; c++)
	{
		uint32_t	size = pegs_coded_size(original, c);
		uint32_t   *parameter = env->alloc(env->context, sizeof(uint32_t) * size);
		uint32_t	levels = 0;

		for (int t = 0; t < 2; t++)
			for (uint64_t row = 0; row < s->table[t]->nrows; row++)
			{
				if (row % PEGS_CHUNK == 0)
					env->check(env->context);
				parameter[s->table[t]->code[c][row]] = 1;
			}
		for (uint32_t level = 0; level < size; level++)
			if (parameter[level] != 0)
				parameter[level] = s->nparameters + levels++;
		if (levels < 2)
		{
			pegs_env_free(env, parameter);
			continue;
		}
		s->nparameters += levels;
		if (s->nparameters > PEGS_MAX_TERMS)
			return PEGS_ERR_TOO_LARGE;
		s->column[s->ncols] = c;
		s->parameter[s->ncols] = parameter;
		s->at[s->ncols++] = env->alloc(env->context, sizeof(uint32_t) * PEGS_CHUNK);
	}
	return PEGS_OK;
}

/* The parameters and, if there is a beta, the linear predictors of a chunk. Returns its rows. */
static uint32_t
read_chunk(const stack *s, int table, uint64_t first, const double *beta)
{
	uint64_t	left = s->table[table]->nrows - first;
	uint32_t	n = left < PEGS_CHUNK ? (uint32_t) left : PEGS_CHUNK;

	s->env->check(s->env->context);
	for (uint32_t r = 0; beta && r < n; r++)
		s->eta[r] = beta[0];
	for (uint32_t c = 0; c < s->ncols; c++)
	{
		const uint16_t *code = s->table[table]->code[s->column[c]] + first;

		for (uint32_t r = 0; r < n; r++)
			s->at[c][r] = s->parameter[c][code[r]];
		for (uint32_t r = 0; beta && r < n; r++)
			s->eta[r] += beta[s->at[c][r]];
	}
	return n;
}

/* Add a chunk's [1, dummies]' diag(weight) [1, dummies], upper triangle. */
static void
add_gram(const stack *s, uint32_t n, const double *weight, double *gram)
{
	size_t		p = s->nparameters;

	for (uint32_t r = 0; r < n; r++)
		gram[0] += weight[r];
	for (uint32_t a = 0; a < s->ncols; a++)
	{
		const uint32_t *i = s->at[a];

		for (uint32_t r = 0; r < n; r++)
		{
			gram[i[r]] += weight[r];
			gram[i[r] * p + i[r]] += weight[r];
		}
		for (uint32_t b = a + 1; b < s->ncols; b++)
		{
			const uint32_t *j = s->at[b];

			for (uint32_t r = 0; r < n; r++)
				gram[i[r] * p + j[r]] += weight[r];
		}
	}
}

static double
score(double eta)
{
	return 1 / (1 + exp(-fmin(fmax(eta, -500), 500)));
}

/* Gradient of the log likelihood and minus its second derivative. */
static void
derivatives(const stack *s, const double *beta, double *gradient, double *hessian)
{
	double		residual[PEGS_CHUNK];
	double		weight[PEGS_CHUNK];

	memset(gradient, 0, sizeof(double) * s->nparameters);
	memset(hessian, 0, sizeof(double) * s->nparameters * s->nparameters);
	for (int table = 0; table < 2; table++)
		for (uint64_t first = 0; first < s->table[table]->nrows; first += PEGS_CHUNK)
		{
			uint32_t	n = read_chunk(s, table, first, beta);

			for (uint32_t r = 0; r < n; r++)
			{
				double		mu = score(s->eta[r]);

				residual[r] = table - mu;
				weight[r] = fmax(mu * (1 - mu), SMALLEST_WEIGHT);
				gradient[0] += residual[r];
			}
			for (uint32_t c = 0; c < s->ncols; c++)
				for (uint32_t r = 0; r < n; r++)
					gradient[s->at[c][r]] += residual[r];
			add_gram(s, n, weight, hessian);
		}
}

/* What is minimised: minus the log likelihood, and the ridge. */
static double
objective(const stack *s, const double *beta)
{
	double		sum = 0;
	double		squares = 0;

	for (int table = 0; table < 2; table++)
		for (uint64_t first = 0; first < s->table[table]->nrows; first += PEGS_CHUNK)
		{
			uint32_t	n = read_chunk(s, table, first, beta);
			double		part = 0;

			/* log(1 + e^eta) - y eta */
			for (uint32_t r = 0; r < n; r++)
				part += fmax(s->eta[r], 0) + log1p(exp(-fabs(s->eta[r]))) - table * s->eta[r];
			sum += part;
		}
	for (uint32_t j = 0; j < s->nparameters; j++)
		squares += beta[j] * beta[j];
	return sum + 0.5 * RIDGE * squares;
}

static double
mean_square(const stack *s, const double *beta)
{
	double		sum = 0;

	for (int table = 0; table < 2; table++)
		for (uint64_t first = 0; first < s->table[table]->nrows; first += PEGS_CHUNK)
		{
			uint32_t	n = read_chunk(s, table, first, beta);
			double		part = 0;

			for (uint32_t r = 0; r < n; r++)
			{
				double		difference = score(s->eta[r]) - s->share;

				part += difference * difference;
			}
			sum += part;
		}
	return sum / s->rows;
}

/* Newton with halved steps; false: rows beyond all measure (1e10), no answer. */
static bool
fit_main_effects(const stack *s, double *beta, double *hessian)
{
	const pegs_env *env = s->env;
	uint32_t	p = s->nparameters;
	double	   *step = env->alloc(env->context, sizeof(double) * p);
	double	   *next = env->alloc(env->context, sizeof(double) * p);
	double		current;

	beta[0] = log(s->share / (1 - s->share));
	current = objective(s, beta);
	for (int turn = 0; turn < MAX_STEPS; turn++)
	{
		double		fraction = 1;
		double		reached;
		bool		done;

		derivatives(s, beta, step, hessian);
		for (size_t j = 0; j < p; j++)
		{
			step[j] -= RIDGE * beta[j];
			hessian[j * p + j] += RIDGE;
		}
		if (!pegs_cholesky(env, p, hessian))
			return false;
		pegs_cholesky_solve(p, hessian, step);
		for (;;)
		{
			for (uint32_t j = 0; j < p; j++)
				next[j] = beta[j] + fraction * step[j];
			reached = objective(s, next);
			if (reached <= current + 1e-9 || fraction < 1e-3)
				break;
			fraction /= 2;
		}
		done = current - reached < 1e-6 * s->rows * 1e-2;
		memcpy(beta, next, sizeof(double) * p);
		current = reached;
		if (done)
			break;
	}
	pegs_env_free(env, step);
	pegs_env_free(env, next);
	return true;
}

/* Parameters that are not sums of others: the intercept and dummies of every level are too many. */
static uint32_t
design_rank(const stack *s, double *gram)
{
	double		one[PEGS_CHUNK];
	double	   *work = s->env->alloc(s->env->context, sizeof(double) * 2 * s->nparameters);
	uint32_t	rank;

	for (uint32_t r = 0; r < PEGS_CHUNK; r++)
		one[r] = 1;
	memset(gram, 0, sizeof(double) * s->nparameters * s->nparameters);
	for (int table = 0; table < 2; table++)
		for (uint64_t first = 0; first < s->table[table]->nrows; first += PEGS_CHUNK)
			add_gram(s, read_chunk(s, table, first, NULL), one, gram);
	rank = pegs_gram_rank(s->env, s->nparameters, gram, work);
	pegs_env_free(s->env, work);
	return rank;
}

pegs_status
pegs_pmse_logit(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
				double *pmse, double *ratio, uint32_t *k)
{
	stack		s;
	pegs_status status;
	double	   *matrix;
	double	   *beta;

	*pmse = *ratio = NAN;
	*k = 0;
	if (!same_shape(original, synthetic))
		return PEGS_ERR_MISMATCH;
	status = stack_tables(env, original, synthetic, &s);
	if (status != PEGS_OK || s.rows == 0)
		return status;
	matrix = env->alloc(env->context, sizeof(double) * s.nparameters * s.nparameters);
	beta = env->alloc(env->context, sizeof(double) * s.nparameters);
	*k = design_rank(&s, matrix);
	/* one empty table: there is nothing to tell apart */
	if (s.share > 0 && s.share < 1 && fit_main_effects(&s, beta, matrix))
	{
		*pmse = mean_square(&s, beta);
		*ratio = standardised(*pmse, s.share, s.rows, *k);
	}
	pegs_env_free(env, matrix);
	pegs_env_free(env, beta);
	for (uint32_t c = 0; c < s.ncols; c++)
	{
		pegs_env_free(env, s.parameter[c]);
		pegs_env_free(env, s.at[c]);
	}
	pegs_env_free(env, s.column);
	pegs_env_free(env, s.parameter);
	pegs_env_free(env, s.at);
	pegs_env_free(env, s.eta);
	return PEGS_OK;
}

/* ---------- the exact partition ---------- */

pegs_status
pegs_pmse_cells(const pegs_env *env, const pegs_coded *original, const pegs_coded *synthetic,
				const uint32_t *columns, uint32_t n, double *pmse, double *ratio, uint64_t *cells)
{
	double		rows = (double) original->nrows + (double) synthetic->nrows;
	double		share = (double) synthetic->nrows / rows;
	pegs_groups groups;
	pegs_status status;
	double		sum = 0;
	double		part = 0;		/* summed apart: many cells alike would all round the same way */

	*pmse = *ratio = NAN;
	*cells = 0;
	if (!same_shape(original, synthetic))
		return PEGS_ERR_MISMATCH;
	for (uint32_t i = 0; i < n; i++)
		if (columns[i] >= original->ncols)
			return PEGS_ERR_ARGUMENT;
	status = pegs_group_rows(env, original, synthetic, columns, n, &groups);
	if (status != PEGS_OK)
		return status;
	*cells = groups.n;
	for (uint32_t cell = 0; cell < groups.n; cell++)
	{
		double		both = (double) groups.original[cell] + (double) groups.synthetic[cell];
		double		difference = (double) groups.synthetic[cell] / both - share;

		part += both * difference * difference;
		if (cell % PEGS_CHUNK == PEGS_CHUNK - 1 || cell == groups.n - 1)
		{
			env->check(env->context);
			sum += part;
			part = 0;
		}
	}
	if (original->nrows > 0 && synthetic->nrows > 0)
	{
		*pmse = sum / rows;
		*ratio = standardised(*pmse, share, rows, groups.n);
	}
	pegs_free_groups(env, &groups);
	return PEGS_OK;
}
