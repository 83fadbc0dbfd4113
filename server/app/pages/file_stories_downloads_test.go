package pages_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

func picture(t *testing.T) []byte {
	t.Helper()
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

// TestDownload checks that a download needs no token, returns the stored bytes, and that browsers display nothing but
// raster images.
func TestDownload(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		large := bytes.Repeat([]byte("0123456789"), 200_000) // several chunks
		for _, test := range []struct {
			name, sent, contentType, disposition string
			data                                 []byte
		}{
			{"a.png", "image/png", "image/png", "inline", picture(t)},
			{"a.svg", "image/svg+xml", "image/svg+xml", "attachment", []byte(`<svg onload="alert(1)"/>`)},
			{"a.html", "text/html; charset=utf-8", "text/html; charset=utf-8", "attachment", []byte("<script>alert(1)</script>")},
			{"a.bin", "application/octet-stream", "application/octet-stream", "attachment", large},
			{"a.pdf", "nonsense", "application/pdf", "attachment", []byte("%PDF")},
		} {
			f, path := servertest.Upload(w, ref, test.name, test.sent, test.data)
			servertest.Equal(t, "size of "+test.name, int64(len(test.data)), f.Size)
			a := w.Call("", http.MethodGet, path, nil, 200)
			if !bytes.Equal(a.Body, test.data) {
				t.Errorf("%s: %d bytes, want %d", test.name, len(a.Body), len(test.data))
			}
			disposition, parameters, err := mime.ParseMediaType(a.Header.Get("Content-Disposition"))
			w.Must(err)
			servertest.Equal(t, "disposition of "+test.name, [2]string{test.disposition, test.name}, [2]string{
				disposition, parameters["filename"],
			})
			for header, want := range map[string]string{
				"Content-Type": test.contentType, "X-Content-Type-Options": "nosniff",
				"Content-Security-Policy": "default-src 'none'; sandbox",
			} {
				servertest.Equal(t, header+" of "+test.name, want, a.Header.Get(header))
			}
		}
		f, _ := servertest.Upload(w, ref, "b.png", "image/png", picture(t))
		servertest.Equal(t, "dimensions", &api.Dimensions{Width: 3, Height: 2}, f.Dimensions)
	})
}

func TestDownloadRanges(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		_, path := servertest.Upload(w, ref, "a.txt", "text/plain", []byte("0123456789"))
		part := w.Call("", http.MethodGet, path, nil, 206, "Range", "bytes=2-4")
		servertest.Equal(t, "part", "234", string(part.Body))
		servertest.Equal(t, "Content-Range", "bytes 2-4/10", part.Header.Get("Content-Range"))
		servertest.Equal(t, "end", "789", string(w.Call("", http.MethodGet, path, nil, 206, "Range", "bytes=-3").Body))
		w.Call("", http.MethodGet, path, nil, 416, "Range", "bytes=20-30")
		tag := w.Call("", http.MethodGet, path, nil, 200).Header.Get("Etag")
		w.Call("", http.MethodGet, path, nil, 304, "If-None-Match", tag)
		servertest.Equal(t, "bytes of HEAD", 0, len(w.Call("", http.MethodHead, path, nil, 200).Body))
	})
}

// TestDownloadEscapesFileNames downloads files whose names contain characters that are special in paths, headers or
// terminals.
func TestDownloadEscapesFileNames(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		for sent, want := range map[string]string{
			"../../etc/passwd":           "passwd",
			`quote".txt`:                 `quote".txt`,
			"semi;colon=x.txt":           "semi;colon=x.txt",
			"Größe 東京 🦊.txt":             "Größe 東京 🦊.txt",
			strings.Repeat("x", 256):     strings.Repeat("x", 256),
			"percent%0d%0aX-Evil: 1.txt": "percent%0d%0aX-Evil: 1.txt",
		} {
			_, path := servertest.Upload(w, ref, sent, "text/plain", []byte("x"))
			header := w.Call("", http.MethodGet, path, nil, 200).Header
			_, parameters, err := mime.ParseMediaType(header.Get("Content-Disposition"))
			if err != nil || parameters["filename"] != want {
				t.Errorf("%q: %q %v", sent, header.Get("Content-Disposition"), err)
			}
			if strings.ContainsAny(header.Get("Content-Disposition"), "\r\n") {
				t.Errorf("%q breaks the header: %q", sent, header.Get("Content-Disposition"))
			}
		}
		for field, f := range map[string]api.FileInsert{
			"name": {
				Name: "new\nline.txt", ContentType: "text/plain", Base64: "eA==",
			}, "contentType": {Name: "x", ContentType: "text/plain\r\nX-Evil: 1", Base64: "eA=="},
		} {
			w.ChangeRefused(ref, "changes[0].files[0]."+field, api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{f}})
		}
	})
}

// TestDownloadRejectsInvalidSignature checks that modified and expired addresses are refused.
func TestDownloadRejectsInvalidSignature(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		f, path := servertest.Upload(w, ref, "a.txt", "text/plain", []byte("x"))
		for i := len("/raw/"); i < len(path); i++ {
			changed := path[:i] + string(path[i]^1) + path[i+1:]
			if u, err := url.ParseRequestURI(changed); err != nil || u.Path != changed {
				continue
			}
			if a := w.Send("", http.MethodGet, changed, nil); a.Status != http.StatusNotFound && i < len(path)-1 {
				t.Errorf("%s: %d", changed, a.Status)
			}
		}
		for _, wrong := range []string{"/raw/", "/raw/x", "/raw/a.b.c.d", path + "x", path + ".x"} {
			w.Call("", http.MethodGet, wrong, nil, 404)
		}
		w.Clock.Advance(time.Hour - time.Second)
		w.Call("", http.MethodGet, path, nil, 200)
		w.Clock.Advance(10 * time.Minute)
		w.Call("", http.MethodGet, path, nil, 404)
		fresh := servertest.Do(w, "editor", api.GetChangeRequestContentFile, api.ChangeRequestFileInput{ChangeRequestRef: ref, File: f.ID})
		w.Call("", http.MethodGet, strings.TrimPrefix(fresh.DownloadURL, servertest.PublicURL), nil, 200)
	})
}

// TestFileSizeLimit checks the limit of 10 MiB for uploaded and fetched files.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		ref := w.NewRequest("editor", w.NewSpace().ID)
		largest := strings.Repeat("x", 10<<20)
		_, path := servertest.Upload(w, ref, "a.bin", "application/octet-stream", []byte(largest))
		servertest.Equal(t, "bytes", len(largest), len(w.Call("", http.MethodGet, path, nil, 200).Body))
		w.Web["https://example.com/fits.bin"], w.Web["https://example.com/large.bin"] = largest, largest+"x"
		fetched := func(name string) api.ContentChange {
			return api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: name, URL: "https://example.com/" + name}}}
		}
		servertest.Equal(t, "size", int64(len(largest)), w.Change(ref, fetched("fits.bin")).InsertedFiles[0].File.Size)
		w.ChangeRefused(ref, "changes[0].files[0].url", fetched("large.bin"))
		var many []api.ContentChange
		for range 7 {
			many = append(many, fetched("fits.bin"))
		}
		w.ChangeRefused(ref, fmt.Sprintf("changes[%d].files[0].url", 6), many...)
	})
}
