package specs_test

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// TestQuotaLimitsSpecification checks that a reading beyond the quota keeps the last version and stores the reason, and
// succeeds once there is enough quota.
func TestQuotaLimitsSpecification(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const address, slug = "https://example.com/api.json", "fetched"
		source := api.OpenAPISource{URL: address}
		w.Web[address] = servertest.PetsText
		servertest.PutSpec(w, slug, source)
		before := servertest.ReadSpec(w, slug)
		servertest.Equal(t, "versions", 1, countSpecVersions(w, slug))
		shown := servertest.Do(w, "reader", api.GetOpenAPISpecLatestContent, servertest.SpecRef(w, slug))

		w.Web[address] = strings.Replace(servertest.PetsText, "All.", "All of them.", 1)
		servertest.ExhaustQuotas(w)
		servertest.PutSpec(w, slug, source)
		full := servertest.ReadSpec(w, slug)
		servertest.Equal(t, "state", api.ProcessingComplete, full.ProcessingState)
		servertest.Equal(t, "last version", before.LastVersion, full.LastVersion)
		servertest.Equal(t, "versions", 1, countSpecVersions(w, slug))
		servertest.Equal(t, "content", shown, servertest.Do(w, "reader", api.GetOpenAPISpecLatestContent, servertest.SpecRef(w, slug)))
		if !strings.Contains(full.LastProcessError, "quota") && !strings.Contains(full.LastProcessError, "may") {
			t.Errorf("it says %q", full.LastProcessError)
		}

		servertest.SetQuota(w, w.Org, map[string]*int64{"bytes": nil, "records": nil})
		servertest.PutSpec(w, slug, source)
		servertest.Equal(t, "error", "", servertest.ReadSpec(w, slug).LastProcessError)
		servertest.Equal(t, "versions", 2, countSpecVersions(w, slug))
	})
}

// TestQuotaLimitsComputedRevision checks that a space beyond its quota keeps its version of a specification, and that the
// specification reports this until the space gets the revision.
func TestQuotaLimitsComputedRevision(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first := servertest.NewSpec(w, "shop", shopText)
		ref := w.NewRequest("editor", w.NewSpace().ID)
		w.Change(ref, servertest.InsertComputedPage("API", "shop"), servertest.NewPage("Guide", "Words.\n"))
		w.MustMerge(ref)
		old := headOf(w, ref.Space).ID
		second := putShop(w, "List all pets")
		servertest.Do(w, "admin", api.RollbackRevision, api.RevisionRef{Space: ref.Space, Revision: old})
		before := headOf(w, ref.Space)
		servertest.Equal(t, "rolled back", []string{first.LastVersion}, seeds(before.Pages))

		servertest.ExhaustQuotas(w)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.Schedule(w.Org, txn.JobName(store.OpenAPISpacesKind, "shop"), 0)
			return nil
		}))
		for _, again := range []string{"at once", "an hour later", "when the source is read again"} {
			full := servertest.ReadSpec(w, "shop")
			servertest.Equal(t, again+": content", before, headOf(w, ref.Space))
			servertest.Equal(t, again+": version", second.LastVersion, full.LastVersion)
			if !strings.Contains(full.LastProcessError, "in some spaces (1)") || full.ProcessingState != api.ProcessingComplete {
				t.Errorf("%s: it says %q", again, full.LastProcessError)
			}
			w.Clock.Advance(time.Hour + time.Minute)
			if again == "an hour later" {
				servertest.PutSpec(w, "shop", api.OpenAPISource{Text: strings.Replace(shopText, "List pets", "List all pets", 1)})
			}
		}
		servertest.SetQuota(w, w.Org, map[string]*int64{"bytes": nil, "records": nil})
		w.Clock.Advance(time.Hour + time.Minute)
		servertest.Equal(t, "error with room", "", servertest.ReadSpec(w, "shop").LastProcessError)
		now := headOf(w, ref.Space)
		servertest.Equal(t, "type", api.RevisionComputed, now.Type)
		servertest.Equal(t, "parents", []string{before.ID}, now.Parents)
		servertest.Equal(t, "version", []string{second.LastVersion}, seeds(now.Pages))
		w.Fsck()
	})
}

// TestQuotaLimitsImport checks that an import beyond the quota stores nothing and succeeds once there is enough quota.
func TestQuotaLimitsImport(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const address = "https://example.com/docs.md"
		w.Web[address] = "# Imported\n\n" + strings.Repeat("Words that take room. ", 500) + "\n"
		space := servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{
			Organization: w.Org, Body: api.SpaceCreate{Title: "Live", EditMode: api.EditLive},
		}).ID
		in := api.ImportInput{Space: space, Body: api.Import{URL: address, Source: api.ImportMarkdown}}
		servertest.ExhaustQuotas(w)
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "admin", api.ImportContent, in, 403, api.ReasonQuotaExceeded)
		})
		w.Must(orgs.Accounts{Store: w.Store}.SetLimits(t.Context(), store.Organization(w.Org), txn.QuotaKey(w.Org),
			map[string]*int64{"bytes": nil, "records": nil}))
		servertest.Do(w, "admin", api.ImportContent, in)
	})
}
