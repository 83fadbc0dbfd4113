package server_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
	"docspace.dev/wsd/store/usage"
)

// adding are the rows that an organization without room refuses.
var adding = []string{
	"change-request-comments.create", "change-request-content.edit", "change-request-content.import", "change-request-replies.create",
	"change-request-reviews.create", "change-requests.create", "change-requests.merge", "change-requests.pull",
	"collections.create", "collections.transfer", "comments.create", "content.import", "invites.create", "link-invites.create",
	"openapi-specs.create", "organizations.join", "replies.create", "revisions.rollback", "saml-providers.create",
	"share-links.create", "site-section-groups.create", "site-sections.create", "site-spaces.create", "sites.create",
	"spaces.create", "spaces.duplicate", "spaces.transfer", "teams.create", "transfers.copy", "translations.create",
}

// goingOn are the rows that it does not: they take away, or change what is there by little. Those of users and
// integrations are not the organization's, a member takes the place of an invite, and a specification that is given by
// its address is fetched later.
var goingOn = []string{
	"change-request-comments.reattach", "change-request-comments.update", "change-request-replies.update", "change-requests.request-review",
	"change-requests.update", "collection-permissions.create", "collection-permissions.update-team", "collection-permissions.update-user",
	"collections.move", "collections.update", "comments.reattach", "comments.update", "integration-installations.create",
	"integration-installations.update", "integrations.publish", "invites.accept", "link-invites.update", "members.ping", "members.set-sso", "members.update",
	"openapi-specs.put", "organizations.create", "organizations.update", "replies.update", "saml-providers.update", "share-links.update",
	"site-permissions.create", "site-permissions.update-team", "site-permissions.update-user", "site-section-groups.update",
	"site-sections.move", "site-sections.update", "site-spaces.move", "site-spaces.update", "sites.publish", "sites.regenerate-auth",
	"sites.sort-structure", "sites.unpublish", "sites.update", "sites.update-adaptive-schema", "sites.update-auth",
	"space-permissions.create", "space-permissions.update-team", "space-permissions.update-user", "spaces.move", "spaces.restore",
	"spaces.update", "teams.add-member", "teams.update", "teams.update-members", "transfers.agree", "transfers.ask", "transfers.refuse", "transfers.take-back", "tokens.create", "tokens.rotate",
	"translations.add-language", "translations.update", "users.update",
}

// An organization that is over its quota refuses what adds, and nothing else; a rehearsal says so, too.
func TestQuotaOfEveryWrite(t *testing.T) {
	t.Parallel()
	for _, row := range api.Rows() {
		if !row.Writes() {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.Memory())
			s := w.populate()
			full(w)
			adds := slices.Contains(adding, row.Name)
			if !adds && row.Method != http.MethodDelete && !slices.Contains(goingOn, row.Name) {
				t.Fatalf("does %s add? Say so in adding or goingOn", row.Name)
			}
			for _, query := range []string{"dryRun=true", ""} {
				path := w.pathOf(row, s)
				if query != "" {
					path = withQuery(path, query)
				}
				got := w.raw("admin", row.Method, path, w.bodyOf(row, s), "Idempotency-Key", "key"+query)
				if !adds {
					if got.Status != row.Status {
						t.Errorf("%s: %d %s, want %d", query, got.Status, got.Body, row.Status)
					}
					continue
				}
				if got.Status != http.StatusForbidden || got.Error().Reason != api.ReasonQuotaExceeded {
					t.Errorf("%s: %d %s, want 403 %s", query, got.Status, got.Body, api.ReasonQuotaExceeded)
				}
				if fields := got.Error().Fields; len(fields) != 2 || !strings.HasPrefix(fields[0].Path, "limit.") || !strings.HasPrefix(fields[1].Path, "use.") {
					t.Errorf("%s: fields %v", query, fields)
				}
			}
		})
	}
}

// use is what an organization stores.
func use(w *world, org string) txn.Use {
	w.t.Helper()
	b := w.store.Pipeline()
	future := b.Use(org)
	w.must(b.Do(w.t.Context()))
	use, _, err := future.Get()
	w.must(err)
	return use
}

