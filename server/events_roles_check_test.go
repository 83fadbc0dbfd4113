package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/events"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// get requests a path with a token and returns the answer, which is kept until the next state.
func (w *eventRoles) get(as, path string) servertest.Response {
	w.T.Helper()
	key := as + " " + path
	if a, ok := w.answers[key]; ok {
		return a
	}
	a := w.Send(as, http.MethodGet, path, nil)
	w.answers[key] = a
	return a
}

func (w *eventRoles) canGet(as, path string) bool {
	w.T.Helper()
	return w.get(as, path).Status == http.StatusOK
}

// list returns all events that a token lists, the latest first; none if it is refused.
func (w *eventRoles) list(as string) (found []api.Event) {
	w.T.Helper()
	path := "/v1/orgs/" + w.Org + "/events?limit=1000"
	for next := ""; ; {
		a := w.get(as, path+next)
		if a.Status != http.StatusOK {
			return nil
		}
		var page api.LogPage[api.Event]
		servertest.Decode(w.World, a, &page)
		found = append(found, page.Items...)
		if page.Next == nil {
			return found
		}
		next = "&page=" + page.Next.Page
	}
}

// received returns the events that a token receives as JSON: by the list, and by a stream of all events.
func (w *eventRoles) received(as string) string {
	w.T.Helper()
	listed, err := json.Marshal(w.list(as))
	w.Must(err)
	return string(listed) + string(w.get(as, "/v1/orgs/"+w.Org+"/events/stream?follow=false&after=0-0").Body)
}

// check checks what is received now. If ids are given, only the events that contain one of them are compared with the reads.
func (w *eventRoles) check(state string, ids ...string) {
	w.T.Helper()
	w.answers = map[string]servertest.Response{}
	for as, statuses := range eventRefusals {
		for _, path := range []string{"/v1/orgs/" + w.Org + "/events", "/v1/orgs/" + w.Org + "/events/stream"} {
			if status := w.get(as, path).Status; !slices.Contains(statuses, status) {
				w.T.Errorf("%s: %s as %s: %d, want %v", state, path, as, status, statuses)
			}
		}
	}
	all := w.list("admin")
	servertest.Equal(w.T, state+": events for the admin", len(storetest.Stream(w.T, w.Store, store.EventsKey(w.Org))), len(all))
	for _, as := range eventReceivers {
		if a := w.get(as, "/v1/orgs/"+w.Org+"/events?limit=1000"); a.Status != http.StatusOK {
			continue // the membership has ended
		}
		listed := map[string]bool{}
		for _, e := range w.list(as) {
			listed[e.ID] = true
		}
		received := w.received(as)
		streamed := strings.Count(received, `"kind":`) - len(listed)
		servertest.Equal(w.T, state+": events that are listed, and streamed to "+as, len(listed), streamed)
		for _, e := range all {
			if !containsAny(e, ids) {
				continue
			}
			if can, why := w.canRead(as, e); can != listed[e.ID] {
				w.T.Errorf("%s: %s receives %s %s: %t, but can read its object: %t (%s)", state, as, e.Kind, e.ID, listed[e.ID], can, why)
			}
		}
		for text, of := range w.hiddenFrom(as) {
			if at := strings.Index(received, text); at >= 0 {
				w.T.Errorf("%s: %s receives %q of %s: …%s…", state, as, text, of, received[max(0, at-300):min(len(received), at+100)])
			}
		}
	}
}

// containsAny reports whether an event contains one of the ids, or there are none.
func containsAny(e api.Event, ids []string) bool {
	data, err := json.Marshal(e)
	return err == nil && (len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return strings.Contains(string(data), id) }))
}

// rowsByNeed maps needs to rows that take no other object than that of the need.
var rowsByNeed = map[string]string{
	"member(organization)": "organizations.get", "read(organization)": "members.list", "admin(organization)": "audit.list",
	"read(space)": "spaces.get", "comment(space)": "comments.list", "create(space)": "space-permissions.list",
	"read(collection)": "collections.get", "create(collection)": "collection-permissions.list",
	"read(site)": "sites.get", "edit(site)": "sites.get-adaptive-schema", "create(site)": "site-permissions.list",
	"create(site) and read(each space of the site)": "share-links.list",
}

// ownResources are the resources whose events only the admins and a user see: the one who did it, or whom it is about.
var ownResources = []string{"tokens", "member-tokens", "import-runs", "link-invites"}

