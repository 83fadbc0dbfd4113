package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Space writes out a space. Who has no role in it, and sees it because it is published, sees no discussion.
func (s *Writer) Space(c *rest.Call, model *access.Model, id string, public []byte, state SpaceState) *rest.Object {
	role := model.Role(c.Caller, id)
	access, create, review := role.AtLeast(api.RoleRead), role.AtLeast(api.RoleCreate), role.AtLeast(api.RoleReview)
	if !access {
		state, public = SpaceState{Head: state.Head}, withoutRules(public)
	}
	visibility := model.Visibility(id)
	urls := api.SpaceURLs{Location: s.SpaceURL(id), App: s.AppURL("spaces", id), Icon: iconOf(public)}
	urls.Published, urls.Public = s.publishedSpaceURLs(c, model, id)
	return rest.Extend(public).
		SetIf(inTrash(model, id), "deletedAt", deletedAt(model, id)).
		Set("visibility", visibility).
		Set("updatedAt", revision.NotBefore(revision.CreatedAt(public), state.Head.At)).
		Set("revision", state.Head.Revision).
		Set("comments", state.comments).
		Set("changeRequests", state.requests).
		Set("changeRequestsOpen", state.open).
		Set("changeRequestsDraft", state.drafts).
		SetIf(visibility == api.VisibilityVisitorAuth, "visitorAuth", api.VisitorAuth{Backend: api.VisitorAuthCustom}).
		Set("urls", urls).
		Set("permissions", api.SpacePermissions{
			View: access || model.SpacePublishedTo(id, c.Visitor()), Access: access, Comment: role.AtLeast(api.RoleComment),
			Edit: role.AtLeast(api.RoleEdit), Review: review, Merge: review,
			Admin: create, ViewInviteLinks: create, // and nobody may trigger a synchronisation with git: there is none
		})
}

// inTrash reports whether a space lies in the trash with a collection: its own record does not say so.
func inTrash(model *access.Model, id string) bool {
	root := model.Trashed(id)
	return root != "" && root != id
}

// deletedAt is when the collection was deleted that a space lies in the trash with.
func deletedAt(model *access.Model, id string) (at api.Time) {
	if root := model.Trashed(id); root != "" {
		at = api.At(time.UnixMilli(model.Entry(root).Deleted))
	}
	return at
}

// SpaceState is what moves by itself: read beside the record, never part of it.
type SpaceState struct {
	Head                             store.Head
	comments, requests, open, drafts int
}

// Requests is how many change requests a space has, in whichever state.
func (s SpaceState) Requests() int { return s.requests }

// Comments is how many open comments it has outside change requests.
func (s SpaceState) Comments() int { return s.comments }

// ParseSpaceState reads a space's head and counts as the store keeps them.
func ParseSpaceState(head, counts string) (state SpaceState, err error) {
	if state.Head, err = store.ParseHead(head); err != nil {
		return state, err
	}
	targets := []*int{&state.comments, &state.requests, &state.open, &state.drafts}
	for i, text := range strings.Fields(counts) {
		if i < len(targets) {
			if *targets[i], err = strconv.Atoi(text); err != nil {
				return state, fmt.Errorf("%w: counts %q", redis.ErrCorrupt, counts)
			}
		}
	}
	return state, nil
}

// ReadSpaces reads spaces with their state in one pipeline; absent ones are not in the map.
func (s *Writer) ReadSpaces(ctx context.Context, c *rest.Call, ids []string) (map[string]StoredSpace, error) {
	b := s.Store.Pipeline()
	records := make([]*txn.Future[txn.Record], len(ids))
	for i, id := range ids {
		records[i] = b.Record(store.SpaceKey(c.Org, id))
	}
	heads, counts := b.Fields(store.HeadsKey(c.Org), ids...), b.Fields(txn.CountsKey(c.Org), ids...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read spaces: %w", err)
	}
	found := make(map[string]StoredSpace, len(ids))
	for i, id := range ids {
		record, ok, err := records[i].Get()
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		state, err := ParseSpaceState(heads.Value()[id], counts.Value()[id])
		if err != nil {
			return nil, err
		}
		found[id] = StoredSpace{record, state}
	}
	return found, nil
}

// StoredSpace is a space as it is read: its record, and what is beside it.
type StoredSpace struct {
	Record txn.Record
	State  SpaceState
}

// iconOf is the address of a space's icon, "" without one.
func iconOf(public []byte) string {
	if !bytes.Contains(public, []byte(`"icon":`)) {
		return ""
	}
	var fields struct {
		Icon string `json:"icon"`
	}
	_ = json.Unmarshal(public, &fields) // it was written so
	return fields.Icon
}

// withoutRules takes the rules out of a space that a visitor sees: they name people.
func withoutRules(public []byte) []byte {
	if !bytes.Contains(public, []byte(`"mergeRules"`)) {
		return public
	}
	var fields api.SpaceFields
	if err := json.Unmarshal(public, &fields); err != nil {
		return []byte("{}")
	}
	fields.MergeRules = nil
	data, _ := json.Marshal(fields) // it was written so
	return data
}
