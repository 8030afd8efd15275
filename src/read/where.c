/*
 * where.c
 *	  All rows of a source, counted where they are: the one place that decides.
 *
 *	a table, a view			one aggregate, by parallel workers where the planner likes it
 *	a foreign table			the same, on its server, if it can be asked for it
 *	parts on other servers	an aggregate for each part, on its own server, all at once
 *	shards of Citus			an aggregate for each (shards.c)
 *	persons					an aggregate for each part in which theirs are together (together.c)
 *	what needs the rows		row by row (counter.c), and the reason is said
 *
 * The tables are the same in every case, cell by cell: counts add up. The
 * decision is by public facts alone, and kept for pegs_describe, which grantees
 * may ask; what the planner made of it, who knows of private rows, is told as
 * DEBUG1 to who fits, and not kept. Rights, names, what shows: as for any reading (source/reading.c). Laws L5, L9.
 */
#include "read/read.h"

#include "catalog/dependency.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#define OLDER "the extension is to be updated (ALTER EXTENSION pegs UPDATE)"
#define MAX_ARGUMENTS (FUNC_MAX_ARGS - 2)	/* of an aggregate: its state, and what to count, besides */

/* ---- what is counted, as it is handed on ---- */

/* Of a spec what matters to counting; with triples where the tables have them. */
static PegsSpec *
counted_alone(const PegsCounter *counter)
{
	PegsSpec   *spec = palloc(sizeof(PegsSpec));
	PegsDomain *domain = palloc(sizeof(PegsDomain));

	*spec = *counter->spec;
	*domain = *spec->domain;
	domain->nderived = 0;
	domain->nzeros = 0;
	spec->domain = domain;
	spec->triples = counter->layout.triple_offset != NULL;
	spec->sloped = false;
	spec->target = spec->grouped = NULL;
	spec->own = NULL;
	spec->text = pegs_spec_text(spec);
	return spec;
}

/* Would another process count the same? Its text says all of it, or rows are read one by one. */
static bool
can_be_told(const PegsSpec *spec)
{
	MemoryContext context;
	MemoryContext old;
	bool		same;

	if (strlen(spec->text) > PEGS_MAX_GIVEN_BYTES)
		return false;
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs spec", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	same = strcmp(pegs_spec_text(pegs_spec_of_handed_on(pegs_handed_on(spec))), spec->text) == 0;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return same;
}

/* Why all rows must come here; NULL: they need not. */
static const char *
why_by_row(const PegsCounter *counter, const PegsSource *source)
{
	const PegsDomain *domain = counter->spec->domain;
	const PegsDomain *physical = pegs_physical(domain);
	int			most = MAX_ARGUMENTS - (source->unit_column ? PEGS_PERSON_ARGUMENTS : 0);

	if (counter->by_row)
		return counter->by_row;
	if (counter->kept)
		return "the method goes over the rows more than once";
	if (pegs_agreeing(domain, physical) != physical)
		return "a column is declared to be a function of another, which is compared in each row";
	if (physical->ncols > most)
		return psprintf("there are more than %d columns", most);
	/* while states are added up there are four tables of them: of the process that counted, as bytes, as they were read, and the sum */
	if (counter->layout.ncells > (uint64) maintenance_work_mem * 1024 / sizeof(uint64_t))
		return psprintf("its tables have more cells than maintenance_work_mem holds (%d MB), and there would be several copies of them", maintenance_work_mem / 1024);
	return NULL;
}

/* ---- the query ---- */

/* A part on another server of a table that is read as a whole; InvalidOid: it has none. */
static Oid
foreign_part(Oid relid)
{
	ListCell   *cell;

	if (!has_subclass(relid))
		return InvalidOid;
	foreach(cell, find_all_inheritors(relid, AccessShareLock, NULL))
		if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return lfirst_oid(cell);
	return InvalidOid;
}

/* Which legs are counted on other servers; returns why one of them is not, and which. */
static const char *
decide_legs(PegsCounted *counted, const List *legs, const PegsSource *source, const PegsDomain *physical, Oid *pulled)
{
	const char *why_not = NULL;
	int			number = 0;
	ListCell   *cell;

	foreach(cell, legs)
	{
		const char *why = NULL;

		number++;
		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_FOREIGN_TABLE)
			continue;
		why = pegs_why_not_there(lfirst_oid(cell), physical, source->unit_column);
		if (why == NULL)
			counted->shipped_legs = lappend_int(counted->shipped_legs, number);
		else if (why_not == NULL)
		{
			why_not = why;
			*pulled = lfirst_oid(cell);
		}
	}
	if (number == 1 && OidIsValid(foreign_part(linitial_oid(legs))))
	{
		*pulled = foreign_part(linitial_oid(legs));
		why_not = source->relid == source->rows ? "a part of its table may not be read by itself (of another owner or session, row security, or no right to it)"
			: "a view of its table is read as a whole";
	}
	return why_not;
}

/*
 * How many legs are counted by one query: the executor holds what each has counted, as tables and as bytes, until the last
 * has ended. So many that these are together no more than one leg alone may have; the others come after them.
 */
