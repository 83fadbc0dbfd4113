// Package drafts keeps what the server does not have yet: the journal of the screen, on disk. Texts, reviews on their way,
// pages in the editor, marks of what was read; what was dropped, for a week.
//
// The writing room saves what is being written, submit freezes what it sends, reading keeps marks, conflicts keeps decisions,
// wsctl says in which directory. It imports remote for the target of a draft, and client/api.
package drafts
