# PegsMethods: every method that the server has, and how each is called. No check has the name of one: a method that is added is
# asked everything, and has a line here only if a fit of it needs an option, or an option makes another form of it.
#
#   my @methods = PegsMethods->all($pegs)    the server's own list; each was fitted once
#   $m->{name}, $m->{id}                     its name, and options if it is a form; a word that is part of names: m0, m1, ..., f0, ...
#   $m->{method}                             its name
#   $m->{form}                               is it a form, of which a method's own code is asked all, and the rest, which is the same, less often?
#   $m->{narrow}                             it is slow with many columns
#   $m->{pays}                               for what: 'fit', 'sample', or 'nothing', which has no guarantee
#   $m->{shown}                              what pegs_models says of its guarantee
#   $m->{delta}                              paid for by the fit: may it have a delta, where epsilons are added up?
#   $m->{blocks}                             paid for by the sample: may its rows be in blocks?
#   $m->{reader}                             who reads its rows: the analyst by a grant, or the curator alone
#   $m->fit('x', 'visit')                    pegs_fit(...) as text; parents => ... for a method that takes parents
#   $m->fit_state('x', 'visit', '(SELECT ...)')
#   $m->sample('x', 100), $m->release('r', 'x', 100)
#   $m->price('fit')                         what one of the three costs, as text of an epsilon
package PegsMethods;

use strict;
use warnings;

use PegsLedger;

# What a fit cannot do without, for methods with options of their own.
my %options = (
	'pegs l-diverse' => '{"l_diversity": 1.5}',
	'regression published' => '{"guarantee": "none"}',
	'table published' => '{"guarantee": "none"}',
	'marginals published' => '{"guarantee": "none"}',
	'copula published' => '{"guarantee": "none"}');

# Forms that options make of a method: asked what methods are. <first> is the name of the table's first column.
my @forms = (
	[ 'table', '{"noise": "dirichlet", "rows": 200}' ],
	[ 'table', '{"noise": "dirichlet", "rows": 200, "within": [<first>]}' ],
	[ 'marginals', '{"noise": "dirichlet", "rows": 200}' ],
	[ 'table sealed', '{"within": [<first>]}' ],
	# a table for each source, of one row: what others have is asked in pgtap/prior.sql
	[ 'table', '{"noise": "dirichlet", "rows": 200, "prior": {"table": "<prior>", "weight": "prior_weight"}}' ],
	[ 'table sealed', '{"prior": {"table": "<prior>", "weight": "prior_weight"}}' ],
	[ 'marginals sealed', '{"prior": {"table": "<prior>", "weight": "prior_weight"}}' ],
	[ 'copula', '{"by": [<first>]}' ],
	[ 'copula', '{"coding": "dummy"}' ],
	[ 'copula', '{"correlation": "kendall"}' ],
	[ 'copula published', '{"guarantee": "none", "form": "cop-ID"}' ],
	[ 'copula published', '{"guarantee": "none", "form": "cop-1"}' ],
	[ 'regression', '{"lambda": 0, "sweeps": 3}' ]);

# How a method may want to be called, the first that it takes: to be paid at the fit, with parents, with nothing.
my @ways = ({ epsilon => 1 }, { parents => "'{}'" }, {});

our $fit_epsilon = 1;
our $sample_epsilon = 0.1;

sub names
{
	my ($pegs) = @_;
	# of what the report has titles for: not what the papers call otherwise
	my @names = split /\n/, $pegs->value("SELECT name FROM pegs_internal.report_titles() WHERE name = method");

	die "three methods or more were expected: @names" if @names < 3;
	return @names;
}

