CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 TEXT, c2 REAL);
CREATE TABLE t1 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 TEXT, c2 REAL);
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

SELECT [pkey], `vkey`, "c0" FROM t0 WHERE "c1" = 'a';

SELECT rowid, pkey FROM t0;

SELECT pkey, vkey FROM t0 WHERE c1 == 'a';

SELECT pkey, vkey FROM t0 WHERE c1 GLOB 'a*';

SELECT pkey, vkey FROM t0 WHERE c1 = 'A' COLLATE NOCASE;

SELECT pkey, vkey FROM t0 WHERE c1 = 'a ' COLLATE RTRIM;

SELECT pkey, vkey FROM t0 WHERE c0 IS 10 AND c1 IS NOT 'b';

SELECT pkey, vkey FROM t0 WHERE c0 IS NOT DISTINCT FROM 10;

SELECT pkey, vkey FROM t0 WHERE c0 ISNULL OR c0 NOTNULL;

SELECT pkey, c1 || '-' || c0 FROM t0 ORDER BY pkey;

SELECT pkey, vkey FROM t0 WHERE c1 = x'61';

SELECT pkey, typeof(c0), ifnull(c0, 0), iif(c0 > 10, 1, 0) FROM t0 ORDER BY pkey;

SELECT pkey, CAST(c0 AS TEXT), CAST(c1 AS REAL), CAST(c2 AS INTEGER) FROM t0 ORDER BY pkey;

SELECT pkey, substr(c1, 1, 1), instr(c1, 'a'), printf('%d', c0), hex(c1) FROM t0 ORDER BY pkey;

SELECT pkey, '{"a": 1}' -> '$.a', '{"a": 1}' ->> 'a' FROM t0 ORDER BY pkey;

SELECT pkey, json_extract('{"a": [1, 2]}', '$.a[1]'), json_array(c0, c1) FROM t0 ORDER BY pkey;

SELECT pkey, value FROM t0, json_each('[1, 2]') ORDER BY pkey, value;

SELECT group_concat(c1, ';') FROM (SELECT c1 FROM t0 ORDER BY pkey);

SELECT COUNT(*) FILTER (WHERE c0 > 10), SUM(c0) FILTER (WHERE c1 = 'a') FROM t0;

SELECT total(c0), avg(c0) FROM t0;

SELECT pkey, SUM(c0) OVER (ORDER BY pkey GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) FROM t0 ORDER BY pkey;

SELECT pkey, SUM(c0) FILTER (WHERE c0 > 5) OVER (ORDER BY pkey) FROM t0 ORDER BY pkey;

SELECT t0.pkey, t1.pkey FROM t0 FULL OUTER JOIN t1 ON t0.pkey = t1.pkey + 1 ORDER BY t0.pkey, t1.pkey;

SELECT t0.pkey, t1.pkey FROM t0 RIGHT JOIN t1 ON t0.pkey = t1.pkey + 1 ORDER BY t1.pkey;

SELECT pkey, vkey FROM t0 INDEXED BY sqlite_autoindex_t0_1 WHERE pkey = 1;

SELECT pkey, vkey FROM t0 NOT INDEXED WHERE pkey = 1;

SELECT pkey, vkey FROM t0 WHERE likely(c0 > 10) AND unlikely(c1 = 'b');

SELECT pkey, vkey FROM t0 WHERE +c0 = 10;

SELECT pkey, vkey FROM t0 ORDER BY c0 NULLS LAST, pkey;

SELECT pkey, vkey FROM t0 ORDER BY c0 DESC NULLS FIRST, pkey LIMIT 2;

SELECT pkey, vkey FROM t0 ORDER BY pkey LIMIT -1 OFFSET 1;

WITH w AS MATERIALIZED (SELECT pkey FROM t0) SELECT pkey FROM w ORDER BY pkey;

WITH w AS NOT MATERIALIZED (SELECT pkey FROM t0) SELECT pkey FROM w ORDER BY pkey;

VALUES (1, 2), (3, 4);

SELECT pkey FROM t0 WHERE (pkey, c0) IN (VALUES (1, 10), (2, 20));

SELECT pkey FROM t0 UNION VALUES (77);

SELECT pkey, random(), changes(), last_insert_rowid() FROM t0;

SELECT pkey, datetime('now'), CURRENT_TIMESTAMP FROM t0;

SELECT load_extension('x'), pkey FROM t0;

SELECT pkey FROM main.t0;

SELECT pkey, ?1 FROM t0;

SELECT pkey, :x, @y, $z FROM t0;

SELECT * FROM pragma_table_info('t0');

SELECT * FROM sqlite_master;

INSERT OR IGNORE INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 501, 0, 1), (31, 501, 0, 2);

INSERT OR REPLACE INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 502, 0, 1);

INSERT OR ABORT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 503, 0, 1);

INSERT OR ROLLBACK INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 504, 0, 1);

INSERT OR FAIL INTO t0 (pkey, vkey, pvkey, c0) VALUES (32, 505, 0, 1), (1, 505, 0, 1);

