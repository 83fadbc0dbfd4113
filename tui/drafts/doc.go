// Package drafts keeps the texts that the server does not have yet: the journal of the screen, on disk.
//
// The writing room saves what is being written, screens save decisions of conflicts, wsctl says in which directory. It
// imports remote for the target of a draft, and client/api.
package drafts
