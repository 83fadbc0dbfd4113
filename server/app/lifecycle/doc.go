// Package lifecycle implements the long-running operations on spaces, collections and organizations: purging the trash,
// transferring to another organization and taking back, duplicating, and deleting an organization.
package lifecycle
