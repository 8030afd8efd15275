/*
 * demo/discharge.sql
 *		A realistic table to try pegs on: hospital discharges, 13 columns.
 *
 *		psql -v ON_ERROR_STOP=1 -f demo/discharge.sql
 *		SELECT make_discharges(100000);
 *
 * The schema is Table 2 of Park and Ghosh's paper (California OSHPD discharge
 * data, Los Angeles), with its level counts; about 2e12 possible rows.  The
 * rows are invented: every number below was made up by hand, nothing was fitted
 * to a patient.  They are good for demonstrations, tests and benchmarks, and say
 * nothing about health care in Los Angeles.
 *
 * A column of nearly every kind that the extension reads its domain from:
 *
 *	column   levels  type            domain comes from
 *	typ         6    enum            the catalog
 *	age        18    integer         bins (demo/facts.sql), and NULL
 *	sex         3    char(1)         CHECK (... IN ...), and NULL
 *	ethncty     4    text            CHECK (... IN ...), and NULL
 *	race        7    text            CHECK (... = ANY (ARRAY[...]))
 *	patzip     16    la_zip          the domain type's CHECK
 *	los        16    integer         bins, and NULL
 *	disp       13    smallint        the lookup table dispositions
 *	pay         9    text            CHECK (... = ... OR ... = ...)
 *	charge     25    numeric(10,2)   bins
 *	mdc        25    smallint        levels declared by hand
 *	sev         3    smallint        CHECK (... IN ...)
 *	cat         2    text            CHECK (... IN ...)
 *
 * The network, each column given its parents (agegrp is the age in 9 groups:
 * 0-4, 5-14, 15-24, 25-34, 35-44, 45-64, 65-79, 80 and over, NULL; losgrp is
 * the stay in 4: 0-1, 2-5 or NULL, 6-9, 10 and more days):
 *
 *	patzip                         age
 *	race    | patzip               sex  | agegrp
 *	ethncty | race                 typ  | agegrp
 *	mdc     | agegrp, sex, typ     pay  | agegrp, race, typ
 *	cat     | mdc                  sev  | agegrp, mdc
 *	los     | typ, sev, cat        disp | agegrp, sev, losgrp, typ
 *	charge  | los, cat, sev
 *
 * so patzip and sex are independent, and patzip reaches pay through race only.
 * Four laws are exact, in every row: pregnancy (mdc 14) only at ages 15 to 44 or
 * NULL, and never for sex M; newborns (mdc 15) only at age 0; no female with a
 * male's category (mdc 12), no male with a female's (mdc 13).
 *
 * Row i is a function of (seed, i) alone: the first k rows of any two runs with
 * one seed are the same rows.  They are also the same on every platform and
 * version, because nothing here is floating point and the only source of chance
 * is hashint8extended, which hash partitioning has frozen on disk.  It is *not*
 * a cryptographic generator, and random()'s stream differs between versions.
 *
 * It must be run in a schema where these names are free; objects are created in
 * the first schema of search_path and stay bound to it.
 */

CREATE TYPE care_type AS ENUM
	('Acute Care', 'Skilled Nursing', 'Psychiatric', 'Chemical Dependency',
	 'Rehabilitation', 'Other Care');
COMMENT ON TYPE care_type IS 'type of care of a discharge';

CREATE DOMAIN la_zip AS varchar(5) CHECK (VALUE IN
	('900xx', '902xx', '903xx', '904xx', '905xx', '906xx', '907xx', '908xx',
	 '910xx', '911xx', '912xx', '913xx', '914xx', '917xx', '918xx', '935xx'));
COMMENT ON DOMAIN la_zip IS 'three-digit ZIP code area of Los Angeles County';

CREATE TABLE dispositions (
	code		smallint PRIMARY KEY,
	label		text NOT NULL
);
COMMENT ON TABLE dispositions IS 'where a patient went: a public code list';

INSERT INTO dispositions VALUES
	(1, 'Routine (home)'),
	(2, 'Acute care, this hospital'),
	(3, 'Other care, this hospital'),
	(4, 'Skilled nursing, this hospital'),
	(5, 'Acute care, another hospital'),
	(6, 'Other care, another hospital'),
	(7, 'Skilled nursing, elsewhere'),
	(8, 'Residential care'),
	(9, 'Prison or jail'),
	(10, 'Left against medical advice'),
	(11, 'Died'),
	(12, 'Home health service'),
	(13, 'Other');

