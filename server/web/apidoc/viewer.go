package apidoc

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"

	"github.com/swaggest/swgui/v5/static"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/compress"
)

//go:embed viewer
var viewerFiles embed.FS

// viewerPolicy is the Content-Security-Policy of the reference page: its own scripts, and requests to this server.
const viewerPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// swaggerFiles are the files of Swagger UI that the reference page loads. They are kept compressed.
var swaggerFiles = map[string]string{
	"swagger-ui-bundle.js": "swagger-ui-bundle.js.gz",
	"swagger-ui.css":       "swagger-ui.css.gz",
	"favicon-32x32.png":    "favicon-32x32.png",
}

// mediaTypes are the media types of the files by extension; "" is that of the page.
var mediaTypes = map[string]string{
	"":     "text/html; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".png": "image/png",
}

// ServeViewer serves a file of the reference page; the name "" is the page itself. It returns a 404 for an unknown name, and then has
// written nothing.
func ServeViewer(w http.ResponseWriter, r *http.Request, name string) error {
	header := w.Header()
	data, compressed, err := viewerFile(name)
	if err != nil {
		return err
	}
	if compressed && !compress.AcceptsGzip(r.Header) {
		if data, err = decompress(data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		compressed = false
	}
	if compressed {
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", mediaTypes[path.Ext(name)])
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", viewerPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "public, max-age=3600")
	header.Add("Vary", "Accept-Encoding")
	header.Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data) // the client has disconnected
	return nil
}

// viewerFile returns a file of the reference page, and whether it is compressed with gzip.
func viewerFile(name string) (data []byte, compressed bool, err error) {
	if name == "" {
		name = "index.html"
	}
	if file, ok := swaggerFiles[name]; ok {
		data, err = static.FS.ReadFile(file)
		return data, path.Ext(file) == ".gz", err
	}
	if name != "index.html" && name != "reference.js" {
		return nil, false, api.NotFound()
	}
	data, err = viewerFiles.ReadFile("viewer/" + name)
	return data, false, err
}

func decompress(data []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}
