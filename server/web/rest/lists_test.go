package rest_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// mutableList is a list with the changes that may happen while it is read page by page. create returns the id of a new item.
type mutableList struct {
	path    string
	create  func() string
	remove  func(id string) // nil if items are never removed
	move    func(id string) // nil if the order is fixed
	initial int             // number of initial items if 16 are too many
}

// lists returns the lists of the contract, each on new objects of the sample organization.
func lists(w *servertest.World, s *servertest.Sample, random *rand.Rand) map[string]mutableList {
	org, handbook := "/v1/orgs/"+w.Org, "/v1/spaces/"+s.Handbook
	n := 0
	next := func() string { n++; return fmt.Sprintf("Item %d", n) }
	spaces := func(parent string) mutableList {
		return mutableList{
			create: func() string { return w.CreateSpace(next(), parent, "") },
			remove: func(id string) { servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: id}) },
		}
	}
	all, inCollection := spaces(""), spaces(s.Nested)
	all.path, inCollection.path = org+"/spaces", "/v1/collections/"+s.Nested+"/spaces"
	all.move = func(id string) { moveSpace(w, id, s.Nested) }
	inCollection.move = func(id string) { shuffleSpace(w, id, s.Nested, random) }
	collections := func(query string) mutableList {
		return mutableList{
			path: org + "/collections" + query,
			create: func() string {
				return servertest.Do(w, "admin", api.CreateCollection, api.CreateCollectionInput{
					Organization: w.Org, Body: api.CollectionCreate{Title: next()},
				}).ID
			},
			remove: func(id string) { servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: id}) },
		}
	}
	comments := func(query string) mutableList {
		return mutableList{
			path: handbook + "/comments" + query,
			create: func() string {
				return servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
					Space: s.Handbook, Body: api.CommentCreate{Body: servertest.CommentBody(next())},
				}).ID
			},
			remove: func(id string) {
				servertest.Do(w, "commenter", api.DeleteComment, api.CommentRef{Space: s.Handbook, Comment: id})
			},
		}
	}
	site := api.SiteRef{Organization: w.Org, Site: s.Site}
	thread := api.CommentRef{Space: s.Handbook, Comment: s.Comment.ID}
	every := map[string]mutableList{
		"spaces": all, "spaces of a collection": inCollection,
		"trash": {
			path: org + "/trash",
			create: func() string {
				id := w.CreateSpace(next(), "", "")
				servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: id})
				return id
			},
			remove: func(id string) { servertest.Do(w, "admin", api.RestoreSpace, api.SpaceRef{Space: id}) },
		},
		"trash of organizations": {
			path:   "/v1/user/trash",
			create: func() string { return newDeletedOrganization(w, next()) },
			remove: func(id string) {
				servertest.Do(w, "admin", api.RestoreOrganization, api.OrganizationRef{Organization: id})
			},
		},
		"collections": collections(""), "collections at the top": collections("?nested=false"),
		"sites": {
			path: org + "/sites",
			create: func() string {
				return servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
					Organization: w.Org, Body: api.SiteCreate{Title: next()},
				}).ID
			},
			remove: func(id string) { servertest.Do(w, "admin", api.DeleteSite, api.SiteRef{Organization: w.Org, Site: id}) },
		},
		"site sections": {
			path: org + "/sites/" + s.Site + "/sections",
			create: func() string {
				in := api.CreateSiteSectionInput{SiteRef: site, Body: api.SiteSectionCreate{SpaceID: s.Handbook, Title: api.Some(next())}}
				return servertest.Do(w, "admin", api.CreateSiteSection, in).ID
			},
			remove: func(id string) {
				servertest.Do(w, "admin", api.DeleteSiteSection, api.SiteSectionRef{SiteRef: site, SiteSection: id})
			},
			move: func(id string) { shuffleSite(w, site, api.PointerSiteSection, id, random) },
		},
		"section groups": {
			path: org + "/sites/" + s.Site + "/section-groups",
			create: func() string {
				in := api.CreateSiteSectionGroupInput{SiteRef: site, Body: api.SiteSectionGroupCreate{Title: next()}}
				return servertest.Do(w, "admin", api.CreateSiteSectionGroup, in).ID
			},
			remove: func(id string) {
				servertest.Do(w, "admin", api.DeleteSiteSectionGroup, api.SiteSectionGroupRef{SiteRef: site, SiteSectionGroup: id})
			},
			move: func(id string) { shuffleSite(w, site, api.PointerSiteSectionGroup, id, random) },
		},
		"site spaces": {
			path: org + "/sites/" + s.Site + "/site-spaces",
			create: func() string {
				in := api.CreateSiteSpaceInput{
					SiteRef: site, Body: api.SiteSpaceCreate{SpaceID: w.CreateSpace(next(), "", ""), SectionID: s.OtherSection},
				}
				return servertest.Do(w, "admin", api.CreateSiteSpace, in).ID
			},
			remove: func(id string) {
				servertest.Do(w, "admin", api.DeleteSiteSpace, api.SiteSpaceRef{SiteRef: site, SiteSpace: id})
			},
			move: func(id string) { shuffleSite(w, site, api.PointerSiteSpace, id, random) },
		},
		"share links": {
			path: org + "/sites/" + s.Site + "/share-links",
			create: func() string {
				return servertest.Do(w, "admin", api.CreateShareLink, api.CreateShareLinkInput{
					SiteRef: site, Body: api.ShareLinkCreate{Name: next()},
				}).ID
			},
			remove: func(id string) {
				servertest.Do(w, "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: site, ShareLink: id})
			},
		},
		"comments": comments(""), "comments, oldest first": comments("?order=asc"),
		"open comments of an author": comments("?status=open&authors=" + w.Users["commenter"].ID),
		"replies": {
			path: handbook + "/comments/" + s.Comment.ID + "/replies",
			create: func() string {
				return servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
					CommentRef: thread, Body: api.ReplyCreate{Body: servertest.CommentBody(next())},
				}).ID
			},
			remove: func(id string) {
				servertest.Do(w, "editor", api.DeleteReply, api.ReplyRef{CommentRef: thread, Reply: id})
			},
		},
		"change requests":                  requestList(w, s, "status=draft", next),
		"change requests of a contributor": requestList(w, s, "status=draft&contributor="+w.Users["editor"].ID, next),
		"change requests by last change":   requestList(w, s, "status=draft&orderBy=updatedAt", next),
		"queue":                            requestQueue(w, s, "status=draft&status=open&orderBy=updatedAt", next),
		"queue, newest first":              requestQueue(w, s, "status=draft&orderBy=createdAt", next),
		"queue of a creator":               requestQueue(w, s, "status=draft&creator="+w.Users["editor"].ID, next),
		"tokens": {
			path: "/v1/user/tokens",
			create: func() string {
				return servertest.Do(w, "admin", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: next()}}).ID
			},
			remove: func(id string) { servertest.Do(w, "admin", api.DeleteToken, api.TokenRef{Token: id}) },
		},
		"tokens of a member": {
			path: org + "/members/" + w.Users["editor"].ID + "/tokens",
			create: func() string {
				return servertest.Do(w, "editor", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: next()}}).ID
			},
			remove: func(id string) { servertest.Do(w, "editor", api.DeleteToken, api.TokenRef{Token: id}) },
		},
		"organizations": {
			path: "/v1/orgs",
			create: func() string {
				return servertest.Do(w, "admin", api.CreateOrganization, api.CreateOrganizationInput{
					Body: api.OrganizationCreate{Title: next()},
				}).ID
			},
		},
		"files": {
			path: handbook + "/change-requests/" + s.Request.ID + "/content/files",
			create: func() string {
				return w.Edit("editor", s.Request, api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
					{Name: next(), ContentType: "image/png", Base64: servertest.OnePixel},
				}}).InsertedFiles[0].File.ID
			},
			remove: func(id string) {
				w.Edit("editor", s.Request, api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{id}})
			},
		},
	}
	maps.Copy(every, moreLists(w, s, next))
	return every
}

