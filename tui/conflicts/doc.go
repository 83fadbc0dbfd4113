// Package conflicts is the page on which what both sides changed is decided, conflict by conflict: what each side has and whose
// it is, how the place will read, what was said about it, and at the left all of them.
//
// Who merges or updates a change request is led to it by the room screens. It may import threads, changes, page, components,
// drafts, remote and text.
package conflicts
