// Package rules is the language of custom merge rules: conditions over a change request, its reviews and its pages,
// written in a small part of expr-lang.
//
// Anybody who may set rules of a space writes programs that wsd runs, so the part is small by intent: what a condition
// can cost is known before it is stored, and counted while it runs. The server's merge rules call it. It is pure: no
// store, no network, no clock. It imports no other package of this module.
package mergerules