// requestQueue returns the list of the change requests of all spaces.
func requestQueue(w *servertest.World, s *servertest.Sample, query string, next func() string) mutableList {
	l := requestList(w, s, query, next)
	l.path = "/v1/orgs/" + w.Org + "/change-requests?" + query
	return l
}

func requestList(w *servertest.World, s *servertest.Sample, query string, next func() string) mutableList {
	patch := func(id string, body api.ChangeRequestPatch) {
		servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: api.ChangeRequestRef{Space: s.Handbook, ChangeRequest: id}, Body: body,
		})
	}
	l := mutableList{
		path:   "/v1/spaces/" + s.Handbook + "/change-requests?" + query,
		create: func() string { return w.CreateRequest("editor", s.Handbook, next()).ID },
		remove: func(id string) { patch(id, api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)}) },
	}
	if strings.Contains(query, "orderBy=updatedAt") {
		l.move = func(id string) {
			w.Clock.Advance(time.Second)
			patch(id, api.ChangeRequestPatch{Subject: api.Some(next())})
		}
	}
	return l
}

func moveSpace(w *servertest.World, id, parent string) {
	w.T.Helper()
	servertest.Try(w, "admin", api.MoveSpace, api.MoveSpaceInput{Space: id, Body: api.Move{Parent: api.Some(parent)}})
}

