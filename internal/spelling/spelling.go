// Package spelling finds the word that somebody meant.
package spelling

import "strings"

// Closest returns the name that differs from a word the least; "" where all differ much.
func Closest(word string, names []string) string {
	best, least := "", 1+max(1, len(word)/4)
	for _, name := range names {
		if d := distance(strings.ToLower(word), name); d > 0 && d < least {
			best, least = name, d
		}
	}
	return best
}

// distance is how many letters have to be changed, put in or left out to make one word the other, or put the other way
// round with their neighbours (Damerau, restricted).
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		now := make([]int, len(b)+1)
		now[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			now[j+1] = min(last[j]+cost, last[j+1]+1, now[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				now[j+1] = min(now[j+1], before[j-1]+1)
			}
		}
		before, last = last, now
	}
	return last[len(b)]
}
