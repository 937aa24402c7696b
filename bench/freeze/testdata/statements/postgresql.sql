CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 TEXT, c2 DOUBLE PRECISION);
CREATE TABLE t1 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 TEXT, c2 DOUBLE PRECISION);
CREATE TABLE t2 (pkey BIGINT NOT NULL PRIMARY KEY, c9 INT);
CREATE VIEW v0 AS SELECT pkey, c0 FROM t0 WHERE c0 > 5;

INSERT INTO t0 (pkey, vkey, pvkey, c0, c1, c2) VALUES (1, 1, 0, 10, 'a', 1.5), (2, 2, 0, 20, 'b', 2.5), (3, 3, 0, NULL, NULL, 3.5);
INSERT INTO t1 (pkey, vkey, pvkey, c0, c1, c2) VALUES (1, 1, 0, 10, 'a', 1), (2, 2, 0, 15, 'c', 2);
INSERT INTO t2 (pkey, c9) VALUES (1, 5);

SELECT pkey, vkey, c0 FROM t0 WHERE pkey = 1;

SELECT pkey, vkey FROM t0 WHERE c0 > 5 AND c0 < 25;

SELECT pkey, vkey FROM t0 WHERE c0 BETWEEN 10 AND 20 OR c0 IS NULL;

SELECT pkey, vkey FROM t0 WHERE c1 LIKE 'a%' AND c1 NOT LIKE '%z';

SELECT pkey, vkey FROM t0 WHERE c0 IN (10, 20, NULL);

SELECT pkey, vkey FROM t0 WHERE NOT (c0 = 10 OR c1 = 'b');

SELECT pkey, vkey FROM t0 WHERE c1 = 'it''s; -- no comment';

SELECT pkey, vkey FROM t0 WHERE c1 <> '/* no comment */';

SELECT pkey, vkey, c0 AS "c" FROM t0 ORDER BY pkey;

SELECT pkey, vkey /* ; */ FROM t0 WHERE c0 = 10;

SELECT pkey, vkey -- ; to the end of the line
FROM t0 WHERE c0 = 20;

SELECT
    pkey,
    vkey
FROM
    t0
WHERE
    c0 >= 10;

select pkey, vkey from t0 where C0 = 10;

SELECT t0.pkey, t0.vkey, t1.pkey, t1.vkey FROM t0 JOIN t1 ON t0.c0 = t1.c0;

SELECT a.pkey, a.vkey, b.pkey, b.vkey FROM t0 AS a INNER JOIN t0 AS b ON a.pkey = b.pkey + 1;

SELECT a.pkey, a.vkey, b.c0 FROM t0 a LEFT JOIN t1 b ON a.c0 = b.c0 AND b.pkey > 1 ORDER BY a.pkey, b.pkey;

SELECT a.pkey, b.pkey FROM t0 a CROSS JOIN t1 b WHERE a.pkey = b.pkey;

SELECT a.pkey, b.pkey FROM t0 a, t1 b WHERE a.c1 = b.c1;

SELECT pkey, c0 FROM t0 NATURAL JOIN t2;

SELECT a.pkey FROM t0 a JOIN t1 b USING (pkey) WHERE b.c0 IS NOT NULL;

SELECT a.pkey FROM t0 a LEFT JOIN (t1 b JOIN t2 c ON b.pkey = c.pkey) ON a.pkey = b.pkey;

SELECT a.pkey FROM t0 a LEFT OUTER JOIN t1 b ON a.pkey = b.pkey LEFT OUTER JOIN t2 c ON b.pkey = c.pkey;

SELECT COUNT(*), COUNT(c0), SUM(c0), MIN(c0), MAX(c0) FROM t0;

SELECT COUNT(DISTINCT c0) FROM t0 WHERE pkey < 4;

SELECT c1, COUNT(*) FROM t0 GROUP BY c1 ORDER BY c1;

SELECT c1, SUM(c0) FROM t0 GROUP BY c1 HAVING SUM(c0) > 10 ORDER BY c1;

SELECT c0 % 2, COUNT(*) FROM t0 GROUP BY c0 % 2 ORDER BY 1;

SELECT DISTINCT c1 FROM t0 ORDER BY c1;

SELECT pkey, vkey FROM t0 WHERE EXISTS (SELECT 1 FROM t1 WHERE t1.c0 = t0.c0);

