// Package apptest runs wsctl commands in tests. A Harness provides a server with canned responses, environment
// variables, standard streams and a keyring. It records the requests of the commands and captures their output.
package apptest
