package main

import (
	"fmt"
	"io"
	"os"

	"txweave/campaign/target"
)

// next names on a line the command that goes on from where one has ended.
func next(stderr io.Writer, args ...string) {
	fmt.Fprintln(stderr, "next: "+target.CommandLine(append([]string{"txweave"}, args...)))
}

// again is this command line with more flags.
func again(flags ...string) []string { return append(os.Args[1:len(os.Args):len(os.Args)], flags...) }

// unless are a flag and its value, unless that is what the flag has by itself.
func unless(usual, flag, value string) []string {
	if value == usual {
		return nil
	}
	return []string{"--" + flag, value}
}
