// Package resolve finds resources by the names that people type: titles, paths, numbers, e-mail addresses, hostnames and URLs.
//
// A text that has the form of an id is the id, and nothing is looked up. Otherwise all forms of names of its kind are tried, and a
// text that names two resources is an error: a name never means another resource because one was added.
package resolve
