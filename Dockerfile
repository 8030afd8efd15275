# The official image of PostgreSQL with pegs in it:
#
#   docker build -t postgres-pegs .                         or --build-arg PG_MAJOR=18
#   docker run -e POSTGRES_PASSWORD=... postgres-pegs       then, in psql: CREATE EXTENSION pegs;
#
# The first stage has a compiler and the server headers, and is thrown away; the second adds the files of "make install".
ARG PG_MAJOR=17

FROM postgres:${PG_MAJOR} AS build
# The image has locales that a newer package would make again, all of them.
RUN apt-get update && \
	apt-mark hold locales && \
	apt-get install -y --no-install-recommends gcc libc6-dev make "postgresql-server-dev-$PG_MAJOR"
WORKDIR /pegs
COPY . .
RUN make PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" && \
	make PG_CONFIG="/usr/lib/postgresql/$PG_MAJOR/bin/pg_config" install DESTDIR=/installed

FROM postgres:${PG_MAJOR}
COPY --from=build /installed/ /
