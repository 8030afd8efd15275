/*
 * attack.c
 *	  The attacks of pegs_audit: fits, samples and choices of parents on a table and on its neighbour.
 *
 * The real engine and the real sampler run here, with a witness at the door
 * (core/witness.h).
 */
#include "measures/measures.h"
#include "read/read.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/pegs/pegs_method.h"
#include "core/regression/regression_method.h"
#include "core/compare/bound.h"

#define LONG_SECONDS 5			/* from then on, and whenever it has taken twice as long, it says how far it is */

/* A run of a wide model takes a second, and there may be ten thousand of them. The caller can read the table: time tells nothing. */
static void
say_how_far(PegsAudit *audit, int asked)
{
	int64		seconds = (GetCurrentTimestamp() - audit->began) / USECS_PER_SEC;

	if (seconds < Max(LONG_SECONDS, 2 * audit->said) || audit->runs == asked)
		return;
	audit->said = seconds;
	ereport(NOTICE,
			(errmsg("audit of \"%s\": %d of %d runs (after " INT64_FORMAT " s)", audit->model->name, audit->runs, asked, seconds),
			 errdetail("About " INT64_FORMAT " s more.", seconds * (asked - audit->runs) / audit->runs),
			 asked > PEGS_AUDIT_LEAST_RUNS ? errhint("A cancel stops it; fewer runs see less: runs => %d.", PEGS_AUDIT_LEAST_RUNS) : errhint("A cancel stops it.")));
}

/*
 * The same answers must give the same number, whichever table they came from:
 * the last digits, which differ, are cut off.
 */
static double
rounded(double ratio)
{
	return rint(ratio * 0x1p30) * 0x1p-30;
}

/* Draws that would happen to a sound build once in 1/PEGS_AUDIT_MISS audits, or never. */
static pegs_fault
draws_amiss(const pegs_witness *fit, const pegs_surprise *choice)
{
	if (fit && pegs_too_likely(&fit->noise, -log(PEGS_AUDIT_MISS)))
		return PEGS_FAULT_NOISE;
	for (int i = 0; fit && i < PEGS_ECHOES; i++)
		if (pegs_too_likely(&fit->echo[i], -log(PEGS_AUDIT_MISS)))
			return PEGS_FAULT_NOISE;
	if (choice && pegs_too_likely(choice, -log(PEGS_AUDIT_MISS)))
		return PEGS_FAULT_CHOICE;
	return PEGS_SOUND;
}

/*
 * ---- a perturbed model: each run is three fits: of the table, and with the same answers of its neighbour and of an empty table.
 *
 * The third looks for what the neighbour does not move: a model is a function of the answers, whatever the table.
 */

/* A fit of one of the three tables, or sets of tables. The same rows of the same model are looked at in each fit of a run: their key is the first draw. */
static void *
fit_one(const PegsAudit *audit, const pegs_env *env, pegs_rng *rng, uint64 stream, const pegs_accountant *accountant, pegs_layout *layout, int which)
{
	pegs_fitted *model;

	if (audit->related == NULL)
	{
		layout->kept = audit->kept[which];
		return audit->model->method->fit(env, rng, accountant, layout, audit->cells[which]);
	}
	model = env->alloc(env->context, sizeof(pegs_fitted));
	pegs_rng_move(rng, stream);
	pegs_schema_fit(env, rng, accountant, &audit->related->relations, &audit->tally[which], audit->related->siblings, model);
	return model;
}

