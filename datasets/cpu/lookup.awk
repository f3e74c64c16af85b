# An array of 16,000 numbers that is read at random: a hash table and its entries, over a megabyte of them.
BEGIN {
    for (i = 0; i < 16000; i++) table[i] = i
    for (x = 1;;) {
        x = (x * 69069 + 1) % 16777216
        sum += table[int(x / 64) % 16000]
    }
}
