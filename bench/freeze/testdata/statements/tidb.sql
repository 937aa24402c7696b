CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 VARCHAR(20), c2 DOUBLE);
CREATE TABLE t1 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 VARCHAR(20), c2 DOUBLE);
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

SELECT /*+ HASH_JOIN(t0, t1) */ t0.pkey FROM t0 JOIN t1 ON t0.pkey = t1.pkey;

SELECT /*+ INL_JOIN(t1) */ t0.pkey FROM t0 JOIN t1 ON t0.pkey = t1.pkey;

SELECT /*+ READ_FROM_STORAGE(TIKV[t0]) */ pkey, vkey FROM t0;

SELECT /*+ USE_INDEX(t0, PRIMARY) IGNORE_INDEX(t0) */ pkey FROM t0;

SELECT /*T! pkey, */ vkey FROM t0;

SELECT pkey /*T![feature] , vkey */ FROM t0;

SELECT pkey FROM t0 AS OF TIMESTAMP '2020-01-01 00:00:00';

SELECT pkey FROM t0 TABLESAMPLE REGIONS();

SELECT pkey, _tidb_rowid FROM t0;

BEGIN PESSIMISTIC;
SELECT pkey, vkey FROM t0;
COMMIT;

BEGIN OPTIMISTIC;
UPDATE t0 SET pvkey = vkey, vkey = 901, c0 = 1 WHERE pkey = 1;
COMMIT;

START TRANSACTION WITH CAUSAL CONSISTENCY ONLY;
SELECT pkey FROM t0;
COMMIT;

BATCH ON pkey LIMIT 1 DELETE FROM t0;

SPLIT TABLE t0 BETWEEN (0) AND (9) REGIONS 2;

ADMIN CHECK TABLE t0;

TRACE SELECT pkey FROM t0;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY CLUSTERED, vkey BIGINT, pvkey BIGINT);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY NONCLUSTERED, vkey BIGINT, pvkey BIGINT) SHARD_ROW_ID_BITS=4;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY AUTO_RANDOM, vkey BIGINT, pvkey BIGINT);

CREATE INDEX x5 ON t0 ((c0 + 1));

CREATE GLOBAL TEMPORARY TABLE t9 (pkey BIGINT) ON COMMIT DELETE ROWS;

SELECT pkey FROM t0 WHERE c0 = 10 FOR UPDATE OF t0;

SELECT pkey, TIDB_VERSION() FROM t0;

SELECT pkey, c0 FROM t0 WHERE c0 > ALL (SELECT c0 FROM t1);

SELECT /*+ NO_INDEX_MERGE(t0) */ pkey, vkey FROM t0 WHERE c0 = 10;

SELECT /*+ MAX_EXECUTION_TIME(1000) */ pkey, vkey FROM t0;

SELECT /*+ BKA(t0, t1) JOIN_FIXED_ORDER() */ t0.pkey FROM t0 JOIN t1 ON t0.pkey = t1.pkey;

SELECT /*+ QB_NAME(q1) */ pkey FROM t0 WHERE c0 IN (SELECT /*+ QB_NAME(q2) */ c0 FROM t1);

SELECT STRAIGHT_JOIN t0.pkey, t1.pkey FROM t0 JOIN t1 ON t0.c0 = t1.c0;

SELECT SQL_NO_CACHE pkey, vkey FROM t0;

SELECT HIGH_PRIORITY SQL_SMALL_RESULT pkey FROM t0 GROUP BY pkey;

SELECT /*!50000 pkey, */ vkey FROM t0;

SELECT pkey /*! , vkey */ FROM t0;

SELECT pkey /*!99999 , nosuch */ FROM t0;

SELECT pkey FROM t0 # the old comment
WHERE c0 = 10;

SELECT pkey, vkey FROM t0 USE INDEX (PRIMARY) WHERE pkey = 1;

SELECT pkey, vkey FROM t0 FORCE INDEX FOR ORDER BY (PRIMARY) ORDER BY pkey;

SELECT pkey, vkey FROM t0 IGNORE INDEX (PRIMARY) WHERE pkey > 1;

SELECT pkey, vkey FROM t0 WHERE c1 = _utf8mb4'a';

SELECT pkey, vkey FROM t0 WHERE c1 = _utf8mb4'a' COLLATE utf8mb4_bin;

SELECT pkey, vkey FROM t0 WHERE c1 = _latin1'a';

