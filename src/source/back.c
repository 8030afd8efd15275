/*
 * back.c
 *	  Where is a server of postgres_fdw, and is it this one?
 *
 * By what its options say, and by what libpq takes where they say nothing: the
 * environment of this server, and for the name of the database the user's. A
 * foreign table that leads back to this database is a second name for a relation
 * that is here, which has an account, a unit, and rules of what it must be, of its
 * own: it is no source. What could be either is taken for this database where a
 * relation of that name is here. Of a host by its name, and of the file of a
 * service, it is not known. Law L3.
 */
#include "source/source.h"

#include <arpa/inet.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_user_mapping.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "libpq/ifaddr.h"
#include "miscadmin.h"
#include "utils/varlena.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The value of an option; of more than one the last that is there. */
const char *
pegs_option_of(const List *options, const char *name, const char *otherwise)
{
	ListCell   *cell;

	foreach(cell, options)
		if (strcmp(lfirst_node(DefElem, cell)->defname, name) == 0)
			otherwise = defGetString(lfirst(cell));
	return otherwise;
}

/* As libpq takes it: an empty one is none, and then a variable of the environment counts. variable NULL: none does. */
static const char *
told(const List *options, const char *name, const char *variable, const char *otherwise)
{
	const char *value = pegs_option_of(options, name, "");

	if (*value == '\0' && variable && getenv(variable))
		value = getenv(variable);
	return *value == '\0' ? otherwise : value;
}

/* ---- hosts and ports, as one writes them ---- */

/* The 16 bytes of an address; of IPv4 as IPv6 maps it. False: it is a name, or no address. */
static bool
address_of(const char *host, unsigned char *address)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	char		plain[64];

	strlcpy(plain, host, sizeof(plain));
	plain[strcspn(plain, "%")] = '\0';	/* an interface of this machine */
	if (inet_pton(AF_INET6, plain, address) == 1)
		return true;
	memcpy(address, mapped, sizeof(mapped));
	return inet_pton(AF_INET, plain, address + 12) == 1;
}

typedef struct Wanted
{
	unsigned char address[16];
	bool		found;
} Wanted;

static void
compare_interface(struct sockaddr *address, struct sockaddr *mask, void *wanted)
{
	char		text[INET6_ADDRSTRLEN];
	unsigned char own[16];
	const void *bytes = address->sa_family == AF_INET ? (const void *) &((struct sockaddr_in *) address)->sin_addr
		: address->sa_family == AF_INET6 ? (const void *) &((struct sockaddr_in6 *) address)->sin6_addr : NULL;

	if (bytes && inet_ntop(address->sa_family, bytes, text, sizeof(text)) && address_of(text, own))
		((Wanted *) wanted)->found |= memcmp(own, ((Wanted *) wanted)->address, sizeof(own)) == 0;
}

