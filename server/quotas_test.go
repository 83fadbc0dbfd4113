package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// refusedRows lists the rows that are refused when the quota of the organization is used up.
var refusedRows = []string{
	"change-request-comments.create", "change-request-content.edit", "change-request-content.import", "change-request-replies.create",
	"change-request-reviews.create", "change-request-reviews.submit", "change-requests.apply-suggestions", "change-requests.create",
	"change-requests.merge", "change-requests.pull",
	"change-requests.put-saved-queries", "change-requests.update-reading",
	"collections.create", "collections.transfer", "comments.create", "content.import", "import-runs.create", "invites.create",
	"link-invites.create",
	"oidc-providers.create", "openapi-specs.create", "organizations.join", "replies.create", "revisions.rollback", "saml-providers.create",
	"service-accounts.create", "share-links.create", "site-section-groups.create", "site-sections.create", "site-spaces.create",
	"sites.create", "sites.update-customization",
	"spaces.create", "spaces.duplicate", "spaces.transfer", "teams.create", "transfers.copy", "translations.create",
}

// acceptedRows lists the writing rows that are not refused: they remove or hardly enlarge data. Objects of users and
// integrations do not belong to the organization, a member replaces an invite, and a specification with an address is
// fetched later.
var acceptedRows = []string{
	"change-request-comments.reattach", "change-request-comments.update", "change-request-replies.update", "change-requests.request-review",
	"change-requests.update", "collection-permissions.create", "collection-permissions.update-team", "collection-permissions.update-user",
	"collections.move", "collections.restore", "collections.update", "comments.reattach", "comments.update", "email-domains.check",
	"identities.update",
	"integration-installations.create",
	"import-runs.cancel", "installation-sites.create", "installation-sites.update", "installation-spaces.create",
	"installation-spaces.update", "installation-tokens.create",
	"integration-installations.update", "integrations.publish", "invites.accept", "invites.join", "link-invites.update", "members.ping",
	"members.set-sso", "members.update", "oidc-providers.update",
	"openapi-specs.put", "openapi-specs.update", "organizations.create", "organizations.restore", "organizations.update", "replies.update",
	"saml-providers.update", "service-accounts.create-token", "service-accounts.update", "share-links.update",
	"site-permissions.create", "site-permissions.update-team", "site-permissions.update-user", "site-section-groups.update",
	"site-sections.move", "site-sections.update", "site-spaces.move", "site-spaces.update", "sites.publish", "sites.regenerate-auth",
	"sites.sort-structure", "sites.unpublish", "sites.update", "sites.update-adaptive-schema", "sites.update-auth",
	"space-permissions.create", "space-permissions.update-team", "space-permissions.update-user", "spaces.move", "spaces.restore",
	"spaces.update", "teams.add-member", "teams.update", "teams.update-members", "transfers.agree", "transfers.ask", "transfers.refuse",
	"transfers.take-back", "tokens.create", "tokens.rotate",
	"translations.add-language", "translations.update", "users.update",
}

// TestQuotaRefusesAdditionsOnly checks that an organization over its quota refuses rows that add data, also as dry
// runs, and no others.
func TestQuotaRefusesAdditionsOnly(t *testing.T) {
	t.Parallel()
	for _, row := range api.Rows() {
		if !row.Writes() {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			w, s := servertest.NewSampleWorld(t, storetest.Memory())
			servertest.ExhaustQuotas(w)
			adds := slices.Contains(refusedRows, row.Name)
			if !adds && row.Method != http.MethodDelete && !slices.Contains(acceptedRows, row.Name) {
				t.Fatalf("does %s add? Say so in refusedRows or acceptedRows", row.Name)
			}
			for _, query := range []string{"dryRun=true", ""} {
				path := w.SamplePath(row, s)
				if query != "" {
					path = servertest.WithQuery(path, query)
				}
				got := w.Send("admin", row.Method, path, w.SampleBody(row, s), "Idempotency-Key", "key"+query)
				if !adds {
					want := row.Status
					if query != "" {
						want = servertest.DryRunStatus(row)
					}
					if got.Status != want {
						t.Errorf("%s: %d %s, want %d", query, got.Status, got.Body, want)
					}
					continue
				}
				if got.Status != http.StatusForbidden || got.Error().Reason != api.ReasonQuotaExceeded {
					t.Errorf("%s: %d %s, want 403 %s", query, got.Status, got.Body, api.ReasonQuotaExceeded)
				}
				if fields := got.Error().Fields; len(fields) != 2 || !strings.HasPrefix(fields[0].Path, "limit.") ||
					!strings.HasPrefix(fields[1].Path, "use.") {
					t.Errorf("%s: fields %v", query, fields)
				}
			}
		})
	}
}