// canRead reports whether a caller can read the object of an event, which the admin has received, by the row that reads it; if it is
// gone, the space, collection or site that it was in; and if that is gone, the audit log.
func (w *eventRoles) canRead(as string, e api.Event) (can bool, why string) {
	w.T.Helper()
	name, need, known := events.ReadingNeed(e.Kind)
	if !known {
		w.T.Errorf("the kind %s is not known", e.Kind)
	}
	isAdmin := w.canGet(as, "/v1/orgs/"+w.Org+"/audit-events")
	resource, _, _ := strings.Cut(e.Kind, ".")
	if isAdmin || name == "" || need.Role == api.RoleAdmin || slices.Contains(ownResources, resource) && !w.concerns(as, e) {
		return isAdmin, "admins"
	}
	params := w.paramsOf(e)
	if need.Kind != auth.ByMembership {
		id := params[need.Scope]
		isThere, isActive := w.container(id)
		switch {
		case !isThere:
			return false, "it is gone"
		case !w.canReadContainer(as, id), need.Scope == "site" && e.Space != "" && !w.canReadContainer(as, e.Space):
			return false, "it is in " + id
		case !isActive:
			return true, "it is in the trash"
		}
	}
	probe, ok := w.rows[rowsByNeed[need.String()]]
	if !ok {
		w.T.Errorf("%s: there is no row for the need %s", e.Kind, need)
	}
	path, _ := w.pathOf(probe, params)
	if !w.canGet(as, path) {
		return false, path
	}
	return w.canReadObject(as, e, name, params)
}

// canReadObject reports whether a caller can read the object of an event by a row. Of objects that the admin cannot read, which are gone,
// it reports whether the token may be used for the row.
func (w *eventRoles) canReadObject(as string, e api.Event, row string, params map[string]string) (can bool, why string) {
	w.T.Helper()
	path, complete := w.pathOf(w.rows[row], params)
	if !complete {
		return true, "the event has no object"
	}
	if strings.HasSuffix(row, ".list") {
		path += "?limit=1000"
	}
	answer, full := w.get(as, path), w.get("admin", path)
	switch {
	case full.Status != http.StatusOK:
		return as != oneSpace || rest.IsFiltered(row), "the object is gone"
	case answer.Status != http.StatusOK:
		return false, path
	case strings.HasSuffix(row, ".list") && strings.Contains(string(full.Body), `"`+e.Target.ID+`"`):
		return strings.Contains(string(answer.Body), `"`+e.Target.ID+`"`), path
	}
	return true, path
}

// concerns reports whether the user of a token did something, or is among those whom it is about.
func (w *eventRoles) concerns(as string, e api.Event) bool {
	w.T.Helper()
	var me api.CurrentUser
	servertest.Decode(w.World, w.get(as, "/v1/user"), &me)
	isMe := func(u api.User) bool { return u.ID == me.ID }
	resource, _, _ := strings.Cut(e.Kind, ".")
	return e.By != nil && isMe(*e.By) && resource != "member-tokens" || slices.ContainsFunc(e.Users, isMe)
}

// paramsOf returns the path parameters that an event contains, by subject.
func (w *eventRoles) paramsOf(e api.Event) map[string]string {
	params := map[string]string{
		"organization": w.Org, "space": e.Space, "site": e.Site, "collection": e.Collection, "changeRequest": e.ChangeRequest,
		"comment": e.Comment, "page": e.Page, "revision": e.Revision,
	}
	if e.Target != nil {
		subject := strings.ReplaceAll(e.Target.Type, "-", " ")
		first, rest, _ := strings.Cut(subject, " ")
		subject = first + strings.ReplaceAll(strings.Title(rest), " ", "") //nolint:staticcheck // ASCII
		switch subject {
		case "openapiSpec":
			subject = "spec"
		case "member":
			subject = "user"
		}
		params[subject] = e.Target.ID
	}
	return params
}

// pathOf returns the path of a row; complete is false if a parameter is missing.
func (w *eventRoles) pathOf(row api.Row, params map[string]string) (path string, complete bool) {
	path, complete = row.Path, true
	for _, p := range row.PathParams() {
		path = strings.ReplaceAll(path, "{"+p.Name+"}", params[p.Subject])
		complete = complete && params[p.Subject] != ""
	}
	return path, complete
}