CREATE TABLE discharges (
	typ			care_type NOT NULL,
	age			integer,
	sex			char(1) CHECK (sex IN ('M', 'F')),
	ethncty		text CHECK (ethncty IN ('Hispanic', 'Non-Hispanic', 'Unknown')),
	race		text NOT NULL CHECK (race = ANY (ARRAY[
					'White', 'Black', 'Native American', 'Asian',
					'Pacific Islander', 'Other', 'Unknown'])),
	patzip		la_zip NOT NULL,
	los			integer,
	disp		smallint NOT NULL,
	pay			text NOT NULL CHECK (
					pay = 'Medicare' OR pay = 'Medi-Cal' OR
					pay = 'Private Coverage' OR pay = 'Workers'' Compensation' OR
					pay = 'County Indigent' OR pay = 'Other Government' OR
					pay = 'Other Indigent' OR pay = 'Self Pay' OR
					pay = 'Other Payer'),
	charge		numeric(10,2) NOT NULL,
	mdc			smallint NOT NULL,
	sev			smallint NOT NULL CHECK (sev IN (0, 1, 2)),
	cat			text NOT NULL CHECK (cat IN ('Medical', 'Surgical'))
);
COMMENT ON TABLE discharges IS
	'invented hospital discharges, filled by make_discharges()';
COMMENT ON COLUMN discharges.typ IS 'type of care';
COMMENT ON COLUMN discharges.age IS 'age in years; NULL where masked';
COMMENT ON COLUMN discharges.sex IS 'M, F; NULL where masked';
COMMENT ON COLUMN discharges.ethncty IS 'ethnicity; NULL where masked';
COMMENT ON COLUMN discharges.race IS 'race';
COMMENT ON COLUMN discharges.patzip IS 'ZIP code area of the patient';
COMMENT ON COLUMN discharges.los IS 'length of stay in days; NULL where masked';
COMMENT ON COLUMN discharges.disp IS 'disposition, a dispositions.code';
COMMENT ON COLUMN discharges.pay IS 'expected source of payment';
COMMENT ON COLUMN discharges.charge IS 'total charge in dollars';
COMMENT ON COLUMN discharges.mdc IS 'major diagnostic category, 1 to 25';
COMMENT ON COLUMN discharges.sev IS 'severity: 0 none, 1 complication, 2 major';
COMMENT ON COLUMN discharges.cat IS 'medical or surgical';

/*
 * The network as a relation.  A column's conditional weights are the product of
 * its factors; weights[p][j] is the factor of level j when the parent is at level
 * p.  Factors of one column are numbered: nth 1 varies slowest in the key.
 * Weights are integers and need not be normalised; 0 is a structural zero.
 *
 * Stay and charge are ordinal.  Theirs are computed: a bell (s^2/(s^2+d^2))^2
 * around a centre that the parents place, d and s in tenths of a level, times the
 * width that a level's bin stands for.
 */
