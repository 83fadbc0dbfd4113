package review

import (
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// ConflictDescriber describes merge conflicts for people.
type ConflictDescriber struct {
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer
}
