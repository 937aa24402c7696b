package notation

import (
	"strconv"

	"txweave/history"
)

// State reads the state of an item: "new" before its first version, "gone" after its deletion, otherwise its version
// key.
func State(s string) history.State {
	switch s {
	case "new":
		return history.Unborn
	case "gone":
		return history.Dead
	}
	n, _ := strconv.ParseInt(s, 10, 64)
	return history.State(n)
}