CREATE VIEW discharge_network (child, nth, parent, weights) AS
SELECT child, nth, parent, weights::int[]
FROM (VALUES

('patzip', 1, '',
'{{160, 115, 25, 22, 40, 75, 85, 80, 60, 35, 40, 110, 75, 130, 30, 58}}'),

/* by 5 years, then 80 and over, NULL */
('age', 1, '',
'{{140, 15, 15, 35, 50, 60, 62, 50, 42, 48, 56, 58, 60, 56, 56, 58, 135, 6}}'),

/* White, Black, Native American, Asian, Pacific Islander, Other, Unknown */
('race', 1, 'patzip',
'{{38, 18, 1, 11, 1, 27, 4}, {45, 22, 1,  7, 2, 20, 3}, {22, 52, 1,  3, 1, 19, 2},
  {76,  6, 1,  8, 1,  5, 4}, {50,  6, 1, 28, 2,  9, 4}, {55,  4, 1, 12, 1, 24, 3},
  {50, 10, 1, 16, 3, 17, 3}, {47, 17, 1, 12, 3, 17, 3}, {60,  6, 1, 18, 1, 10, 4},
  {55, 15, 1, 12, 1, 12, 4}, {74,  2, 1, 14, 1,  6, 3}, {66,  5, 1, 10, 1, 14, 3},
  {62,  5, 1,  8, 1, 20, 3}, {46,  5, 1, 20, 1, 24, 3}, {24,  2, 1, 55, 1, 14, 3},
  {58, 18, 2,  4, 1, 14, 3}}'),

/* Hispanic, Non-Hispanic, Unknown, NULL */
('ethncty', 1, 'race',
'{{42, 54, 3, 1}, {3, 94, 2, 1}, {22, 72, 4, 2}, {2, 95, 2, 1}, {6, 90, 3, 1},
  {86, 10, 3, 1}, {14, 26, 48, 12}}'),

/* M, F, NULL */
('sex', 1, 'agegrp',
'{{51, 48, 1}, {53, 46, 1}, {26, 73, 1}, {24, 75, 1}, {36, 63, 1}, {50, 49, 1},
  {47, 52, 1}, {39, 60, 1}, {30, 30, 40}}'),

/* Acute, Skilled Nursing, Psychiatric, Chemical Dependency, Rehab., Other */
('typ', 1, 'agegrp',
'{{990,   1,   1,  0,  2,  6}, {850,   2, 120,  3, 10, 15},
  {830,   2, 130, 20,  5, 13}, {850,   3, 105, 25,  5, 12},
  {815,   8, 125, 30,  8, 14}, {810,  30,  95, 30, 20, 15},
  {830,  90,  25,  6, 35, 14}, {815, 130,  12,  1, 30, 12},
  {700,  40, 120, 80, 20, 40}}'),

/*
 * 1 nervous, eye, ear-nose-throat, respiratory, 5 circulatory, digestive,
 * hepatobiliary, musculoskeletal, skin, 10 endocrine, kidney, male, female,
 * 14 pregnancy, 15 newborn, blood, myeloproliferative, infectious, 19 mental,
 * 20 alcohol and drugs, injury, burns, health status, trauma, 25 HIV
 */
('mdc', 1, 'agegrp',
'{{20, 3, 20,  60,   8,  25,  3,   5,  8, 12, 10,  2,  1,   0, 900,  8,  6,  15,  1,  1,  6, 2, 10,  2,  1},
  {80, 5, 40, 140,  12, 120, 10,  70, 25, 50, 25,  5,  2,   0,   0, 35, 45,  40, 30,  2, 30, 5, 20, 10,  1},
  {40, 2, 15,  30,  20,  60, 25,  35, 20, 25, 25,  4, 12, 500,   0, 12, 12,  20, 30,  8, 30, 3,  8, 25,  3},
  {35, 2, 12,  28,  28,  60, 40,  40, 22, 26, 25,  4, 28, 560,   0, 10, 10,  22, 25, 10, 22, 3,  8, 18, 10},
  {45, 3, 14,  40,  60,  80, 50,  65, 28, 35, 35,  5, 50, 200,   0, 12, 14,  30, 28, 14, 22, 3, 10, 14, 14},
  {70, 4, 12,  90, 200, 120, 55, 120, 35, 50, 60, 14, 35,   0,   0, 14, 25,  60, 20, 12, 22, 3, 14, 10,  8},
  {80, 4,  8, 130, 250, 115, 40, 140, 30, 45, 75, 16, 14,   0,   0, 16, 26,  85,  8,  3, 16, 2, 18,  6,  1},
  {85, 4,  7, 150, 260, 115, 30, 120, 30, 45, 95,  6,  8,   0,   0, 18, 16, 110,  6,  1, 16, 1, 18,  5,  1},
  {50, 4, 12,  60, 100,  80, 35,  70, 25, 35, 40,  8, 15,  60,   0, 10, 12,  35, 40, 20, 20, 3, 12,  8, 12}}'),
('mdc', 2, 'sex',
'{{10, 10, 10, 10, 12, 10, 10, 10, 10, 10, 10, 10,  0,  0, 10, 10, 10, 10, 10, 10, 10, 10, 10, 14, 16},
  {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,  0, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,  7,  4},
  {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,  5,  5,  5, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}}'),
('mdc', 3, 'typ',
'{{20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20,  10,   10, 20, 20,  20, 20, 20},
  {20,  8,  8, 25, 25,  8,  8, 40, 20,  8, 20,  8,  8,  0,  0,  8,  8, 20,   8,    8,  8,  8,  60,  8,  8},
  { 1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  0,  0,  1,  1,  1, 600,   40,  1,  1,   1,  1,  1},
  { 1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  1,  0,  0,  1,  1,  1,  50, 2000,  1,  1,   1,  1,  1},
  {30,  2,  2,  2,  2,  2,  2, 30,  2,  2,  2,  2,  2,  0,  0,  2,  2,  2,   2,    2,  5,  2, 200, 10,  2},
  {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,  1,  5, 10, 10, 10,  10,   10, 10, 10,  60, 10, 10}}'),

/* Medical, Surgical */
('cat', 1, 'mdc',
'{{80, 20}, {50, 50}, {65, 35}, {90, 10}, {68, 32}, {68, 32}, {55, 45}, {30, 70},
  {75, 25}, {75, 25}, {78, 22}, {30, 70}, {18, 82}, {67, 33}, {97,  3}, {93,  7},
  {75, 25}, {82, 18}, {99,  1}, {99,  1}, {72, 28}, {45, 55}, {85, 15}, {45, 55},
  {90, 10}}'),

/* none, complication, major */
('sev', 1, 'agegrp',
'{{70, 25, 5}, {65, 28, 7}, {65, 28, 7}, {62, 30, 8}, {55, 33, 12}, {40, 38, 22},
  {28, 40, 32}, {20, 40, 40}, {45, 35, 20}}'),
('sev', 2, 'mdc',
'{{ 9, 10, 12}, {16,  8,  4}, {14,  9,  5}, { 6, 10, 16}, { 8, 10, 13},
  {10, 10, 10}, { 9, 10, 12}, {13, 10,  6}, {11, 10,  8}, {12, 10,  7},
  { 7, 10, 15}, {15,  8,  3}, {16,  8,  3}, {14,  9,  3}, {16,  6,  3},
  { 9, 11, 10}, { 7, 10, 15}, { 3,  8, 24}, {14,  9,  3}, {12, 10,  4},
  {10, 10, 10}, { 8, 10, 12}, {11, 10,  8}, { 4,  9, 18}, { 3, 10, 20}}'),

/*
 * Medicare, Medi-Cal, Private, Workers' Compensation, County Indigent, Other
 * Government, Other Indigent, Self Pay, Other Payer
 */
('pay', 1, 'agegrp',
'{{  1, 500, 430,  0, 10, 15,  5,  25,  9}, {  2, 480, 440,  0, 12, 20,  5,  20, 10},
  { 15, 450, 400,  5, 45, 20, 10,  50, 10}, { 25, 380, 460, 12, 50, 18, 12,  50, 10},
  { 70, 310, 470, 18, 60, 18, 14,  45, 10}, {190, 240, 420, 16, 70, 20, 14,  35, 10},
  {800,  60, 120,  2,  5,  8,  2,   5,  3}, {880,  35,  75,  1,  1,  5,  1,   3,  2},
  {150, 300, 250, 10, 60, 40, 40, 120, 60}}'),
('pay', 2, 'race',
'{{12,  7, 14,  8,  7, 10,  6,  9, 10}, {10, 13,  7,  7, 12, 11, 14, 11,  9},
  { 9, 13,  7, 10, 10, 30, 12, 10, 10}, {10, 10, 12,  8,  7,  8,  6, 12, 12},
  { 8, 13, 10, 10, 10, 12, 10, 10, 10}, { 7, 15,  7, 13, 14,  9, 14, 12,  9},
  { 8,  8, 10,  9,  8, 12, 12, 22, 25}}'),
('pay', 3, 'typ',
'{{10, 10, 10, 10, 10, 10, 10, 10, 10}, {20, 10,  5,  5,  1,  8,  2,  4,  6},
  {10, 14,  8,  1, 25, 12, 20,  8,  8}, { 6,  4, 18,  1,  6, 12, 10, 22, 12},
  {14,  7, 11, 40,  3, 10,  3,  4, 10}, {10,  8, 12,  5,  5, 10, 10, 12, 30}}'),

/* the codes of dispositions, 1 to 13 */
('disp', 1, 'agegrp',
'{{900,  8,  3,  1, 25,  6,   1,  1,  1,  1,  8,  40,  8},
  {900,  6,  5,  1, 20, 15,   2,  6,  1,  1,  5,  30,  8},
  {880,  5,  6,  2, 15, 15,   4, 10, 10, 20,  6,  25,  8},
  {870,  5,  6,  3, 14, 14,   6, 10,  9, 22,  7,  28,  8},
  {830,  6,  8,  6, 16, 16,  16, 14,  9, 28, 14,  45,  8},
  {680,  9, 12, 18, 22, 20,  70, 22,  5, 24, 34, 100,  8},
  {470, 10, 14, 40, 22, 18, 200, 18,  1,  8, 50, 170,  8},
  {300,  9, 12, 60, 18, 14, 330, 32,  1,  4, 70, 170,  8},
  {600,  9, 10, 12, 20, 20,  50, 30, 25, 40, 25,  60, 40}}'),
('disp', 2, 'sev',
'{{14,  8,  8,  6,  6,  8,  6, 10, 10, 14,  1,  7, 10},
  {10, 10, 10, 10, 10, 10, 11, 10, 10, 10,  5, 12, 10},
  { 6, 13, 13, 15, 16, 12, 17,  9,  9,  7, 30, 13, 10}}'),
('disp', 3, 'losgrp',
'{{12,  8,  6,  2, 22,  9,  2,  6, 10, 26, 16,  3, 10},
  {11, 10, 10,  8,  9, 10,  8,  9, 10,  9,  7, 10, 10},
  { 8, 11, 12, 14,  9, 11, 15, 11, 10,  6,  9, 14, 10},
  { 5, 16, 14, 20, 12, 14, 20, 14,  9,  4, 14, 14, 10}}'),
('disp', 4, 'typ',
'{{10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
  { 8, 30,  6, 10, 30,  5,  8, 12,  1,  6, 14, 16, 10},
  {10,  8, 12,  2,  3, 25,  6, 60, 12, 10,  1,  2, 10},
  {14,  4, 12,  1,  1, 12,  1, 40,  4, 40,  1,  1, 10},
  {12, 30,  6, 10, 14,  6, 12, 10,  1,  2,  1, 30, 10},
  { 8, 20, 20, 10, 20, 20, 10, 10, 10, 10, 30, 10, 40}}')

) AS f (child, nth, parent, weights)
UNION ALL
/* 0 to 9 days, 10-30, 30-50, 50-70, 70-90, 90 and more, NULL */
SELECT 'los', 1, 'typ, sev, cat', array_agg(w ORDER BY typ, sev, cat)
FROM (SELECT typ, sev, cat, array_agg(CASE WHEN j = 15 THEN 15000
				ELSE (1000000 * s * s * s * s / ((s * s + d * d) * (s * s + d * d)))::int
					 * (ARRAY[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 4, 2, 1, 1, 1])[j + 1]
				END ORDER BY j) AS w
	  FROM generate_series(0, 5) AS typ, generate_series(0, 2) AS sev,
		   generate_series(0, 1) AS cat, generate_series(0, 15) AS j,
		   LATERAL (SELECT 10 * j - (ARRAY[22, 95, 55, 45, 95, 30])[typ + 1]
						   - (ARRAY[0, 13, 32])[sev + 1] - 8 * cat) AS a (d),
		   LATERAL (SELECT CASE WHEN d < 0 THEN 12 ELSE 24 END::bigint) AS b (s)
	  GROUP BY typ, sev, cat) AS g