SELECT pkey, vkey FROM t0 WHERE c1 = N'a';

SELECT pkey, vkey FROM t0 WHERE c1 = X'61';

SELECT pkey, vkey FROM t0 WHERE c1 = 0x61;

SELECT pkey, vkey FROM t0 WHERE c0 = b'1010';

SELECT pkey, vkey FROM t0 WHERE c1 = "a";

SELECT pkey, vkey FROM t0 WHERE c1 = 'a' 'b';

SELECT pkey, vkey FROM t0 WHERE c1 = 'a\'b';

SELECT pkey, vkey FROM t0 WHERE c1 LIKE 'a\_%' ESCAPE '\\';

SELECT pkey, vkey FROM t0 WHERE c1 REGEXP '^[ab]$';

SELECT pkey, vkey FROM t0 WHERE c1 RLIKE 'a' AND c1 NOT REGEXP 'b';

SELECT pkey, vkey FROM t0 WHERE BINARY c1 = 'A';

SELECT pkey, vkey FROM t0 WHERE c1 COLLATE utf8mb4_general_ci = 'A';

SELECT pkey, vkey FROM t0 WHERE CONVERT(c1 USING utf8mb4) = 'a';

SELECT pkey, CONVERT(c0, CHAR(5)), CAST(c0 AS SIGNED), CAST(c2 AS DECIMAL(10, 2)) FROM t0 ORDER BY pkey;

SELECT pkey, CAST(c0 AS UNSIGNED), CAST('2020-01-01' AS DATE) FROM t0 ORDER BY pkey;

SELECT pkey, vkey FROM t0 WHERE c0 <=> NULL;

SELECT pkey, vkey FROM t0 WHERE c0 DIV 3 = 3 AND c0 MOD 2 = 0;

SELECT pkey, vkey FROM t0 WHERE c0 & 2 OR c0 | 1 > 10 OR c0 ^ 1 = 11;

SELECT pkey, vkey FROM t0 WHERE c0 << 1 > 20 XOR c0 >> 1 > 5;

SELECT pkey, vkey FROM t0 WHERE !(c0 = 10);

SELECT pkey, vkey FROM t0 WHERE ~c0 < 0;

SELECT pkey, vkey FROM t0 WHERE c0 = 10 && c1 = 'a' || c0 = 20;

SELECT pkey, vkey FROM t0 WHERE c0 != 10 AND c0 IS TRUE AND c1 IS NOT UNKNOWN;

SELECT `pkey`, `vkey` FROM `t0` WHERE `c0` = 10;

SELECT pkey, IF(c0 > 10, 1, 0), IFNULL(c0, 0) FROM t0 ORDER BY pkey;

SELECT pkey, CONCAT(c1, '-', c0), SUBSTRING(c1, 1, 1), SUBSTRING(c1 FROM 1 FOR 1) FROM t0 ORDER BY pkey;

SELECT pkey, TRIM(BOTH 'a' FROM c1), POSITION('a' IN c1), LOCATE('a', c1) FROM t0 ORDER BY pkey;

SELECT pkey, EXTRACT(YEAR FROM '2020-02-03'), DATE_ADD('2020-01-01', INTERVAL c0 DAY) FROM t0 ORDER BY pkey;

SELECT pkey, '2020-01-01' + INTERVAL 1 DAY, TIMESTAMPADD(HOUR, 1, '2020-01-01') FROM t0 ORDER BY pkey;

SELECT pkey, DATE '2020-01-01', TIME '10:00:00', TIMESTAMP '2020-01-01 10:00:00' FROM t0 ORDER BY pkey;

SELECT GROUP_CONCAT(pkey ORDER BY pkey SEPARATOR ';') FROM t0;

SELECT GROUP_CONCAT(DISTINCT c1 ORDER BY c1 DESC) FROM t0;

SELECT BIT_AND(c0), BIT_OR(c0), BIT_XOR(c0), STD(c0) FROM t0;

SELECT c1, COUNT(*) FROM t0 GROUP BY c1 WITH ROLLUP;

SELECT pkey, vkey FROM t0 ORDER BY pkey LIMIT 1, 2;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 FOR UPDATE;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 LOCK IN SHARE MODE;

SELECT pkey, vkey FROM t0 WHERE pkey = 1 FOR UPDATE NOWAIT;

SELECT pkey, vkey FROM t0 WHERE pkey < 3 FOR UPDATE SKIP LOCKED;

