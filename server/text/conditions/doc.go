// Package conditions implements adaptive content of docs sites: the schema of a visitor's claims, and conditions on claims.
//
// It is pure: no storage, no network, no clock.
package conditions
