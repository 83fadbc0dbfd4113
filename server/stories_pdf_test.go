package server_test

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
)

// printed downloads a PDF without a token and returns its text.
func printed(w *world, address string) string {
	w.t.Helper()
	a := w.call("", http.MethodGet, strings.TrimPrefix(address, publicURL), nil, http.StatusOK)
	if kind := a.Header.Get("Content-Type"); kind != "application/pdf" || !bytes.HasPrefix(a.Body, []byte("%PDF-")) {
		w.t.Fatalf("the download is %s: %.40q", kind, a.Body)
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		w.t.Skip("pdftotext is not installed (poppler-utils)")
	}
	file := filepath.Join(w.t.TempDir(), "a.pdf")
	w.must(os.WriteFile(file, a.Body, 0o600))
	text, err := exec.CommandContext(w.t.Context(), "pdftotext", "-enc", "UTF-8", file, "-").Output()
	w.must(err)
	return string(text)
}

// holds fails unless a text has the words of one list and none of the other.
func holds(t *testing.T, text string, words, not []string) {
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

// A PDF shows the pages of a change request as they were when it was asked for, and is to be had for an hour.
func TestStoryOfAPDF(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space := w.newSpace().ID
		request := w.newRequest("editor", space)
		made := w.change(request,
			named("guide", insert("Guide", "", "# Guide\n\nΚαλημέρα, доброе утро. See [below](/pages/inner) and [the image](/files/pixel).\n\n![Pixel](/files/pixel)\n\n| A | B |\n|---|---|\n| cell | 中 |\n")),
			named("inner", insert("Inner", "guide", "Inner text with {{ space.vars.product }}.\n")),
			insert("Other", "", "Other text.\n"),
			api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "pixel.png", Ref: "pixel", ContentType: "image/png", Base64: onePixel}}},
		)
		guide, inner := made.Changes[0].Page.ID, made.Changes[1].Page.ID
		in := api.GetChangeRequestPDFInput{ChangeRequestRef: request}
		whole := do(w, "commenter", api.GetChangeRequestPdf, in)
		holds(t, printed(w, whole.URL), []string{"Docs", "Change request 1", "Guide", "Καλημέρα", "доброе", "cell", "[U+4E2D]", "Inner text", "Other text"}, nil)
		in.Page = guide
		below := do(w, "commenter", api.GetChangeRequestPdf, in)
		holds(t, printed(w, below.URL), []string{"Guide", "Inner text"}, []string{"Other text"})
		in.Only = api.Some(true)
		alone := do(w, "commenter", api.GetChangeRequestPdf, in)
		holds(t, printed(w, alone.URL), []string{"Guide"}, []string{"Inner text", "Other text"})

		w.change(request, write(inner, "Later text.\n"))
		w.serve() // another node, which has made no PDF yet
		holds(t, printed(w, below.URL), []string{"Inner text"}, []string{"Later text"})
		in.Page = inner
		holds(t, printed(w, do(w, "commenter", api.GetChangeRequestPdf, in).URL), []string{"Later text"}, nil)

		refused(w, "reader", api.GetChangeRequestPdf, in, http.StatusForbidden, api.ReasonForbidden)
		in.Page = elsewhere(inner)
		refused(w, "editor", api.GetChangeRequestPdf, in, http.StatusBadRequest, api.ReasonInvalidParam)
		in.Page = ""
		refused(w, "editor", api.GetChangeRequestPdf, in, http.StatusBadRequest, api.ReasonInvalidParam)
		refused(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: space, PDFOptions: api.PDFOptions{Page: guide}}, http.StatusBadRequest, api.ReasonInvalidParam)

		w.merged(request)
		holds(t, printed(w, do(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL), []string{"Later text"}, []string{"Change request"})
		last := strings.TrimPrefix(do(w, "reader", api.GetSpacePdf, api.GetSpacePDFInput{Space: space}).URL, publicURL)
		w.clock.Advance(time.Hour - time.Second)
		w.call("", http.MethodGet, last, nil, http.StatusOK)
		for i := range last[len("/raw/"):] { // whatever is changed in it
			forged := []byte(last)
			if at := len("/raw/") + i; forged[at] == 'a' {
				forged[at] = 'b'
			} else {
				forged[at] = 'a'
			}
			if a := w.raw("", http.MethodGet, string(forged), nil); a.Status == http.StatusOK {
				t.Errorf("the address %s is served", forged)
			}
		}
		w.clock.Advance(time.Second)
		w.call("", http.MethodGet, last, nil, http.StatusNotFound)
	})
}
