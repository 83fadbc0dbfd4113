package review_test

import (
	"fmt"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestListContributors checks that contributors are counted per user and kind of contribution.
func TestListContributors(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		request := w.NewRequest("editor", space)
		list := func() (did []string) {
			in := api.ListContributorsInput{ChangeRequestRef: request}
			response := servertest.Do(w, "commenter", api.ListChangeRequestContributors, in)
			servertest.Equal(t, "count", len(response.Items), response.Count)
			for _, c := range response.Items {
				did = append(did, fmt.Sprintf("%s %s %d", c.User.DisplayName, c.ActionType, c.Count))
			}
			slices.Sort(did)
			return did
		}
		servertest.Equal(t, "at first", nil, list())
		w.Change(request, servertest.Write(page, "One.\n"))
		w.Change(request, servertest.Write(page, "Two.\n"))
		servertest.Do(w, "creator", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: request, Body: api.ContentEdit{Changes: []api.ContentChange{servertest.Write(page, "Three.\n")}},
		})
		for _, as := range []string{"editor", "commenter", "commenter"} {
			servertest.Do(w, as, api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
				ChangeRequestRef: request, Body: api.CommentCreate{Body: servertest.CommentBody("?")},
			})
		}
		servertest.Equal(t, "contributors", []string{
			"The commenter comment 2", "The creator edit 1", "The editor comment 1", "The editor edit 2",
		}, list())
	})
}
