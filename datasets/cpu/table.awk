# An array of 64,000 numbers that is read at random: a hash table and its entries, some megabytes of them.
BEGIN {
    for (i = 0; i < 64000; i++) table[i] = i
    for (x = 1;;) {
        x = (x * 69069 + 1) % 16777216
        sum += table[int(x / 16) % 64000]
    }
}