UNION ALL
/* 25 bins of demo/facts.sql */
SELECT 'charge', 1, 'los, cat, sev', array_agg(w ORDER BY los, cat, sev)
FROM (SELECT los, cat, sev, array_agg(
				(1000000 * s * s * s * s / ((s * s + d * d) * (s * s + d * d)))::int
				* CASE WHEN j = 24 THEN 4 ELSE 1 END ORDER BY j) AS w
	  FROM generate_series(0, 15) AS los, generate_series(0, 1) AS cat,
		   generate_series(0, 2) AS sev, generate_series(0, 24) AS j,
		   LATERAL (SELECT 10 * j - least(240,
						   (ARRAY[5, 20, 40, 56, 71, 85, 98, 110, 121, 131,
								  190, 235, 240, 240, 240, 70])[los + 1]
						   + 50 * cat + (ARRAY[0, 8, 20])[sev + 1])) AS a (d),
		   LATERAL (SELECT 20::bigint) AS b (s)
	  GROUP BY los, cat, sev) AS g;
COMMENT ON VIEW discharge_network IS
	'the Bayesian network behind make_discharges(): weights[parent level][child level]';

/*
 * One column's cumulative table, flat and ascending.  With C levels, entry
 * k C + j is k 2^20 + floor(2^20 P(level <= j | parents' key k)), so that one
 * binary search finds both the key's row and the level in it.
 */
