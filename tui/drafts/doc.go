// Package drafts stores on disk what the server does not have yet: drafts of texts and conflict decisions, frozen
// review submissions, pages being edited, and read marks. Discarded drafts are kept for a week. Files are replaced
// atomically and are readable only by their owner. Several screens may use the same directory.
package drafts