// containerID matches the ids of spaces, collections and sites.
var containerID = regexp.MustCompile(`\b(?:s|l|site)_[0-9A-Za-z]+`)

// hiddenFrom returns the texts that a caller may not receive, with what they are of: ids and titles of the spaces, collections and sites
// that the caller cannot read, and ids of what is in such spaces.
func (w *eventRoles) hiddenFrom(as string) map[string]string {
	w.T.Helper()
	texts := map[string]string{}
	if w.canGet(as, "/v1/orgs/"+w.Org+"/audit-events") {
		return texts
	}
	shown := map[string]bool{}
	entries := storetest.Stream(w.T, w.Store, store.EventsKey(w.Org))
	for _, fields := range entries {
		for _, id := range containerID.FindAllString(strings.Join(slices.Collect(maps.Values(fields)), " "), -1) {
			if !w.canReadContainer(as, id) {
				texts[id] = id
				for _, title := range w.titles[id] {
					texts[title] = id
				}
			}
		}
		kind := fields["type"]
		if _, need, _ := events.ReadingNeed(kind); need.Scope != "space" || kind == api.DuplicateSpace.Name ||
			strings.HasPrefix(kind, "space-permissions.") {
			continue // ids of other objects
		}
		space := fields["space"]
		isHidden := space != "" && !w.canReadContainer(as, space)
		for _, name := range []string{"id", "changeRequest", "comment", "reply", "review", "page", "pageIds"} {
			for id := range strings.FieldsSeq(fields[name]) {
				switch {
				case strings.HasPrefix(id, "u_"): // somebody who is asked for a review
				case isHidden:
					texts[id] = name + " in " + space
				default:
					shown[id] = true
				}
			}
		}
	}
	maps.DeleteFunc(texts, func(text, _ string) bool { return shown[text] }) // a copy has the pages of its original
	return texts
}

// container reports whether a space, collection or site is in the organization, and not in the trash.
func (w *eventRoles) container(id string) (isThere, isActive bool) {
	w.T.Helper()
	if id == "" {
		return false, false
	}
	a := w.get("admin", w.pathOfContainer(id))
	if a.Status == http.StatusOK {
		body := string(a.Body)
		isElsewhere := strings.Contains(body, `"organization":"`) && !strings.Contains(body, `"organization":"`+w.Org+`"`)
		return !isElsewhere, !strings.Contains(body, `"deletedAt"`)
	}
	return strings.HasPrefix(id, "l_") && w.canReadTrash("admin", id), false
}

// canReadTrash reports whether the trash that a caller lists contains a collection, or the one that it is in.
func (w *eventRoles) canReadTrash(as, collection string) bool {
	w.T.Helper()
	if collection == w.sample.Nested {
		collection = w.sample.Guides
	}
	return strings.Contains(string(w.get(as, "/v1/orgs/"+w.Org+"/trash?limit=1000").Body), `"`+collection+`"`)
}

// canReadContainer reports whether a caller can read a space, collection or site by a role. Those in the trash are read by those who
// can restore them, and those that are gone by nobody.
func (w *eventRoles) canReadContainer(as, id string) bool {
	w.T.Helper()
	isThere, isActive := w.container(id)
	path := w.pathOfContainer(id)
	switch {
	case !isThere:
		return false
	case !isActive && strings.HasPrefix(id, "l_"):
		return w.canReadTrash(as, id)
	case isActive && strings.HasPrefix(id, "s_"):
		path += "/content/files" // which visitors of a site cannot read
	}
	return w.canGet(as, path)
}

func (w *eventRoles) pathOfContainer(id string) string {
	switch kind, _, _ := strings.Cut(id, "_"); kind {
	case "s":
		return "/v1/spaces/" + id
	case "l":
		return "/v1/collections/" + id
	}
	return "/v1/orgs/" + w.Org + "/sites/" + id
}

// isIDAfter reports whether the id of an event is after another.
func isIDAfter(id, other string) bool {
	number := func(id string) (ms, n int) {
		left, right, _ := strings.Cut(id, "-")
		ms, _ = strconv.Atoi(left) // ids have numbers
		n, _ = strconv.Atoi(right)
		return ms, n
	}
	ms, n := number(id)
	otherMs, otherN := number(other)
	return ms > otherMs || ms == otherMs && n > otherN
}
