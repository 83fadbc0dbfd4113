// Package listen is the door of wsd: the HTTP server on its listener, with what a connection may cost before a request
// is understood. It bounds connections, of all and of one address, headers in number, bytes and time, and the time that
// a body takes to come.
//
// It finds the client that a request behind a proxy comes from, and whom it counts for.
//
// cmd/wsd makes one Server for a process; package server asks it which address a request counts for. It knows no
// operation. It may import budgets, and of the contract the error alone.
package listen