// shuffleSpace moves a space before a random one of its collection.
func shuffleSpace(w *servertest.World, id, parent string, random *rand.Rand) {
	w.T.Helper()
	siblings := servertest.Do(w, "admin", api.ListCollectionSpaces, api.ListCollectionSpacesInput{Collection: parent}).Items
	before := siblings[random.IntN(len(siblings))].ID
	a := servertest.Try(w, "admin", api.MoveSpace, api.MoveSpaceInput{Space: id, Body: api.Move{
		Position: &api.MovePosition{Before: &api.ContentPointer{Type: api.PointerSpace, Space: before}},
	}})
	if a.Status >= http.StatusInternalServerError {
		w.T.Errorf("move: %d %s", a.Status, a.Body)
	}
}

// shuffleSite moves a part of a site before a random one of its kind.
func shuffleSite(w *servertest.World, site api.SiteRef, kind api.SitePointerType, id string, random *rand.Rand) {
	w.T.Helper()
	lists := map[api.SitePointerType]string{
		api.PointerSiteSection: "/sections", api.PointerSiteSectionGroup: "/section-groups", api.PointerSiteSpace: "/site-spaces",
	}
	siblings := servertest.ListPage(w, "/v1/orgs/"+site.Organization+"/sites/"+site.Site+lists[kind], "").Items
	a := servertest.Try(w, "admin", api.SortSiteStructure, api.SortSiteStructureInput{SiteRef: site, Body: api.SiteSort{
		Item:     api.SitePointer{Type: kind, ID: id},
		Position: api.SitePosition{Before: &api.SitePointer{Type: kind, ID: siblings[random.IntN(len(siblings))].ID}},
	}})
	if a.Status >= http.StatusInternalServerError {
		w.T.Errorf("sort: %d %s", a.Status, a.Body)
	}
}

// TestIterationReturnsUnchangedItemsOnce checks that items that stay in a list are returned exactly once and in order
// while others are added, removed and moved.
func TestIterationReturnsUnchangedItemsOnce(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		names := lists(&servertest.World{Users: map[string]api.UserFields{}}, &servertest.Sample{}, nil)
		for name := range names {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				const seed = 1
				random := rand.New(rand.NewPCG(seed, uint64(len(name))))
				w, s := servertest.NewSampleWorld(t, engine)
				servertest.SetOrganizationLimit(w, "admin", 1000)
				iterateWhileChanging(t, w, lists(w, s, random)[name], random)
			})
		}
	})
}

