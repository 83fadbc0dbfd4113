// Package apptest is the world that tests of commands live in: a server that answers by path, an environment, streams, a
// keyring.
//
// A test sets a Stage up, runs command lines on it, and looks at what they wrote and at what the server was asked. Tests of
// every room of wsctl use it, and nothing else does. It imports app and knows no command.
package apptest
