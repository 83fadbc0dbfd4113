// Package search searches the texts of spaces, sites and organizations on behalf of their readers, and maintains the
// indexes for it.
//
// The index of a space follows its head: it is updated by a job, or by the first search that finds it stale. Results
// contain nothing that the caller may not read.
package search
