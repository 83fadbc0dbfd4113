// Package invites answers for how people come into an organization: by an invite to their e-mail address, by an invite
// link, or because the organization is open to the domain of their address.
//
// The server mounts its operations; no room above asks it anything. It may import access, auth, orgs, rest, view and the
// store.
package invites