/* ln P(answers | this table) - ln P(answers | the other) of one fit of a table. */
static double
weigh_fit(const PegsAudit *audit, pegs_witness *witness, int side, const uint8_t *key, uint64 stream, MemoryContext fit_context)
{
	pegs_rng   *rng = pegs_rng_in(CurrentMemoryContext, key, stream);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_env	fit_env = pegs_env_in(fit_context);
	pegs_accountant accountant;
	pegs_layout layout = *audit->layout;
	int			which[3] = {side, !side, 2};
	bytea	   *bytes[3];
	double		ratio = 0;

	pegs_fit_accountant(&accountant, audit->model->epsilon, audit->model->delta, audit->model->rows_per_unit, audit->model->rows_each);
	accountant.witness = witness;
	pegs_witness_begin(witness, &env);
	for (int run = 0; run < 3; run++)
	{
		const pegs_method *method = audit->model->method;
		pegs_wire	wire;
		void	   *model;

		if (run == 1)
			pegs_witness_again(witness);
		if (run == 2)
			pegs_witness_replay(witness);
		model = fit_one(audit, &fit_env, rng, stream, &accountant, &layout, which[run]);
		wire = pegs_model_wire(audit->model->spec, method, &layout, model);
		bytes[run] = pegs_wire_bytes(&env, &wire);
		MemoryContextReset(fit_context);
		if (run == 0)
			continue;
		pegs_witness_end(witness, &accountant, VARSIZE(bytes[0]) == VARSIZE(bytes[run])
						 && memcmp(bytes[0], bytes[run], VARSIZE(bytes[0])) == 0);
		if (run == 1)
			ratio = witness->ratio;
	}
	return ratio;
}

