package server_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// level returns the API value of a default level; "" is null.
func level(l api.Level) api.Optional[api.Level] {
	if l == "" {
		return api.Null[api.Level]()
	}
	return api.Some(l)
}

// createLevels creates a collection, one within it and a space within that as the creator, and returns their ids.
func createLevels(w *servertest.World, outer, inner, space api.Level) (ids [3]string) {
	w.T.Helper()
	make := func(parent string) string {
		return servertest.Do(w, "creator", api.CreateCollection, api.CreateCollectionInput{
			Organization: w.Org, Body: api.CollectionCreate{Title: "x", Parent: parent},
		}).ID
	}
	ids[0] = make("")
	ids[1] = make(ids[0])
	ids[2] = servertest.Do(w, "creator", api.CreateSpace, api.CreateSpaceInput{
		Organization: w.Org, Body: api.SpaceCreate{Parent: ids[1]},
	}).ID
	for i, l := range []api.Level{outer, inner} {
		servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
			Collection: ids[i], Body: api.CollectionPatch{DefaultLevel: level(l)},
		})
	}
	servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: ids[2], Body: api.SpacePatch{DefaultLevel: level(space)}})
	return ids
}

const (
	inherit = api.LevelInherit
	nobody  = api.Level("")
	guest   = api.RoleGuest
)

func TestRoleFollowsLevel(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		outer, inner, space                          api.Level
		admin, creator, reviewer, editor, reader, of api.Role // role of the guest
	}{
		"inherited from the organization": {
			inherit, inherit, inherit, api.RoleCreate, api.RoleCreate, api.RoleReview, api.RoleEdit, api.RoleRead, guest,
		},
		"level comment": {
			inherit, inherit, "comment", api.RoleCreate, api.RoleComment, api.RoleComment, api.RoleComment, api.RoleComment, guest,
		},
		"level create": {
			inherit, inherit, "create", api.RoleCreate, api.RoleCreate, api.RoleCreate, api.RoleCreate, api.RoleCreate, guest,
		},
		"level nobody": {inherit, inherit, nobody, api.RoleCreate, api.RoleCreate, guest, guest, guest, guest},
		"inherited from the collection": {
			inherit, "edit", inherit, api.RoleCreate, api.RoleEdit, api.RoleEdit, api.RoleEdit, api.RoleEdit, guest,
		},
		"inherited from the outer collection": {
			"review", inherit, inherit, api.RoleCreate, api.RoleReview, api.RoleReview, api.RoleReview, api.RoleReview, guest,
		},
		"nobody inherited from the outer collection": {
			nobody, inherit, inherit, api.RoleCreate, api.RoleCreate, guest, guest, guest, guest,
		},
		"level of the inner collection": {
			nobody, "read", inherit, api.RoleCreate, api.RoleRead, api.RoleRead, api.RoleRead, api.RoleRead, guest,
		},
		"level of the space": {
			nobody, "create", "read", api.RoleCreate, api.RoleRead, api.RoleRead, api.RoleRead, api.RoleRead, guest,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				at := createLevels(w, test.outer, test.inner, test.space)
				for who, want := range map[string]api.Role{
					"admin": test.admin, "creator": test.creator, "reviewer": test.reviewer, "editor": test.editor,
					"reader": test.reader, "guest": test.of, "stranger": guest,
				} {
					servertest.Equal(t, "role of the "+who, want, servertest.ShownRole(w, who, at[2]))
					listed := 0
					if who != "stranger" {
						list := servertest.Do(w, who, api.ListSpaces, api.ListSpacesInput{Organization: w.Org})
						servertest.Equal(t, "count and items", list.Count, len(list.Items))
						listed = list.Count
					}
					servertest.Equal(t, "spaces listed for the "+who, want != guest, listed == 1)
				}
			})
		})
	}
}

// TestGrantOverridesDefaultLevel checks that a grant overrides the default level in both directions, for guests as
// well, until it is revoked.
func TestGrantOverridesDefaultLevel(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		at := createLevels(w, inherit, inherit, inherit)
		servertest.Grant(w, "guest", at[2], api.RoleRead)
		servertest.Grant(w, "reader", at[2], api.RoleReview)
		servertest.Grant(w, "editor", at[2], api.RoleComment)
		for who, want := range map[string]api.Role{
			"guest": api.RoleRead, "reader": api.RoleReview, "editor": api.RoleComment, "commenter": api.RoleComment,
		} {
			servertest.Equal(t, "role of the "+who, want, servertest.ShownRole(w, who, at[2]))
		}
		servertest.Equal(t, "spaces of the guest", 1,
			servertest.Do(w, "guest", api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Count)
		servertest.Equal(t, "collections of the guest", 0,
			servertest.Do(w, "guest", api.ListCollections, api.ListCollectionsInput{Organization: w.Org}).Count)

		// a grant on an outer collection, which does not override the grant on the space
		servertest.Grant(w, "guest", at[0], api.RoleEdit)
		servertest.Equal(t, "role of the guest", api.RoleRead, servertest.ShownRole(w, "guest", at[2]))
		other := w.NewSpaceIn("Other", at[1]).ID
		servertest.Equal(t, "role of the guest, from the outer collection", api.RoleEdit, servertest.ShownRole(w, "guest", other))
		servertest.Equal(t, "collections of the guest", 2,
			servertest.Do(w, "guest", api.ListCollections, api.ListCollectionsInput{Organization: w.Org}).Count)
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: other, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		servertest.Equal(t, "role of the guest where nobody may", guest, servertest.ShownRole(w, "guest", other))

		servertest.Grant(w, "admin", at[2], api.RoleRead)
		servertest.Equal(t, "role of the admin", api.RoleCreate, servertest.ShownRole(w, "admin", at[2]))
	})
}

