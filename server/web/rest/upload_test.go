package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// sendUpload sends content to be imported into a change request. length is the declared one, -1 for none.
func sendUpload(
	w *servertest.World, ref api.ChangeRequestRef, media string, body io.Reader, length int64, headers ...string,
) servertest.Response {
	r := httptest.NewRequestWithContext(w.T.Context(), http.MethodPost,
		"/v1/spaces/"+ref.Space+"/change-requests/"+ref.ChangeRequest+"/content/import", body)
	r.ContentLength = length
	r.Header.Set("Authorization", "Bearer "+w.Tokens["editor"])
	r.Header.Set("Content-Type", media)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return servertest.Response{Status: recorder.Code, Header: recorder.Header(), Body: recorder.Body.Bytes()}
}

// TestUploadsHaveLimitOfTheirMediaType checks that content up to the limit of its media type arrives whole, and that more is refused:
// unread if its length is declared.
func TestUploadsHaveLimitOfTheirMediaType(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	ref := w.NewRequest("editor", w.NewSpace().ID)
	text := "# A long page\n\n" + strings.Repeat("A sentence of the page that is long.\n\n", 80_000)
	for _, length := range []int64{int64(len(text)), -1} {
		if a := sendUpload(w, ref, api.MediaMarkdown, strings.NewReader(text), length); a.Status != http.StatusCreated {
			t.Errorf("%d bytes, %d declared: %d %.200s", len(text), length, a.Status, a.Body)
		}
	}
	for _, media := range api.ImportContent.Upload.Media {
		a := sendUpload(w, ref, media.Type, untouchableBody{t}, media.Limit+1)
		servertest.Refusal(w, a, http.StatusRequestEntityTooLarge, api.ReasonTooLarge)
		endless := &countingReader{}
		a = sendUpload(w, ref, media.Type, endless, -1)
		servertest.Refusal(w, a, http.StatusRequestEntityTooLarge, api.ReasonTooLarge)
		if endless.read > 2*media.Limit {
			t.Errorf("%d bytes of %s were read", endless.read, media.Type)
		}
	}
}

// TestUploadsAreReadInTurn checks that content in the body counts towards the budget for bodies from its first MiB on: an archive of
// a user whose half of it is in use is not read.
func TestUploadsAreReadInTurn(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(withoutWaiting("body-bytes=80MiB", newSlowSite()))
	ref := w.NewRequest("editor", w.NewSpace().ID)
	first := &slowBody{reading: make(chan struct{}), finish: make(chan struct{})}
	var ended sync.WaitGroup
	ended.Go(func() { sendUpload(w, ref, api.MediaZip, first, 30<<20) })
	<-first.reading
	for name, length := range map[string]int64{"of known length": 30 << 20, "of unknown length": -1} {
		unread := &countingReader{}
		wantBusy(t, "a second archive "+name, sendUpload(w, ref, api.MediaZip, unread, length))
		if unread.read > 1<<20+1 {
			t.Errorf("%d bytes of a second archive %s were read", unread.read, name)
		}
	}
	if a := sendUpload(w, ref, api.MediaMarkdown, strings.NewReader("# Small\n"), 8); a.Status != http.StatusCreated {
		t.Errorf("a small document: %d %s", a.Status, a.Body)
	}
	close(first.finish)
	ended.Wait()
}

// TestOpenAPIDocumentDescribesUploads checks that the document has the media types and the parameters of content in the body.
func TestOpenAPIDocumentDescribesUploads(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	type parameter struct {
		Name      string `json:"name"`
		In        string `json:"in"`
		Reference string `json:"$ref"`
	}
	var document struct {
		Components struct {
			Parameters map[string]parameter `json:"parameters"`
		} `json:"components"`
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema struct {
						Format string `json:"format"`
					} `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
			Parameters []parameter `json:"parameters"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(w.Send("", http.MethodGet, "/v1/openapi.json", nil).Body, &document); err != nil {
		t.Fatal(err)
	}
	for _, row := range []api.Row{api.ImportContent.Row, api.ImportChangeRequestContent.Row} {
		operation := document.Paths[row.Path]["post"]
		for _, media := range row.Upload.Media {
			servertest.Equal(t, row.Name+": format of "+media.Type, "binary", operation.RequestBody.Content[media.Type].Schema.Format)
		}
		if _, ok := operation.RequestBody.Content["application/json"]; !ok {
			t.Errorf("%s: JSON is not described", row.Name)
		}
		described := map[string]bool{}
		for _, p := range operation.Parameters {
			if p.Reference != "" {
				p = document.Components.Parameters[path.Base(p.Reference)]
			}
			described[p.In+" "+p.Name] = true
		}
		for _, p := range api.NewCompiler().Input(row).Upload.Params {
			if !described[string(p.In)+" "+p.Name] {
				t.Errorf("%s: the %s parameter %s is not described", row.Name, p.In, p.Name)
			}
		}
	}
}