static int
legs_at_once(const PegsCounter *counter)
{
	return (int) Max(1, Min(INT_MAX, (uint64) maintenance_work_mem * 1024 / sizeof(uint64_t) / Max(1, counter->layout.ncells)));
}

/*
 * A column as it is counted. One of a foreign table may have a scale that it has not there, numeric(3, 0) for numeric: rows
 * that travel are rounded to it when they come, and those that are counted there must be as well.
 */
static char *
counted_column(Oid relation, const char *name)
{
	static const struct
	{
		Oid			type;
		const char *name;		/* and that of its function of a value and a typmod */
	}			scaled[] = {{NUMERICOID, "numeric"}, {TIMEOID, "time"}, {TIMETZOID, "timetz"}, {TIMESTAMPOID, "timestamp"},
		{TIMESTAMPTZOID, "timestamptz"}, {INTERVALOID, "interval"}};
	AttrNumber	attnum = get_attnum(relation, name);
	char	   *quoted = pstrdup(quote_identifier(name));
	Oid			type = InvalidOid;
	int32		typmod = -1;
	Oid			collation;

	if (attnum != InvalidAttrNumber)
		get_atttypetypmodcoll(relation, attnum, &type, &typmod, &collation);
	type = getBaseTypeAndTypmod(type, &typmod);
	if (typmod < 0)
		return quoted;
	for (size_t k = 0; k < lengthof(scaled); k++)
		if (scaled[k].type == type)
			/* of a value that has a scale already nothing would be left of the call */
			return psprintf("pg_catalog.\"%s\"(%s::pg_catalog.\"%s\", %d) AS %s", scaled[k].name, quoted, scaled[k].name, typmod, quoted);
	return quoted;
}

/* far: whose columns they are, if its rows are a foreign table's; else InvalidOid. part: of persons, NULL: rows are counted */
static void
add_leg(StringInfo query, Oid far, const PegsDomain *physical, const char *relation, const PegsSource *source, const PegsTogether *part)
{
	const char *person = part ? quote_identifier(source->unit_column) : NULL;

	for (int i = 0; i < physical->ncols; i++)
		appendStringInfo(query, "%s%s", i == 0 ? "SELECT " : ", ",
						 OidIsValid(far) ? counted_column(far, physical->column[i].name) : quote_identifier(physical->column[i].name));
	if (part)
		appendStringInfo(query, ", %d, %s, %u, %s, %s", source->rows_per_unit, source->rows_each > 0 ? "true" : "false",
						 getBaseType(get_atttype(source->rows, get_attnum(source->rows, source->unit_column))), part->here, person);
	appendStringInfo(query, " FROM %s", relation);
	if (part)
		appendStringInfo(query, " WHERE %s IS NOT NULL", person);
	else if (source->range)
		appendStringInfo(query, " WHERE %s", source->range);
}

/* ---- how it is counted ---- */

/* An aggregate of ours; InvalidOid: the SQL that is installed is older. Nobody else's can take its place: it is a part of the extension. */
static Oid
our_aggregate(Oid schema, const char *name, Oid first, bool persons)
{
	Oid			of_persons[] = {first, INT4OID, BOOLOID, INT4OID, BOOLOID, ANYOID};
	Oid			of_rows[] = {first, ANYOID};
	oidvector  *arguments = persons ? buildoidvector(of_persons, lengthof(of_persons)) : buildoidvector(of_rows, lengthof(of_rows));
	Oid			function = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name), PointerGetDatum(arguments),
										   ObjectIdGetDatum(schema));

	return OidIsValid(function) && getExtensionOfObject(ProcedureRelationId, function) == get_extension_oid("pegs", false) ? function : InvalidOid;
}

/* Each process finds labels of enums by itself: whoever would rename one waits, until this transaction ends. */
static void
hold_labels(const PegsDomain *physical)
{
	for (int i = 0; i < physical->ncols; i++)
		if (type_is_enum(physical->column[i].type))
			LockDatabaseObject(TypeRelationId, physical->column[i].type, 0, RowShareLock);
}

/* A query for as many legs as are counted at once. */
static List *
queries_of(const PegsReading *reading, const PegsSource *source, const PegsDomain *physical, const List *legs, const List *persons, int at_once)
{
	List	   *queries = NIL;
	ListCell   *cell;

	foreach(cell, reading->parts ? reading->part_names : list_make1(reading->name))
	{
		int			number = foreach_current_index(cell);
		bool		there = get_rel_relkind(list_nth_oid(legs, number)) == RELKIND_FOREIGN_TABLE;

		if (number % at_once == 0)
			queries = lappend(queries, makeStringInfo());
		else
			appendStringInfoString(llast(queries), " UNION ALL ");
		add_leg(llast(queries), !there ? InvalidOid : reading->parts ? list_nth_oid(legs, number) : source->relid, physical, lfirst(cell), source,
				persons ? list_nth(persons, number) : NULL);
	}
	foreach(cell, queries)
		lfirst(cell) = ((StringInfo) lfirst(cell))->data;
	return queries;
}

static void
say(const PegsSource *source, const char *how)
{
	ereport(DEBUG1,
			(errmsg_internal("rows of %s were %s", source->name, how)));
}