/* Is it a directory in which this server has a socket? By whatever name. */
static bool
is_own_socket(const char *directory)
{
	List	   *own;
	ListCell   *cell;
	struct stat there;
	struct stat here;

	if (!SplitDirectoriesString(pstrdup(GetConfigOption("unix_socket_directories", false, false)), ',', &own))
		return true;
	foreach(cell, own)
		if (strcmp(lfirst(cell), directory) == 0
			|| (stat(lfirst(cell), &here) == 0 && stat(directory, &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino))
			return true;
	return false;
}

/* One of a list, as libpq has them: "" is a socket of this machine. */
static bool
is_own_host(const char *host)
{
	static const unsigned char none[16] = {0};
	static const unsigned char loopback[16] = {[15] = 1};
	static const unsigned char none_v4[16] = {[10] = 0xff, [11] = 0xff};
	Wanted		wanted = {{0}, false};

	if (*host == '\0' || pg_strcasecmp(host, "localhost") == 0)
		return true;
	if (*host == '/' || *host == '@')
		return is_own_socket(host);
	if (!address_of(host, wanted.address))
		return false;
	if (memcmp(wanted.address, none, 16) == 0 || memcmp(wanted.address, loopback, 16) == 0 || memcmp(wanted.address, none_v4, 16) == 0
		|| (memcmp(wanted.address, none_v4, 12) == 0 && wanted.address[12] == 127))
		return true;
	(void) pg_foreach_ifaddr(compare_interface, &wanted);
	return wanted.found;
}

/* One host, in the words in which every writing of it has it; this machine is "". */
static const char *
host_words(const char *host)
{
	unsigned char address[16];
	char		text[INET6_ADDRSTRLEN];
	char	   *words;

	if (is_own_host(host))
		return "";
	if (address_of(host, address) && inet_ntop(AF_INET6, address, text, sizeof(text)))
		return pstrdup(text);
	words = pstrdup(host);
	for (char *p = words; *p; p++)
		*p = (char) pg_tolower((unsigned char) *p);
	return words;
}

static const char *
port_words(const char *port)
{
	return psprintf("%ld", strtol(*port ? port : DEF_PGPORT_STR, NULL, 10));
}

/* What libpq takes for a list, separated by commas: in their order, each in such words. */
static List *
each_of(const char *list, const char *(*words) (const char *one))
{
	List	   *all = NIL;
	char	   *one = pstrdup(list);
	char	   *end;

	for (; (end = strchr(one, ',')) != NULL; one = end + 1)
	{
		*end = '\0';
		all = lappend(all, unconstify(char *, words(one)));
	}
	return lappend(all, unconstify(char *, words(one)));
}

static bool
has(const List *all, const char *one)
{
	ListCell   *cell;

	foreach(cell, all)
		if (strcmp(lfirst(cell), one) == 0)
			return true;
	return false;
}

/* ---- where a server is ---- */

/* The role of the operating system as which this server runs; NULL: not known. */
static const char *
user_of_system(void)
{
	struct passwd *entry = getpwuid(geteuid());

	return entry ? pstrdup(entry->pw_name) : NULL;
}

typedef struct Place
{
	const char *service;		/* "": none; else what is not said is in its file */
	List	   *hosts;			/* NIL: not known */
	List	   *ports;			/* NIL: not known */
	List	   *databases;		/* one, or those that are called as the users of the server; NIL: not known */
	bool		others;			/* there may be others */
} Place;

/* As whom a user mapping's session is opened; NULL: not known. */
static const char *
user_of(const List *options)
{
	const char *user = told(options, "user", "PGUSER", NULL);

	return user ? user : user_of_system();
}

/* No database is named: libpq goes to the one that is called as the user. */
static void
find_users(Oid serverid, Place *place)
{
	Relation	rel = table_open(UserMappingRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		options = heap_getattr(tuple, Anum_pg_user_mapping_umoptions, RelationGetDescr(rel), &isnull);
		const char *user;

		if (((Form_pg_user_mapping) GETSTRUCT(tuple))->umserver != serverid)
			continue;
		user = user_of(isnull ? NIL : untransformRelOptions(options));
		if (user == NULL)
			place->others = true;
		else if (!has(place->databases, user))
			place->databases = lappend(place->databases, pstrdup(user));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	place->others |= place->databases == NIL;
}

/* As libpq finds it. */
static Place
place_of(const ForeignServer *server)
{
	const List *options = server->options;
	Place		place = {.service = told(options, "service", "PGSERVICE", "")};
	/* what is said goes before a service's file, and that before the environment */
	bool		known = *place.service == '\0';
	const char *host = told(options, "hostaddr", known ? "PGHOSTADDR" : NULL, told(options, "host", known ? "PGHOST" : NULL, known ? "" : NULL));
	const char *port = told(options, "port", known ? "PGPORT" : NULL, known ? DEF_PGPORT_STR : NULL);
	const char *dbname = told(options, "dbname", known ? "PGDATABASE" : NULL, NULL);

	place.hosts = host ? each_of(host, host_words) : NIL;
	place.ports = port ? each_of(port, port_words) : NIL;
	if (dbname)
		place.databases = list_make1(pstrdup(dbname));
	else if (known)
		find_users(server->serverid, &place);
	else
		place.others = true;
	return place;
}

/* What a foreign table of postgres_fdw names on its server. False: it is none, or is being dropped. */
static bool
named_there(Oid relid, ForeignServer **server, const char **schema, const char **name)
{
	List	   *options;

	if (!pegs_foreign(relid, server, &options) || !pegs_server_is_of(*server, "postgres_fdw_handler"))
		return false;
	*schema = pegs_option_of(options, "schema_name", get_namespace_name(get_rel_namespace(relid)));
	*name = pegs_option_of(options, "table_name", get_rel_name(relid));
	return *schema && *name;
}

/* The relation of this database that it stands for; InvalidOid: for none, as far as is known. */
Oid
pegs_leads_back(Oid relid)
{
	ForeignServer *server;
	const char *schema;
	const char *name;
	Place		place;

	if (!named_there(relid, &server, &schema, &name))
		return InvalidOid;
	place = place_of(server);
	if (!has(place.hosts, "") || !has(place.ports, port_words(GetConfigOption("port", false, false)))
		|| !(place.others || has(place.databases, get_database_name(MyDatabaseId))))
		return InvalidOid;
	return get_relname_relid(name, get_namespace_oid(schema, true));
}

static void
append_all(StringInfo rows, const List *all)
{
	ListCell   *cell;

	foreach(cell, all)
		appendStringInfo(rows, "%s,", (const char *) lfirst(cell));
	appendStringInfoChar(rows, '\n');
}

/* Of char *: where its rows are, as far as is known; one for each database that it may be. NIL: as above. */
List *
pegs_places_there(Oid relid)
{
	ForeignServer *server;
	const char *schema;
	const char *name;
	List	   *places = NIL;
	Place		place;
	StringInfoData of_server;
	ListCell   *cell;

	if (!named_there(relid, &server, &schema, &name))
		return NIL;
	place = place_of(server);
	initStringInfo(&of_server);
	appendStringInfo(&of_server, "%s\n", place.service);
	append_all(&of_server, place.hosts);
	append_all(&of_server, place.ports);
	foreach(cell, place.databases)
		places = lappend(places, psprintf("%s%s\n%s\n%s", of_server.data, (const char *) lfirst(cell), schema, name));
	if (place.others)
		places = lappend(places, psprintf("%s\n%s\n%s", of_server.data, schema, name));
	return places;
}