SELECT pkey, vkey FROM t0 WHERE NOT EXISTS (SELECT * FROM t1 WHERE t1.pkey = t0.pkey AND t1.c0 > 15);

SELECT pkey, vkey FROM t0 WHERE c0 IN (SELECT c0 FROM t1);

SELECT pkey, vkey FROM t0 WHERE c0 NOT IN (SELECT c0 FROM t1 WHERE c0 IS NOT NULL);

SELECT pkey, vkey FROM t0 WHERE (c0, c1) IN (SELECT c0, c1 FROM t1);

SELECT pkey, vkey FROM t0 WHERE (c0, c1) = (10, 'a');

SELECT pkey, vkey FROM t0 WHERE (c0, pkey) < (20, 2);

SELECT pkey, vkey FROM t0 WHERE c0 = (SELECT MAX(c0) FROM t1);

SELECT pkey, (SELECT COUNT(*) FROM t1 WHERE t1.c0 <= t0.c0) FROM t0 ORDER BY pkey;

SELECT pkey, CASE WHEN c0 > 15 THEN 'high' WHEN c0 IS NULL THEN 'none' ELSE 'low' END FROM t0 ORDER BY pkey;

SELECT pkey, CASE c1 WHEN 'a' THEN 1 ELSE 0 END FROM t0 ORDER BY pkey;

SELECT pkey, COALESCE(c0, 0), NULLIF(c1, 'a') FROM t0 ORDER BY pkey;

SELECT pkey, ABS(c0 - 15), UPPER(c1), LENGTH(c1) FROM t0 ORDER BY pkey;

SELECT d.pkey, d.s FROM (SELECT pkey, c0 + 1 AS s FROM t0 WHERE c0 < 30) AS d WHERE d.s > 11;

SELECT pkey FROM t0 UNION SELECT pkey FROM t1;

SELECT pkey FROM t0 UNION ALL SELECT pkey FROM t1 ORDER BY pkey LIMIT 3;

SELECT pkey FROM t0 EXCEPT SELECT pkey FROM t1;

SELECT pkey FROM t0 INTERSECT SELECT pkey FROM t1;

SELECT pkey, vkey FROM t0 ORDER BY pkey LIMIT 2;

SELECT pkey, vkey FROM t0 ORDER BY c0 DESC, pkey ASC LIMIT 1 OFFSET 1;

WITH w AS (SELECT pkey, c0 FROM t0 WHERE c0 > 5) SELECT pkey FROM w WHERE c0 < 25 ORDER BY pkey;

WITH w (a, b) AS (SELECT pkey, c0 FROM t0), v AS (SELECT a FROM w WHERE b > 10) SELECT a FROM v ORDER BY a;

WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT t0.pkey, t0.vkey FROM t0 JOIN r ON t0.pkey = r.n;

SELECT pkey, ROW_NUMBER() OVER (ORDER BY pkey) FROM t0;

SELECT pkey, RANK() OVER (PARTITION BY c1 ORDER BY c0, pkey) FROM t0 ORDER BY pkey;