CREATE FUNCTION discharge_thresholds(child_name text) RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	WITH f AS MATERIALIZED (
		SELECT max(weights) FILTER (WHERE nth = 1) AS f1,
			   coalesce(max(weights) FILTER (WHERE nth = 2), '{}') AS f2,
			   coalesce(max(weights) FILTER (WHERE nth = 3), '{}') AS f3,
			   coalesce(max(weights) FILTER (WHERE nth = 4), '{}') AS f4
		FROM discharge_network WHERE child = child_name
	), cell AS (
		SELECT k1, k2, k3, k4, j,
			   f1[k1][j]::bigint * coalesce(f2[k2][j], 1)
			   * coalesce(f3[k3][j], 1) * coalesce(f4[k4][j], 1) AS w
		FROM f,
			 generate_series(1, array_length(f1, 1)) AS k1,
			 generate_series(1, coalesce(array_length(f2, 1), 1)) AS k2,
			 generate_series(1, coalesce(array_length(f3, 1), 1)) AS k3,
			 generate_series(1, coalesce(array_length(f4, 1), 1)) AS k4,
			 generate_series(1, array_length(f1, 2)) AS j
	), cumulated AS (
		SELECT k1, k2, k3, k4, j,
			   dense_rank() OVER (ORDER BY k1, k2, k3, k4) - 1 AS k,
			   sum(w) OVER (PARTITION BY k1, k2, k3, k4 ORDER BY j) AS upto,
			   sum(w) OVER (PARTITION BY k1, k2, k3, k4) AS total
		FROM cell
	)
	SELECT array_agg(k * 1048576 + div(upto * 1048576, total)::bigint
					 ORDER BY k, j)
	FROM cumulated;
