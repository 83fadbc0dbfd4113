// Package secrets replaces the secrets of a server: it finds what rests on them, seals anew what the old key opens, and
// gives up what nobody can open any more.
//
// wsd secret replace calls it, beside nodes that serve or without. It may import auth and the store.
package secrets