SELECT pkey, SUM(c0) OVER (ORDER BY pkey ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t0 ORDER BY pkey;

SELECT pkey, SUM(c0) OVER w FROM t0 WINDOW w AS (PARTITION BY c1 ORDER BY pkey) ORDER BY pkey;

SELECT pkey, LAG(c0) OVER w, LEAD(c0, 1) OVER w FROM t0 WINDOW w AS (ORDER BY pkey) ORDER BY pkey;

SELECT pkey, FIRST_VALUE(c0) OVER (ORDER BY pkey RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t0 ORDER BY pkey;

SELECT pkey, NTILE(2) OVER (ORDER BY pkey), DENSE_RANK() OVER (ORDER BY c1, pkey) FROM t0 ORDER BY pkey;

SELECT * FROM t0 WHERE pkey = 2;

SELECT t0.*, t1.pkey FROM t0 JOIN t1 ON t0.pkey = t1.pkey;

SELECT v0.pkey, v0.c0 FROM v0 WHERE c0 > 10;

SELECT pkey, vkey FROM t0 WHERE c0 + 1 = 11;

SELECT pkey, vkey FROM t0 WHERE -c0 < -15;

SELECT pkey, vkey FROM t0 WHERE c2 * 2 > 2.5e0;

SELECT pkey, vkey FROM t0 WHERE CAST(c0 AS CHAR(10)) = '10';

SELECT pkey, vkey FROM t0 WHERE c1 IS NULL;

SELECT pkey, vkey FROM t0 WHERE 1 = 1;

SELECT 1;

INSERT INTO t0 (pkey, vkey, pvkey, c0, c1) VALUES (11, 101, 0, 1, 'x');

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (12, 102, 0, 1), (13, 102, 0, NULL);

INSERT INTO t0 (pkey, vkey, pvkey, c0) SELECT pkey + 20, 103, 0, c0 FROM t1 WHERE c0 > 5;

INSERT INTO t0 (pkey, vkey, pvkey, c0, c1) VALUES (14, 104, 0, 2 + 3, UPPER('q'));

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 105, 0, 1);

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (15, 106, 0, (SELECT MAX(c0) FROM t1));

INSERT INTO t0 (pkey, vkey, pvkey, c1) VALUES (16, 107, 0, 'semi;colon');

UPDATE t0 SET pvkey = vkey, vkey = 201, c0 = c0 + 1 WHERE pkey = 1;

UPDATE t0 SET pvkey = vkey, vkey = 202, c0 = c0 * 2, c1 = 'n' WHERE c0 > 10;

UPDATE t0 SET pvkey = vkey, vkey = 203, c0 = NULL;

UPDATE t0 SET pvkey = vkey, vkey = 204, c0 = (SELECT MIN(c0) FROM t1) WHERE pkey = 2;

UPDATE t0 SET pvkey = vkey, vkey = 205, c0 = CASE WHEN c0 > 10 THEN 1 ELSE 2 END WHERE c1 IN ('a', 'b');

UPDATE t0 SET pvkey = vkey, vkey = 206, c0 = 7 WHERE EXISTS (SELECT 1 FROM t1 WHERE t1.pkey = t0.pkey);

UPDATE t0 SET c0 = c0 + 1 WHERE pkey = 1;

UPDATE t0 SET pkey = 9 WHERE pkey = 1;

DELETE FROM t0 WHERE pkey = 1;

DELETE FROM t0 WHERE c0 IN (SELECT c0 FROM t1 WHERE pkey > 1);

DELETE FROM t0;

DELETE FROM t0 WHERE c0 > 100;

BEGIN;
SAVEPOINT a;
UPDATE t0 SET pvkey = vkey, vkey = 301, c0 = 1 WHERE pkey = 1;
ROLLBACK TO a;
SELECT pkey, vkey FROM t0;
COMMIT;

BEGIN;
SAVEPOINT a;
DELETE FROM t0 WHERE pkey = 1;
RELEASE SAVEPOINT a;
COMMIT;

BEGIN;
SAVEPOINT a;
SAVEPOINT a;
ROLLBACK TO SAVEPOINT a;
RELEASE SAVEPOINT a;
COMMIT;

BEGIN;
ROLLBACK TO nosuch;
COMMIT;

BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 302, c0 = 1 WHERE pkey = 1;
SELECT pkey, vkey FROM t0;
ROLLBACK;

BEGIN;
COMMIT;

SELECT nosuch FROM t0;

SELECT pkey FROM nosuch;

SELEC pkey FROM t0;

DROP TABLE t0;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (17, 108, 0, 1); SELECT pkey, vkey FROM t0 WHERE pkey = 17;

SELECT pkey, vkey FROM t0 WHERE c0 = 10;;

-- T0 --
BEGIN;
UPDATE t0 SET c0 = 1 WHERE c0 = 10;
COMMIT;
-- T1 --
BEGIN;
SELECT * FROM t0;
COMMIT;
-- schedule --
T0 T1 T0 T1 T0 T1
-- order --
T1.S0 T0.S0

-- T0 --
BEGIN;
UPDATE t0 SET c0 = c0 + 1;
COMMIT;
-- T1 --
BEGIN;
SELECT * FROM t0;
COMMIT;
-- schedule --
T0 T0 T0 T1 T1 T1
-- order --
T0.S0 T1.S0

-- T0 --
UPDATE t0 SET pvkey = vkey, vkey = 401, c0 = 3 WHERE pkey = 3;
-- T1 session 1 --
SELECT pkey, vkey, c0 FROM t0;

-- T0 --
BEGIN;
SELECT pkey, vkey FROM t0;
COMMIT;
-- T1 --
CREATE INDEX x9 ON t0 (c0);
-- schedule --
T0 T0 T1 T0

-- T0 session 1 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 402, c1 = 'y' WHERE c0 = 10;
COMMIT;
-- T1 session 1 --
BEGIN;
DELETE FROM t0 WHERE c1 = 'y';
ROLLBACK;

CREATE INDEX x0 ON t0 (c0);

CREATE INDEX x1 ON t0 (c1, c0 DESC);

CREATE UNIQUE INDEX x2 ON t0 (c2);

CREATE VIEW v9 AS SELECT pkey, c0 FROM t0 WHERE c0 > 3;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT CHECK (c0 > 0), c1 INT DEFAULT 3);

