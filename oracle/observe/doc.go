// Package observe tells what happened in a run: the run as it was recorded, and what each of its statements saw
// and wrote, derived from the probes once, for every oracle and for the page.
package observe
