/*
 * demo/facts.sql
 *		The public facts of discharges that the catalog cannot tell pegs.
 *
 * Declared by the table's owner after demo/discharge.sql, once.  They are taken
 * from the code books, never from the rows: a level that no patient has is a level
 * all the same.  typ (an enum), patzip (a domain type) and sex, ethncty, race, pay,
 * sev, cat (CHECK constraints) need no line here: the extension reads those.
 *
 * Bins are half-open, [a, b), and the last one is closed.
 */

/* 17 bins; with NULL, 18 levels */
SELECT pegs_set_bins('discharges', 'age', ARRAY[
	'0', '5', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55', '60', '65',
	'70', '75', '80', '120']);

/* single days to 9, then 10-30, 30-50, 50-70, 70-90, 90 and more; with NULL, 16 levels */
SELECT pegs_set_bins('discharges', 'los', ARRAY[
	'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '30', '50', '70', '90', '366']);

/* 25 bins */
SELECT pegs_set_bins('discharges', 'charge', ARRAY[
	'0', '2000', '4000', '6000', '8000', '10000', '12000', '15000', '17500', '20000',
	'22500', '25000', '30000', '35000', '40000', '45000', '50000', '55000', '60000',
	'65000', '70000', '75000', '80000', '90000', '100000', '1000000']);

/* 13 levels: the rows of a public code list */
SELECT pegs_set_levels('discharges', 'disp',
					   lookup => 'dispositions', lookup_column => 'code');

/* 25 levels: the major diagnostic categories */
SELECT pegs_set_levels('discharges', 'mdc', ARRAY[
	'1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15',
	'16', '17', '18', '19', '20', '21', '22', '23', '24', '25']);
