-- A table of orders with an index, and questions to it: B-trees in memory.
PRAGMA cache_size = -65536;
CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER, amount INTEGER, note TEXT);
CREATE INDEX by_customer ON orders(customer);
WITH RECURSIVE n(i, x) AS (SELECT 1, 7 UNION ALL SELECT i + 1, (x * 1103515245 + 12345) % 2147483648 FROM n WHERE i < 200000)
INSERT INTO orders SELECT i, x % 5000, x % 997, 'order number ' || i FROM n;
SELECT customer, sum(amount) FROM orders GROUP BY customer ORDER BY 2 DESC LIMIT 10;
SELECT count(*) FROM orders a JOIN orders b ON a.customer = b.customer AND a.id < b.id WHERE a.amount < 40;
