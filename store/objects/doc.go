// Package objects implements content-addressed storage: immutable objects named by the hash of their bytes.
//
// It owns the object format and its compression (Codec), persistent maps made of objects (Content), in-memory
// caches of objects (Cache) and of values derived from them (DerivedCache), the description of unreadable objects
// (UnreadableError, Placeholder) and the traversal of everything that a root reaches (Follow). It sends no commands: objects are
// read from a Source, and staged objects are written by the caller.
package objects
