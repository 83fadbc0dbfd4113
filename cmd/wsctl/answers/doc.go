// Package answers writes what an operation was answered: records, lists page by page, trees, and for people what a change
// request changes, what stands in the way of its merge and where it conflicts.
//
// operations calls it with the row, whose view says how. It imports app, exit and output, flags to know what fits a
// column, and tui/render for the drawings of changes. All that it asks the server for is the pages of a list and the bytes
// of a file.
package answers
