// Package inbox is the first page of an organization: the change requests that concern the user, grouped by why they do, and
// beside them what is worth knowing of the one under the cursor; and the tab of those in which something happened last.
//
// The app shows it when an organization is entered. Everything else is a place that it leads to: it imports screens, overview,
// changes, page, components, drafts, remote and text.
package browse
