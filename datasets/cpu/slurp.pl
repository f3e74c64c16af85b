# Counts letters in a file that is held as a whole: a table for each byte, one stream.
local $/;
my $text = <>;
while (1) { my $n = ($text =~ tr/a-m//); }
