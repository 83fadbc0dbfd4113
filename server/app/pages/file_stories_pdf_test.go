package pages_test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// downloadPDF downloads a PDF without a token and returns its text.
func downloadPDF(w *servertest.World, address string) string {
	w.T.Helper()
	a := w.Call("", http.MethodGet, strings.TrimPrefix(address, servertest.PublicURL), nil, http.StatusOK)
	if kind := a.Header.Get("Content-Type"); kind != "application/pdf" || !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
		w.T.Fatalf("the download is %s: %.40q", kind, a.Body)
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		w.T.Skip("pdftotext is not installed (poppler-utils)")
	}
	file := filepath.Join(w.T.TempDir(), "a.pdf")
	w.Must(os.WriteFile(file, a.Body, 0o600))
	text, err := exec.CommandContext(w.T.Context(), "pdftotext", "-enc", "UTF-8", file, "-").Output()
	w.Must(err)
	return string(text)
}

// checkWords fails the test unless the text contains all of words and none of not.
func checkWords(t *testing.T, text string, words, not []string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing in\n%s", word, text)
		}
	}
	for _, word := range not {
		if strings.Contains(text, word) {
			t.Errorf("%q is in\n%s", word, text)
		}
	}
}

// TestPDFShowsRequestedRevision checks that a PDF contains the revision at the time of the request and that its
// address is valid for an hour.
func TestPDFShowsRequestedRevision(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		request := w.NewRequest("editor", space)
		made := w.Change(request,
			servertest.WithRef("guide",
				servertest.Insert("Guide", "",
					"# Guide\n\nΚαλημέρα, доброе утро. See [below](/pages/inner) and [the image](/files/pixel).\n\n"+
						"![Pixel](/files/pixel)\n\n| A | B |\n|---|---|\n| cell | 中 |\n")),
			servertest.WithRef("inner", servertest.Insert("Inner", "guide", "Inner text with {{ space.vars.product }}.\n")),
			servertest.Insert("Other", "", "Other text.\n"),
			api.ContentChange{
				Operation: api.InsertFiles, Files: []api.FileInsert{
					{Name: "pixel.png", Ref: "pixel", ContentType: "image/png", Base64: servertest.OnePixel},
				},
			},
		)
		guide, inner := made.Changes[0].Page.ID, made.Changes[1].Page.ID
		in := api.GetChangeRequestPDFInput{ChangeRequestRef: request}
		whole := servertest.Do(w, "commenter", api.GetChangeRequestPdf, in)
		checkWords(t, downloadPDF(w, whole.URL), []string{
			"Docs", "Change request 1", "Guide", "Καλημέρα", "доброе", "cell", "[U+4E2D]", "Inner text", "Other text",
		}, nil)
		in.Page = guide
		below := servertest.Do(w, "commenter", api.GetChangeRequestPdf, in)
		checkWords(t, downloadPDF(w, below.URL), []string{"Guide", "Inner text"}, []string{"Other text"})
		in.Only = api.Some(true)
		alone := servertest.Do(w, "commenter", api.GetChangeRequestPdf, in)
		checkWords(t, downloadPDF(w, alone.URL), []string{"Guide"}, []string{"Inner text", "Other text"})

		w.Change(request, servertest.Write(inner, "Later text.\n"))
		w.Serve() // a second node with an empty cache
		checkWords(t, downloadPDF(w, below.URL), []string{"Inner text"}, []string{"Later text"})
		in.Page = inner
		checkWords(t, downloadPDF(w, servertest.Do(w, "commenter", api.GetChangeRequestPdf, in).URL), []string{"Later text"}, nil)

		servertest.Refused(w, "reader", api.GetChangeRequestPdf, in, http.StatusForbidden, api.ReasonForbidden)
		in.Page = servertest.AbsentID(inner)
		servertest.Refused(w, "editor", api.GetChangeRequestPdf, in, http.StatusBadRequest, api.ReasonInvalidParam)
		in.Page = ""
		servertest.Refused(w, "editor", api.GetChangeRequestPdf, in, http.StatusBadRequest, api.ReasonInvalidParam)
		servertest.Refused(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: space, PDFOptions: api.PDFOptions{Page: guide}},
			http.StatusBadRequest, api.ReasonInvalidParam)

		w.MustMerge(request)
		checkWords(t, downloadPDF(w, servertest.Do(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL),
			[]string{"Later text"}, []string{"Change request"})
		last := strings.TrimPrefix(servertest.Do(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL,
			servertest.PublicURL)
		w.Clock.Advance(time.Hour - time.Second)
		w.Call("", http.MethodGet, last, nil, http.StatusOK)
		for i := range last[len("/raw/"):] { // every changed character invalidates the signature
			forged := []byte(last)
			if at := len("/raw/") + i; forged[at] == 'a' {
				forged[at] = 'b'
			} else {
				forged[at] = 'a'
			}
			if a := w.Send("", http.MethodGet, string(forged), nil); a.Status == http.StatusOK {
				t.Errorf("the address %s is served", forged)
			}
		}
		w.Clock.Advance(time.Second)
		w.Call("", http.MethodGet, last, nil, http.StatusNotFound)
	})
}
