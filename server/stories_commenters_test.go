package server_test

import (
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
)

// Commenters are the members with a comment there: once each, until their last comment is deleted or they leave.
func TestStoryOfCommenters(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed("Text.\n")
		request := w.newRequest("editor", space)
		onSpace := func(as string) (found []string) {
			answer := do(w, as, api.ListSpaceCommenters, api.ListCommentersInput{Space: space})
			equal(t, "count", len(answer.Items), answer.Count)
			for _, m := range answer.Items {
				found = append(found, m.User.DisplayName)
			}
			slices.Sort(found)
			return found
		}
		comment := func(as string) api.CommentRef {
			made := do(w, as, api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: says("?")}})
			return api.CommentRef{Space: space, Comment: made.ID}
		}
		equal(t, "at first", nil, onSpace("commenter"))
		first := comment("reviewer")
		comment("commenter")
		comment("commenter")
		comment("creator")
		equal(t, "commenters", []string{"The commenter", "The creator", "The reviewer"}, onSpace("commenter"))
		do(w, "reviewer", api.DeleteComment, first)
		do(w, "admin", api.DeleteMember, api.MemberRef{Organization: w.org, User: w.users["creator"].ID})
		equal(t, "who still has a comment and is a member", []string{"The commenter"}, onSpace("commenter"))

		do(w, "editor", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{ChangeRequestRef: request, Body: api.CommentCreate{Body: says("?")}})
		onRequest := do(w, "commenter", api.ListChangeRequestCommenters, api.ListChangeRequestCommentersInput{ChangeRequestRef: request})
		equal(t, "commenters of the change request", 1, onRequest.Count)
		equal(t, "name", "The editor", onRequest.Items[0].User.DisplayName)
		equal(t, "of the space, as before", []string{"The commenter"}, onSpace("commenter"))

		give(w, space, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{w.users["guest"].ID}})
		comment("guest")
		refused(w, "guest", api.ListSpaceCommenters, api.ListCommentersInput{Space: space}, 403, api.ReasonForbidden)
		equal(t, "with a guest", []string{"The commenter", "The guest"}, onSpace("commenter"))
	})
}
