package view

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func TestParseSpaceState(t *testing.T) {
	t.Parallel()
	head := store.Head{Revision: "r_1", MovedAt: testTime.Truncate(time.Millisecond)}
	for counts, want := range map[string][4]int{"": {}, "3": {3}, "1 2 3 4": {1, 2, 3, 4}, "1 2 3 4 of a later build": {1, 2, 3, 4}} {
		state, err := ParseSpaceState(head.String(), counts)
		if err != nil {
			t.Errorf("%q: %v", counts, err)
		}
		wantEqual(t, "head", head, state.Head)
		wantEqual(t, counts, want, [4]int{state.Comments(), state.Requests(), state.openRequests, state.drafts})
	}
	for _, counts := range []string{"x", "1 2 x 4", "1.5"} {
		if _, err := ParseSpaceState(head.String(), counts); !errors.Is(err, redis.ErrCorrupt) {
			t.Errorf("the error of %q is %v, want %v", counts, err, redis.ErrCorrupt)
		}
	}
	if _, err := ParseSpaceState("", "1 2 3 4"); !errors.Is(err, redis.ErrStale) {
		t.Errorf("the error without a head is %v, want %v", err, redis.ErrStale)
	}
}

// TestSpaceHidesCountsFromVisitors checks that only callers with a role in a space see its counts and merge rules.
func TestSpaceHidesCountsFromVisitors(t *testing.T) {
	t.Parallel()
	w, model := newWriter(), newModel(t)
	apply(t, model, "s_1", store.Entry{Order: "a0"})
	apply(t, model, "site_1", siteEntry(api.SitePublic, "s_1", "docs"))
	public := []byte(`{"object":"space","id":"s_1","title":"A <b>","icon":"https://example.com/i.png?a&b","mergeRules":{"type":"none"}}`)
	for role, shown := range map[api.Role]bool{api.RoleAdmin: true, api.RoleGuest: false} {
		c := newCall()
		c.Caller = &access.Caller{User: "u_1", Role: role}
		data, err := w.Space(c, model, "s_1", public, SpaceState{Head: store.Head{Revision: "r_1"}, comments: 3, requests: 2}).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		inheriting := bytes.Replace(public, []byte(`,"mergeRules":{"type":"none"}`), nil, 1)
		other, err := w.Space(c, model, "s_1", inheriting, SpaceState{}).Bytes()
		if err != nil || bytes.Contains(other, []byte(`,"mergeRules":{"type":"inherit"},`)) != shown {
			t.Errorf("a space without rules for the %s: %s, %v", role, other, err)
		}
		members := decode[map[string]any](t, data)
		if _, hasRules := members["mergeRules"]; hasRules != shown {
			t.Errorf("the %s sees merge rules: %t", role, hasRules)
		}
		wantEqual(t, "comments", map[bool]float64{true: 3}[shown], members["comments"].(float64))
		wantEqual(t, "revision", "r_1", members["revision"].(string))
		wantEqual(t, "title", "A <b>", members["title"].(string))
		space := decode[struct {
			URLs        api.SpaceURLs
			Permissions api.SpacePermissions
		}](t, data)
		wantEqual(t, "addresses", api.SpaceURLs{
			Location: publicURL + "/v1/spaces/s_1", App: publicURL + "/app/spaces/s_1", Icon: "https://example.com/i.png?a&b",
			Published: publicURL + "/sites/o_1/site_1/docs", Public: publicURL + "/sites/o_1/site_1/docs",
		}, space.URLs)
		wantEqual(t, "permissions", api.SpacePermissions{
			View: true, Access: shown, Comment: shown, Edit: shown, Review: shown, Merge: shown, Admin: shown, ViewInviteLinks: shown,
		}, space.Permissions)
	}
}

// TestSpaceShowsDeletionTimeOfCollection checks that a space shows the deletion time of a collection that contains it.
func TestSpaceShowsDeletionTimeOfCollection(t *testing.T) {
	t.Parallel()
	w, model, c := newWriter(), newModel(t), newCall()
	c.Caller.Role = api.RoleAdmin
	apply(t, model, "l_1", store.Entry{Order: "a0", Deleted: testTime.UnixMilli()})
	apply(t, model, "s_1", store.Entry{Order: "a0", Parent: "l_1"})
	apply(t, model, "s_2", store.Entry{Order: "a1"})
	for space, want := range map[string]any{"s_1": "2026-03-01T12:04:05.000Z", "s_2": nil} {
		data, err := w.Space(c, model, space, []byte(`{"id":"`+space+`"}`), SpaceState{}).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "deletion time of "+space, want, decode[map[string]any](t, data)["deletedAt"])
	}
}
