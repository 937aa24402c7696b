package exec

import "fmt"

// Client is how a DBMS's own client is talked to by a script for bash, whose $d is a database and $id a session.
type Client struct {
	Name string // of the program
	// Command ends at the first error, and with it the connection; Stubborn goes on. Both print values alone, a row a
	// line, with one blank between them.
	Command, Stubborn string
	// Recreate are the statements that make the database anew, and Into the arguments that come to it.
	Recreate []string
	Into     string
	Engine   string // what CREATE TABLE ends with
	ByIndex  string // what makes a query of t0 use its index t0_v
	// Reading and Locking are formats, from a key, of what reads column v of t0 into what Kept stands for then, NULL or an
	// error where there is no row.
	Reading, Locking, Kept string
	Victim                 string   // the query for a session of the database, by chance
	Kill                   []string // what ends a session's statement, and its connection
}

// Read and Lock are the statements that read a row's value, Lock for good.
func (c *Client) Read(key string) string { return fmt.Sprintf(c.Reading, key) }
func (c *Client) Lock(key string) string { return fmt.Sprintf(c.Locking, key) }
