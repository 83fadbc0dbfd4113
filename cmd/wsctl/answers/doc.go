// Package answers writes what an operation was answered: records, lists page by page, trees, and for people what a change
// request changes, what stands in the way of its merge and where it conflicts.
//
// operations calls it with the row, whose view says how. It imports app, exit and output, and tui/changes for the drawings
// of changes. It makes no flags; lists are the only thing that it asks the server for, and files.
package answers