// TestQuotaIsExact checks that bytes and records are accepted up to the limit and refused beyond it.
func TestQuotaIsExact(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		comment := func(text string) servertest.Response {
			return servertest.Try(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: s.Handbook, Body: api.CommentCreate{Page: s.Pages["Usage"], Body: servertest.CommentBody(text)},
			})
		}
		before := servertest.UsageOf(w, w.Org)
		comment("one")
		after := servertest.UsageOf(w, w.Org)
		servertest.Equal(t, "records of a comment", before.Records+1, after.Records)
		size := after.Bytes - before.Bytes
		for _, name := range []string{"bytes", "records"} {
			limits := map[string]*int64{"bytes": new(after.Bytes + size), "records": new(after.Records + 1)}
			servertest.SetQuota(w, w.Org, map[string]*int64{"bytes": new(int64(0)), "records": new(int64(0)), name: limits[name]})
			if got := comment("two"); got.Status != http.StatusOK {
				t.Errorf("%s: within the limit: %d %s", name, got.Status, got.Body)
			}
			if got := comment("two"); got.Status != http.StatusForbidden {
				t.Errorf("%s: one more: %d %s", name, got.Status, got.Body)
			}
			after = servertest.UsageOf(w, w.Org)
			servertest.SetQuota(w, w.Org, map[string]*int64{"bytes": nil, "records": nil})
		}
		now := servertest.UsageOf(w, w.Org)
		servertest.SetQuota(w, w.Org, map[string]*int64{"bytes": new(now.Bytes + size), "records": new(now.Records + 1)})
		if got := comment("end"); got.Status != http.StatusOK {
			t.Errorf("both at the edge: %d %s", got.Status, got.Body)
		}
	})
}

// TestQuotaAllowsShorterTexts checks that with a used-up quota a text may become shorter but not one byte longer, and
// a comment may be resolved.
func TestQuotaAllowsShorterTexts(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		made := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: s.Handbook, Body: api.CommentCreate{Page: s.Pages["Usage"], Body: servertest.CommentBody("A text of some length.")},
		})
		servertest.ExhaustQuotas(w)
		in := api.UpdateCommentInput{CommentRef: api.CommentRef{Space: s.Handbook, Comment: made.ID}}
		for text, want := range map[string]int{"A text.": http.StatusOK, "A text that got longer by a few words.": http.StatusForbidden} {
			in.Body = api.CommentUpdate{Body: new(servertest.CommentBody(text))}
			servertest.Equal(t, text, want, servertest.Try(w, "commenter", api.UpdateComment, in).Status)
		}
		in.Body = api.CommentUpdate{Resolved: api.Some(true)}
		servertest.Equal(t, "resolved", http.StatusOK, servertest.Try(w, "commenter", api.UpdateComment, in).Status)
	})
}

// TestQuotaHoldsForConcurrentWriters checks that concurrent writers do not exceed the limit, in one space or in
// several.
func TestQuotaHoldsForConcurrentWriters(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		const writers, text = 8, 20_000
		requests := make([]api.ChangeRequest, writers)
		for i := range requests {
			requests[i] = w.CreateRequest("editor", []string{s.Handbook, s.Plain}[i%2], "Much")
		}
		before := servertest.UsageOf(w, w.Org)
		limit := before.Bytes + 4*text
		servertest.SetQuota(w, w.Org, map[string]*int64{"bytes": &limit})
		refused := make([]int, writers)
		servertest.Concurrently(writers, func(i int) {
			for range 4 {
				a := servertest.Try(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
					ChangeRequestRef: servertest.Ref(requests[i]),
					Body: api.ContentEdit{
						Changes: []api.ContentChange{servertest.Insert("Noise", "", servertest.Incompressible(text))},
					},
				})
				if a.Status == http.StatusForbidden {
					refused[i]++
				} else if a.Status != http.StatusOK {
					t.Errorf("%d %s", a.Status, a.Body)
				}
			}
		})
		// Each writer may have stored content that it then could not commit, which counts once.
		if now := servertest.UsageOf(w, w.Org); now.Bytes > limit+writers*text {
			t.Errorf("%d bytes of %d", now.Bytes, limit)
		}
		if slices.Min(refused) == 0 {
			t.Errorf("refused %v: nothing was held back", refused)
		}
	})
}

// TestQuotaCountsDataOfEarlierVersions checks that data stored before quotas existed is counted by a job, and nothing
// is refused until then.
func TestQuotaCountsDataOfEarlierVersions(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		want := servertest.UsageOf(w, w.Org)
		w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, field := range []string{"bytes", "records", "writes", "counted", s.Handbook, s.Notes, s.Plain} {
				tx.DeleteField(txn.UsageKey(w.Org), field)
			}
			return nil
		}))
		servertest.ExhaustQuotas(w)
		servertest.Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
			Organization: w.Org, Body: api.CollectionCreate{Title: "Free"},
		})
		uncounted, err := store.UncountedOrganizations(t.Context(), w.Store)
		w.Must(err)
		if !slices.Contains(uncounted, w.Org) {
			t.Fatalf("%v are not counted", uncounted)
		}
		w.Must(server.ScheduleCounts(t.Context(), w.Server))
		w.Must(w.Server.RunDueJobs(t.Context()))
		if now := servertest.UsageOf(w, w.Org); !now.Complete || now.Records != want.Records+1 || now.Bytes <= want.Bytes {
			t.Errorf("counted %+v, was %+v", now, want)
		}
		servertest.Equal(t, "then", http.StatusForbidden, servertest.Try(w, "admin", api.CreateCollection, api.CreateCollectionInput{
			Organization: w.Org, Body: api.CollectionCreate{Title: "Full"},
		}).Status)
		w.Call("admin", http.MethodGet, "/v1/spaces/"+s.Handbook+"/content", nil, http.StatusOK)
	})
}