sub all
{
	my ($class, $pegs) = @_;
	my @names = names($pegs);

	return ((map { $class->tried($pegs, $names[$_], "m$_", $options{ $names[$_] }) } 0 .. $#names),
		(map { $class->tried($pegs, $forms[$_][0], "f$_", $forms[$_][1]) } 0 .. $#forms));
}

# A fit of each way, until one is taken; then it is asked what it is paid for.
sub tried
{
	my ($class, $pegs, $name, $id, $options) = @_;
	my $self = bless { server => $pegs, name => $name, id => $id, pays => '' }, $class;
	$self->{form} = $id =~ /^f/;
	$self->{name} .= " $options" if $self->{form};
	$self->{method} = $name;
	# a normal for each of a thousand levels takes a minute
	$self->{narrow} = ($options // '') =~ /dummy/;
	my $errors = '';

	for my $way (@ways)
	{
		$self->{arguments} = { method => quoted($name), %$way };
		$self->{options} = $options if $options;
		my (undef, $err) = $pegs->as('postgres', "\\set VERBOSITY default\nSET client_min_messages = warning; SELECT " . $self->fit('tried', 'visit'));
		$errors .= $err;
		next if $err;
		my ($kind, $guarantee, $shown) = split /\|/,
			$pegs->value("SELECT kind, pegs_describe(name) ->> 'guarantee', guarantee FROM pegs_models WHERE name = 'tried'");
		$self->{pays} = $guarantee eq 'none' ? 'nothing' : $kind eq 'perturbed' ? 'fit' : 'sample';
		$self->{shown} = $shown;
		$self->{reader} = $self->{pays} eq 'nothing' ? 'curator' : 'analyst';
		if ($self->{pays} eq 'sample')
		{
			(undef, $err) = $pegs->as('postgres', "\\set VERBOSITY default\nSELECT * FROM pegs_cost('tried', 2, 1, block => 2)");
			$self->{blocks} = $err !~ /have no blocks/;
		}
		$pegs->value("SELECT pegs_drop('tried')");
		if ($self->{pays} eq 'fit')
		{
			(undef, $err) = $pegs->as('postgres', "\\set VERBOSITY default\nSET client_min_messages = warning; SELECT " . $self->fit('tried', 'visit', delta => 1e-9));
			$pegs->value("SELECT pegs_drop('tried')") if !$err;
			$self->{delta} = $err !~ /needs no delta/;
		}
		return $self;
	}
	die "no way was found to call method \"$name\"; does it need an option, here in PegsMethods.pm?\n$errors";
}

sub quoted { my ($text) = @_; return "'" . ($text =~ s/'/''/gr) . "'" }

# The public table that goes with a source: one of its rows, or none, twelve and a half times.
sub prior
{
	my ($self, $table) = @_;
	# the view's levels are not its table's
	my $row = $table eq 'endlessly' ? q{SELECT '0' AS a, true AS b} : "SELECT * FROM $table LIMIT 1";

	$self->{priors}{$table} //= $self->{server}->value("SET client_min_messages = error; CREATE TABLE IF NOT EXISTS prior_of_$table AS SELECT *, 12.5::float8 AS prior_weight FROM ($row) AS r;
		GRANT SELECT ON prior_of_$table TO PUBLIC; SELECT 'prior_of_$table'");
	return $self->{priors}{$table};
}

sub arguments
{
	my ($self, $table, %more) = @_;
	my %a = %{ $self->{arguments} };
	my $options = $self->{options};

	$options =~ s/<prior>/$self->prior($table)/e if $options;
	$a{options} = sprintf q{replace(%s, '<first>', (SELECT to_json(attname)::text FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum = 1))::jsonb}, quoted($options), $table
		if $options;

	delete $more{parents} unless exists $a{parents};
	%a = (%a, %more);
	return join ', ', map { "$_ => $a{$_}" } sort keys %a;
}

sub fit
{
	my ($self, $model, $table, %more) = @_;
	return "pegs_fit('$model', '$table', " . $self->arguments($table, %more) . ')';
}

sub fit_state
{
	my ($self, $model, $table, $state, %more) = @_;
	return "pegs_fit_state('$model', '$table', $state, " . $self->arguments($table, %more) . ')';
}

sub paid { my ($self, $n) = @_; return $self->{pays} ne 'sample' ? '' : ", epsilon => $sample_epsilon" . ($self->{blocks} ? ", block => $n" : '') }
sub sample { my ($self, $model, $n) = @_; return "pegs_sample('$model', $n" . $self->paid($n) . ')' }
sub release { my ($self, $release, $model, $n) = @_; return "pegs_release('$release', '$model', $n" . $self->paid($n) . ')' }

sub price
{
	my ($self, $verb) = @_;

	return $self->{pays} eq 'fit' ? $fit_epsilon : 0 if $verb eq 'fit';
	return $self->{pays} eq 'sample' ? $sample_epsilon : 0;
}

1;
