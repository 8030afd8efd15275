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

#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_user_mapping.h"
#include "commands/dbcommands.h"
#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "libpq/ifaddr.h"
#include "miscadmin.h"
#include "utils/varlena.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

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

	if (*value == '\0' && variable)
		value = getenv(variable);
	return value == NULL || *value == '\0' ? otherwise : value;
}

/* ---- hosts and ports, as one writes them ---- */

#define MANY_HOSTS 64			/* of a list of more it is not asked which the others are: one could be this machine */

/* Of IPv4 as IPv6 maps it. */
typedef struct Address
{
	unsigned char bytes[16];
	uint32		scope;			/* interface of a link's own address */
} Address;

static const Address loopback_v4 = {{[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1}, 0};

static bool
take_address(const struct sockaddr *from, Address *address)
{
	memset(address, 0, sizeof(*address));
	if (from->sa_family == AF_INET)
	{
		address->bytes[10] = address->bytes[11] = 0xff;
		memcpy(address->bytes + 12, &((const struct sockaddr_in *) from)->sin_addr, 4);
	}
	else if (from->sa_family == AF_INET6)
	{
		memcpy(address->bytes, &((const struct sockaddr_in6 *) from)->sin6_addr, 16);
		address->scope = ((const struct sockaddr_in6 *) from)->sin6_scope_id;
	}
	return from->sa_family == AF_INET || from->sa_family == AF_INET6;
}

/* In every writing that libpq takes. False: it is a name, or no address. */
static bool
address_of(const char *host, Address *address)
{
	struct addrinfo hint = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	bool		is;

	if (pg_strcasecmp(host, "localhost") == 0)
	{
		*address = loopback_v4;
		return true;
	}
	if (getaddrinfo(host, NULL, &hint, &found) != 0)
		return false;
	is = take_address(found->ai_addr, address);
	freeaddrinfo(found);
	return is;
}

typedef struct Wanted
{
	Address		address;
	bool		found;
} Wanted;

static void
compare_interface(struct sockaddr *address, struct sockaddr *mask, void *wanted)
{
	Address		own;

	if (address && take_address(address, &own))
		((Wanted *) wanted)->found |= memcmp(&own, &((Wanted *) wanted)->address, sizeof(own)) == 0;
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

/* Does libpq come to this machine by it? */
static bool
is_own_address(const Address *address)
{
	static const Address none = {{0}, 0};
	static const Address loopback = {{[15] = 1}, 0};
	static const Address none_v4 = {{[10] = 0xff, [11] = 0xff}, 0};
	Wanted		wanted = {*address, false};

	if (memcmp(address, &none, sizeof(none)) == 0 || memcmp(address, &loopback, sizeof(none)) == 0 || memcmp(address, &none_v4, sizeof(none)) == 0
		|| memcmp(address, &loopback_v4, 13) == 0)
		return true;
	(void) pg_foreach_ifaddr(compare_interface, &wanted);
	return wanted.found;
}

/* One host and its port, in words that every writing of them has; those of this server are "here". */
static char *
end_words(const char *host, const char *port)
{
	long		number = strtol(*port ? port : DEF_PGPORT_STR, NULL, 10);
	bool		own_port = number == strtol(GetConfigOption("port", false, false), NULL, 10);
	Address		address;
	StringInfoData words;

	initStringInfo(&words);
	if (*host == '\0')
		host = DEFAULT_PGSOCKET_DIR;
	if (*host == '/' || *host == '@')
	{
		char		real[PATH_MAX];

		if (own_port && is_own_socket(host))
			return "here";
		appendStringInfo(&words, "%s %ld", *host == '/' && realpath(host, real) ? real : host, number);
		return words.data;
	}
	if (address_of(host, &address))
	{
		if (own_port && is_own_address(&address))
			return "here";
		for (size_t i = 0; i < sizeof(address.bytes); i++)
			appendStringInfo(&words, "%02x", address.bytes[i]);
		appendStringInfo(&words, "%%%u", address.scope);
	}
	else
		for (const char *p = host; *p; p++)
			appendStringInfoChar(&words, (char) pg_tolower((unsigned char) *p));
	appendStringInfo(&words, " %ld", number);
	return words.data;
}

/* What commas separate, in its order. */
static List *
each_of(const char *list)
{
	List	   *all = NIL;
	char	   *one = pstrdup(list);
	char	   *end;

	for (; (end = strchr(one, ',')) != NULL; one = end + 1)
	{
		*end = '\0';
		all = lappend(all, one);
	}
	return lappend(all, one);
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
	List	   *ends;			/* of char *: hosts with their ports, each once */
	List	   *databases;		/* of char *: one; NIL: not known */
	bool		others;			/* it may be any */
} Place;

/* As whom a user mapping's session is opened; NULL: not known. */
static const char *
user_of(const List *options)
{
	const char *user = told(options, "user", "PGUSER", NULL);

	return user ? user : user_of_system();
}

/* No database is named: libpq goes to the one that is called as the user, by whose mapping the role reads: its own, else that of all. */
static void
find_user(Oid serverid, Oid role, Place *place)
{
	HeapTuple	tuple = SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(role), ObjectIdGetDatum(serverid));
	const char *user = NULL;

	if (!HeapTupleIsValid(tuple))
		tuple = SearchSysCache2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid), ObjectIdGetDatum(serverid));
	if (HeapTupleIsValid(tuple))
	{
		bool		isnull;
		Datum		options = SysCacheGetAttr(USERMAPPINGUSERSERVER, tuple, Anum_pg_user_mapping_umoptions, &isnull);

		user = user_of(isnull ? NIL : untransformRelOptions(options));
		ReleaseSysCache(tuple);
	}
	if (user)
		place->databases = list_make1(pstrdup(user));
	else
		place->others = true;
}

