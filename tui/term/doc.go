// Package term keeps what comes from a server from taking over the terminal, and keeps the libraries of the screen
// from talking to it before there is a screen.
//
// It imports nothing of the module, and of the libraries only what Lip Gloss imports itself: see background.go.
package term
