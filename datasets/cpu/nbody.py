# Five bodies that attract each other: floating-point arithmetic in an interpreter, on a few objects.
bodies = [[(i * 37 % 11) - 5.0, (i * 17 % 7) - 3.0, 0.01 * i, -0.02 * i, 1.0 + i] for i in range(5)]
for step in range(1000000):
    for i, a in enumerate(bodies):
        for b in bodies[i + 1:]:
            dx, dy = a[0] - b[0], a[1] - b[1]
            pull = 0.001 / (dx * dx + dy * dy + 0.1) ** 1.5
            a[2] -= dx * b[4] * pull
            a[3] -= dy * b[4] * pull
            b[2] += dx * a[4] * pull
            b[3] += dy * a[4] * pull
    for a in bodies:
        a[0] += a[2] * 0.001
        a[1] += a[3] * 0.001