CREATE TABLE t9 (pkey BIGINT NOT NULL, vkey BIGINT, pvkey BIGINT, c0 INT, c1 INT, PRIMARY KEY (pkey, c0), UNIQUE (c1));

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, f BIGINT, FOREIGN KEY (f) REFERENCES t0 (pkey) ON DELETE CASCADE ON UPDATE RESTRICT);

SELECT "pkey", "vkey" FROM "t0" WHERE "c1" = 'a';

SELECT pkey, vkey FROM t0 WHERE c1 = E'a\'b';

SELECT pkey, vkey FROM t0 WHERE c1 = E'\x61' OR c1 = e'\n';

SELECT pkey, vkey FROM t0 WHERE c1 = $$a$$;

SELECT pkey, vkey FROM t0 WHERE c1 = $q$it's; a$q$;

SELECT pkey, vkey FROM t0 WHERE c1 = U&'\0061';

SELECT pkey, vkey FROM t0 WHERE c1 = U&'!0061' UESCAPE '!';

SELECT pkey, vkey FROM t0 WHERE c1 = 'a'
'b';

SELECT pkey, vkey FROM t0 WHERE c1 = 'back\slash';

SELECT pkey, c0::text, c2::numeric(10, 2), '5'::int, c0::bigint::text FROM t0 ORDER BY pkey;

SELECT pkey, int4 '7', CAST(c0 AS numeric), date '2020-01-01', interval '1 day' FROM t0 ORDER BY pkey;

SELECT pkey, B'1010', X'1F', 1_000 FROM t0;

SELECT pkey /* a /* nested */ comment; */, vkey FROM t0;

SELECT pkey, vkey FROM t0 WHERE c1 ~ '^a' AND c1 !~ 'z' AND c1 ~* 'A';

SELECT pkey, vkey FROM t0 WHERE c1 ILIKE 'A%' OR c1 SIMILAR TO '(a|b)%';

SELECT pkey, vkey FROM t0 WHERE c1 ~~ 'a%' AND c1 !~~ 'b%';

SELECT pkey, vkey FROM t0 WHERE c0 IS DISTINCT FROM 10;

SELECT pkey, vkey FROM t0 WHERE c0 = ANY (ARRAY[10, 20]);

SELECT pkey, vkey FROM t0 WHERE c0 = ANY ('{10,20}'::int[]);

SELECT pkey, vkey FROM t0 WHERE c0 <> ALL (SELECT c0 FROM t1 WHERE c0 IS NOT NULL);

SELECT pkey, vkey FROM t0 WHERE c0 BETWEEN SYMMETRIC 20 AND 10;

SELECT pkey, vkey FROM t0 WHERE c0 % 3 = 1 AND c0 ^ 2 > 5 AND |/ 4 = 2;

SELECT pkey, vkey FROM t0 WHERE c0 & 2 = 2 OR c0 | 1 = 11 OR c0 # 1 = 11 OR ~c0 < 0;

SELECT pkey, vkey FROM t0 WHERE (c0, c1) > (10, 'a') AND ROW(c0, c1) IS NOT NULL;

SELECT pkey, vkey FROM t0 WHERE c1 COLLATE "C" < 'b';

SELECT pkey, c1 || '-' || c0, concat(c1, c0), format('%s', c1) FROM t0 ORDER BY pkey;

SELECT pkey, substring(c1 FROM 1 FOR 1), position('a' IN c1), overlay(c1 PLACING 'x' FROM 1), trim(BOTH 'a' FROM c1) FROM t0 ORDER BY pkey;

