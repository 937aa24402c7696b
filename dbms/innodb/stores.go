package innodb

import "txweave/dbms"

// stores are ways in which a server of its own keeps tables: pages that a few rows fill and split, pages of which most
// rows need none outside, and memory for so few pages that those of the tables come and go, with what InnoDB does for
// indexes in memory (dev.mysql.com/doc/refman, InnoDB Startup Options). Both servers leave the adaptive hash index out
// by default, MySQL the change buffer, too; MariaDB has none from 11.0 on. Pages of 64 KiB are not compressed: in
// strict mode such tables are refused. What fits no page of 4 KiB is refused when the table is made or changed, and, as
// the size of a row is not counted out for all row formats then (REDUNDANT), when one is written.
var stores = []dbms.StoreShape{
	{Name: "pages-4k", Server: []string{"--innodb-page-size=4k"}, Unfit: unfit},
	{Name: "pages-64k", Server: []string{"--innodb-page-size=64k", "--innodb-strict-mode=OFF"}},
	{Name: "small-pool", Server: []string{"--innodb-buffer-pool-size=8M", "--innodb-adaptive-hash-index=ON",
		"--loose-innodb-change-buffering=all"}},
}

// unfit are ER_TOO_LONG_KEY, ER_TOO_BIG_ROWSIZE, ER_INDEX_COLUMN_TOO_LONG and ER_UNDO_RECORD_TOO_BIG, of both servers.
var unfit = []int{1071, 1118, 1709, 1713}
