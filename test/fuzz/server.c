/*
 * server.c
 *	  libFuzzer inside a backend: the SQL function that runs a target.
 *
 * The backend belongs to the driver from then on: it starts no thread and no
 * timer (see test/fuzz/run for its flags), prints to a file of its own, and
 * ends the process when it is done. Each input runs in a memory context and a
 * subtransaction that are thrown away. An error that pegs reports is a normal
 * end; an internal error (XX000) is a finding, as a crash is.
 */
#include "server.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/resowner.h"

extern int	LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one) (const uint8_t *data, size_t size));
extern PGDLLEXPORT const Pg_finfo_record *pg_finfo_pegs_fuzz(void);
extern PGDLLEXPORT Datum pegs_fuzz(PG_FUNCTION_ARGS);

static const target *const targets[] = {
	&check_target, &facts_target, &spec_target, &given_target, &forbid_target, &options_target
};
static const target *chosen;
static MemoryContext input_context;
static bool accepted;
static unsigned long inputs;
static unsigned long reached;

void
fuzz_reached(void)
{
	reached++;
}

void
fuzz_accepted(void)
{
	fuzz_reached();
	accepted = true;
}

/* How deep the inputs got: a target whose inputs are all refused tests little. */
static void
say_reached(void)
{
	fprintf(stderr, "stat::reached:                  %lu of %lu inputs were taken and used\n", reached, inputs);
}

void
fuzz_finding(const char *format,...)
{
	va_list		args;

	va_start(args, format);
	fprintf(stderr, "FINDING: ");
	vfprintf(stderr, format, args);
	fprintf(stderr, "\n");
	va_end(args);
	if (chosen && chosen->describe)
		chosen->describe();
	abort();
}

char *
fuzz_text(input *in)
{
	char	   *text = palloc(in->left + 1);
	size_t		n = 0;

	for (; in->left > 0; in->left--, in->at++)
		if (*in->at & 0x7f)
			text[n++] = (char) (*in->at & 0x7f);	/* what reaches pegs is valid in the server's encoding */
	text[n] = '\0';
	return text;
}

/* ---- JSON ---- */

void
fuzz_json_string(StringInfo out, const char *text)
{
	appendStringInfoChar(out, '"');
	for (; *text; text++)
	{
		if (*text == '"' || *text == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, *text);
	}
	appendStringInfoChar(out, '"');
}

static void put_value(StringInfo out, input *in, const words *words, int depth);

void
fuzz_json_value(StringInfo out, input *in, const words *words)
{
	put_value(out, in, words, 3);
}

static void
put_value(StringInfo out, input *in, const words *words, int depth)
{
	static const char *const odd[] = {"null", "true", "false", "0", "1", "-1", "2", "3.5", "1e400", "\"\"", "1e-9", "99999999999"};
	uint32_t	n;

	switch (below(in, 8))
	{
		case 0:
		case 1:
			fuzz_json_string(out, words->values[below(in, words->nvalues)]);
			break;
		case 2:
			appendStringInfoString(out, words->values[below(in, words->nvalues)]);	/* a number, or no JSON at all */
			break;
		case 3:
			appendStringInfoString(out, odd[below(in, lengthof(odd))]);
			break;
		case 4:
			fuzz_json_string(out, words->keys[below(in, words->nkeys)]);
			break;
		case 5:
		case 6:
			n = below(in, 4);
			appendStringInfoChar(out, '[');
			for (uint32_t i = 0; i < n && depth < 6; i++)
			{
				appendStringInfoString(out, i > 0 ? ", " : "");
				put_value(out, in, words, depth + 1);
			}
			appendStringInfoChar(out, ']');
			break;
		default:
			n = below(in, 3);
			appendStringInfoChar(out, '{');
			for (uint32_t i = 0; i < n && depth < 6; i++)
			{
				appendStringInfoString(out, i > 0 ? ", " : "");
				fuzz_json_string(out, words->keys[below(in, words->nkeys)]);
				appendStringInfoString(out, ": ");
				put_value(out, in, words, depth + 1);
			}
			appendStringInfoChar(out, '}');
	}
}

char *
fuzz_json(input *in, const words *words)
{
	StringInfoData out;
	uint32_t	n = take_byte(in) % 8;

	if (n == 7)
		return fuzz_text(in);
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (uint32_t i = 0; i < n; i++)
	{
		appendStringInfoString(&out, i > 0 ? ", " : "");
		fuzz_json_string(&out, words->keys[below(in, words->nkeys)]);
		appendStringInfoString(&out, ": ");
		put_value(&out, in, words, 1);
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}

/* ---- the driver ---- */

static void
judge(void)
{
	ErrorData  *error;

	MemoryContextSwitchTo(input_context);
	error = CopyErrorData();
	FlushErrorState();
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED || error->sqlerrcode == ERRCODE_ADMIN_SHUTDOWN)
		_exit(3);
	if (error->sqlerrcode == ERRCODE_INTERNAL_ERROR)
		fuzz_finding("internal error: %s (%s:%d)", error->message, error->filename, error->lineno);
	if (accepted)
		fuzz_finding("error after the input was accepted: %s (%s, %s:%d)", error->message,
					 unpack_sql_state(error->sqlerrcode), error->filename, error->lineno);
}

static int
one_input(const uint8_t *data, size_t size)
{
	ResourceOwner owner = CurrentResourceOwner;
	MemoryContext old = CurrentMemoryContext;
	input		in = {data, size};

	CHECK_FOR_INTERRUPTS();
	accepted = false;
	inputs++;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(input_context);
	PG_TRY();
	{
		guard_on();
		chosen->one(&in);
	}
	PG_CATCH();
	{
		judge();
	}
	PG_END_TRY();
	guard_off();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(old);
	CurrentResourceOwner = owner;
	MemoryContextReset(input_context);
	return 0;
}

/* pegs_fuzz(target text, log text, arguments text[]): does not return; the log says how it went. */
PG_FUNCTION_INFO_V1(pegs_fuzz);
Datum
pegs_fuzz(PG_FUNCTION_ARGS)
{
	char	   *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char	   *log = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Datum	   *items;
	int			n;
	int			argc = 1;
	char	  **argv;
	int			fd;
	MemoryContext old;

	for (size_t i = 0; i < lengthof(targets); i++)
		if (strcmp(targets[i]->name, name) == 0)
			chosen = targets[i];
	if (chosen == NULL)
		elog(ERROR, "no target %s", name);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(2), TEXTOID, -1, false, 'i', &items, NULL, &n);
	argv = palloc(sizeof(char *) * (n + 2));
	argv[0] = name;
	for (int i = 0; i < n; i++)
		argv[argc++] = TextDatumGetCString(items[i]);
	argv[argc] = NULL;
	fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
		elog(ERROR, "cannot write %s: %m", log);
	input_context = AllocSetContextCreate(TopMemoryContext, "fuzz input", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(TopMemoryContext);
	chosen->start();
	MemoryContextSwitchTo(old);
	atexit(say_reached);
	/* its own end is exit(): the server's exit callbacks run, the transaction is aborted */
	(void) LLVMFuzzerRunDriver(&argc, &argv, one_input);
	PG_RETURN_VOID();
}