/* persons: parts in which theirs are together, of PegsTogether; NIL: rows are counted */
static void
count_where_they_are(PegsCounter *counter, PegsReading *reading, const PegsSource *source, const PegsSpec *spec, Oid local, const List *legs, const List *persons)
{
	const PegsDomain *physical = pegs_physical(spec->domain);
	PegsCounted counted = {
		.persons = persons != NIL,
		.local = local,
		.shipped = our_aggregate(pegs_extension_namespace(), persons ? "pegs_agg_persons" : "pegs_agg", JSONOID, persons != NIL),
		.local_what = pegs_handed_on(spec),
		.shipped_what = cstring_to_text(spec->text)
	};
	DestReceiver *states = pegs_states(counter, spec, legs);
	Oid			pulled = InvalidOid;
	const char *why_not = decide_legs(&counted, legs, source, physical, &pulled);
	int			at_once = legs_at_once(counter);

	hold_labels(physical);
	counted.as_one = list_length(source->parts) > at_once;
	pegs_read_states(reading, queries_of(reading, source, physical, legs, persons, at_once), physical, &counted, states);
	pegs_require_states(states);
	counter->way = pegs_way_to_keep(&counted, legs, pulled, why_not);
	/* whom a function of the owner's serves learns nothing of how large the planner takes the rows to be */
	if (GetUserId() == GetOuterUserId())
		say(source, psprintf("counted %s; parallel workers that took part: %d", pegs_way_of_plan(&counted, legs, pulled, why_not), counted.workers));
}

/* Parts that are in several places: a server shows the rows of its first use in the transaction (docs/scale.md). */
static void
say_moments(const PegsSource *source)
{
	PegsServers servers = {0};
	bool		here = false;
	ListCell   *cell;

	if (!IsTransactionBlock())
		return;
	foreach(cell, source->parts)
		here |= RELKIND_HAS_STORAGE(get_rel_relkind(lfirst_oid(cell)));
	pegs_add_servers(&servers, source->parts);
	if (list_length(servers.names) + here < 2)
		return;
	ereport(NOTICE,
			(errmsg("rows of %s are in %d places, and another server's are as of its first use in this transaction", source->name, list_length(servers.names) + here),
			 errdetail("A row that was moved from one place to another since then may be counted twice, or not at all."),
			 errhint("Where rows move: ROLLBACK; and the same call in a transaction of its own.")));
}

/* Why persons are not counted by parts; NULL: they are. */
static const char *
count_persons(PegsCounter *counter, const PegsSource *source, const PegsSpec *spec)
{
	const PegsDomain *physical = pegs_physical(spec->domain);
	Oid			local = our_aggregate(pegs_internal_schema(), "counted_persons", BYTEAOID, true);
	const char *why = OidIsValid(local) ? NULL : OLDER;
	List	   *parts = NIL;
	List	   *legs = NIL;
	PegsReading *reading;
	ListCell   *cell;

	if (pegs_citus_distributes(source->rows))
		why = "the table is distributed by Citus";
	if (why == NULL)
		parts = pegs_together(source, physical, &why);
	if (why)
		return why;
	foreach(cell, parts)
		legs = lappend_oid(legs, ((PegsTogether *) lfirst(cell))->relid);
	reading = pegs_reading_source(source, physical);
	if (!pegs_reading_these(reading, source, legs))
		return "a part of its table may not be read by itself (of another owner or session, row security, or no right to it)";
	count_where_they_are(counter, reading, source, spec, local, legs, parts);
	return NULL;
}

/* Why all rows come here; NULL: they are counted where they are. */
static const char *
count(PegsCounter *counter, const PegsSource *source)
{
	const char *why = why_by_row(counter, source);
	Oid			local = our_aggregate(pegs_internal_schema(), "counted", BYTEAOID, false);
	PegsSpec   *spec = why ? NULL : counted_alone(counter);
	PegsReading *reading;

	if (why)
		return why;
	if (!OidIsValid(local))
		return OLDER;
	if (!can_be_told(spec))
		return "what is counted is too long to be handed on";
	if (source->unit_column)
	{
		why = count_persons(counter, source, spec);
		return why ? psprintf("the rows of a person are looked at together, and %s", why) : NULL;
	}
	if (pegs_citus_distributes(source->rows))
		return pegs_count_by_shard(counter, source, spec);
	reading = pegs_reading_source(source, pegs_physical(spec->domain));
	count_where_they_are(counter, reading, source, spec, local, pegs_reading_parts(reading, source) ? reading->parts : list_make1_oid(source->rows), NIL);
	return NULL;
}

void
pegs_counter_scan(PegsCounter *counter, const PegsSource *source)
{
	const char *why;

	say_moments(source);
	if (counter->progress)
		pegs_env_step(counter->progress, PEGS_STEP_READ);
	why = count(counter, source);
	if (why)
	{
		counter->way = psprintf("row by row: %s", why);
		pegs_counter_read(counter, source);
	}
	if (why || pegs_citus_distributes(source->rows))
		say(source, psprintf("%s %s", why ? "read" : "counted", counter->way));
}
