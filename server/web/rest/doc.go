// Package rest runs the HTTP pipeline of the API's operations. For each request it binds path and query, reads the token, the
// organization and the operation's records in one trip, identifies and charges the caller, checks the permission, binds the
// body and calls the handler. It also implements what all writes share: If-Match, idempotency, dry runs and events. Packages of
// resources mount handlers with Read, Write, Planned and Op, and return a Result. A Request holds the data available before the
// caller is identified; the start function of a read gets it. A Call, which contains the Request, also has the caller, the
// model and the guards.
package rest
