package exec

// PlantAlways returns a target that shows a planted bug at every statement that it concerns, whatever the seed and the
// texts: a case that is spoilt so stays spoilt while it is made smaller.
func PlantAlways(t Target, f *Fault) Target {
	always := *f
	always.every = 1
	return Plant(t, &always, 0)
}
