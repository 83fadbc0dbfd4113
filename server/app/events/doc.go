// Package timeline answers what happened in a change request. It is made of the events that every commit leaves in the
// stream of the organization, as far as they are about the change request, and says it to whoever may comment there.
//
// A request looks at a bounded number of events: who asks on goes on behind them. The server mounts its operation. It may
// import access, auth, rest, revision, view and the store.
package events
