package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

const (
	minSecret = 32
	// A download address is valid for an hour. That of a file is rounded up, so that the file has the same address,
	// and what shows it the same ETag, for some time.
	rawLifetime  = time.Hour
	fileRounding = 10 * time.Minute
	pdfRounding  = time.Second
)

// signer makes and checks addresses that serve bytes without a token: an HMAC over the object and the expiry.
type signer struct {
	key   []byte
	clock store.Clock
}

func (s signer) sign(space, manifest string, rounding time.Duration) string {
	expiry := s.clock().Add(rawLifetime + rounding - 1).Truncate(rounding).Unix()
	text := strings.Join([]string{space, manifest, strconv.FormatInt(expiry, 36)}, ".")
	return text + "." + s.mac(text)
}

// derived is a secret that is made of an id and the server's secret, so that it can be shown again and is kept nowhere.
func (s signer) derived(purpose, id string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(purpose + "\x00" + id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil))
}

func (s signer) mac(text string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte("raw\x00" + text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// rawURL is the address that serves the bytes of a file, for an hour.
func (s *Server) rawURL(space, manifest string) string {
	return s.publicURL + "/raw/" + s.signer.sign(space, manifest, fileRounding)
}

// open checks a signed text and returns what it names.
func (s signer) open(signed string) (space, manifest string, ok bool) {
	at := strings.LastIndexByte(signed, '.')
	if at < 0 || !hmac.Equal([]byte(s.mac(signed[:at])), []byte(signed[at+1:])) {
		return "", "", false
	}
	parts := strings.Split(signed[:at], ".")
	if len(parts) != 3 {
		return "", "", false
	}
	expiry, err := strconv.ParseInt(parts[2], 36, 64)
	return parts[0], parts[1], err == nil && s.clock().Unix() < expiry
}

// serveRaw serves the bytes behind a signed address (decisions, URLs and bytes).
func (s *Server) serveRaw(w http.ResponseWriter, r *http.Request, signed string) {
	space, hash, ok := s.signer.open(signed)
	if !ok {
		s.refuse(w, r, *api.NotFound().WithHint("Addresses of downloads are valid for an hour: ask for the file again."))
		return
	}
	m, data, err := s.download(r.Context(), space, hash)
	if errors.Is(err, store.ErrMissing) { // what it belonged to was removed for good
		s.log.Warn("download of what is gone", "space", space, "object", hash)
		s.refuse(w, r, *api.NotFound())
		return
	}
	if err != nil {
		s.log.Error("download failed", "space", space, "object", hash, "error", err)
		s.refuse(w, r, publicError(err))
		return
	}
	header := w.Header()
	baseHeaders(header, s.requestID(r))
	header.Set("Content-Type", m.ContentType)
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Referrer-Policy", "no-referrer")
	disposition := "attachment"
	if rasterImage(m.ContentType) {
		disposition = "inline"
	}
	header.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": m.Name}))
	header.Set("Etag", rawTag(hash, data))
	http.ServeContent(&rangeRefuser{ResponseWriter: w, refuse: s.refuseRange}, r, "", time.Time{}, bytes.NewReader(data))
}

// download returns the bytes that a signed address names.
func (s *Server) download(ctx context.Context, space, object string) (manifest, []byte, error) {
	if job, ok := parsePDFJob(object); ok {
		return s.pdfFile(ctx, space, job)
	}
	return s.readFile(ctx, space, object)
}

// rawTag is the ETag of a download: the object's hash where it has one.
func rawTag(object string, data []byte) string {
	if _, made := parsePDFJob(object); made {
		sum := sha256.Sum256(data)
		object = hex.EncodeToString(sum[:16])
	}
	return `"` + object + `"`
}

// rangeRefuser answers a range that the file does not have as every other error is answered.
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
	return r.ResponseWriter.Write(data) // the writer's own error is what net/http looks for
}

func (s *Server) refuseRange(w http.ResponseWriter) {
	header := w.Header()
	header.Del("Content-Disposition")
	header.Del("Content-Length")
	s.writeError(w, header.Get("X-Request-Id"), *api.Errorf(http.StatusRequestedRangeNotSatisfiable, api.ReasonInvalidParam,
		"The file does not have that range; Content-Range says how long it is."))
}

// rasterImage reports whether a browser may show the type itself: SVG and HTML may carry scripts.
func rasterImage(contentType string) bool {
	switch contentType {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif":
		return true
	}
	return false
}

func (s *Server) readFile(ctx context.Context, space, hash string) (m manifest, data []byte, err error) {
	content := s.store.Content(space)
	payload, err := content.Object(ctx, hash)
	if err != nil {
		return m, nil, fmt.Errorf("manifest: %w", err)
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, nil, fmt.Errorf("%w: manifest %s: %w", store.ErrCorrupt, hash, err)
	}
	chunks, err := content.Objects(ctx, m.Chunks)
	if err != nil {
		return m, nil, fmt.Errorf("chunks: %w", err)
	}
	for _, chunk := range m.Chunks {
		data = append(data, chunks[chunk]...)
	}
	return m, data, nil
}

// appURL is the address of a plain page for people who follow a link.
func (s *Server) appURL(kind, id string) string { return s.publicURL + "/app/" + kind + "/" + id }

var appPage = template.Must(template.New("app").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>wsd</title>
<p>This is the {{.Kind}} <code>{{.ID}}</code> of a documentation workspace. Read and review it in a terminal:</p>
<pre>{{.Command}}</pre>
</html>
`))

// appCommands are the commands that show each kind of thing.
var appCommands = map[string]string{
	"organizations": "wsctl organizations get ", "collections": "wsctl collections get ", "spaces": "wsctl spaces get ",
	"integrations": "wsctl integrations get ", "integration-installations": "wsctl integration-installations get --integration ",
	"sites": "wsctl sites get ", "openapi": "wsctl openapi-specs get --org ", "change-requests": "wsctl change-requests get --space ", "pages": "wsctl content get-page --space ",
}

// serveApp answers the page behind urls.app.
func (s *Server) serveApp(w http.ResponseWriter, kind, id string) {
	command, ok := appCommands[kind]
	s.servePage(w, ok, strings.TrimSuffix(kind, "s"), id, command+strings.ReplaceAll(id, "~", " "))
}

// serveSite answers the page behind urls.published of a site without a hostname of its own: wsd serves sites as data,
// and it takes a renderer to show them.
func (s *Server) serveSite(w http.ResponseWriter, path string) {
	org, site, ok := strings.Cut(strings.Trim(path, "/"), "/")
	s.servePage(w, ok, "published site", site, "wsctl sites list --published --org "+org)
}

// servePage answers a page for people who follow a link. It shows nothing that the address does not hold already:
// there is no login in a browser.
func (s *Server) servePage(w http.ResponseWriter, found bool, kind, id, command string) {
	header := w.Header()
	baseHeaders(header, s.ids.New("req_"))
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'")
	header.Set("Referrer-Policy", "no-referrer") // an address may hold a share key
	if !found {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = appPage.Execute(w, map[string]string{"Kind": kind, "ID": id, "Command": command})
}
