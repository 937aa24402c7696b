// Package interleave lists the interleavings of a case, one of each class of those that cannot be told apart.
//
// Two schedules are equivalent if one becomes the other when neighbours that do not depend on each other change places
// (the traces of Mazurkiewicz, 1977). One schedule of each class is found by a depth-first search with sleep sets
// (Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, LNCS 1032, chapter 5): a step that was
// tried at a place need not be tried behind another one that it does not depend on. What depends on what is taken from
// the tables that statements read and write, and, of plain reads whose rows are judged one by one, from whether in a
// run of the case somebody wrote a row that they find.
package interleave
