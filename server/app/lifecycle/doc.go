// Package lifecycle implements the long-running operations on spaces, collections and organizations: the purge after
// the trash, the transfer to another organization and back, the duplicate, and the deletion of an organization.
package lifecycle
