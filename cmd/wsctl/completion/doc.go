// Package completion offers the ids that a person may mean, while they type: it asks the server for the list that has them.
//
// operations hangs it on arguments and flags. It imports app, flags and output, and the rows of client/api. It never talks
// and never fails, as the shell is in the middle of a line.
package completion
