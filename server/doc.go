// Package server is wsd's HTTP side: it mounts the rows of client/api on Gin, authenticates and authorizes,
// runs each write as one transaction of the store, and turns results and errors into answers.
//
// One file per resource holds its mounts and handlers; adapter.go, bind.go and respond.go are the only code that
// knows HTTP. The package may import store, client/api and its own subpackages, never the client. Only server.go
// and adapter.go import Gin.
package server