// TestListsContainVisibleItemsOnly checks that lists and counts contain visible items only.
func TestListsContainVisibleItemsOnly(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		books := w.NewCollection("Books", "").ID
		open, closed := w.NewSpaceIn("Open", books).ID, w.NewSpaceIn("Closed", books).ID
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: closed, Body: api.SpacePatch{DefaultLevel: api.Null[api.Level]()},
		})
		for who, want := range map[string]int{"admin": 2, "creator": 1, "reader": 1, "guest": 0} {
			servertest.Equal(t, "spaces of the "+who, want,
				servertest.Do(w, who, api.ListSpaces, api.ListSpacesInput{Organization: w.Org}).Count)
			if who != "guest" {
				servertest.Equal(t, "spaces in the collection", want,
					servertest.Do(w, who, api.ListCollectionSpaces, api.ListCollectionSpacesInput{Collection: books}).Count)
			}
		}
		first := servertest.Do(w, "reader", api.ListSpaces, api.ListSpacesInput{
			Organization: w.Org, ListOptions: api.ListOptions{Limit: api.Some(1)},
		})
		if first.Next != nil || first.Items[0].ID != open {
			t.Errorf("%+v", first)
		}
	})
}

// TestCommentActionsDependOnRoleAndAuthor checks that only authors edit comments, and that other actions depend on role
// and ownership.
func TestCommentActionsDependOnRoleAndAuthor(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("editor", space)
		// The editor's role is lowered to commenter, so the author of the change request no longer has the role.
		servertest.Grant(w, "editor", space, api.RoleComment)
		servertest.Grant(w, "reader", space, api.RoleComment)
		comment := func(as string) api.ChangeRequestCommentRef {
			made := servertest.Do(w, as, api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
				ChangeRequestRef: ref, Body: api.CommentCreate{Body: servertest.CommentBody("?")},
			})
			return api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: made.ID}
		}
		put := func(as string, at api.ChangeRequestCommentRef, body api.CommentUpdate, status int) {
			t.Helper()
			a := servertest.Try(w, as, api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
				ChangeRequestCommentRef: at, Body: body,
			})
			servertest.Equal(t, "status for the "+as, status, a.Status)
		}
		at := comment("commenter")
		text := servertest.CommentBody("other")
		for _, who := range []string{"admin", "creator", "reviewer", "editor", "reader"} {
			put(who, at, api.CommentUpdate{Body: &text}, 403)
		}
		put("commenter", at, api.CommentUpdate{Body: &text}, 200)
		for i, who := range []string{"commenter", "editor", "reviewer", "admin"} { // author, the request's author, roles
			put(who, at, api.CommentUpdate{Resolved: api.Some(i%2 == 0)}, 200)
		}
		put("reader", at, api.CommentUpdate{Resolved: api.Some(true)}, 403)
		put("reader", at, api.CommentUpdate{AddedReactions: []string{"👍"}}, 200)

		for _, who := range []string{"reader", "editor", "reviewer"} {
			servertest.Refused(w, who, api.DeleteChangeRequestComment, at, 403, api.ReasonForbidden)
		}
		servertest.Do(w, "commenter", api.DeleteChangeRequestComment, at)
		servertest.Do(w, "creator", api.DeleteChangeRequestComment, comment("commenter"))
		servertest.Refused(w, "commenter", api.DeleteChangeRequestComment, at, 404, api.ReasonNotFound)
		servertest.Refused(w, "commenter", api.GetComment, api.CommentInput{
			CommentRef: api.CommentRef{Space: space, Comment: comment("reader").Comment},
		}, 404, api.ReasonNotFound)
	})
}

// TestRequestActionsDependOnRoleAndCreator checks that only the creator or a reviewer archives a change request, and
// that a requested reviewer may step down.
func TestRequestActionsDependOnRoleAndCreator(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, _ := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("creator", space)
		archive := api.UpdateChangeRequestInput{ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)}}
		servertest.Refused(w, "editor", api.UpdateChangeRequest, archive, 403, api.ReasonForbidden)
		review := api.RequestReviewInput{ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{w.Users["commenter"].ID}}}
		servertest.Do(w, "editor", api.RequestChangeRequestReview, review)
		servertest.Equal(t, "status", api.StatusOpen, w.ReadRequest(ref).Status)
		review.Body.Users = []string{w.Users["commenter"].ID, w.Users["reader"].ID, w.Users["guest"].ID, w.Users["stranger"].ID}
		e := servertest.Refused(w, "editor", api.RequestChangeRequestReview, review, 422, api.ReasonInvalid)
		var paths []string
		for _, f := range e.Fields {
			paths = append(paths, f.Path)
		}
		servertest.Equal(t, "fields", []string{"users[1]", "users[2]", "users[3]"}, paths)
		self := api.ReviewerRef{ChangeRequestRef: ref, User: w.Users["commenter"].ID}
		servertest.Do(w, "commenter", api.RemoveChangeRequestReviewer, self)
		servertest.Refused(w, "commenter", api.RemoveChangeRequestReviewer, self, 404, api.ReasonNotFound)
		servertest.Do(w, "reviewer", api.UpdateChangeRequest, archive)
		for _, status := range []api.ChangeRequestStatus{api.StatusDraft, api.StatusOpen, api.StatusDraft} { // all transitions are allowed
			archive.Body.Status = api.Some(status)
			servertest.Equal(t, "status", status, servertest.Do(w, "editor", api.UpdateChangeRequest, archive).Status)
		}
		archive.Body.Status = api.Some(api.StatusMerged)
		servertest.Refused(w, "editor", api.UpdateChangeRequest, archive, 422, api.ReasonInvalid)
	})
}