void
pegs_attack_fits(PegsAudit *audit)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs audit", ALLOCSET_DEFAULT_SIZES);
	MemoryContext fit_context = AllocSetContextCreate(context, "pegs audit, one fit", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	double		delta = (double) audit->model->delta * 1e-18;
	pegs_witness witness = {0};
	uint8_t		key[PEGS_KEY_BYTES];
	int			asked = audit->runs;

	pegs_new_key(key);
	/* not in the context that is reset after each run */
	if (audit->related == NULL)
		audit->cells[2] = MemoryContextAllocExtended(old, sizeof(uint64_t) * audit->layout->ncells, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (int run = 0; run < asked && (run < PEGS_AUDIT_LEAST_RUNS || audit->fault == PEGS_SOUND); run++)
	{
		for (int side = 0; side < 2; side++)
		{
			double		ratio = weigh_fit(audit, &witness, side, key, 2 * (uint64) run + side, fit_context);

			audit->seen[side][run] = rounded(side ? ratio : -ratio);
			audit->exact = Max(audit->exact, delta == 0 ? fabs(ratio) : witness.urns == 0 ? pegs_epsilon_of_rho(witness.cost, delta)	/* not as rho was made */
							   : Min(witness.urn_epsilon, pegs_epsilon_of_urns(witness.urn_weight, witness.urn_total, witness.urns, delta)));
			MemoryContextResetOnly(context);	/* the fit's own context stays */
			CHECK_FOR_INTERRUPTS();
		}
		audit->fault = witness.fault != PEGS_SOUND ? witness.fault : draws_amiss(&witness, &witness.choice);
		if (audit->fault == PEGS_SOUND && audit->exact > (double) audit->model->epsilon * 1e-9 * (1 + 1e-9))
			audit->fault = PEGS_FAULT_TOTAL;
		audit->runs = run + 1;
		say_how_far(audit, asked);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* With delta: what was charged, in rho. */
static double
rho_of(const PegsAudit *audit)
{
	return (double) pegs_rho(audit->epsilon, audit->delta) * 0x1p-50;
}

/* With delta: does rho-zCDP allow runs to be told apart like that? */
bool
pegs_told_apart_too_well(const PegsAudit *audit)
{
	pegs_errors errors = pegs_errors_of(audit->seen[1], audit->seen[0], audit->runs, 1 - PEGS_AUDIT_MISS);

	return pegs_zcdp_bound(&errors) > rho_of(audit);
}

/* ---- a sealed model: each run is a sample of n rows ---- */

/* What the two tables are worth, of any number of draws from urns. gibbs draws from the one without the row. */
static double
worth_of_urns(const PegsAudit *audit, const pegs_gibbs *gibbs, double delta)
{
	const pegs_layout *layout = audit->layout;
	double	   *a = palloc(sizeof(double) * layout->ncols);
	double	   *total = palloc(sizeof(double) * layout->ncols);
	uint32_t	n = 0;

	for (uint32_t c = 0; c < layout->ncols; c++)
	{
		const uint64_t *cell = &audit->cells[0][layout->offset[c] + pegs_layout_key(layout, c, audit->target) * layout->levels[c]];
		double		alpha = ldexp((double) gibbs->alpha, -PEGS_ALPHA_BITS);

		if (gibbs->given[c] >= 0)
			continue;
		a[n] = (double) cell[audit->target[c]] + alpha;
		total[n] = layout->levels[c] * alpha;
		for (uint32_t level = 0; level < layout->levels[c]; level++)
			total[n] += (double) cell[level];
		n++;
	}
	return pegs_epsilon_of_urns(a, total, n, delta);
}

void
pegs_attack_samples(PegsAudit *audit, const PegsRequest *request, const pegs_wire *wire)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsStream *stream[2];
	pegs_gibbs *gibbs[2];
	pegs_visit_witness witness[2];
	uint64		visits = 0;
	double		delta = (double) audit->delta * 1e-18;
	uint8_t		key[PEGS_KEY_BYTES];
	uint16_t   *row = palloc(sizeof(uint16_t) * audit->layout->ncols);
	int			asked = audit->runs;
	bool		urns;
	double		of_urns = 0;

	for (uint32_t c = 0; c < audit->layout->ncols; c++)
		visits += request->given[c] < 0;
	visits *= ((uint64) request->n - 1) / (uint64) request->block + 1;
	for (int side = 0; side < 2; side++)
	{
		pegs_wire	tables = *wire;

		/* the sampler as pegs_sample sets it; what the witness holds it to is what was asked for, and is charged */
		tables.cells = audit->cells[side];
		stream[side] = pegs_stream_over(request, &tables);
		gibbs[side] = pegs_sealed_sampler(pegs_stream_draws(stream[side]));
		gibbs[side]->witness = &witness[side];
		witness[side] = (pegs_visit_witness) {.neighbour = audit->cells[!side], .block = request->block,
			.share = (double) audit->epsilon * 1e-9 / (double) visits,
			.range = sqrt(8 * rho_of(audit) / (double) visits)};
		pegs_visits_init(&env, gibbs[side], &witness[side]);
	}
	urns = delta > 0 && gibbs[0]->urn;
	if (urns)
		of_urns = worth_of_urns(audit, gibbs[0], delta);
	for (int run = 0; run < asked && (run < PEGS_AUDIT_LEAST_RUNS || audit->fault == PEGS_SOUND); run++)
	{
		for (int side = 0; side < 2; side++)
		{
			pegs_gibbs_new_block(gibbs[side]);
			pegs_visits_begin(gibbs[side], &witness[side]);
			pegs_new_key(key);
			pegs_stream_start(stream[side], key);
			for (int64 i = 0; i < request->n; i++)
				pegs_stream_next(stream[side], row);
			audit->seen[side][run] = rounded(side ? witness[side].ratio : -witness[side].ratio);
			audit->exact = Max(audit->exact, urns ? of_urns : delta > 0 ? pegs_epsilon_of_rho(witness[side].cost, delta) : fabs(witness[side].ratio));
			if (audit->fault == PEGS_SOUND)
				audit->fault = witness[side].fault != PEGS_SOUND ? witness[side].fault : draws_amiss(NULL, &witness[side].level);
		}
		if (audit->fault == PEGS_SOUND && audit->exact > (double) audit->epsilon * 1e-9 * (1 + 1e-9))
			audit->fault = delta > 0 ? PEGS_FAULT_TOTAL : PEGS_FAULT_RATIO;
		audit->runs = run + 1;
		say_how_far(audit, asked);
	}
}

/* The tables, as the sampler fills its urns with them. */
static PegsStream *
stream_of(const PegsAudit *audit, const PegsRequest *request, const pegs_wire *wire, int side)
{
	pegs_wire	tables = *wire;

	tables.cells = audit->cells[side];
	return pegs_stream_over(request, &tables);
}

/* What the two tables are worth, of any number of draws: the urns differ where the row is. */
static double
worth_of_whole_urns(const pegs_urns *without, const pegs_urns *with, double delta)
{
	double	   *a = palloc(sizeof(double) * without->n);
	double	   *total = palloc(sizeof(double) * without->n);
	uint32_t	n = 0;

	for (uint32_t u = 0; u < without->n; u++)
		for (uint32_t level = 0; level < without->urn[u].k && without->urn[u].total != with->urn[u].total; level++)
			if (pegs_urn_weight(&without->urn[u], level) != pegs_urn_weight(&with->urn[u], level))
			{
				a[n] = ldexp((double) pegs_urn_weight(&without->urn[u], level), -PEGS_ALPHA_BITS);
				total[n++] = ldexp((double) without->urn[u].total, -PEGS_ALPHA_BITS);
			}
	return n > 0 ? pegs_epsilon_of_urns(a, total, n, delta) : 0;
}

/* Urns of whole tables: those of the other table are filled beside them, and get what is put back. */
void
pegs_attack_urns(PegsAudit *audit, const PegsRequest *request, const pegs_wire *wire)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsStream *stream[2][2];
	pegs_urns  *urns[2][2];
	pegs_urn_witness *witness[2];
	double		delta = (double) audit->delta * 1e-18;
	uint8_t		key[PEGS_KEY_BYTES];
	uint16_t   *row = palloc(sizeof(uint16_t) * audit->layout->ncols);
	int			asked = audit->runs;

	for (int side = 0; side < 2; side++)
	{
		for (int other = 0; other < 2; other++)
		{
			stream[side][other] = stream_of(audit, request, wire, side ^ other);
			urns[side][other] = (pegs_urns *) pegs_stream_draws(stream[side][other]);
		}
		witness[side] = palloc0(sizeof(pegs_urn_witness) * urns[side][0]->n);
	}
	for (int run = 0; run < asked && (run < PEGS_AUDIT_LEAST_RUNS || audit->fault == PEGS_SOUND); run++)
	{
		for (int side = 0; side < 2; side++)
		{
			double		ratio = 0;

			pegs_new_key(key);
			pegs_stream_start(stream[side][0], key);
			pegs_stream_start(stream[side][1], key);
			if (run == 0 && side == 0 && delta > 0)
				audit->exact = worth_of_whole_urns(urns[0][0], urns[0][1], delta);
			for (uint32_t u = 0; u < urns[side][0]->n; u++)
			{
				witness[side][u].other = &urns[side][1]->urn[u];
				witness[side][u].alpha = request->alpha;
				pegs_urn_watch(&env, &urns[side][0]->urn[u], &witness[side][u]);
			}
			for (int64_t i = 0; i < request->n; i++)
				pegs_stream_next(stream[side][0], row);
			for (uint32_t u = 0; u < urns[side][0]->n; u++)
			{
				ratio += witness[side][u].ratio;
				if (audit->fault == PEGS_SOUND)
					audit->fault = witness[side][u].fault != PEGS_SOUND ? witness[side][u].fault : draws_amiss(NULL, &witness[side][u].level);
			}
			audit->seen[side][run] = rounded(side ? ratio : -ratio);
			audit->exact = delta > 0 ? audit->exact : Max(audit->exact, fabs(ratio));
		}
		if (audit->fault == PEGS_SOUND && audit->exact > (double) audit->epsilon * 1e-9 * (1 + 1e-9))
			audit->fault = delta > 0 ? PEGS_FAULT_TOTAL : PEGS_FAULT_RATIO;
		audit->runs = run + 1;
		say_how_far(audit, asked);
	}
}

/* Regressions of the table as it is now, and of its neighbour: every draw by one is weighed by the other. */
void
pegs_attack_regressions(PegsAudit *audit, const PegsRequest *request)
{
	const PegsModel *model = audit->model;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_layout layout = *audit->layout;
	pegs_wire	wire[2];
	PegsStream *stream[2];
	pegs_floor_witness witness[2] = {{0}};
	uint8_t		key[PEGS_KEY_BYTES];
	uint16_t   *row = palloc(sizeof(uint16_t) * layout.ncols);
	int			asked = audit->runs;

	for (int side = 0; side < 2; side++)
	{
		layout.kept = audit->kept[side];
		wire[side] = pegs_model_wire(model->spec, model->method, &layout, model->method->fit(&env, NULL, NULL, &layout, audit->cells[side]));
		stream[side] = pegs_stream_over(request, &wire[side]);
		witness[!side].other = wire[side].model;
	}
	for (int run = 0; run < asked && (run < PEGS_AUDIT_LEAST_RUNS || audit->fault == PEGS_SOUND); run++)
	{
		for (int side = 0; side < 2; side++)
		{
			witness[side].share = (double) audit->epsilon * 1e-9 / (double) pegs_watch_floor(&env, pegs_stream_draws(stream[side]), &witness[side]);
			pegs_new_key(key);
			pegs_stream_start(stream[side], key);
			for (int64 i = 0; i < request->n; i++)
				pegs_stream_next(stream[side], row);
			audit->seen[side][run] = rounded(side ? witness[side].ratio : -witness[side].ratio);
			audit->exact = Max(audit->exact, fabs(witness[side].ratio));
			if (audit->fault == PEGS_SOUND)
				audit->fault = witness[side].fault != PEGS_SOUND ? witness[side].fault : draws_amiss(NULL, &witness[side].level);
		}
		if (audit->fault == PEGS_SOUND && audit->exact > (double) audit->epsilon * 1e-9 * (1 + 1e-9))
			audit->fault = PEGS_FAULT_RATIO;
		audit->runs = run + 1;
		say_how_far(audit, asked);
	}
}

#define STRUCTURES 100
#define MAX_PARENTS 2			/* as pegs_fit takes it if nothing is said: public */

/* The private choice of a sealed model's parents: some runs on all pairs of the source and of its neighbour. */
pegs_fault
pegs_weigh_structure(const PegsModel *model)
{
	PegsSource *source = pegs_original_as_fitted(model, "audit its models");
	uint32_t	ncols = model->spec->domain->ncols;
	PegsCounter *counter = pegs_counter(pegs_spec_make(model->spec->domain, NULL, 0), CurrentMemoryContext, true);
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs audit, parents", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	PegsAudit		audit = {.model = model};
	pegs_witness witness = {0};
	uint8_t		key[PEGS_KEY_BYTES];

	pegs_load_unit(source);
	pegs_counter_scan(counter, source);
	pegs_make_neighbour(&audit, &counter->layout, counter->cells, NULL, model->rows_per_unit);
	pegs_new_key(key);
	old = MemoryContextSwitchTo(context);
	for (int run = 0; run < 2 * STRUCTURES && witness.fault == PEGS_SOUND; run++)
	{
		pegs_env	env = pegs_env_in(context);
		pegs_rng   *rng = pegs_rng_in(context, key, run);
		Size		size = sizeof(uint16_t) * (ncols * ncols + 1);
		uint32_t   *start[2];
		uint16_t   *parents[2];
		pegs_accountant accountant;

		pegs_witness_begin(&witness, &env);
		for (int again = 0; again < 2; again++)
		{
			start[again] = palloc0(sizeof(uint32_t) * (ncols + 1));
			parents[again] = palloc0(size);
			pegs_structure_accountant(&accountant, model->structure_epsilon, model->rows_per_unit);
			accountant.witness = &witness;
			if (again == 1)
				pegs_witness_again(&witness);
			pegs_choose_structure(&env, rng, &accountant, audit.layout, audit.cells[(run + again) % 2], MAX_PARENTS, model->spec->tail_bits,
								  start[again], parents[again]);
		}
		pegs_witness_end(&witness, &accountant, memcmp(parents[0], parents[1], size) == 0
						 && memcmp(start[0], start[1], sizeof(uint32_t) * (ncols + 1)) == 0);
		/* what the account holds is its own word; what was charged is the model's */
		if (witness.fault == PEGS_SOUND && (accountant.epsilon > model->structure_epsilon
											|| witness.cost > (double) model->structure_epsilon * 1e-9 * (1 + 1e-9)))
			witness.fault = PEGS_FAULT_TOTAL;
		MemoryContextReset(context);
		CHECK_FOR_INTERRUPTS();
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return witness.fault != PEGS_SOUND ? witness.fault : draws_amiss(NULL, &witness.choice);
}
