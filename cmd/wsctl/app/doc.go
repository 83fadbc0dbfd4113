// Package app provides the runtime of wsctl shared by all commands: the environment of the process, global flags, settings and
// stored tokens, the API client, output formats, error reports and exit codes.
//
// Text from a server is passed through Sanitize before it is written to a terminal.
package app
