// Package detect asks a terminal for its colours, and removes the answers from the typed input, even if they are late.
package detect
