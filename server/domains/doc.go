// Package domains proves the e-mail domains of organizations: it asks DNS for the record in which the owner of a domain names
// an organization, once a day and whenever an admin wants to know.
//
// The server mounts its operations and runs its jobs, and the commands `wsd domain` say what is trusted without a proof.
// What a domain is good for is decided in the store (EmailDomain.Counts), and asked by the room of organizations. It may
// import auth, budgets, rest and the store.
package domains
