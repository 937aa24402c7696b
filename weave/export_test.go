package weave

// WaitedLong is how long a statement must have run for its time-out to be its own.
var WaitedLong = &waitedLong
