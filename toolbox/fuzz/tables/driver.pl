# Runs the commands of a file one after the other in a directory each. A line is: number, then the words, all in hexadecimal but the number.
# The name /marker/NUMBER is looked up before each, so that whoever traces this knows where the next begins.
use strict;
use warnings;
use Time::HiRes qw(alarm);

open(my $list, '<', $ARGV[0]) or die "no list: $!";
while (my $line = <$list>) {
  chomp $line;
  my ($number, @words) = split / /, $line;
  my @argv = map { pack('H*', $_) } @words;
  open(my $marker, '<', "/marker/$number");
  my $child = fork();
  die "no process: $!" unless defined $child;
  if ($child == 0) {
    chdir("/c/$number") or die "no directory: $!";
    open(STDIN, '<', 'names.txt');
    open(STDOUT, '>', '/dev/null');
    open(STDERR, '>', '/dev/null');
    exec { $argv[0] } @argv;
    exit 127;
  }
  eval {
    local $SIG{ALRM} = sub { die "late\n" };
    alarm(0.35);
    waitpid($child, 0);
    alarm(0);
  };
  # Everything but this process and the first of the namespace, new sessions included.
  kill('KILL', -1);
  while (waitpid(-1, 0) > 0) { }
}
