package review

import (
	"log/slog"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
)

// ConflictDescriber describes merge conflicts for people.
type ConflictDescriber struct {
	Log       *slog.Logger
	Revisions *revision.Revisions
	Store     *store.Store
	View      *view.Writer
}
