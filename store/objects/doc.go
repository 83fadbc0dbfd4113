// Package objects is content-addressed content: immutable objects whose name is
// the hash of their bytes.
//
// It owns the form of an object and how it is stored (Codec), the persistent maps
// made of objects (Content), the memory of a process for them (Cache), what is
// said of an object that cannot be read (Unreadable, Lost), and the walk over
// everything that a root reaches (Follow). It sends no command: whoever reads or
// writes objects hands in a Source, or takes what Content has staged.
//
// The transaction, the check of the database and the server's revisions call it.
// It may import store/redis, for its errors.
package objects
