-- demo/orders.sql: a table as people have it, without a CHECK: 20,000 invented orders of 6,000 customers. Of demo/start.sql and demo/demo.sql.
CREATE TABLE orders (order_id serial PRIMARY KEY, customer int NOT NULL, ordered date, town text, items int, amount numeric(10, 2), paid boolean, note text);
SELECT setseed(0.5);
INSERT INTO orders (customer, ordered, town, items, amount, paid, note)
SELECT 1 + floor(6000 * random() * random()), date '2024-01-01' + floor(730 * sqrt(random()))::int,
	CASE WHEN random() < 0.02 THEN NULL ELSE (ARRAY['Rome', 'Oslo', 'Lyon', 'Porto', 'Graz'])[1 + floor(5 * random() * random())] END,
	1 + floor(6 * random() * random() * random()), CASE WHEN random() < 0.15 THEN 0 ELSE round((exp(3.4 + 0.9 * (random() + random() + random() + random() - 2) * 1.7))::numeric, 2) END,
	random() < 0.8, 'call ' || i
FROM generate_series(1, 20000) AS i;
