// Package api is the contract between wsd and its clients: one typed row per operation, the wire types that the
// rows speak of, their limits and enumerations, and the one error type.
//
// It is a leaf: it imports only the standard library, so that the server, the store, the client, the commands
// and the screen can share it without dragging each other in. Nothing here talks to a network or a database, and
// nothing here says who may call an operation: permissions are a column of the server's mounts.
package api
