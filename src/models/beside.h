/*
 * beside.h
 *	  What a model does not protect, and whether that is what it was.
 */
#ifndef PEGS_BESIDE_H
#define PEGS_BESIDE_H

#include "models/models.h"

extern List *pegs_beside_of(const PegsSource *source, const PegsSpec *spec);	/* of PegsReferred * */
extern PegsArg pegs_beside_argument(Oid account, const List *beside);	/* as their numbers are stored */
extern List *pegs_read_beside_of(const PegsLookup *lookup, Oid account);	/* of Oid */
extern char *pegs_beside_changed(const PegsModel *model, const List *now);	/* of one table, in words; "": nothing has */
extern char *pegs_related_beside_changed(const PegsModel *model, const PegsRelated *now);

#endif							/* PEGS_BESIDE_H */
