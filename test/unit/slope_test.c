/*
 * slope_test.c
 *	  The density inside bins: its arithmetic against libm's, what is drawn
 *	  against the exact integral, slopes of known densities, shares of noise.
 */
#include "core/slope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAM_SALT [2] = 9
#include "fixture.h"
#include "unit.h"

/* Mean of t under a density proportional to exp(s t) on [0, 1]. */
static double
mean_part(double s)
{
	return fabs(s) < 1e-4 ? 0.5 + s / 12 : 1 / -expm1(-s) - 1 / s;
}

/* ---- the part below which u lies ---- */

static double
part_of(double steepness, double u)
{
	pegs_slope	slope = pegs_slope_of(steepness);

	return pegs_slope_part(&slope, u);
}

/* Of each bin. */
static void
steepness_of(uint32_t n, const pegs_slope_bin *bin, double *steepness)
{
	pegs_slope *slope = malloc(sizeof(pegs_slope) * n);

	pegs_slopes(n, bin, slope);
	for (uint32_t i = 0; i < n; i++)
		steepness[i] = slope[i].steepness;
	free(slope);
}

static void
test_part(void)
{
	static const double steep[] = {-1000, -230, -40, -5, -1, -0.4, -0.3, -0.01, -1e-7, 1e-7, 0.01, 0.5, 3, 10};

	for (size_t i = 0; i < sizeof(steep) / sizeof(*steep); i++)
	{
		double		before = 0;

		for (int k = 0; k < 4096; k++)
		{
			double		u = k / 4096.0;
			double		part = part_of(steep[i], u);
			double		s = steep[i];
			/* from the side where nothing is lost */
			double		known = s < 0 ? log1p(u * expm1(s)) / s : 1 - log1p((1 - u) * expm1(-s)) / -s;

			CHECK(part >= before && part < 1);
			CHECK(fabs(part - known) < 4e-15);
			before = part;
		}
		CHECK(part_of(steep[i], 1 - 0x1p-53) < 1);
	}
	CHECK(part_of(0, 0.3) == 0.3);
	CHECK(part_of(1e-12, 0.3) == 0.3);
}

/* Drawn values have the mean of the exact integral: of evenly spread u, and of the stream's. */
static void
test_means(void)
{
	static const double steep[] = {-300, -10, -3, -0.5, 0, 0.7, 4, 10};
	const int	n = 200000;

	for (size_t i = 0; i < sizeof(steep) / sizeof(*steep); i++)
	{
		double		even = 0;
		double		drawn = 0;

		start((uint8_t) i);
		for (int k = 0; k < n; k++)
		{
			even += part_of(steep[i], (k + 0.5) / n) / n;
			drawn += part_of(steep[i], pegs_rng_double(&rng)) / n;
		}
		CHECK(fabs(even - mean_part(steep[i])) < 1e-5);
		/* a part has a standard deviation of at most .29 */
		CHECK(fabs(drawn - mean_part(steep[i])) < 6.5 * 0.29 / sqrt(n));
	}
}

/* What is drawn may never change: releases keep a key alone. */
static void
test_same_for_ever(void)
{
	static const pegs_slope_bin bin[] = {{10, 10, 0.3}, {10, 10, 0.4}, {20, 20, 0.2}, {360, 360, 0.1}};
	static const double known[] = {0x1.bf7ce8a85235cp+0, -0x1.45e52f6088a1dp-2, -0x1.1ce09feb43bf4p+0, -0x1.c92bd4e9bbd0fp+3};
	double		steepness[4];

	steepness_of(4, bin, steepness);
	for (int i = 0; i < 4; i++)
		CHECK(steepness[i] == known[i]);
	CHECK(part_of(-1.5, 0.3) == 0x1.6a49d48adc0b5p-3);
	CHECK(part_of(2.5, 0.7) == 0x1.be08aad26d3eep-1);
	CHECK(part_of(-0.125, 0.9) == 0x1.c9d2811a80b2bp-1);
}

/* ---- slopes ---- */

static double
exponential(double x)
{
	return -expm1(-x / 10);
}

static double
lognormal(double x)
{
	return x <= 0 ? 0 : 0.5 * erfc(-(log(x) - 7.2) / 0.6 / sqrt(2));
}

static double
uniform(double x)
{
	return x / 100;
}

static double
rising(double x)
{
	return pow(x / 100, 5);
}

/* Bins with exact shares of a distribution. */
static void
make_bins(uint32_t n, const double *edge, double (*below) (double), pegs_slope_bin *bin)
{
	for (uint32_t i = 0; i < n; i++)
		bin[i] = (pegs_slope_bin) {edge[i + 1] - edge[i], edge[i + 1] - edge[i], below(edge[i + 1]) - below(edge[i])};
}

/* The mean of what is drawn; flat: without slopes. */
static double
mean_of(uint32_t n, const double *edge, const pegs_slope_bin *bin, bool flat)
{
	double	   *steepness = malloc(sizeof(double) * n);
	double		mean = 0;
	double		all = 0;

	steepness_of(n, bin, steepness);
	for (uint32_t i = 0; i < n; i++)
	{
		mean += bin[i].share * (edge[i] + bin[i].width * mean_part(flat ? 0 : steepness[i]));
		all += bin[i].share;
	}
	free(steepness);
	return mean / all;
}

