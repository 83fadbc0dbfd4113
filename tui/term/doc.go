// Package term sanitizes text for terminals and prevents the libraries of the screen from querying the terminal
// before the screen is shown. It imports no package of the module and only libraries that Lip Gloss imports; see
// background.go.
package term