SELECT pkey, c0 FROM t0 WHERE c0 > ALL (SELECT c0 FROM t1 WHERE c0 < 15);

SELECT pkey, c0 FROM t0 WHERE c0 = ANY (SELECT c0 FROM t1) OR c0 < SOME (SELECT c0 FROM t1);

SELECT pkey FROM t0 WHERE ROW(c0, c1) = ROW(10, 'a');

SELECT t0.pkey FROM t0 RIGHT JOIN t1 ON t0.pkey = t1.pkey AND t1.c0 > 10 ORDER BY t1.pkey;

(SELECT pkey FROM t0 ORDER BY pkey LIMIT 1) UNION ALL (SELECT pkey FROM t1 ORDER BY pkey LIMIT 1);

SELECT pkey, vkey FROM t0 PROCEDURE ANALYSE();

SELECT pkey, @x := c0 FROM t0;

SELECT pkey, @@autocommit FROM t0;

SELECT pkey, NOW(), RAND(), CONNECTION_ID(), UUID() FROM t0;

SELECT pkey, SLEEP(0) FROM t0;

SELECT pkey, LAST_INSERT_ID(), ROW_COUNT(), FOUND_ROWS() FROM t0;

SELECT pkey INTO @y FROM t0 WHERE pkey = 1;

SELECT pkey FROM t0 INTO OUTFILE '/tmp/x';

SELECT LOAD_FILE('/etc/passwd'), pkey FROM t0;

SELECT pkey FROM mysql.t0;

SELECT pkey, vkey FROM t0 PARTITION (p0);

SELECT JSON_EXTRACT('{"a": 1}', '$.a'), pkey FROM t0 ORDER BY pkey;

SELECT pkey, JSON_OBJECT('k', c0), JSON_ARRAY(c0, c1) FROM t0 ORDER BY pkey;

SELECT pkey, JSON_VALUE('{"a": 2}', '$.a'), JSON_UNQUOTE('"x"'), JSON_CONTAINS('[1, 2]', '1') FROM t0 ORDER BY pkey;

SELECT JSON_ARRAYAGG(c0), COUNT(*) FROM t0 WHERE pkey = 1;

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 501, 0, 5) ON DUPLICATE KEY UPDATE pvkey = vkey, vkey = 501, c0 = VALUES(c0);

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (31, 502, 0, 5) ON DUPLICATE KEY UPDATE c0 = c0 + 1;

INSERT IGNORE INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 503, 0, 5), (32, 503, 0, 6);

INSERT INTO t0 SET pkey = 33, vkey = 504, pvkey = 0, c0 = 1;

INSERT t0 (pkey, vkey, pvkey) VALUE (34, 505, 0);

INSERT LOW_PRIORITY INTO t0 (pkey, vkey, pvkey) VALUES (35, 506, 0);

INSERT DELAYED INTO t0 (pkey, vkey, pvkey) VALUES (35, 507, 0);

INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (36, 508, 0, DEFAULT), (37, 508, 0, DEFAULT(c0));

INSERT INTO t0 () VALUES ();

INSERT INTO t0 (pkey, vkey, pvkey, c0) (SELECT pkey + 40, 509, 0, c0 FROM t1);

REPLACE INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 510, 0, 9);

REPLACE INTO t0 SET pkey = 2, vkey = 511, pvkey = 0, c0 = 9;

REPLACE INTO t0 (pkey, vkey, pvkey, c0) SELECT pkey, 512, 0, c0 + 1 FROM t1;

UPDATE IGNORE t0 SET pvkey = vkey, vkey = 601, c0 = 1 WHERE pkey = 1;

UPDATE LOW_PRIORITY t0 SET pvkey = vkey, vkey = 602, c0 = 1 WHERE pkey = 1;

UPDATE t0 SET pvkey = vkey, vkey = 603, c0 = 1 ORDER BY pkey LIMIT 1;

UPDATE t0, t1 SET t0.pvkey = t0.vkey, t0.vkey = 604, t0.c0 = t1.c0 WHERE t0.pkey = t1.pkey;

UPDATE t0 JOIN t1 ON t0.pkey = t1.pkey SET t0.pvkey = t0.vkey, t0.vkey = 605, t0.c0 = t1.c0 + 1;

UPDATE t0 a LEFT JOIN t1 b ON a.pkey = b.pkey SET a.pvkey = a.vkey, a.vkey = 606, a.c0 = 0 WHERE b.pkey IS NULL;

