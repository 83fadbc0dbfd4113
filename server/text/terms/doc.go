// Package terms converts text to search terms and computes ranks: folding and stemming of words in many scripts, the
// weights of terms in a page, and the pages that match a query.
//
// It is pure: no I/O, no clock, no mutable state.
package terms
