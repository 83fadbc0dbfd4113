package pages

import (
	"log/slog"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/pdf"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// Files implements the operations on files and PDFs.
type Files struct {
	Fonts     pdf.Fonts
	Log       *slog.Logger
	PDFs      *objects.DerivedCache[[]byte]
	PublicURL string
	Reading   *reader.Service
	Rest      *rest.Pipeline
	Revisions *revision.Revisions
	Signer    auth.Signer
	Slow      budgets.WorkLimiter
	Store     *store.Store
	View      *view.Writer
}

// Endpoints returns the operations of Files.
func (s *Files) Endpoints() []rest.Endpoint {
	return s.pdfEndpoints()
}