// Exactly what there is room for is let in, by bytes and by records, and one more of either is not.
func TestQuotaAtItsEdge(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		s := w.populate()
		comment := func(text string) answer {
			return try(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: s.Handbook, Body: api.CommentCreate{Page: s.Pages["Usage"], Body: says(text)},
			})
		}
		before := use(w, w.org)
		comment("one")
		after := use(w, w.org)
		equal(t, "records of a comment", before.Records+1, after.Records)
		size := after.Bytes - before.Bytes
		for _, name := range []string{"bytes", "records"} {
			room := map[string]*int64{"bytes": new(after.Bytes + size), "records": new(after.Records + 1)}
			quota(w, w.org, map[string]*int64{"bytes": new(int64(0)), "records": new(int64(0)), name: room[name]})
			if got := comment("two"); got.Status != http.StatusOK {
				t.Errorf("%s: what there is room for: %d %s", name, got.Status, got.Body)
			}
			if got := comment("two"); got.Status != http.StatusForbidden {
				t.Errorf("%s: one more: %d %s", name, got.Status, got.Body)
			}
			after = use(w, w.org)
			quota(w, w.org, map[string]*int64{"bytes": nil, "records": nil})
		}
		now := use(w, w.org)
		quota(w, w.org, map[string]*int64{"bytes": new(now.Bytes + size), "records": new(now.Records + 1)})
		if got := comment("end"); got.Status != http.StatusOK {
			t.Errorf("both at the edge: %d %s", got.Status, got.Body)
		}
	})
}

// A text may get shorter without room, and not longer by a byte; a comment may be resolved.
func TestQuotaOfTexts(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		s := w.populate()
		made := do(w, "commenter", api.CreateComment, api.CreateCommentInput{Space: s.Handbook, Body: api.CommentCreate{Page: s.Pages["Usage"], Body: says("A text of some length.")}})
		full(w)
		in := api.UpdateCommentInput{CommentRef: api.CommentRef{Space: s.Handbook, Comment: made.ID}}
		for text, want := range map[string]int{"A text.": http.StatusOK, "A text that got longer by a few words.": http.StatusForbidden} {
			in.Body = api.CommentUpdate{Body: new(says(text))}
			equal(t, text, want, try(w, "commenter", api.UpdateComment, in).Status)
		}
		in.Body = api.CommentUpdate{Resolved: api.Some(true)}
		equal(t, "resolved", http.StatusOK, try(w, "commenter", api.UpdateComment, in).Status)
	})
}

// Writers at the same time do not pass the limit, in one space or in several.
func TestQuotaOfManyWriters(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		s := w.populate()
		const writers, text = 8, 20_000
		requests := make([]api.ChangeRequest, writers)
		for i := range requests {
			requests[i] = w.request("editor", []string{s.Handbook, s.Plain}[i%2], "Much")
		}
		before := use(w, w.org)
		limit := before.Bytes + 4*text
		quota(w, w.org, map[string]*int64{"bytes": &limit})
		refused := make([]int, writers)
		together(writers, func(i int) {
			for range 4 {
				a := try(w, "editor", api.EditChangeRequestContent, api.EditContentInput{
					ChangeRequestRef: ref(requests[i]),
					Body:             api.ContentEdit{Changes: []api.ContentChange{insert("Noise", "", noise(text))}},
				})
				if a.Status == http.StatusForbidden {
					refused[i]++
				} else if a.Status != http.StatusOK {
					t.Errorf("%d %s", a.Status, a.Body)
				}
			}
		})
		// Each may have stored what it then had no room to commit: that counts, and nobody does it twice.
		if now := use(w, w.org); now.Bytes > limit+writers*text {
			t.Errorf("%d bytes of %d", now.Bytes, limit)
		}
		if slices.Min(refused) == 0 {
			t.Errorf("refused %v: nothing was held back", refused)
		}
	})
}

// A transfer moves the use, and needs room where it goes; a purge frees it.
func TestQuotaOfTransfersAndPurges(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		s := w.populate()
		much := w.request("admin", s.Unshown, "Much")
		w.edit("admin", much, insert("Noise", "", noise(40_000)))
		w.merge("admin", much)
		from, to := use(w, w.org), use(w, s.Other)
		size, err := w.store.Size(t.Context(), s.Unshown)
		w.must(err)
		const records = 5_000 // bytes of the records that a transfer brings and leaves
		if size.Bytes < 4*records {
			t.Fatalf("the content has %d bytes", size.Bytes)
		}
		in := api.TransferSpaceInput{Space: s.Unshown, Body: api.Transfer{Organization: s.Other}}
		quota(w, s.Other, map[string]*int64{"bytes": new(to.Bytes + size.Bytes)})
		equal(t, "without room", http.StatusForbidden, try(w, "admin", api.TransferSpace, in).Status)
		equal(t, "records after a refusal", from.Records, use(w, w.org).Records)
		quota(w, s.Other, map[string]*int64{"bytes": nil})
		do(w, "admin", api.TransferSpace, in)
		if left, come := from.Bytes-use(w, w.org).Bytes, use(w, s.Other).Bytes-to.Bytes; left < size.Bytes-records || come < size.Bytes {
			t.Errorf("%d bytes left and %d came, the content has %d", left, come, size.Bytes)
		}
		do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Unshown})
		before := use(w, s.Other)
		w.clock.Advance(8 * 24 * time.Hour)
		w.must(w.server.RunDueJobs(t.Context()))
		if freed := before.Bytes - use(w, s.Other).Bytes; freed < size.Bytes {
			t.Errorf("a purge freed %d bytes, the content has %d", freed, size.Bytes)
		}
	})
}

