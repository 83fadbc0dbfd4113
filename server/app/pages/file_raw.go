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
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
)

// ServeRaw serves the object that a signed address names (docs/decisions.md#addresses).
func (s *Files) ServeRaw(w http.ResponseWriter, r *http.Request, signed string) {
	space, hash, ok, err := s.Signer.Open(r.Context(), signed)
	if err = rest.WrapDisconnect(r, err); err != nil {
		s.Rest.Refuse(w, r, rest.PublicError(err))
		return
	}
	if !ok {
		s.Rest.Refuse(w, r, *api.NotFound().WithHint("Addresses of downloads are valid for an hour: ask for the file again."))
		return
	}
	reader := budgets.Requester{Tenant: auth.Address(r), Reading: true}
	m, data, done, err := s.download(budgets.WithRequester(r.Context(), &reader), space, hash)
	defer done()
	if errors.Is(err, objects.ErrMissing) { // its owner was deleted permanently
		s.Log.Warn("download of a deleted object", "space", space, "object", hash)
		s.Rest.Refuse(w, r, *api.NotFound())
		return
	}
	if err = rest.WrapDisconnect(r, err); err != nil {
		e := rest.PublicError(err)
		if e.Code >= http.StatusInternalServerError && e.Reason != api.ReasonBusy {
			s.Log.Error("download failed", "space", space, "object", hash, "error", err)
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
	header.Set("Etag", rawETag(hash, data))
	http.ServeContent(&rangeRefuser{ResponseWriter: w, refuse: s.refuseRange}, r, "", time.Time{}, bytes.NewReader(data))
}

// download returns the bytes that a signed address names once the memory for them is available. The caller must call
// done after sending them.
func (s *Files) download(ctx context.Context, space, object string) (m revision.Manifest, data []byte, done func(), err error) {
	done = func() {}
	hold := func(bytes int) error {
		work, err := s.Slow.Downloads.Take(ctx, budgets.RequesterOf(ctx), int64(bytes))
		if err != nil {
			return fmt.Errorf("download of %d bytes: %w", bytes, err)
		}
		done = work.Done
		return nil
	}
	if job, ok := parsePDFJob(object); ok {
		if m, data, err = s.pdfFile(ctx, space, job); err == nil {
			err = hold(len(data))
		}
		return m, data, done, err
	}
	if m, err = s.Revisions.Manifest(ctx, space, object); err == nil {
		err = hold(len(m.Chunks) * revision.FileChunkBytes)
	}
	if err == nil {
		data, err = s.Revisions.ReadChunks(ctx, space, m)
	}
	return m, data, done, err
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
