package innodb

import "txweave/gen"

// Specials are the column types of MySQL and MariaDB outside the generator's families. Binary values are ASCII, so that
// they can be written in a statement's character set; none of them lies where a time zone matters.
var Specials = []gen.Special{
	{Name: "unsigned", Key: true, Decl: "INT UNSIGNED", Read: "CAST(%s AS SIGNED)", Family: gen.FamInt, Bound: 5e9,
		Values: []string{"0", "1", "2", "3", "5", "7", "2147483648", "4294967295"}, Bad: []string{"-1", "4294967296"}},
	{Name: "unsigned-bigint", Key: true, Decl: "BIGINT UNSIGNED", Read: "CAST((%s DIV 1024) AS SIGNED)",
		Family: gen.FamInt, Bound: 2e16,
		Values: []string{"0", "1", "1024", "2049", "9223372036854775807", "9223372036854775808", "18446744073709551615"},
		Bad:    []string{"-1"}},
	{Name: "tinyint", Key: true, Decl: "TINYINT", Read: "%s", Family: gen.FamInt, Bound: 128,
		Values: []string{"-128", "-1", "0", "1", "2", "3", "127"}, Bad: []string{"128", "-129"}},
	{Name: "smallint", Key: true, Decl: "SMALLINT", Read: "%s", Family: gen.FamInt, Bound: 32768,
		Values: []string{"-32768", "0", "1", "5", "300", "32767"}, Bad: []string{"32768"}},
	{Name: "char", Decl: "CHAR(6)", Read: "%s", Family: gen.FamString, Bound: 6,
		Values: []string{"'a'", "'ab'", "'a '", "''", "'abc'", "'b'"}, Bad: []string{"'abcdefg'"}},
	{Name: "binary", Key: true, Decl: "VARBINARY(8)", Read: "HEX(%s)", Family: gen.FamString, Bound: 16,
		Values: []string{"x'61'", "x'6100'", "x'00'", "x''", "x'6162'", "x'6120'"}, Bad: []string{"x'616161616161616161'"}},
	{Name: "blob", Decl: "BLOB", Read: "HEX(%s)", Family: gen.FamString, Bound: 40, Prefix: "(4)",
		Values: []string{"x'61'", "x'6100'", "x'00'", "x''", "x'6162636465'", "x'6162636466'"}},
	{Name: "long-text", Decl: "TEXT", Read: "CONCAT(CHAR_LENGTH(%[1]s), LEFT(%[1]s, 2), RIGHT(%[1]s, 2))",
		Family: gen.FamString, Bound: 9, Prefix: "(8)",
		Values: gen.LongValues("REPEAT(%s, %d)"), Bare: true},
	{Name: "enum", Key: true, Decl: "ENUM('a','zz','b','c')", Read: "CONCAT(%s)", Family: gen.FamString, Bound: 2,
		Values: []string{"'a'", "'b'", "'c'", "'zz'"}, Bad: []string{"'q'"}, Equal: true},
	{Name: "set-type", Key: true, Decl: "SET('x','y','z')", Read: "CONCAT(%s)", Family: gen.FamString, Bound: 5,
		Values: []string{"'x'", "'x,y'", "'z'", "'x,y,z'", "''"}, Bad: []string{"'w'"}, Equal: true},
	{Name: "bit", Key: true, Decl: "BIT(7)", Read: "CAST((%s + 0) AS SIGNED)", Family: gen.FamInt, Bound: 127,
		Values: []string{"b'0'", "b'1'", "b'101'", "b'1111111'"}, Bad: []string{"b'11111111'"}, Equal: true},
	{Name: "json", Decl: "JSON", Read: "CAST(JSON_EXTRACT(%s, '$.a') AS SIGNED)", Family: gen.FamInt, Bound: 1e5,
		Unindexed: true, Equal: true,
		Values: []string{`'{"a": 1}'`, `'{"a": 2, "b": [1, 2]}'`, `'{"a": -3, "c": "x"}'`, `'{"a": 7}'`},
		Bad:    []string{`'{"a"'`}},
	{Name: "timestamp", Decl: "TIMESTAMP NULL", Read: "%s", Family: gen.FamDatetime, Nullable: true,
		Values: []string{"TIMESTAMP '1971-01-02 03:04:05'", "TIMESTAMP '2020-01-01 00:00:00'",
			"TIMESTAMP '2020-01-01 00:00:01'", "TIMESTAMP '2037-05-06 07:08:09'"}},
	{Name: "time", Key: true, Decl: "TIME", Read: "TIME_TO_SEC(%s)", Family: gen.FamInt, Bound: 1e5,
		Values: []string{"TIME '00:00:00'", "TIME '00:00:01'", "TIME '10:30:00'", "TIME '23:59:59'"}},
	{Name: "year", Key: true, Decl: "YEAR", Read: "CAST(%s AS SIGNED)", Family: gen.FamInt, Bound: 2155,
		Values: []string{"1901", "1999", "2000", "2001", "2155"}, Bad: []string{"1800"}},
	{Name: "case-insensitive", Blurred: true, Decl: "VARCHAR(20) COLLATE utf8mb4_general_ci", Read: "HEX(%s)",
		Family: gen.FamString, Bound: 40,
		Values: []string{"'a'", "'A'", "'a '", "'b'", "'B'", "'ab'", "'Ab '", "''"}},
	{Name: "latin1", Blurred: true, Decl: "VARCHAR(20) CHARACTER SET latin1", Read: "HEX(%s)",
		Family: gen.FamString, Bound: 40,
		Values: []string{"'a'", "'A'", "'b '", "'B'", "'ba'"}},
}

// Has is what MySQL and MariaDB share of what not all have.
func Has() map[gen.Capability]string {
	return map[gen.Capability]string{
		gen.CanReplace: "", gen.CanUpsert: "", gen.CanIgnore: "", gen.CanHint: "", gen.CanPartition: "", gen.CanSpecial: "",
		gen.CanReference: "", gen.CanCascade: "", gen.CanSelfRefer: "", gen.CanSeveral: "", gen.CanView: "",
		gen.CanTrigger: "", gen.CanSetRow: "", gen.CanCheck: "", gen.CanGenerate: "",
		gen.CanDefault: "", gen.CanRename: "", gen.CanFlush: "", gen.CanMaintain: "", gen.CanSet: "", gen.CanScratch: "",
		gen.CanCount: "", gen.CanPrefixIndex: "",
		gen.CanRowFormat: "", gen.CanWiden: "", gen.CanManyRows: "", gen.CanLockInner: "", gen.CanRollup: "", gen.CanRow: "",
		gen.CanOverflow: "",
		gen.CanAdvise:   "", gen.CanRedefine: "", gen.CanDisconnect: "", gen.CanFulltext: "", gen.CanTruncate: "",
		gen.CanMixLevels: "", gen.CanNotWait: "", gen.CanFrame: "",
		gen.CanAccessMode: "", gen.CanRefuseWrite: "", gen.CanChain: "",
		gen.CanSkipLocked: "", gen.CanStandAlone: "", gen.CanLockTables: "", gen.CanCompare: "", gen.CanWindow: "",
	}
}
