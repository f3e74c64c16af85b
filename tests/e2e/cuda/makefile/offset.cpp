int offset(int x) { return x + OFFSET; }
