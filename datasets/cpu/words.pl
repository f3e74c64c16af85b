# How often each word occurs: a hash of strings.
my %count;
while (<>) { $count{$_}++ for split }
print "$_ $count{$_}\n" for sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
