-- methods: what a fit by one says, for whoever knows the papers and not pegs: NOTICEs, and hints of what is refused, which repair it.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_methods;
SET search_path = regress_methods, public;
SET client_min_messages = notice;

CREATE TABLE hr ("Age" int NOT NULL, "Gender" text, "Job ""Role""" text NOT NULL CHECK ("Job ""Role""" IN ('clerk', 'cook', 'driver')));
INSERT INTO hr SELECT 18 + i % 40, (ARRAY['F', 'M', NULL])[1 + i % 3], (ARRAY['clerk', 'cook', 'driver'])[1 + i / 7 % 3] FROM generate_series(1, 2000) AS i;
CREATE TABLE plain (LIKE hr INCLUDING ALL);
SELECT pegs_set_bins(t, 'Age', low => '18', high => '58', bins => 20), pegs_set_levels(t, 'Gender', '{F, M}') FROM unnest('{hr, plain}'::regclass[]) AS t;
SELECT pegs_set_budget('hr', 1000, delta => 1e-6, accounting => 'sum'), pegs_set_budget('plain', 1000);

---- an order of levels that nobody meant: of three and more, where it counts
SELECT pegs_fit('ordinal', 'hr', epsilon => 1, method => 'copula');
SELECT pegs_fit('by groups', 'hr', epsilon => 1, method => 'copula', options => '{"by": ["Job \"Role\""]}');
SELECT pegs_fit('no order', 'hr', epsilon => 1, method => 'copula', options => '{"coding": "dummy"}');
SELECT pegs_fit('two levels', 'hr', ARRAY['Age', 'Gender'], epsilon => 1, method => 'pmse', delta => 1e-9);
SELECT pegs_fit('three levels', 'hr', ARRAY['Age', 'Job "Role"'], epsilon => 1, method => 'pmse', delta => 1e-9);
-- what is refused is not told about
SELECT pegs_fit('m', 'hr', epsilon => 1, method => 'copula', options => '{"by": ["Age", "Gender", "Job \"Role\""]}');

