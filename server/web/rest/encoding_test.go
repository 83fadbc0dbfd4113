package rest_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// gzipped returns compressed data.
func gzipped(data []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(data) // a buffer returns no error
	_ = z.Close()
	return b.Bytes()
}

// TestBodyEncodings checks which content encodings of a body are decoded, and that all others are refused with the accepted one.
func TestBodyEncodings(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	path := "/v1/orgs/" + w.Org + "/spaces"
	plain := []byte(`{"title":"Packed"}`)
	packed := gzipped(plain)
	halves := append(gzipped(plain[:5]), gzipped(plain[5:])...)
	for _, accepted := range []struct {
		encoding string
		body     []byte
	}{
		{"gzip", packed},
		{"GZip", packed},
		{"x-gzip", packed},
		{"identity, gzip", packed},
		{"gzip", halves},
		{"", plain},
		{"identity", plain},
		{"Identity", plain},
	} {
		a := w.Call("admin", http.MethodPost, path, accepted.body, http.StatusCreated, "Content-Encoding", accepted.encoding)
		if !strings.Contains(string(a.Body), `"title":"Packed"`) {
			t.Errorf("%q: %s", accepted.encoding, a.Body)
		}
	}
	before := w.Dump()
	for _, encoding := range []string{"br", "deflate", "zstd", "compress", "gzip, gzip", "gzip, br", "x-gzip,gzip", "*", "gzip;q=1"} {
		a := w.Send("admin", http.MethodPost, path, packed, "Content-Encoding", encoding)
		servertest.Refusal(w, a, http.StatusUnsupportedMediaType, api.ReasonMediaType)
		if a.Header.Get("Accept-Encoding") != "gzip" || !strings.Contains(a.Error().Message, "gzip or identity") {
			t.Errorf("%s: Accept-Encoding %q: %s", encoding, a.Header.Get("Accept-Encoding"), a.Body)
		}
	}
	if a := w.Send("admin", http.MethodPost, path, plain, "Content-Type", "text/plain"); a.Header.Get("Accept-Encoding") != "" {
		t.Errorf("a media type is refused with the encodings: %v", a.Header)
	}
	for name, damaged := range map[string][]byte{
		"plain": plain, "truncated": packed[:len(packed)-6], "header only": packed[:10], "one byte": packed[:1],
		"another checksum": append(bytes.Clone(packed[:len(packed)-8]), "12345678"...),
		"more after it":    append(bytes.Clone(packed), "more"...),
		"damaged":          append(append(bytes.Clone(packed[:10]), 0xff, 0xff), packed[12:]...),
	} {
		a := w.Send("admin", http.MethodPost, path, damaged, "Content-Encoding", "gzip")
		servertest.Refusal(w, a, http.StatusBadRequest, api.ReasonMalformed)
		if !strings.Contains(a.Error().Message, "gzip") {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	servertest.WantUnchanged(w, before, "after bodies that cannot be decoded")
	for _, encoding := range []string{"gzip", "br"} { // without a body
		w.Call("admin", http.MethodPost, path, nil, http.StatusCreated, "Content-Encoding", encoding)
		w.Call("admin", http.MethodPost, path, []byte{}, http.StatusCreated, "Content-Encoding", encoding)
		w.Call("admin", http.MethodGet, path, nil, http.StatusOK, "Content-Encoding", encoding)
	}
	w.Call("admin", http.MethodGet, path, packed, http.StatusBadRequest, "Content-Encoding", "gzip")
}

// TestBodyLimitHoldsForDecodedBytes checks that a body is refused as soon as its decoded bytes exceed the limit of the operation, also
// one that would never end.
func TestBodyLimitHoldsForDecodedBytes(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	path := "/v1/orgs/" + w.Org + "/spaces"
	limit := int(api.NewCompiler().Input(api.CreateSpace.Row).BodyLimit)
	full := append([]byte(`{"title":"A"}`), bytes.Repeat([]byte(" "), limit-len(`{"title":"A"}`))...)
	w.Call("admin", http.MethodPost, path, gzipped(full), http.StatusCreated, "Content-Encoding", "gzip")
	a := w.Send("admin", http.MethodPost, path, gzipped(append(full, ' ')), "Content-Encoding", "gzip")
	servertest.Refusal(w, a, http.StatusRequestEntityTooLarge, api.ReasonTooLarge)
	if !strings.Contains(a.Error().Message, fmt.Sprint(limit)) {
		t.Errorf("%s", a.Body)
	}

	ref := w.NewRequest("editor", w.NewSpace().ID)
	for _, media := range api.ImportContent.Upload.Media {
		from, to := io.Pipe()
		packed := &counted{}
		var ended sync.WaitGroup
		ended.Go(func() { // a bomb: a thousand bytes for each one that is sent
			z, _ := gzip.NewWriterLevel(io.MultiWriter(to, packed), gzip.BestCompression)
			zeros := make([]byte, 1<<20)
			for {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
		})
		a := sendUpload(w, ref, media.Type, from, -1, "Content-Encoding", "gzip")
		_ = from.Close()
		ended.Wait()
		servertest.Refusal(w, a, http.StatusRequestEntityTooLarge, api.ReasonTooLarge)
		if most := media.Limit/500 + 1<<16; packed.n > most {
			t.Errorf("%d bytes of a bomb of %s were read", packed.n, media.Type)
		}
	}
}

// counted counts the bytes that are written to it.
type counted struct{ n int64 }

// Write implements io.Writer.
func (c *counted) Write(data []byte) (int, error) {
	c.n += int64(len(data))
	return len(data), nil
}

// TestDecodedBytesAreCounted checks that a body counts towards the budget for bodies with its decoded bytes: a small archive that is
// large when it is decoded waits for its turn.
func TestDecodedBytesAreCounted(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(withoutWaiting("body-bytes=80MiB", newSlowSite()))
	ref := w.NewRequest("editor", w.NewSpace().ID)
	first := &slowBody{reading: make(chan struct{}), finish: make(chan struct{})}
	var ended sync.WaitGroup
	ended.Go(func() { sendUpload(w, ref, api.MediaZip, first, 30<<20) })
	<-first.reading
	packed := gzipped(make([]byte, 2<<20))
	wantBusy(t, "2 MiB in a few bytes", sendUpload(w, ref, api.MediaZip, bytes.NewReader(packed), int64(len(packed)),
		"Content-Encoding", "gzip"))
	small := gzipped([]byte("# Small\n"))
	if a := sendUpload(w, ref, api.MediaMarkdown, bytes.NewReader(small), int64(len(small)), "Content-Encoding", "gzip"); a.Status !=
		http.StatusCreated {
		t.Errorf("a small document: %d %s", a.Status, a.Body)
	}
	close(first.finish)
	ended.Wait()
}

// TestEncodingIsNoPartOfRepeat checks that a repeat with the same Idempotency-Key may have another content encoding.
func TestEncodingIsNoPartOfRepeat(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	path, body := "/v1/orgs/"+w.Org+"/spaces", []byte(`{"title":"Once"}`)
	first := w.Call("admin", http.MethodPost, path, gzipped(body), http.StatusCreated, "Content-Encoding", "gzip", "Idempotency-Key", "k")
	second := w.Call("admin", http.MethodPost, path, body, http.StatusCreated, "Idempotency-Key", "k")
	servertest.Equal(t, "answer to the repeat", string(first.Body), string(second.Body))
	other := w.Send("admin", http.MethodPost, path, gzipped([]byte(`{"title":"Twice"}`)), "Content-Encoding", "gzip",
		"Idempotency-Key", "k")
	servertest.Refusal(w, other, http.StatusUnprocessableEntity, api.ReasonKeyReused)

	ref := w.NewRequest("editor", w.NewSpace().ID)
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	page, err := z.Create("page.md")
	w.Must(err)
	_, err = page.Write([]byte("# Page\n"))
	w.Must(err)
	w.Must(z.Close())
	packed := gzipped(archive.Bytes())
	a := sendUpload(w, ref, api.MediaZip, bytes.NewReader(packed), int64(len(packed)), "Content-Encoding", "gzip", "Idempotency-Key", "u")
	b := sendUpload(w, ref, api.MediaZip, &archive, int64(archive.Len()), "Idempotency-Key", "u")
	if a.Status != http.StatusCreated || string(a.Body) != string(b.Body) {
		t.Errorf("an archive: %d %s, plain: %d %s", a.Status, a.Body, b.Status, b.Body)
	}
}

// TestCharsets checks that a body in another charset than UTF-8 is refused, except for texts that are converted.
func TestCharsets(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	path := "/v1/orgs/" + w.Org + "/spaces"
	for _, charset := range []string{"utf-8", "UTF-8", `"Utf-8"`, "utf8", "us-ascii", "US-ASCII"} {
		w.Call("admin", http.MethodPost, path, []byte(`{}`), http.StatusCreated, "Content-Type", "application/json; charset="+charset)
	}
	before := w.Dump()
	for _, charset := range []string{"UTF-16", "iso-8859-1", `"utf-16le"`, "utf-7", `""`, "latin1"} {
		a := w.Send("admin", http.MethodPost, path, []byte(`{}`), "Content-Type", "application/json; charset="+charset)
		servertest.Refusal(w, a, http.StatusUnsupportedMediaType, api.ReasonMediaType)
		if !strings.Contains(a.Error().Message, "UTF-8") {
			t.Errorf("%s", a.Body)
		}
	}
	servertest.WantUnchanged(w, before, "after other charsets")

	ref := w.NewRequest("editor", w.NewSpace().ID)
	for contentType, status := range map[string]int{
		"text/html; charset=iso-8859-1":       http.StatusCreated,
		"text/markdown; charset=windows-1252": http.StatusCreated,
		"text/markdown; charset=utf-7":        http.StatusUnsupportedMediaType,
		"text/html; charset=nobody-knows":     http.StatusUnsupportedMediaType,
		"text/html; charset=iso-2022-kr":      http.StatusUnsupportedMediaType, // refused by browsers
		"application/zip; charset=iso-8859-1": http.StatusUnsupportedMediaType,
	} {
		a := sendUpload(w, ref, contentType, strings.NewReader("<h1>Caf\xe9</h1>\n"), -1)
		if a.Status != status {
			t.Errorf("%s: %d %s", contentType, a.Status, a.Body)
		}
	}
}

// TestWholeNumbers checks that whole numbers in other notations than integers are taken in bodies and queries, and answered as integers.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	organization := "/v1/orgs/" + w.Org
	for text, days := range map[string]string{"90.0": "90", "9e1": "90", "900e-1": "90", "91": "91", "0.92E+2": "92"} {
		a := w.Call("admin", http.MethodPatch, organization, []byte(`{"tokenMaxAgeDays":`+text+`}`), http.StatusOK)
		if !strings.Contains(string(a.Body), `"tokenMaxAgeDays":`+days+`,`) {
			t.Errorf("%s: %s", text, a.Body)
		}
	}
	for _, text := range []string{"90.5", "1e-1", "9007199254740993", "1e300"} {
		a := w.Send("admin", http.MethodPatch, organization, []byte(`{"tokenMaxAgeDays":`+text+`}`))
		servertest.Refusal(w, a, http.StatusUnprocessableEntity, api.ReasonInvalid)
		if e := a.Error(); len(e.Fields) != 1 || e.Fields[0].Path != "tokenMaxAgeDays" || !strings.Contains(e.Message, text) {
			t.Errorf("%s: %s", text, a.Body)
		}
	}
	for text, status := range map[string]int{
		"1.0": http.StatusOK, "1e0": http.StatusOK, "10e-1": http.StatusOK, "1.5": http.StatusBadRequest, "x": http.StatusBadRequest,
		"9007199254740993": http.StatusBadRequest, "01": http.StatusBadRequest, "": http.StatusBadRequest,
	} {
		a := w.Call("admin", http.MethodGet, organization+"/members?limit="+text, nil, status)
		if items := strings.Count(string(a.Body), `"object":"member"`); status == http.StatusOK && items != 1 {
			t.Errorf("limit=%s: %d items", text, items)
		}
	}
}
