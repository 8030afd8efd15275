# pegs: built with PGXS, the build system of PostgreSQL's extensions.
#
#   make && sudo make install                    needs a compiler and the server headers, nothing else
#   make PG_CONFIG=/path/to/pg_config            for one server among many
#   make WERROR=1                                warnings are errors: what the tests use
#   make demo, make playground                   pegs at work in a private server; the second opens psql there
#   make test, make test-all                     what shows that a build can be trusted; everything
#                                                (these four say what they need, install it, then run)
#   make dist                                    what is committed, as a zip file: for PGXN, and to make packages of
#   make unit                                    the tests of src/core alone: need only a compiler
#   make installcheck                            sql/ against a running server, as every extension does it
#
# Never here: -march=native or -ffast-math. What a draw gives may not depend on the machine.

EXTENSION = pegs
MODULE_big = pegs
PEGS_VERSION := $(shell sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" pegs.control)

# The order matters: facts are declared before a fit, a fit comes before a sample.
REGRESS = facts source fit sample release budget rights unit forbid structure export comparisons paper publish methods

CORE_SRCS := $(sort $(wildcard src/core/*.c src/core/*/*.c))
GLUE_SRCS := $(sort $(wildcard src/*.c) $(filter-out src/core/%,$(wildcard src/*/*.c src/*/*/*.c)))
OBJS = $(GLUE_SRCS:.c=.o) $(CORE_SRCS:.c=.o)
ALL_HEADERS := $(wildcard src/*/*.h src/*/*/*.h)
# Released versions, as they were, and the upgrade scripts from one to the next; the last one is made below.
UPGRADE := $(wildcard src/upgrade/pegs--*--$(PEGS_VERSION).sql)
DATA = $(filter-out $(UPGRADE),$(wildcard src/upgrade/*.sql))
DATA_built = pegs--$(PEGS_VERSION).sql $(notdir $(UPGRADE))
EXTRA_CLEAN = build

# The first pg_config that has its headers: the one of the PATH, else the newest of Debian's.
ifndef PG_CONFIG
PG_CONFIG := $(shell for c in pg_config $$(ls -d /usr/lib/postgresql/*/bin/pg_config 2>/dev/null | sort -rV); do \
	[ -e "$$($$c --includedir-server 2>/dev/null)/postgres.h" ] && echo $$c && exit; done; echo pg_config)
endif
SERVER_INCLUDE := $(shell $(PG_CONFIG) --includedir-server 2>/dev/null)
PGXS := $(if $(wildcard $(SERVER_INCLUDE)/postgres.h),$(wildcard $(shell $(PG_CONFIG) --pgxs 2>/dev/null)))

# -ffp-contract=off: the same double on a machine with fused multiply-add as on one without.
STRICT = -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror)
ARITHMETIC = -ffp-contract=off
# A function of PostgreSQL has arguments that it does not use.
PG_CFLAGS = $(STRICT) -Wno-unused-parameter $(ARITHMETIC) -fvisibility=hidden
# -isystem: the server's own headers are not ours to warn about.
# PGDLLEXPORT: empty before PostgreSQL 16, and then -fvisibility=hidden would hide the SQL functions too.
PG_CPPFLAGS = -Isrc -isystem $(SERVER_INCLUDE) '-DPGDLLEXPORT=__attribute__((visibility("default")))'
# No bitcode for the JIT: it would need clang and wins nothing here.
override with_llvm := no

.DEFAULT_GOAL := all
.PHONY: all install installcheck uninstall clean unit demo playground test test-all bench dist show-pg_config show-regress FORCE

ifneq ($(PGXS),)
include $(PGXS)

# An object of another server version or of other warnings is made anew.
$(OBJS): $(ALL_HEADERS) Makefile build/flags
build/flags: FORCE
	@mkdir -p build
	@echo '$(CC) $(VERSION_NUM) $(SERVER_INCLUDE) $(PG_CFLAGS)' | cmp -s - $@ || \
	echo '$(CC) $(VERSION_NUM) $(SERVER_INCLUDE) $(PG_CFLAGS)' >$@
else
all install installcheck uninstall:
	@echo "pegs: $(PG_CONFIG) leads to no PostgreSQL server headers." >&2
	@echo "  Debian, Ubuntu:   sudo apt-get install postgresql-server-dev-all" >&2
	@echo "  Fedora, RHEL:     sudo dnf install postgresql-server-devel" >&2
	@echo "  another place:    make PG_CONFIG=/path/to/pg_config" >&2
	@echo "  'make demo', 'make playground' and 'make test' install what they need (Debian)." >&2
	@exit 1
clean:
	rm -rf build pegs.so $(OBJS) $(DATA_built) results regression.diffs regression.out
endif

