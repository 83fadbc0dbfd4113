// Package conflicts says what a conflict is about: it puts what a merge could not decide in words for people, with what
// either side did, who did it, and which answers there are.
//
// Rooms that merge call it: reviews and imports; their stories test it. It may import access, content, diff, merge, rest,
// revision, view and the store.
package conflicts
