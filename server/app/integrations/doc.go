// Package integrations serves integrations, their published versions, and their installations in organizations and on
// spaces and sites.
package integrations
