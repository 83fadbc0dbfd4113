package comments_test

import (
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestListCommenters checks that each member with a comment is listed once, until the member's last comment is deleted or the
// member leaves.
func TestListCommenters(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		request := w.NewRequest("editor", space)
		onSpace := func(as string) (found []string) {
			response := servertest.Do(w, as, api.ListSpaceCommenters, api.ListCommentersInput{Space: space})
			servertest.Equal(t, "count", len(response.Items), response.Count)
			for _, m := range response.Items {
				found = append(found, m.User.DisplayName)
			}
			slices.Sort(found)
			return found
		}
		comment := func(as string) api.CommentRef {
			created := servertest.Do(w, as, api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
			})
			return api.CommentRef{Space: space, Comment: created.ID}
		}
		servertest.Equal(t, "at first", nil, onSpace("commenter"))
		first := comment("reviewer")
		comment("commenter")
		comment("commenter")
		comment("creator")
		servertest.Equal(t, "commenters", []string{"The commenter", "The creator", "The reviewer"}, onSpace("commenter"))
		servertest.Do(w, "reviewer", api.DeleteComment, first)
		servertest.Do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["creator"].ID})
		servertest.Equal(t, "who still has a comment and is a member", []string{"The commenter"}, onSpace("commenter"))

		servertest.Do(w, "editor", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
			ChangeRequestRef: request, Body: api.CommentCreate{Body: servertest.CommentBody("?")},
		})
		onRequest := servertest.Do(w, "commenter", api.ListChangeRequestCommenters,
			api.ListChangeRequestCommentersInput{ChangeRequestRef: request})
		servertest.Equal(t, "commenters of the change request", 1, onRequest.Count)
		servertest.Equal(t, "name", "The editor", onRequest.Items[0].User.DisplayName)
		servertest.Equal(t, "of the space, as before", []string{"The commenter"}, onSpace("commenter"))

		servertest.GrantAccess(w, space, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{w.Users["guest"].ID}})
		comment("guest")
		servertest.Refused(w, "guest", api.ListSpaceCommenters, api.ListCommentersInput{Space: space}, 403, api.ReasonForbidden)
		servertest.Equal(t, "with a guest", []string{"The commenter", "The guest"}, onSpace("commenter"))
	})
}
