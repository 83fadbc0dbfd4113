// Package writing is where comments, replies, suggestions and reviews are written: the composer under the page, its journal,
// the caller's editor; and sending, of what goes with no review.
//
// The app holds one Editor and gives it the keys while a text is being written; wsctl makes the ExternalEditor. It imports page,
// changes, components, drafts, remote and text.
package writing
