// Package server is wsd behind its listener: New makes it of the rooms below, Handler serves their operations, health
// checks and the few addresses that are no operations, and its jobs run what transactions have scheduled.
//
// cmd/wsd calls it, and tests of what is served. Requests go through package rest. The package may import the store,
// client/api and the rooms below it, never the client. Only server.go imports Gin.
package server
