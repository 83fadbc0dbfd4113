package review

import (
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// ConflictReader describes merge conflicts for people.
type ConflictReader struct {
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer
}
