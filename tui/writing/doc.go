// Package writing is where comments, replies and reviews are written: the composer under the page, its journal, the caller's
// editor, and sending.
//
// The app holds one Desk and gives it the keys while a text is being written; wsctl makes the Editor. It imports page,
// components, drafts, remote and text.
package writing
