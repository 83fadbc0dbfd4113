// Package rest takes a request from its first byte to its answer: it binds path and query, reads what the operation
// named in one trip together with the caller's token and organization, finds out who it is, charges the minute's
// allowance, requires what the mount needs, binds the body, and hands the Call to the handler. What every write has in
// common is here, too: If-Match, idempotency, dry runs, events.
//
// Rooms mount handlers with Read, Write, Planned and Op, and answer with a Result. The package knows no resource: what
// an operation is about it has from its row. It may import access, auth, budgets, listen and the store.
package rest
