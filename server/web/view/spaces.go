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

// Space returns the JSON of a space. Callers without a role, to whom the space is published, get no comment counts.
func (w *Writer) Space(c *rest.Call, model *access.Model, id string, public []byte, state SpaceState) *rest.Object {
	role := model.Role(c.Caller, id)
	access, create, review := role.AtLeast(api.RoleRead), role.AtLeast(api.RoleCreate), role.AtLeast(api.RoleReview)
	if !access {
		state, public = SpaceState{Head: state.Head}, withoutRules(public)
	}
	visibility := model.Visibility(id)
	urls := api.SpaceURLs{Location: w.SpaceURL(id), App: w.AppURL("spaces", id), Icon: iconOf(public)}
	urls.Published, urls.Public = w.publishedSpaceURLs(c, model, id)
	return rest.ExtendObject(public).
		SetIf(access && !bytes.Contains(public, []byte(`"mergeRules":`)), "mergeRules", api.MergeRules{Type: api.MergeRulesInherit}).
		SetIf(isTrashed(model, id), "deletedAt", deletedAt(model, id)).
		Set("visibility", visibility).
		Set("updatedAt", revision.ChangeTime(revision.ParseCreatedAt(public), state.Head.MovedAt)).
		Set("revision", state.Head.Revision).
		Set("comments", state.comments).
		Set("changeRequests", state.requests).
		Set("changeRequestsOpen", state.openRequests).
		Set("changeRequestsDraft", state.drafts).
		SetIf(visibility == api.VisibilityVisitorAuth, "visitorAuth", api.VisitorAuth{Backend: api.VisitorAuthCustom}).
		Set("urls", urls).
		Set("permissions", api.SpacePermissions{
			View: access || model.SpacePublishedTo(id, c.Visitor()), Access: access, Comment: role.AtLeast(api.RoleComment),
			Edit: role.AtLeast(api.RoleEdit), Review: review, Merge: review,
			Admin: create, ViewInviteLinks: create, // git synchronization does not exist
		})
}

// isTrashed reports whether a space is in the trash as part of a collection, which its own record does not show.
func isTrashed(model *access.Model, id string) bool {
	root := model.TrashedRoot(id)
	return root != "" && root != id
}

// deletedAt returns the time of deletion of the collection with which a space is in the trash.
func deletedAt(model *access.Model, id string) (at api.Time) {
	if root := model.TrashedRoot(id); root != "" {
		at = api.At(time.UnixMilli(model.Entry(root).Deleted))
	}
	return at
}

// SpaceState is the state of a space that is stored separately from its record: head and counts.
type SpaceState struct {
	Head                                     store.Head
	comments, requests, openRequests, drafts int
}

// Requests returns the number of change requests in any state.
func (s SpaceState) Requests() int { return s.requests }

// Comments returns the number of open comments outside of change requests.
func (s SpaceState) Comments() int { return s.comments }

// ParseSpaceState decodes the stored head and counts of a space.
func ParseSpaceState(head, counts string) (state SpaceState, err error) {
	if state.Head, err = store.ParseHead(head); err != nil {
		return state, err
	}
	targets := []*int{&state.comments, &state.requests, &state.openRequests, &state.drafts}
	for i, text := range strings.Fields(counts) {
		if i < len(targets) {
			if *targets[i], err = strconv.Atoi(text); err != nil {
				return state, fmt.Errorf("%w: counts %q", redis.ErrCorrupt, counts)
			}
		}
	}
	return state, nil
}

// ReadSpaces reads spaces with their state in one pipeline. Absent ones are not in the map.
func (w *Writer) ReadSpaces(ctx context.Context, c *rest.Call, ids []string) (map[string]StoredSpace, error) {
	b := w.Store.NewBatch()
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

// StoredSpace is the record of a space and its state.
type StoredSpace struct {
	Record txn.Record
	State  SpaceState
}

// iconOf returns the address of a space's icon, or "".
func iconOf(public []byte) string {
	if !bytes.Contains(public, []byte(`"icon":`)) {
		return ""
	}
	var fields struct {
		Icon string `json:"icon"`
	}
	_ = json.Unmarshal(public, &fields) // stored by wsd, so it is valid
	return fields.Icon
}

// withoutRules removes the rules, which name people, from a space that is shown to a visitor.
func withoutRules(public []byte) []byte {
	if !bytes.Contains(public, []byte(`"mergeRules"`)) {
		return public
	}
	var fields api.SpaceFields
	if err := json.Unmarshal(public, &fields); err != nil {
		return []byte("{}")
	}
	fields.MergeRules = nil
	data, _ := json.Marshal(fields) // decoded above, so it can be encoded
	return data
}