END;
COMMENT ON FUNCTION discharge_thresholds(text) IS
	'cumulative table of one column of the network, as make_discharges() searches it';

/*
 * The level (from 0) of row i in a column with so many levels, given its parents'
 * key: 20 bits of the row's and the column's hash, looked up.  Its body is a plain
 * expression so that the planner inlines it.
 */
CREATE FUNCTION discharge_level(i bigint, stream bigint, levels int,
								parents int, thresholds bigint[]) RETURNS int
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN width_bucket((parents::bigint << 20)
					+ (hashint8extended(i, stream) & 1048575), thresholds)
	   - parents * levels;
COMMENT ON FUNCTION discharge_level(bigint, bigint, int, int, bigint[]) IS
	'one draw of make_discharges()';

/*
 * make_discharges(n bigint, seed int DEFAULT 1) returns bigint
 *
 * Replaces the content of discharges by rows 1 to n of the seed's stream, and
 * returns n.  One INSERT ... SELECT.  Each OFFSET 0 keeps the planner from merging a
 * step into the next, which would repeat its draws wherever they are used.
 */
CREATE FUNCTION make_discharges(n bigint, seed int DEFAULT 1) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path FROM CURRENT
SET enable_memoize = off		/* it would cache draws that never recur */
SET jit = off					/* the planner's guess of 1000 per series makes it compile */
AS $$
DECLARE
	/* stream s + c drives column c; s + 14 to s + 16 place values inside bins */
	s CONSTANT bigint := seed::bigint << 32;