func iterateWhileChanging(t *testing.T, w *servertest.World, l mutableList, random *rand.Rand) {
	var stays, goes []string
	first := 16
	if l.initial > 0 {
		first = l.initial
	}
	for i := range first {
		if id := l.create(); i%2 == 0 {
			stays = append(stays, id)
		} else {
			goes = append(goes, id)
		}
	}
	servertest.ListPage(w, l.path, "") // sets when the caller was seen, by which members may be sorted
	quiet := servertest.ReadList(w, l.path, func() {})
	if got := servertest.ListPage(w, l.path, "").Count; got != len(quiet) {
		t.Errorf("count is %d, the list has %d items", got, len(quiet))
	}
	order := slices.DeleteFunc(slices.Clone(quiet), func(id string) bool { return !slices.Contains(stays, id) })
	if len(order) != len(stays) {
		t.Errorf("the list has %d of the %d that were made", len(order), len(stays))
	}
	added := 0
	seen := servertest.ReadList(w, l.path, func() {
		for range 2 {
			if added++; added <= 8 { // bounded, since the iteration would not end if new items are last
				goes = append(goes, l.create())
			}
			at := random.IntN(len(goes))
			switch {
			case l.move != nil && random.IntN(2) == 0:
				l.move(goes[at])
			case l.remove != nil && len(goes) > 2:
				l.remove(goes[at])
				goes = slices.Delete(goes, at, at+1)
			}
		}
	})
	times := map[string]int{}
	for _, id := range seen {
		times[id]++
		if times[id] > 1 && l.move == nil {
			t.Errorf("%s was seen twice and never moved", id)
		}
	}
	seen = slices.DeleteFunc(seen, func(id string) bool { return !slices.Contains(stays, id) })
	if !slices.Equal(seen, order) {
		t.Errorf("what stayed was seen as\n%v, want\n%v", seen, order)
	}
	final := servertest.ReadList(w, l.path, func() {})
	if got := servertest.ListPage(w, l.path, "").Count; got != len(final) {
		t.Errorf("at last count is %d, the list has %d items", got, len(final))
	}
}

// TestListsRejectForeignCursors checks that a cursor of another list, filter or direction is refused, as is a forged
// one.
func TestListsRejectForeignCursors(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	for range 4 {
		servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: s.Handbook, Body: api.CommentCreate{Body: servertest.CommentBody("x")},
		})
		servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
			Space: s.Notes, Body: api.CommentCreate{Body: servertest.CommentBody("x")},
		})
	}
	handbook, notes := "/v1/spaces/"+s.Handbook+"/comments", "/v1/spaces/"+s.Notes+"/comments"
	cursor := servertest.ListPage(w, handbook, "").Next.Page
	bad := func(path, cursor string) {
		t.Helper()
		a := w.Call("admin", http.MethodGet, servertest.WithQuery(path, "page="+url.QueryEscape(cursor)), nil, http.StatusBadRequest)
		if a.Error().Reason != api.ReasonInvalidCursor {
			t.Errorf("%s with a foreign cursor: %s", path, a.Body)
		}
	}
	bad(notes, cursor)
	bad(handbook+"?order=asc", cursor)
	bad(handbook+"?status=open", cursor)
	bad(handbook+"?authors="+w.Users["admin"].ID, cursor)
	bad(handbook+"?targetPage="+s.Pages["Start"], cursor)
	bad("/v1/orgs/"+w.Org+"/spaces", cursor)
	bad("/v1/user/tokens", cursor)
	for i := range len(cursor) {
		forged := []byte(cursor)
		forged[i] ^= 1
		if a := w.Send("admin", http.MethodGet, servertest.WithQuery(handbook, "page="+url.QueryEscape(string(forged))),
			nil); a.Status >= http.StatusInternalServerError {
			t.Errorf("forged cursor: %d %s", a.Status, a.Body)
		}
	}
	w.Call("admin", http.MethodGet, servertest.WithQuery(handbook, "limit=5&page="+url.QueryEscape(cursor)), nil, http.StatusOK)
}

// TestListsOmitHiddenItems checks that lists and counts contain only items that the caller may see.
func TestListsOmitHiddenItems(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
		Space: s.Notes, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
	})
	in := api.ListSpacesInput{Organization: w.Org}
	for name, want := range map[string]int{"admin": 4, "reader": 3, "guest": 0} {
		if got := servertest.Do(w, name, api.ListSpaces, in); got.Count != want || len(got.Items) != want {
			t.Errorf("the %s sees %d spaces and counts %d, want %d", name, len(got.Items), got.Count, want)
		}
	}
	collections := api.ListCollectionsInput{Organization: w.Org}
	for name, want := range map[string]int{"admin": 2, "reader": 2, "guest": 0} {
		if got := servertest.Do(w, name, api.ListCollections, collections); got.Count != want || len(got.Items) != want {
			t.Errorf("the %s sees %d collections and counts %d, want %d", name, len(got.Items), got.Count, want)
		}
	}
}
