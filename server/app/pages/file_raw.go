package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// ServeRaw serves the object that a signed address names, until the address expires or its reason ends (docs/decisions.md#addresses).
func (s *Files) ServeRaw(w http.ResponseWriter, r *http.Request, signed string) {
	address, ok, err := s.Signer.Open(r.Context(), signed)
	if err = rest.WrapDisconnect(r, err); err != nil {
		s.Rest.Refuse(w, r, rest.PublicError(err))
		return
	}
	if !ok {
		s.Rest.Refuse(w, r, *api.NotFound().WithHint("Addresses of downloads are valid for an hour: ask for the file again."))
		return
	}
	reader := budgets.Requester{Tenant: auth.Address(r), Reading: true}
	m, data, done, err := s.download(budgets.WithRequester(r.Context(), &reader), address)
	defer done()
	if errors.Is(err, objects.ErrMissing) { // its owner was deleted permanently
		s.Log.Warn("download of a deleted object", "space", address.Space, "object", address.Object)
		s.Rest.Refuse(w, r, *api.NotFound())
		return
	}
	if err = rest.WrapDisconnect(r, err); err != nil {
		e := rest.PublicError(err)
		if e.Code >= http.StatusInternalServerError && e.Reason != api.ReasonBusy {
			s.Log.Error("download failed", "space", address.Space, "object", address.Object, "error", err)
		}
		s.Rest.Refuse(w, r, e)
		return
	}
	header := w.Header()
	rest.BaseHeaders(header, s.Rest.RequestID(r))
	header.Set("Content-Type", m.ContentType)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Referrer-Policy", "no-referrer")
	disposition := "attachment"
	if isRasterImage(m.ContentType) {
		disposition = "inline"
	}
	header.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": m.Name}))
	header.Set("Etag", rawETag(address.Object, data))
	http.ServeContent(&rangeRefuser{ResponseWriter: w, refuse: s.refuseRange}, r, "", time.Time{}, bytes.NewReader(data))
}

// download returns the bytes that a signed address names once the memory for them is available. The caller must call
// done after sending them. It returns a not_found error if the reason of the address has ended.
func (s *Files) download(ctx context.Context, a auth.SignedAddress) (m revision.Manifest, data []byte, done func(), err error) {
	done = func() {}
	hold := func(bytes int) error {
		work, err := s.Slow.Downloads.Take(ctx, budgets.RequesterOf(ctx), int64(bytes))
		if err != nil {
			return fmt.Errorf("download of %d bytes: %w", bytes, err)
		}
		done = work.Done
		return nil
	}
	b := s.Store.NewBatch()
	var model *txn.Feed
	if a.Reason.Organization != "" {
		model = b.Follow(a.Reason.Organization)
	}
	job, printed := parsePDFJob(a.Object)
	var manifest func() (revision.Manifest, error)
	if !printed {
		manifest = revision.QueueManifest(b, a.Space, a.Object) //nolint:contextcheck,nolintlint // the batch runs under ctx
	}
	if err = b.Do(ctx); err != nil {
		return m, nil, done, fmt.Errorf("read for a download: %w", err)
	}
	if err = checkReason(model, a); err != nil {
		return m, nil, done, err
	}
	if printed {
		if m, data, err = s.pdfFile(ctx, a.Space, job); err == nil {
			err = hold(len(data))
		}
		return m, data, done, err
	}
	if m, err = manifest(); err == nil {
		err = hold(len(m.Chunks) * revision.FileChunkBytes)
	}
	if err == nil {
		data, err = s.Revisions.ReadChunks(ctx, a.Space, m)
	}
	return m, data, done, err
}

// checkReason returns a not_found error that says why the reason of an address has ended, or nil if it has not. The model may be nil for
// an address without a reason.
func checkReason(model *txn.Feed, a auth.SignedAddress) error {
	if model == nil {
		return nil
	}
	end := ""
	access.View(model, func(m *access.Model) { end = m.EndReason(a.Reason, a.Space) })
	if end == "" {
		return nil
	}
	e := api.NotFound().WithHint("Ask for the file again, if you may still read it.")
	e.Message = "This address is not valid any more. " + end
	return e
}

// rawETag returns the ETag of a download: the object's hash if it has one.
func rawETag(object string, data []byte) string {
	if _, made := parsePDFJob(object); made {
		sum := sha256.Sum256(data)
		object = hex.EncodeToString(sum[:16])
	}
	return `"` + object + `"`
}

// rangeRefuser replaces net/http's response to an unsatisfiable range with the API's error format.
type rangeRefuser struct {
	http.ResponseWriter
	refuse  func(w http.ResponseWriter)
	refused bool
}

// WriteHeader implements http.ResponseWriter.
func (r *rangeRefuser) WriteHeader(status int) {
	if r.refused = status == http.StatusRequestedRangeNotSatisfiable; r.refused {
		r.refuse(r.ResponseWriter)
		return
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *rangeRefuser) Write(data []byte) (int, error) {
	if r.refused {
		return len(data), nil
	}
	return r.ResponseWriter.Write(data) // net/http expects the writer's unwrapped error
}

func (s *Files) refuseRange(w http.ResponseWriter) {
	header := w.Header()
	header.Del("Content-Disposition")
	header.Del("Content-Length")
	s.Rest.WriteError(w, header.Get("X-Request-Id"), *api.Errorf(http.StatusRequestedRangeNotSatisfiable, api.ReasonInvalidParam,
		"The file does not have that range; Content-Range says how long it is."))
}

// isRasterImage reports whether a browser may display the type inline. SVG and HTML may contain scripts.
func isRasterImage(contentType string) bool {
	switch contentType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif":
		return true
	}
	return false
}
