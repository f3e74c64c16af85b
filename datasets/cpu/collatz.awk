# The longest Collatz sequence: arithmetic on a few variables.
BEGIN {
    for (n = 1; n < 10000000; n++) {
        steps = 0
        for (k = n; k != 1; steps++) k = k % 2 ? 3 * k + 1 : k / 2
        if (steps > most) { most = steps; from = n }
    }
    print from, most
}
