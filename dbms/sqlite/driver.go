package sqlite

import "txweave/dbms/driver"

// Driver is SQLite's.
var Driver = &driver.Driver{Name: "sqlite", Levels: Levels(), Known: Known(), Syntax: Syntax, Dialect: Dialect,
	Embedded: &driver.Embedded{Open: Open, Hosted: OpenHosted, Host: Host}, Export: Spelling, Tracker: Tracker}
