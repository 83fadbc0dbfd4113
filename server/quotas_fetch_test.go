package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A specification that is read again when there is no room keeps the version that it has, and says why it has no other.
// With room, it is read.
func TestQuotaOfAFetch(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		const address, slug = "https://example.com/api.json", "fetched"
		source := api.OpenAPISource{URL: address}
		w.web[address] = petsText
		putSpec(w, slug, source)
		before := specRead(w, slug)
		equal(t, "versions", 1, specVersions(w, slug))
		shown := do(w, "reader", api.GetOpenAPISpecLatestContent, specRef(w, slug))

		w.web[address] = strings.Replace(petsText, "All.", "All of them.", 1)
		full(w)
		putSpec(w, slug, source)
		full := specRead(w, slug)
		equal(t, "state", api.ProcessingComplete, full.ProcessingState)
		equal(t, "last version", before.LastVersion, full.LastVersion)
		equal(t, "versions", 1, specVersions(w, slug))
		equal(t, "content", shown, do(w, "reader", api.GetOpenAPISpecLatestContent, specRef(w, slug)))
		if !strings.Contains(full.LastProcessError, "quota") && !strings.Contains(full.LastProcessError, "may") {
			t.Errorf("it says %q", full.LastProcessError)
		}

		quota(w, w.org, map[string]*int64{"bytes": nil, "records": nil})
		putSpec(w, slug, source)
		equal(t, "error", "", specRead(w, slug).LastProcessError)
		equal(t, "versions", 2, specVersions(w, slug))
	})
}

// An import for which there is no room brings nothing at all, and comes in when there is.
func TestQuotaOfAnImport(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		const address = "https://example.com/docs.md"
		w.web[address] = "# Imported\n\n" + strings.Repeat("Words that take room. ", 500) + "\n"
		space := do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: w.org, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive}}).ID
		in := api.ImportInput{Space: space, Body: api.Import{URL: address, Source: api.ImportMarkdown}}
		full(w)
		w.untouched(func() api.Error {
			return refused(w, "admin", api.ImportContent, in, 403, api.ReasonQuotaExceeded)
		})
		w.must(orgs.Accounts{Store: w.store}.SetLimits(t.Context(), store.Organization(w.org), txn.QuotaKey(w.org), map[string]*int64{"bytes": nil, "records": nil}))
		do(w, "admin", api.ImportContent, in)
	})
}