SELECT pkey, extract(year FROM date '2020-02-03'), greatest(c0, 5), least(c0, 5) FROM t0 ORDER BY pkey;

SELECT pkey, '{"a": {"b": 1}}'::json -> 'a' -> 'b', '{"a": 1}'::jsonb ->> 'a', '{"a": [1]}'::jsonb #>> '{a,0}' FROM t0 ORDER BY pkey;

SELECT pkey, '{"a": 1}'::jsonb @> '{"a": 1}', '{"a": 1}'::jsonb ? 'a', '[1]'::jsonb - 0 FROM t0 ORDER BY pkey;

SELECT pkey, jsonb_build_object('k', c0), to_jsonb(c1) FROM t0 ORDER BY pkey;

SELECT pkey, ARRAY[c0, 1], (ARRAY[1, 2, 3])[2], (ARRAY[1, 2, 3])[1:2], array_length(ARRAY[1], 1) FROM t0 ORDER BY pkey;

SELECT pkey, x FROM t0, unnest(ARRAY[1, 2]) AS x ORDER BY pkey, x;

SELECT pkey, g FROM t0, generate_series(1, 2) AS g ORDER BY pkey, g;

SELECT pkey, g.n, g.ordinality FROM t0, unnest(ARRAY['p', 'q']) WITH ORDINALITY AS g(n) ORDER BY pkey, g.n;

SELECT string_agg(c1, ',' ORDER BY pkey), array_agg(c0 ORDER BY pkey) FROM t0;

SELECT COUNT(*) FILTER (WHERE c0 > 10), bool_and(c0 > 5), every(c0 > 5) FROM t0;

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY c0), mode() WITHIN GROUP (ORDER BY c1) FROM t0;

SELECT c1, c0, COUNT(*) FROM t0 GROUP BY GROUPING SETS ((c1), (c0), ()) ORDER BY 1, 2;

SELECT c1, COUNT(*) FROM t0 GROUP BY ROLLUP (c1) ORDER BY 1;

SELECT c1, c0, GROUPING(c1, c0), COUNT(*) FROM t0 GROUP BY CUBE (c1, c0) ORDER BY 1, 2;

SELECT DISTINCT ON (c1) c1, pkey FROM t0 ORDER BY c1, pkey;

SELECT pkey, SUM(c0) OVER (ORDER BY pkey GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES) FROM t0 ORDER BY pkey;

SELECT pkey, SUM(c0) OVER (w ROWS UNBOUNDED PRECEDING) FROM t0 WINDOW w AS (PARTITION BY c1 ORDER BY pkey) ORDER BY pkey;

SELECT pkey, nth_value(c0, 2) OVER w, cume_dist() OVER w FROM t0 WINDOW w AS (ORDER BY pkey) ORDER BY pkey;

SELECT t0.pkey, t1.pkey FROM t0 FULL JOIN t1 ON t0.pkey = t1.pkey ORDER BY t0.pkey, t1.pkey;

SELECT t0.pkey, d.c0 FROM t0, LATERAL (SELECT c0 FROM t1 WHERE t1.pkey = t0.pkey) AS d ORDER BY 1;

SELECT t0.pkey, d.c0 FROM t0 LEFT JOIN LATERAL (SELECT c0 FROM t1 WHERE t1.pkey > t0.pkey ORDER BY pkey LIMIT 1) AS d ON true ORDER BY 1;

SELECT pkey FROM ONLY t0;

SELECT pkey FROM t0 TABLESAMPLE BERNOULLI (100) REPEATABLE (1);

SELECT pkey, vkey FROM t0 ORDER BY c0 DESC NULLS LAST, pkey;

SELECT pkey, vkey FROM t0 ORDER BY pkey USING <;

SELECT pkey, vkey FROM t0 ORDER BY pkey LIMIT ALL OFFSET 1;

SELECT pkey, vkey FROM t0 ORDER BY pkey FETCH FIRST 2 ROWS ONLY;

SELECT pkey, c0 FROM t0 ORDER BY c1 FETCH FIRST 1 ROW WITH TIES;

SELECT pkey FROM t0 EXCEPT ALL SELECT pkey FROM t1;

SELECT pkey FROM t0 INTERSECT ALL SELECT pkey FROM t1;

