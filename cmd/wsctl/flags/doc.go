// Package flags says how the contract is spelled on a command line: what flags and arguments are called, which values they
// take, and which members of a body are given by which of them.
//
// operations makes the flags of commands with it, completion the paths of lists. It knows schemas and rows of client/api
// but no command, and imports exit for its errors.
package flags