static void
test_densities(void)
{
	static const double incomes[] = {1, 400, 800, 1000, 1200, 1500, 2000, 2500, 3000, 5000, 20000};
	static const double even[] = {0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50};
	static const double tail[] = {0, 5, 10, 15, 20, 25, 30, 500};
	static const double hundred[] = {0, 10, 20, 50, 60, 100};
	static const double fifths[] = {0, 20, 40, 60, 80, 100};
	pegs_slope_bin bin[10];
	double		steepness[10];
	double		truth = exp(7.2 + 0.6 * 0.6 / 2);

	make_bins(10, incomes, lognormal, bin);
	CHECK(mean_of(10, incomes, bin, true) > 1.06 * truth);
	CHECK(fabs(mean_of(10, incomes, bin, false) - truth) < 0.01 * truth);

	/* an exponential density: every slope is its own, but for what a step of five loses at the ends */
	make_bins(10, even, exponential, bin);
	steepness_of(10, bin, steepness);
	for (int i = 1; i < 9; i++)
		CHECK(fabs(steepness[i] + 0.5) < 1e-12);
	CHECK(fabs(steepness[0] + 0.5) < 0.03 && fabs(steepness[9] + 0.5) < 0.03);
	make_bins(7, tail, exponential, bin);
	CHECK(mean_of(7, tail, bin, true) > 1.9 * 10);
	CHECK(fabs(mean_of(7, tail, bin, false) - 10) < 0.02 * 10);

	make_bins(5, hundred, uniform, bin);
	steepness_of(5, bin, steepness);
	for (int i = 0; i < 5; i++)
		CHECK(fabs(steepness[i]) < 1e-8);
	make_bins(5, fifths, rising, bin);
	CHECK(mean_of(5, fifths, bin, true) < 0.985 * 500 / 6);
	CHECK(fabs(mean_of(5, fifths, bin, false) - 500.0 / 6) < 0.005 * 500 / 6);
}

/* Seen from the other side it is the same. */
static void
test_mirror(void)
{
	start(1);
	for (int round = 0; round < 2000; round++)
	{
		pegs_slope_bin bin[8];
		pegs_slope_bin mirror[8];
		double		there[8];
		double		back[8];
		uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, 8);

		for (uint32_t i = 0; i < n; i++)
		{
			double		width = (double) (1 + pegs_rng_below(&rng, 100));

			mirror[n - 1 - i] = bin[i] = (pegs_slope_bin) {width, width, (double) pegs_rng_below(&rng, 5)};
		}
		steepness_of(n, bin, there);
		steepness_of(n, mirror, back);
		for (uint32_t i = 0; i < n; i++)
			CHECK(fabs(there[i] + back[n - 1 - i]) <= 1e-12 * (1 + fabs(there[i])));
	}
}

/* Whatever the noise left: finite, and no tail that rises. */
static void
test_noise(void)
{
	static const double odd[] = {0, 0, 1e-300, 1e-17, 0.001, 1};
	static const double wide[] = {0, 5e-324, 1e-9, 1, 4, 1e6, 1e300, INFINITY};
	pegs_slope_bin bin[6];
	double		steepness[6];

	start(2);
	for (int round = 0; round < 20000; round++)
	{
		uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, 6);

		for (uint32_t i = 0; i < n; i++)
		{
			double		width = wide[pegs_rng_below(&rng, 8)];

			bin[i] = (pegs_slope_bin) {width, width * (pegs_rng_below(&rng, 4) ? 1 : 0.5), odd[pegs_rng_below(&rng, 6)]};
		}
		steepness_of(n, bin, steepness);
		for (uint32_t i = 0; i < n; i++)
			CHECK(fabs(steepness[i]) <= (i == 0 || i == n - 1 ? 1000 : 10));
		CHECK(n > 1 || steepness[0] == 0);
	}
}

/* Flat where there is no evidence; a wide last bin beside an empty one falls; one beside a tall one falls at once. */
static void
test_evidence(void)
{
	pegs_slope_bin bin[4] = {{10, 10, 0.5}, {10, 10, 0}, {10, 10, 0.3}, {10, 10, 0.2}};
	double		steepness[4];

	steepness_of(4, bin, steepness);
	CHECK(steepness[0] == 0);	/* beside an empty one, as wide */
	CHECK(steepness[1] == 0);	/* empty */
	CHECK(steepness[2] == 0);	/* it would rise towards the empty one */
	bin[2].share = 0;
	steepness_of(4, bin, steepness);
	CHECK(steepness[3] == 0);
	bin[3] = (pegs_slope_bin) {40, 40, 0.2};
	steepness_of(4, bin, steepness);
	CHECK(fabs(steepness[3] + log(4)) < 1e-14);
	/* its share says how fast: 0.05 at a height of 0.05 is all within a unit or so */
	bin[1].share = bin[2].share = 0.5;
	bin[3] = (pegs_slope_bin) {1000, 1000, 0.05};
	steepness_of(4, bin, steepness);
	CHECK(fabs(steepness[3] + 1000) < 1);
	/* more than its neighbours promise: no rise */
	bin[3].share = 500;
	steepness_of(4, bin, steepness);
	CHECK(steepness[3] == 0);
	/* points are taken out of the size: 4 values of 10 that hold the share of ten are as high */
	bin[0] = (pegs_slope_bin) {10, 4, 0.2};
	bin[1] = (pegs_slope_bin) {10, 10, 0.5};
	bin[2] = (pegs_slope_bin) {10, 10, 0.5};
	steepness_of(3, bin, steepness);
	CHECK(steepness[1] == 0 && steepness[0] == 0);
}

int
main(void)
{
	test_part();
	test_means();
	test_same_for_ever();
	test_densities();
	test_mirror();
	test_noise();
	test_evidence();
	return unit_done("slope_test");
}
