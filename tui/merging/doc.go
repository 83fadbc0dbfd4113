// Package merging is what a change request is merged with, from its own page and from that of one of its changes: the checks
// that a merge depends on, the question, the merge, and the way to the conflicts.
//
// The room screens has it as a part of its pages. It may import conflicts, overview, page, components, remote and text.
package merging