// What a user has is held to the user's limits: tokens that have expired do not count, an answer given again does not,
// and what the operator makes is not refused.
func TestQuotaOfUsers(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		numbers := budgets.Defaults()
		numbers.UserTokens, numbers.UserOrganizations = 3, 2
		w.serve(func(o *server.Options) { o.Budgets = numbers })
		token := func(expires api.Optional[api.Time]) answer {
			return try(w, "editor", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "one more", ExpiresAt: expires}})
		}
		soon := api.Some(api.At(w.clock.Now().Add(time.Hour)))
		equal(t, "second", http.StatusCreated, token(soon).Status)
		equal(t, "third", http.StatusCreated, token(api.Optional[api.Time]{}).Status)
		last := token(soon)
		equal(t, "fourth", http.StatusForbidden, last.Status)
		equal(t, "reason", api.ReasonQuotaExceeded, last.Error().Reason)
		w.clock.Advance(2 * time.Hour)
		equal(t, "once one has expired", http.StatusCreated, token(api.Optional[api.Time]{}).Status)
		equal(t, "and then", http.StatusForbidden, token(api.Optional[api.Time]{}).Status)
		w.token("editor") // on the machine of the server

		organization := func(title, key string) answer {
			return w.raw("editor", http.MethodPost, "/v1/orgs", api.OrganizationCreate{Title: title}, "Idempotency-Key", key)
		}
		for range 2 {
			equal(t, "first", http.StatusCreated, organization("One", "one").Status)
		}
		equal(t, "second", http.StatusCreated, organization("Two", "two").Status)
		equal(t, "third", http.StatusForbidden, organization("Three", "three").Status)
		equal(t, "a repeat", http.StatusCreated, organization("Two", "two").Status)
		mayMake(w, "editor", 3)
		equal(t, "with more room", http.StatusCreated, organization("Three", "three").Status)
	})
}

// What was stored before there was a count is counted by a job; until then nothing is refused.
func TestQuotaOfWhatWasStoredBefore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		s := w.populate()
		want := use(w, w.org)
		w.must(w.store.Update(t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, field := range []string{"bytes", "records", "writes", "counted", s.Handbook, s.Notes, s.Plain} {
				tx.DeleteField(txn.UseKey(w.org), field)
			}
			return nil
		}))
		full(w)
		do(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Free"}})
		uncounted, err := usage.Uncounted(t.Context(), w.store)
		w.must(err)
		if !slices.Contains(uncounted, w.org) {
			t.Fatalf("%v are not counted", uncounted)
		}
		w.must(server.PlanCounts(t.Context(), w.server))
		w.must(w.server.RunDueJobs(t.Context()))
		if now := use(w, w.org); !now.Counted || now.Records != want.Records+1 || now.Bytes <= want.Bytes {
			t.Errorf("counted %+v, was %+v", now, want)
		}
		equal(t, "then", http.StatusForbidden, try(w, "admin", api.CreateCollection, api.CreateCollectionInput{Organization: w.org, Body: api.CollectionCreate{Title: "Full"}}).Status)
		w.call("admin", http.MethodGet, "/v1/spaces/"+s.Handbook+"/content", nil, http.StatusOK)
	})
}

// noise is text that cannot be compressed to much less.
func noise(size int) string {
	random := rand.New(rand.NewPCG(1, uint64(size)+noises.Add(1)))
	words := make([]string, size/10)
	for i := range words {
		words[i] = strconv.FormatUint(random.Uint64()|1<<63, 36)[:9]
	}
	return strings.Join(words, " ")
}

var noises atomic.Uint64

// mayMake lets a user make so many organizations.
func mayMake(w *world, name string, organizations int64) {
	w.t.Helper()
	id := w.users[name].ID
	w.must(orgs.Accounts{Store: w.store}.SetLimits(w.t.Context(), store.User(id), store.UserQuotaKey(id), map[string]*int64{"organizations": &organizations}))
}