/* Where no address is said, alone or at its place of a list, it is the host of that place. */
static void
find_ends(const char *address, const char *host, const char *port, Place *place)
{
	List	   *names = each_of(host);
	List	   *hosts = *address ? each_of(address) : names;
	List	   *ports = each_of(port);

	if (list_length(hosts) > MANY_HOSTS)
		place->ends = list_make1("here");
	for (int i = 0; i < Min(list_length(hosts), MANY_HOSTS); i++)
	{
		const char *one = list_nth(hosts, i);
		char	   *end = end_words(*one == '\0' && i < list_length(names) ? list_nth(names, i) : one,
								list_length(ports) == 1 ? linitial(ports) : i < list_length(ports) ? list_nth(ports, i) : "");

		CHECK_FOR_INTERRUPTS();
		if (!has(place->ends, end))
			place->ends = lappend(place->ends, end);
	}
}

static bool
has_many(const ForeignServer *server, const char *option)
{
	return list_length(each_of(pegs_option_of(server->options, option, ""))) > MANY_HOSTS;
}

/* Rows of such a server are neither read nor paid for. */
void
pegs_require_few_hosts(const List *parts)
{
	ListCell   *cell;

	foreach(cell, pegs_servers_of(parts))
	{
		ForeignServer *server = GetForeignServerExtended(lfirst_oid(cell), FSV_MISSING_OK);

		if (server && pegs_server_is_of(server, "postgres_fdw_handler") && (has_many(server, "host") || has_many(server, "hostaddr")))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("server \"%s\" lists too many hosts to know where it is", server->servername),
					 errdetail("Rows of any of them could be paid for by another account, or be rows of this database. Up to %d are compared.", MANY_HOSTS),
					 errhint("ALTER SERVER %s OPTIONS (SET %s '...');", quote_identifier(server->servername), has_many(server, "host") ? "host" : "hostaddr")));
	}
}

/* As libpq finds it for who asks. */
static Place
place_of(const ForeignServer *server, Oid role)
{
	const List *options = server->options;
	Place		place = {.service = told(options, "service", "PGSERVICE", "")};
	/* what is said goes before a service's file, and that before the environment */
	bool		known = *place.service == '\0';
	const char *address = told(options, "hostaddr", known ? "PGHOSTADDR" : NULL, "");
	const char *host = told(options, "host", known ? "PGHOST" : NULL, known || *address ? "" : NULL);
	const char *port = told(options, "port", known ? "PGPORT" : NULL, known ? DEF_PGPORT_STR : NULL);
	const char *dbname = told(options, "dbname", known ? "PGDATABASE" : NULL, NULL);

	if (host && port)
		find_ends(address, host, port, &place);
	else
		place.ends = list_make1(psprintf("%s %s", *address ? address : host ? host : "", port ? port : ""));
	if (dbname)
		place.databases = list_make1(pstrdup(dbname));
	else if (known)
		find_user(server->serverid, role, &place);
	else
		place.others = true;
	if (host && port && dbname)
		place.service = "";
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

static bool
is_here(const ForeignServer *server, Oid role)
{
	Place		place = place_of(server, role);

	return has(place.ends, "here") && (place.others || has(place.databases, get_database_name(MyDatabaseId)));
}

/* The relation of this database that it stands for, by its owner's mapping or that of the role that asks; InvalidOid: for none, as far as is known. */
Oid
pegs_leads_back(Oid relid, Oid asks)
{
	ForeignServer *server;
	const char *schema;
	const char *name;

	if (!named_there(relid, &server, &schema, &name)
		|| !(is_here(server, pegs_owner_of(relid)) || (OidIsValid(asks) && is_here(server, asks))))
		return InvalidOid;
	return get_relname_relid(name, get_namespace_oid(schema, true));
}

/* Of char *: where its rows may be, one for each end of its server in each of its databases: of a list of hosts any one may answer. NIL: as above. */
List *
pegs_places_there(Oid relid, Oid asks)
{
	ForeignServer *server;
	const char *schema;
	const char *name;
	List	   *places = NIL;
	Place		place;
	ListCell   *end;
	ListCell   *cell;

	if (!named_there(relid, &server, &schema, &name))
		return NIL;
	place = place_of(server, OidIsValid(asks) ? asks : pegs_owner_of(relid));
	if (place.others)
		place.databases = lappend(place.databases, "");
	foreach(end, place.ends)
		foreach(cell, place.databases)
			places = lappend(places, psprintf("%s\n%s\n%s\n%s\n%s", place.service, (const char *) lfirst(end), (const char *) lfirst(cell), schema, name));
	return places;
}