(SELECT pkey FROM t0 ORDER BY pkey LIMIT 1) UNION ALL (SELECT pkey FROM t1 ORDER BY pkey LIMIT 1);

VALUES (1, 'x'), (2, 'y');

SELECT pkey FROM t0 WHERE (pkey, c0) IN (VALUES (1, 10), (2, 20));

SELECT t0.pkey, v.b FROM t0 JOIN (VALUES (1, 'x'), (2, 'y')) AS v(a, b) ON v.a = t0.pkey ORDER BY 1;

TABLE t0;

WITH w AS MATERIALIZED (SELECT pkey FROM t0) SELECT pkey FROM w ORDER BY pkey;

WITH w AS (DELETE FROM t0 WHERE pkey = 1 RETURNING pkey) SELECT pkey FROM w;

WITH w AS (INSERT INTO t1 (pkey, vkey, pvkey) VALUES (61, 500, 0) RETURNING pkey) SELECT pkey FROM w;

WITH RECURSIVE r(n) AS (VALUES (1) UNION SELECT n + 1 FROM r WHERE n < 3) SEARCH DEPTH FIRST BY n SET o SELECT n FROM r ORDER BY o;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 FOR UPDATE;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 FOR NO KEY UPDATE;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 FOR SHARE;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 FOR KEY SHARE NOWAIT;

SELECT pkey, vkey FROM t0 WHERE pkey < 3 FOR UPDATE SKIP LOCKED;

SELECT a.pkey, b.pkey FROM t0 a JOIN t1 b ON a.pkey = b.pkey FOR UPDATE OF a FOR SHARE OF b;

SELECT pkey, now(), random(), pg_backend_pid() FROM t0;

SELECT pkey, current_timestamp, current_user FROM t0;

SELECT pg_read_file('/etc/passwd'), pkey FROM t0;

SELECT pg_sleep(0);

SELECT pg_advisory_xact_lock(7);

SELECT pkey FROM public.t0;

SELECT pkey, ctid, xmin FROM t0;

SELECT pkey, $1 FROM t0;

SELECT pkey INTO t8 FROM t0;

SELECT (t0).pkey, t0 FROM t0;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 501, 0, 5) ON CONFLICT (pkey) DO UPDATE SET pvkey = t0.vkey, vkey = 501, c0 = EXCLUDED.c0;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 502, 0, 5) ON CONFLICT DO NOTHING;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 503, 0, 5) ON CONFLICT ON CONSTRAINT t0_pkey DO UPDATE SET pvkey = t0.vkey, vkey = 503, c0 = 1 WHERE t0.c0 > 5;

INSERT INTO t0 AS x (pkey, vkey, pvkey, c0) VALUES (1, 504, 0, 5) ON CONFLICT (pkey) DO UPDATE SET pvkey = x.vkey, vkey = 504, c0 = x.c0 + 1;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (31, 505, 0, 5) RETURNING pkey, c0 + 1 AS n;

INSERT INTO t0 (pkey, vkey, pvkey, c0) OVERRIDING SYSTEM VALUE VALUES (32, 506, 0, 5);

INSERT INTO t0 DEFAULT VALUES;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (33, 507, 0, DEFAULT);

WITH w AS (SELECT pkey + 70 AS p FROM t1) INSERT INTO t0 (pkey, vkey, pvkey) SELECT p, 508, 0 FROM w;

UPDATE t0 SET pvkey = vkey, vkey = 601, c0 = 1 WHERE pkey = 1 RETURNING pkey, vkey, c0;

UPDATE t0 SET pvkey = t0.vkey, vkey = 602, c0 = t1.c0 FROM t1 WHERE t0.pkey = t1.pkey;

UPDATE t0 AS a SET pvkey = a.vkey, vkey = 603, c0 = 1 WHERE a.pkey = 1;

UPDATE t0 SET (pvkey, vkey, c0) = (vkey, 604, 3) WHERE pkey = 1;

UPDATE t0 SET pvkey = vkey, vkey = 605, (c0, c1) = (SELECT c0, c1 FROM t1 WHERE pkey = 1) WHERE pkey = 1;

UPDATE ONLY t0 SET pvkey = vkey, vkey = 606, c0 = DEFAULT WHERE pkey = 1;

DELETE FROM t0 WHERE pkey = 1 RETURNING *;

