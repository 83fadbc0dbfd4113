// Package api is the contract between wsd and its clients: a typed Route per operation, the types of requests and
// responses with their limits and enumerations, and the error type. The server mounts the routes, and package client
// calls them.
//
// The package imports only the standard library and performs no I/O. Permissions are not part of the contract; the
// server defines them where it mounts a route.
package api