UPDATE t0 SET pvkey = vkey, vkey = 607, c1 = CONCAT(c1, 'x') WHERE c1 IS NOT NULL;

DELETE FROM t0 ORDER BY pkey LIMIT 1;

DELETE QUICK FROM t0 WHERE pkey = 1;

DELETE IGNORE FROM t0 WHERE pkey = 1;

DELETE t0 FROM t0 JOIN t1 ON t0.pkey = t1.pkey WHERE t1.c0 = 10;

DELETE FROM t0 USING t0 JOIN t1 ON t0.pkey = t1.pkey;

DELETE a, b FROM t0 a JOIN t1 b ON a.pkey = b.pkey WHERE a.pkey = 1;

XA START 'x1';
UPDATE t0 SET pvkey = vkey, vkey = 701, c0 = 1 WHERE pkey = 1;
XA END 'x1';
XA PREPARE 'x1';
XA COMMIT 'x1';

XA START 'x1';
SELECT pkey, vkey FROM t0;
XA END 'x1';
XA COMMIT 'x1' ONE PHASE;

XA START 'x1';
DELETE FROM t0;
XA END 'x1';
XA ROLLBACK 'x1';

SET autocommit = 0;
UPDATE t0 SET pvkey = vkey, vkey = 702, c0 = 1 WHERE pkey = 1;
SET autocommit = 1;

SET autocommit = 0;
LOCK TABLES t0 WRITE, t1 READ;
DELETE FROM t0 WHERE pkey = 1;
UNLOCK TABLES;

START TRANSACTION READ ONLY;
SELECT pkey, vkey FROM t0;
COMMIT;

START TRANSACTION READ ONLY;
DELETE FROM t0;
COMMIT;

START TRANSACTION WITH CONSISTENT SNAPSHOT;
SELECT pkey, vkey FROM t0;
COMMIT;

START TRANSACTION READ WRITE;
DELETE FROM t0 WHERE pkey = 1;
ROLLBACK;

BEGIN;
DELETE FROM t0 WHERE pkey = 1;
COMMIT AND CHAIN;

BEGIN;
SELECT pkey FROM t0;
ROLLBACK AND NO CHAIN;

BEGIN WORK;
SELECT pkey FROM t0;
COMMIT WORK;

SET TRANSACTION ISOLATION LEVEL SERIALIZABLE;

LOCK TABLES t0 WRITE;

TABLE t0;

VALUES ROW(1, 2), ROW(3, 4);

DO SLEEP(0);

CALL p();

HANDLER t0 OPEN;

LOAD DATA INFILE 'x' INTO TABLE t0;

SHOW TABLES;

EXPLAIN SELECT pkey FROM t0;

DESCRIBE t0;

SET SESSION sql_mode = 'ANSI_QUOTES';

GRANT ALL ON *.* TO x;

PREPARE s FROM 'SELECT 1';

CREATE TRIGGER g0 AFTER UPDATE ON t0 FOR EACH ROW UPDATE t1 SET c0 = NEW.c0 WHERE pkey = NEW.pkey;

CREATE TRIGGER g0 BEFORE INSERT ON t0 FOR EACH ROW SET NEW.c0 = 5;

CREATE TRIGGER g0 AFTER UPDATE ON t0 FOR EACH ROW BEGIN DELETE FROM t1; END;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT) PARTITION BY HASH (pkey) PARTITIONS 3;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT) PARTITION BY RANGE (pkey) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE);

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT) PARTITION BY LIST (pkey) (PARTITION p0 VALUES IN (1, 2), PARTITION p1 VALUES IN (3));

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c0 INT, c1 INT AS (c0 + 1) VIRTUAL, c2 INT AS (c0 * 2) STORED, KEY (c1));

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a ENUM('x', 'y'), b SET('p', 'q'), c BIT(4), d JSON, e DECIMAL(10, 3)) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, a VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin, b TEXT, KEY (b(3))) DEFAULT CHARSET=utf8mb4;

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, a INT AUTO_INCREMENT, KEY (a));

CREATE TABLE t9 (pkey BIGINT NOT NULL PRIMARY KEY, a INT) ENGINE=MyISAM;

CREATE FULLTEXT INDEX x3 ON t0 (c1);

ALTER TABLE t0 ADD COLUMN c9 INT DEFAULT 4;

ALTER TABLE t0 ADD INDEX x4 (c0), ALGORITHM=INPLACE, LOCK=NONE;
