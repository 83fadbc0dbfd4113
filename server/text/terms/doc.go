// Package search turns text into terms and terms into ranks: how words of many
// scripts are folded and stemmed, what a page weighs for a term, which pages a
// query asks for.
//
// It is pure: no I/O, no clock, no mutable state.
package terms
