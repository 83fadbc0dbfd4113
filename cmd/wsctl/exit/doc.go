// Package exit says how a command ends: its own errors, the exit code of every error, and what people and programs are
// told about it.
//
// Every room of wsctl makes its errors here; app reports them. It imports client and client/api, whose errors it knows,
// and output, which cleans what a server says. It writes nothing and ends no process.
package exit