---- delta: left out, of no use, worse than none
SELECT pegs_fit('without', 'hr', ARRAY['Age', 'Gender'], epsilon => 1, method => 'pmse');
SELECT pegs_fit('worse', 'hr', epsilon => 1, delta => 1e-9, method => 'marginals');
SELECT pegs_fit('better', 'hr', epsilon => 1, method => 'marginals');
SELECT pegs_fit('m', 'hr', epsilon => 1, delta => 1e-9, method => 'table');
-- from urns it is worth it where many rows are drawn; where it cannot be taken nothing is said of it
SELECT pegs_fit('urns', 'hr', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT pegs_fit('urns with delta', 'hr', epsilon => 1, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT pegs_fit('few draws', 'hr', epsilon => 5, method => 'marginals', options => '{"noise": "dirichlet", "rows": 2}');
SELECT pegs_fit('m', 'hr', epsilon => 5, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 2}');
CREATE TABLE persons (LIKE hr INCLUDING ALL, who int);
CREATE TABLE in_rho (LIKE hr INCLUDING ALL);
SELECT pegs_set_bins(t, 'Age', low => '18', high => '58', bins => 20), pegs_set_levels(t, 'Gender', '{F, M}') FROM unnest('{persons, in_rho}'::regclass[]) AS t;
SELECT pegs_set_budget('persons', 1000, delta => 1e-6, accounting => 'sum'), pegs_set_unit('persons', 'who', 3), pegs_set_budget('in_rho', 1000, delta => 1e-6);
SELECT pegs_fit('urns of persons', 'persons', '{Age, Gender}', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT pegs_fit('m', 'persons', '{Age, Gender}', epsilon => 1, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT pegs_fit('urns in rho', 'in_rho', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT pegs_fit('m', 'in_rho', epsilon => 1, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}');
-- delta of slices is paid before anybody says by what method they are fitted: it is told, once, and they are fitted
CREATE TABLE halves (half text NOT NULL CHECK (half IN ('a', 'b')), x int NOT NULL CHECK (x IN (1, 2)), y boolean NOT NULL);
CREATE TABLE quarters (LIKE halves INCLUDING ALL);
INSERT INTO halves SELECT substr('ab', 1 + i % 2, 1), 1 + i % 2, i % 4 < 2 FROM generate_series(1, 40) AS i;
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON halves FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('half');
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON quarters FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('half');
ALTER TABLE halves ENABLE ALWAYS TRIGGER zz_keep_slices;
ALTER TABLE quarters ENABLE ALWAYS TRIGGER zz_keep_slices;
SELECT pegs_set_budget(t, 1000, delta => 1e-6, accounting => 'sum') FROM unnest('{halves, quarters}'::regclass[]) AS t;
SELECT pegs_set_slices('halves', 'half', slices => ARRAY['a', 'b'], epsilon => 5, delta => 1e-9), pegs_set_slices('quarters', 'half', slices => ARRAY['a', 'b'], epsilon => 5, delta => 1e-9);
SELECT pegs_fit_slices('few of slices', 'halves', method => 'marginals', options => '{"noise": "dirichlet", "rows": 2}');
SELECT pegs_fit_slices('noise of slices', 'quarters', method => 'table');
-- a model that goes on with slices of another charge is told so by its first fit of them, and not by the others
SELECT pegs_unset_slices('halves');
SELECT pegs_set_slices('halves', 'half', slices => ARRAY['a', 'b'], epsilon => 4, delta => 1e-9);
SELECT pegs_fit_slices('few of slices', 'halves', most => 1);
SELECT pegs_fit_slices('few of slices', 'halves', most => 1);
SET client_min_messages = warning;
SELECT pegs_fit('imputed', 'hr', parents => '{}', method => 'regression'), pegs_fit('sealed', 'hr', parents => '{}', method => 'pegs');
SET client_min_messages = notice;
SELECT count(*) FROM pegs_sample_as(NULL::hr, 'imputed', 2, epsilon => 1, delta => 1e-9);
SELECT count(*) FROM pegs_sample_as(NULL::hr, 'sealed', 2, epsilon => 1, delta => 1e-9);
SELECT count(*) FROM pegs_sample_as(NULL::hr, 'sealed', 1000, epsilon => 1, block => 1000, delta => 1e-9);
SELECT in_words FROM pegs_cost('sealed', 1000, epsilon => 1, delta => 1e-9);
SELECT count(*) FROM pegs_sample_as(NULL::hr, 'sealed', 2);

---- how it is paid for: hints that can be followed
SELECT pegs_fit('m', 'hr', method => 'graph');
SELECT pegs_fit('m', 'plain', method => 'graph');
SELECT pegs_fit('m', 'plain', method => 'copula');
SELECT pegs_fit('m', 'plain', method => 'marginals', delta => 1e-9);
SELECT pegs_fit('m', 'plain', method => 'regression', delta => 1e-9);
SELECT pegs_fit('m', 'plain', epsilon => 1, method => 'table sealed');
SELECT pegs_fit('m', 'plain', epsilon => 1, method => 'regression');
SELECT pegs_fit('m', 'plain', epsilon => 1, parents => '{}');
SELECT pegs_fit('m', 'plain', epsilon => 1, parents => '{}', method => 'table');
SELECT pegs_fit('m', 'plain', method => 'pegs', options => '{"guarantee": "none"}');
SELECT pegs_fit('m', 'plain', method => 'pmse', options => '{"guarantee": "none"}');

---- options that another method has, or the call for rows
SELECT pegs_fit('m', 'plain', method => 'table', options => '{"rows": 100}');
SELECT pegs_fit('m', 'plain', epsilon => 1, method => 'marginals', options => '{"within": ["Gender"]}');
SELECT pegs_fit('m', 'plain', epsilon => 1, method => 'marginals', options => '{"form": "cop"}');
SELECT pegs_fit('m', 'plain', method => 'pegs', options => '{"draw": "urn"}');
SELECT pegs_fit('m', 'plain', epsilon => 1, method => 'marginals', options => '{"nosie": 1}');

---- scores: of one class, of nothing, and without a guarantee
CREATE TABLE scored (left_us bool, kind text NOT NULL CHECK (kind IN ('only')), sex text NOT NULL CHECK (sex IN ('F', 'M')));
INSERT INTO scored SELECT CASE WHEN i % 4 > 0 THEN i % 3 = 0 END, 'only', (ARRAY['F', 'M'])[1 + i % 2] FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('scored', 1000);
SELECT pegs_score_fit('s', 'scored', target => 'left_us', positive => ARRAY['t', 'f'], features => ARRAY['sex'], epsilon => 100);
SELECT pegs_score_fit('flat', 'scored', target => 'left_us', positive => ARRAY['t'], features => ARRAY['kind'], epsilon => 1);
SELECT pegs_score_fit('flat tree', 'scored', target => 'left_us', positive => ARRAY['t'], features => ARRAY['kind'], epsilon => 1, method => 'tree');
SELECT pegs_fit('perturbed', 'scored', epsilon => 1);
SELECT pegs_score_fit_of('flat of it', 'perturbed', target => 'left_us', positive => ARRAY['t'], features => ARRAY['kind']);
SELECT pegs_score_fit('published', 'scored', target => 'left_us', positive => ARRAY['t'], features => ARRAY['sex'], method => 'tree', options => '{"published": true}');
SELECT count(pegs_drop(name)) FROM pegs_models WHERE source = 'scored'::regclass;

---- what is said of it afterwards
SET client_min_messages = warning;
SELECT pegs_fit('of one column', 'plain', ARRAY['Age'], epsilon => 1, method => 'copula');
SELECT pegs_fit('from urns', 'plain', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 100}');
SELECT pegs_fit('published', 'plain', method => 'table', options => '{"guarantee": "none"}');
SELECT pegs_fit('l-diverse', 'plain', parents => '{}', options => '{"l_diversity": 1.5}');
SELECT pegs_release('rows of imputed', 'imputed', 2, epsilon => 1);
SELECT pegs_describe('of one column') ?| ARRAY['scores', 'sigma_of_a_sum'] AS sums, pegs_describe('ordinal') ?& ARRAY['scores', 'sigma_of_a_sum'] AS sums_of_two;
SELECT pegs_describe('from urns') -> 'tables' AS from_urns, pegs_describe('better') #> '{tables,0}' ? 'sigma' AS with_noise;
SELECT pegs_describe('rows of imputed') ->> 'method' AS release, pegs_certificate('worse') ->> 'method' AS certificate;
-- under one name wherever it is told
SELECT name, method, pegs_describe(name) ->> 'method' AS described FROM pegs_models WHERE method IS DISTINCT FROM pegs_describe(name) ->> 'method';
SELECT method, guarantee, count(*) FROM pegs_models GROUP BY 1, 2 ORDER BY method COLLATE "C", guarantee COLLATE "C";

-- a map: a method that has no rows at some epsilon is named, with the reason, and all others have theirs; nothing is charged
CREATE TABLE spent_before AS SELECT source, spent, delta_spent FROM pegs_budgets;
SET client_min_messages = notice;
SELECT method, epsilon, count(*) > 0 AS rows FROM pegs_ru_map('plain', ARRAY[1e-9, 1, 1001], n => 100000, methods => ARRAY['PeGS', 'graph', 'table', 'table sealed', 'table published'])
GROUP BY 1, 2 ORDER BY method COLLATE "C", epsilon;
SET client_min_messages = warning;
SELECT count(*) AS charged FROM pegs_budgets AS b JOIN spent_before AS s USING (source) WHERE (b.spent, b.delta_spent) IS DISTINCT FROM (s.spent, s.delta_spent);

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_methods CASCADE;