BEGIN
	/* hashint8extended folds the upper half of its argument into the lower */
	IF n IS NULL OR n < 0 OR n > 4294967295 THEN
		RAISE invalid_parameter_value USING
			MESSAGE = format('n must be from 0 to 4294967295, not %s',
							 coalesce(n::text, 'NULL'));
	END IF;
	IF seed IS NULL THEN
		RAISE invalid_parameter_value USING MESSAGE = 'seed must not be NULL';
	END IF;

	TRUNCATE discharges;

	INSERT INTO discharges (typ, age, sex, ethncty, race, patzip, los, disp, pay,
							charge, mdc, sev, cat)
	SELECT
		(ARRAY['Acute Care', 'Skilled Nursing', 'Psychiatric', 'Chemical Dependency',
			   'Rehabilitation', 'Other Care']::care_type[])[typ + 1],
		CASE WHEN age = 17 THEN NULL
			 WHEN mdc = 14 THEN 0
			 WHEN age = 16 THEN 80 + ((40 * (ha & 1048575) * (ha >> 20 & 1048575)) >> 40)
			 ELSE 5 * age + ((5 * (ha & 1048575)) >> 20)
		END,
		(ARRAY['M', 'F', NULL])[sex + 1],
		(ARRAY['Hispanic', 'Non-Hispanic', 'Unknown', NULL])[ethncty + 1],
		(ARRAY['White', 'Black', 'Native American', 'Asian', 'Pacific Islander',
			   'Other', 'Unknown'])[race + 1],
		(ARRAY['900xx', '902xx', '903xx', '904xx', '905xx', '906xx', '907xx',
			   '908xx', '910xx', '911xx', '912xx', '913xx', '914xx', '917xx',
			   '918xx', '935xx'])[patzip + 1],
		CASE WHEN los = 15 THEN NULL
			 WHEN los < 10 THEN los
			 ELSE (ARRAY[10, 30, 50, 70, 90])[los - 9]
				  + ((CASE WHEN los = 14 THEN 276 ELSE 20 END
					  * (hl & 1048575) * (hl >> 20 & 1048575)) >> 40)
		END,
		disp + 1,
		(ARRAY['Medicare', 'Medi-Cal', 'Private Coverage', 'Workers'' Compensation',
			   'County Indigent', 'Other Government', 'Other Indigent', 'Self Pay',
			   'Other Payer'])[pay + 1],
		0.01 * CASE WHEN charge < 24
			 THEN edge[charge + 1] * 100
				  + ((edge[charge + 2] - edge[charge + 1]) * 100 * (hc & 1048575) >> 20)
			 ELSE 10000000 + (((90000000 * (hc & 1048575) >> 20)
							   * (hc >> 20 & 1048575) >> 20)
							  * (hc >> 40 & 1048575) >> 20)
		END,
		mdc + 1,
		sev,
		(ARRAY['Medical', 'Surgical'])[cat + 1]
	FROM (SELECT generate_series(1, n) AS i) AS r
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 6, 16, 0, (SELECT discharge_thresholds('patzip'))) AS patzip,
			discharge_level(i, s + 2, 18, 0, (SELECT discharge_thresholds('age'))) AS age,
			hashint8extended(i, s + 14) AS ha,
			hashint8extended(i, s + 15) AS hl,
			hashint8extended(i, s + 16) AS hc
			OFFSET 0) AS a
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 5, 7, patzip, (SELECT discharge_thresholds('race'))) AS race,
			(ARRAY[0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 8])[age + 1] AS agegrp
			OFFSET 0) AS b
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 4, 4, race, (SELECT discharge_thresholds('ethncty'))) AS ethncty,
			discharge_level(i, s + 3, 3, agegrp, (SELECT discharge_thresholds('sex'))) AS sex,
			discharge_level(i, s + 1, 6, agegrp, (SELECT discharge_thresholds('typ'))) AS typ
			OFFSET 0) AS c
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 11, 25, (agegrp * 3 + sex) * 6 + typ,
							(SELECT discharge_thresholds('mdc'))) AS mdc,
			discharge_level(i, s + 9, 9, (agegrp * 7 + race) * 6 + typ,
							(SELECT discharge_thresholds('pay'))) AS pay
			OFFSET 0) AS d
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 13, 2, mdc, (SELECT discharge_thresholds('cat'))) AS cat,
			discharge_level(i, s + 12, 3, agegrp * 25 + mdc, (SELECT discharge_thresholds('sev'))) AS sev
			OFFSET 0) AS e
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 7, 16, (typ * 3 + sev) * 2 + cat,
							(SELECT discharge_thresholds('los'))) AS los
			OFFSET 0) AS f
		CROSS JOIN LATERAL (SELECT
			discharge_level(i, s + 8, 13,
							((agegrp * 3 + sev) * 4
							 + (ARRAY[0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 1])[los + 1]) * 6 + typ,
							(SELECT discharge_thresholds('disp'))) AS disp,
			discharge_level(i, s + 10, 25, (los * 2 + cat) * 3 + sev,
							(SELECT discharge_thresholds('charge'))) AS charge,
			'{0, 2000, 4000, 6000, 8000, 10000, 12000, 15000, 17500, 20000, 22500,
			  25000, 30000, 35000, 40000, 45000, 50000, 55000, 60000, 65000, 70000,
			  75000, 80000, 90000, 100000}'::bigint[] AS edge
			OFFSET 0) AS g;

	RETURN n;
END
$$;
COMMENT ON FUNCTION make_discharges(bigint, int) IS
	'replaces discharges by n invented rows, the same for the same n and seed everywhere';
