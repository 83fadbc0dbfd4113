// Package operations provides a wsctl command for every row of the contract. Arguments and flags are derived from the
// input of the row, and the output from its response. A few commands are shortcuts for parts of an operation, such as a
// single content change.
package operations
