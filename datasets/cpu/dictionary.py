# A dictionary of numbers that grows and is looked up at random: scattered reads over several megabytes.
table = {}
x = 1
for i in range(10000000):
    x = (x * 1103515245 + 12345) % 2147483648
    table[x % 40000] = i
    if x % 3 == 0:
        table.get((x >> 3) % 40000)