REPLACE INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 506, 0, 9);

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 507, 0, 5) ON CONFLICT (pkey) DO UPDATE SET pvkey = vkey, vkey = 507, c0 = excluded.c0;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 508, 0, 5) ON CONFLICT DO NOTHING;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 509, 0, 5) ON CONFLICT (pkey) DO UPDATE SET c0 = excluded.c0 WHERE t0.c0 > 5;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (33, 510, 0, 5) RETURNING pkey, c0 + 1 AS n;

INSERT INTO t0 DEFAULT VALUES;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (34, 511, 0, 5) ON CONFLICT (pkey) DO NOTHING ON CONFLICT DO UPDATE SET c0 = 1;

INSERT INTO t0 AS x (pkey, vkey, pvkey, c0) VALUES (1, 512, 0, 5) ON CONFLICT (pkey) DO UPDATE SET pvkey = x.vkey, vkey = 512, c0 = x.c0 + 1;

UPDATE t0 SET pvkey = vkey, vkey = 601, c0 = 1 WHERE pkey = 1 RETURNING pkey, vkey, c0;

UPDATE OR IGNORE t0 SET pvkey = vkey, vkey = 602, c0 = 1 WHERE pkey = 1;

UPDATE OR REPLACE t0 SET pvkey = vkey, vkey = 603, c2 = 1 WHERE pkey < 3;

UPDATE t0 SET (pvkey, vkey, c0) = (vkey, 604, 3) WHERE pkey = 1;

UPDATE t0 SET pvkey = vkey, vkey = 605, (c0, c1) = (SELECT c0, c1 FROM t1 WHERE pkey = 1) WHERE pkey = 1;

UPDATE t0 SET pvkey = t0.vkey, vkey = 606, c0 = t1.c0 FROM t1 WHERE t0.pkey = t1.pkey;

UPDATE t0 AS a SET pvkey = vkey, vkey = 607, c0 = 1 WHERE a.pkey = 1;

WITH w AS (SELECT pkey FROM t1) UPDATE t0 SET pvkey = vkey, vkey = 608, c0 = 1 WHERE pkey IN (SELECT pkey FROM w);

WITH w AS (SELECT pkey FROM t1) DELETE FROM t0 WHERE pkey IN (SELECT pkey FROM w);

DELETE FROM t0 WHERE pkey = 1 RETURNING pkey, vkey;

DELETE FROM t0 AS a WHERE a.pkey = 1;

DELETE FROM t0 ORDER BY pkey LIMIT 1;

BEGIN IMMEDIATE;
DELETE FROM t0 WHERE pkey = 1;
COMMIT;

BEGIN EXCLUSIVE TRANSACTION;
DELETE FROM t0 WHERE pkey = 1;
END TRANSACTION;

BEGIN DEFERRED;
SELECT pkey FROM t0;
ROLLBACK TRANSACTION;

BEGIN;
SAVEPOINT "a b";
DELETE FROM t0 WHERE pkey = 1;
ROLLBACK TRANSACTION TO SAVEPOINT "a b";
COMMIT;

BEGIN;
CREATE INDEX x8 ON t0 (c0);
SELECT pkey, vkey FROM t0 WHERE c0 = 10;
COMMIT;

-- T0 --
PRAGMA wal_checkpoint(FULL);
-- T1 --
BEGIN;
SELECT pkey, vkey FROM t0;
COMMIT;

-- T0 --
VACUUM;
-- T1 --
BEGIN;
SELECT pkey, vkey FROM t0;
COMMIT;

-- T0 --
ANALYZE;
-- T1 --
REINDEX t0;

-- T0 --
CREATE TEMPORARY TABLE s0 AS SELECT pkey, c0 FROM t0;
-- T1 --
DELETE FROM t0 WHERE pkey = 1;

PRAGMA user_version;

PRAGMA writable_schema = 1;

ATTACH 'x.db' AS x;

EXPLAIN QUERY PLAN SELECT pkey FROM t0;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT) WITHOUT ROWID;

CREATE TABLE t9 (pkey INTEGER NOT NULL PRIMARY KEY, vkey INTEGER, pvkey INTEGER, c0 INTEGER) STRICT;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 INT GENERATED ALWAYS AS (c0 + 1) STORED);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 INT AS (c0 * 2));

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY ON CONFLICT REPLACE, vkey BIGINT, pvkey BIGINT);

CREATE TABLE t9 (pkey INTEGER PRIMARY KEY AUTOINCREMENT, vkey BIGINT, pvkey BIGINT);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, f BIGINT REFERENCES t0 (pkey) DEFERRABLE INITIALLY DEFERRED);

CREATE INDEX x5 ON t0 (c0) WHERE c0 > 10;

CREATE INDEX x5 ON t0 (c0 + 1, c1 COLLATE NOCASE);

CREATE TRIGGER g0 AFTER UPDATE OF c0 ON t0 FOR EACH ROW WHEN NEW.c0 > 5 BEGIN UPDATE t1 SET c0 = NEW.c0 WHERE pkey = OLD.pkey; END;

CREATE TRIGGER g0 BEFORE DELETE ON t0 BEGIN SELECT RAISE(ABORT, 'no'); END;

CREATE TRIGGER g0 INSTEAD OF INSERT ON v0 BEGIN DELETE FROM t1; END;

CREATE VIRTUAL TABLE t9 USING fts5(a);

CREATE TEMP VIEW v9 AS SELECT pkey FROM t0;