# The install script is made of the SQL of the folders, in this order, which matters: a name is looked up when it is read, so that
# what is used comes first. That is from the lowest floor upwards, and in a folder tables and functions in C before the views on
# them; the ends look at all that was made. A new install replaces nothing: a name that somebody has taken is an error that says so.
SQL = src/server/server.sql src/source/source.sql src/budget/budget.sql src/budget/views.sql src/facts/facts.sql src/read/read.sql \
	src/models/models.sql src/models/views.sql src/learn/learn.sql src/rows/rows.sql src/slices/slices.sql src/scores/scores.sql src/generalize/generalize.sql src/disaggregate/disaggregate.sql src/measures/measures.sql src/report/health.sql src/report/report.sql src/report/summary.sql \
	src/end_of_both.sql src/end_of_install.sql
# What is replaced as a whole also ends the upgrade script from the version before, in the same order, and without what gives or
# takes rights on anything in the extension's schema: there a DBA may have granted and revoked since (src/server/server.sql).
REPLACED = $(filter %/views.sql src/report/%.sql src/end_of_both.sql,$(SQL))
pegs--$(PEGS_VERSION).sql: $(SQL) pegs.control Makefile
	sed 's/^CREATE OR REPLACE /CREATE /' $(SQL) >$@
$(notdir $(UPGRADE)): $(UPGRADE) $(REPLACED) Makefile
	sed -e '/^GRANT .* @extschema@\./d' -e '/^REVOKE .* @extschema@\./d' $(REPLACED) | cat $(UPGRADE) - >$@

# ---------------------------------------------------------------- the tests of the core
# One program for each test/unit/*_test.c, with all of src/core, watched by ASan and UBSan.
UNIT_CC = $(or $(UNIT_COMPILER),cc)
UNIT_CFLAGS = -std=gnu11 -g1 -O1 -Wall -Wextra -Werror $(ARITHMETIC) -Isrc -Itest/unit \
	-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
UNIT_CORE := $(patsubst src/%.c,build/unit/%.o,$(CORE_SRCS))

build/unit/core/%.o: src/core/%.c $(ALL_HEADERS) Makefile
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_CFLAGS) -c -o $@ $<
# draws and checksums take a third of the time of those tests that have the most of them
build/unit/core/rng.o build/unit/core/crc.o: UNIT_CFLAGS += -O2
# witness_test breaks these, one after the other
build/unit/witness_test: WRAPPED = pegs_measure pegs_variance_of_cost pegs_selection_of_cost pegs_discrete_laplace \
	pegs_discrete_gaussian pegs_exponential_mechanism
# every draw of these is told which noise it gets
build/unit/levels_test build/unit/range_test build/unit/additive_test build/unit/accountant_sum_test: WRAPPED = pegs_discrete_laplace
# sees what choosing nothing is worth
build/unit/engine_replay_test: WRAPPED = pegs_choose
build/unit/choice_test: WRAPPED = pegs_exponential_mechanism
build/unit/schema_loss_test: WRAPPED = pegs_measure pegs_choose pegs_discrete_laplace pegs_exponential_mechanism pegs_siblings_fit
build/unit/accountant_urns_test: WRAPPED = pegs_urn_put_back pegs_urn_draw pegs_urn_price
# each branch of these tells engine_turns_test that it was taken; no sanitizer, which has branches of its own
TRACED := $(filter src/core/graph/% src/core/accountant.c src/core/noise.c,$(CORE_SRCS))
build/traced/%.o: src/%.c $(ALL_HEADERS) Makefile
	@mkdir -p $(@D)
	$(UNIT_CC) $(filter-out -fsanitize% -fno-sanitize%,$(UNIT_CFLAGS)) -fsanitize-coverage=trace-pc -c -o $@ $<
# An archive: a program gets what it calls alone, and links in a third of the time. Names are not unique: q, not r.
build/unit/core.a: $(UNIT_CORE)
	rm -f $@ && ar cqs $@ $^
UNIT_LINKED = build/unit/core.a
build/unit/engine_turns_test: UNIT_LINKED = $(filter-out $(TRACED:src/%.c=build/unit/%.o),$(UNIT_CORE)) $(TRACED:src/%.c=build/traced/%.o)
build/unit/engine_turns_test: $(TRACED:src/%.c=build/traced/%.o)
build/unit/%_test: test/unit/%_test.c build/unit/core.a $(ALL_HEADERS) $(wildcard test/unit/*.h) Makefile
	@mkdir -p $(@D)
	$(UNIT_CC) $(UNIT_CFLAGS) -o $@ $< $(UNIT_LINKED) $(WRAPPED:%=-Wl,--wrap=%) -lm

unit:
	@test/run unit
demo:
	@demo/run
playground:
	@demo/playground
test:
	@test/run
test-all:
	@test/run all
bench:
	@bench/run
# What is committed, and nothing else. It needs no PostgreSQL.
dist:
	@mkdir -p build
	git archive --format=zip --prefix=pegs-$(PEGS_VERSION)/ --output=build/pegs-$(PEGS_VERSION).zip HEAD
show-pg_config:
	@echo $(PG_CONFIG)
show-regress:
	@echo $(REGRESS)
