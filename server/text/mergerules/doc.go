// Package mergerules implements the language of custom merge rules: conditions over a change request, its reviews and its
// pages, written in a small subset of expr-lang.
//
// Users who may set the rules of a space write programs that wsd runs, so the cost of a condition is computed before it is
// stored and limited while it runs. The package is pure: no storage, no network, no clock.
package mergerules
