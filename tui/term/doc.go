// Package term keeps the libraries of the screen from talking to the terminal before there is a screen.
//
// It imports nothing of the module, and of the libraries only what Lip Gloss imports itself: see background.go.
package term