DELETE FROM t0 USING t1 WHERE t0.pkey = t1.pkey AND t1.c0 = 10;

DELETE FROM t0 AS a WHERE a.pkey = 1;

MERGE INTO t0 USING t1 ON t0.pkey = t1.pkey WHEN MATCHED THEN UPDATE SET pvkey = t0.vkey, vkey = 607, c0 = t1.c0 WHEN NOT MATCHED THEN INSERT (pkey, vkey, pvkey, c0) VALUES (t1.pkey, 607, 0, t1.c0);

MERGE INTO t0 a USING (SELECT pkey FROM t1) b ON a.pkey = b.pkey WHEN MATCHED AND a.c0 > 5 THEN DELETE WHEN MATCHED THEN DO NOTHING;

BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT pkey FROM t0;
COMMIT;

START TRANSACTION READ ONLY;
SELECT pkey, vkey FROM t0;
COMMIT;

START TRANSACTION READ ONLY;
DELETE FROM t0;
ROLLBACK;

BEGIN;
LOCK TABLE t0 IN SHARE MODE;
SELECT pkey, vkey FROM t0;
COMMIT;

BEGIN;
LOCK TABLE t0, t1 IN EXCLUSIVE MODE NOWAIT;
DELETE FROM t0 WHERE pkey = 1;
COMMIT;

BEGIN;
DELETE FROM t0 WHERE pkey = 1;
PREPARE TRANSACTION 'p1';
COMMIT PREPARED 'p1';

BEGIN;
DELETE FROM t0 WHERE pkey = 1;
PREPARE TRANSACTION 'p1';
ROLLBACK PREPARED 'p1';

BEGIN;
SELECT pkey FROM t0;
END;

BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 701, 0);
SELECT pkey FROM t0;
COMMIT;

BEGIN;
SAVEPOINT a;
INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 702, 0);
ROLLBACK TO SAVEPOINT a;
SELECT pkey, vkey FROM t0;
COMMIT;

BEGIN;
SELECT pkey FROM t0;
COMMIT AND CHAIN;

-- T0 --
TRUNCATE TABLE t0;
-- T1 --
BEGIN;
SELECT pkey, vkey FROM t0;
COMMIT;

-- T0 --
VACUUM FULL t0;
-- T1 --
BEGIN;
SELECT pkey, vkey FROM t0;
COMMIT;

-- T0 --
REINDEX TABLE CONCURRENTLY t0;
-- T1 --
ANALYZE t0;

-- T0 --
CREATE TEMPORARY TABLE s0 AS SELECT pkey, c0 FROM t0;
-- T1 --
DELETE FROM t0 WHERE pkey = 1;

COPY t0 TO STDOUT;

DO $$ BEGIN DELETE FROM t0; END $$;

EXPLAIN ANALYZE DELETE FROM t0;

SET search_path = x;

DECLARE c CURSOR FOR SELECT pkey FROM t0;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 INT GENERATED ALWAYS AS (c0 + 1) STORED);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT GENERATED BY DEFAULT AS IDENTITY);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a INT[], b JSONB, c TIMESTAMPTZ, d NUMERIC(9, 2), e BOOLEAN, f BYTEA, g UUID);

CREATE TABLE t9 (pkey BIGINT NOT NULL, vkey BIGINT, pvkey BIGINT, PRIMARY KEY (pkey)) PARTITION BY RANGE (pkey);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, f BIGINT REFERENCES t0 (pkey) DEFERRABLE INITIALLY DEFERRED);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, c0 INT, EXCLUDE USING btree (c0 WITH =));

CREATE UNLOGGED TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT);

CREATE INDEX x5 ON t0 (c0) WHERE c0 > 10;

CREATE INDEX x5 ON t0 USING hash (c1);

CREATE INDEX x5 ON t0 (c0) INCLUDE (c1);

CREATE UNIQUE INDEX x5 ON t0 (c2) NULLS NOT DISTINCT;

CREATE INDEX x5 ON t0 (lower(c1), c0 DESC NULLS LAST);

CREATE TRIGGER g0 AFTER UPDATE ON t0 FOR EACH ROW EXECUTE FUNCTION f();

CREATE MATERIALIZED VIEW v9 AS SELECT pkey FROM t0;

CREATE TYPE e AS ENUM ('a');
