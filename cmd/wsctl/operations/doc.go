// Package operations makes a command for every row of the contract: its arguments and flags are the row's input, its output
// is the row's answer. What people need beyond that, as short names for parts of an operation, it adds by hand.
//
// main adds Resources, API and Whoami to the root. It imports app, flags, completion and answers, and of the contract what
// api.Row and its schemas say; few rows are named.
package operations
