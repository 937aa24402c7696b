package weave

// WaitedLong is how long a statement must have run for its time-out to be its own.
var WaitedLong = &waitedLong

// ComplaintShape is by what a complaint of the database's is grouped.
var ComplaintShape = complaintShape
