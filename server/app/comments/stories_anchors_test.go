package comments_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestAnchorsFollowText checks that comments follow their text. If the text was deleted, the original quote is still shown, and
// the comment can be reattached.
func TestAnchorsFollowText(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.PumpIntro + servertest.PumpBody + servertest.PumpLast)
		blocks := w.ReadPage(space, page).Blocks
		on := func(block int, quote string) api.CommentRef {
			created := servertest.Do(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{
					Page: page, Node: blocks[block].ID, Quote: quote, Body: servertest.CommentBody("Really?"),
				},
			})
			servertest.Equal(t, "state", api.AnchorExact, created.Target.Anchor.State)
			return api.CommentRef{Space: space, Comment: created.ID}
		}
		sentence, last := on(1, "Wait for the pressure to rise above four bar."), on(2, "")
		shown := func(ref api.CommentRef) api.CommentTarget {
			return servertest.Do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: ref}).Target
		}
		at := func(a *api.CommentAnchor) string {
			text := *servertest.Do(w, "reader", api.GetContentPage, api.PageInput{
				Space: space, Page: a.Page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
			}).Markdown
			return text[*a.Start:*a.End]
		}

		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, servertest.PumpIntro+strings.Replace(servertest.PumpBody, "green", "red", 1)+
			strings.Replace(servertest.PumpLast, "minute", "quarter", 1)))
		w.MustMerge(ref)
		target := shown(sentence)
		servertest.Equal(t, "the sentence", [2]any{api.AnchorShifted, false}, [2]any{target.Anchor.State, target.Page.Outdated})
		servertest.Equal(t, "its text", "Wait for the pressure to rise above four bar.", at(target.Anchor))
		target = shown(last)
		servertest.Equal(t, "what was edited", [2]any{api.AnchorFuzzy, true}, [2]any{target.Anchor.State, target.Page.Outdated})
		servertest.Equal(t, "its quote", strings.TrimSpace(servertest.PumpLast), target.Anchor.Quote)

		ref = w.NewRequest("editor", space)
		other := w.InsertPage(ref, servertest.NewPage("Other", "# Other\n\n"+servertest.PumpBody))
		w.Change(ref, servertest.Write(page, servertest.PumpIntro))
		w.MustMerge(ref)
		target = shown(sentence)
		servertest.Equal(t, "what moved", [2]any{api.AnchorMoved, other}, [2]any{target.Anchor.State, target.Anchor.Page})
		servertest.Equal(t, "its text", "Wait for the pressure to rise above four bar.", at(target.Anchor))
		servertest.Equal(t, "what is gone", api.AnchorOrphaned, shown(last).Anchor.State)
		onPage := func(page string) (ids []string) {
			in := api.ListCommentsInput{Space: space, CommentFilters: api.CommentFilters{TargetPage: page, Order: api.Ascending}}
			for _, c := range servertest.Do(w, "commenter", api.ListComments, in).Items {
				ids = append(ids, c.ID)
			}
			return ids
		}
		servertest.Equal(t, "on the other page", []string{sentence.Comment}, onPage(other))
		servertest.Equal(t, "never hidden", []string{sentence.Comment, last.Comment}, onPage(page))

		place := api.CommentPlace{Page: page, Node: w.ReadPage(space, page).Blocks[0].ID, Quote: "how the pump is started"}
		servertest.Refused(w, "guest", api.ReattachComment, api.ReattachCommentInput{CommentRef: last, Body: place}, 404,
			api.ReasonNotFound)
		absent := place
		absent.Quote = "how the pump was started"
		servertest.Refused(w, "commenter", api.ReattachComment, api.ReattachCommentInput{CommentRef: last, Body: absent}, 422,
			api.ReasonInvalid)
		target = servertest.Do(w, "commenter", api.ReattachComment, api.ReattachCommentInput{CommentRef: last, Body: place}).Target
		servertest.Equal(t, "reattached", [2]any{api.AnchorExact, false}, [2]any{target.Anchor.State, target.Page.Outdated})
		servertest.Equal(t, "its text", place.Quote, at(target.Anchor))
		servertest.Do(w, "editor", api.ReattachComment, api.ReattachCommentInput{CommentRef: sentence, Body: api.CommentPlace{Page: other}})
		servertest.Equal(t, "on the other page", []string{sentence.Comment}, onPage(other))
		servertest.Equal(t, "no more on its first", []string{last.Comment}, onPage(page))
		if target := shown(sentence); target.Anchor != nil || target.Page.Outdated {
			t.Errorf("on a page as a whole: %+v", target)
		}
	})
}

// TestOpenThreadsAfterMerge checks that after a merge the open threads of a change request remain in it, and that those whose
// text is in the space are also listed there.
func TestOpenThreadsAfterMerge(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage(servertest.PumpIntro)
		ref := w.NewRequest("editor", space)
		w.Change(ref, servertest.Write(page, servertest.PumpIntro+servertest.PumpBody+servertest.PumpLast))
		proposed := servertest.Do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
			ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		})
		thread := func(block int, body string) string {
			in := api.CreateChangeRequestCommentInput{
				ChangeRequestRef: ref, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody(body)},
			}
			if block >= 0 {
				in.Body.Node = proposed.Blocks[block].ID
			}
			return servertest.Do(w, "commenter", api.CreateChangeRequestComment, in).ID
		}
		stays, dies, whole, solved := thread(1, "stays"), thread(2, "its text goes"), thread(-1, "on the page"), thread(1, "solved")
		servertest.Do(w, "commenter", api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
			ChangeRequestCommentRef: api.ChangeRequestCommentRef{
				ChangeRequestRef: ref, Comment: solved,
			}, Body: api.CommentUpdate{Resolved: api.Some(true)},
		})
		inSpace := func() (ids []string) {
			list := servertest.Do(w, "commenter", api.ListComments, api.ListCommentsInput{
				Space: space, CommentFilters: api.CommentFilters{TargetPage: page},
			})
			servertest.Equal(t, "count", len(list.Items), list.Count)
			for _, c := range list.Items {
				ids = append(ids, c.ID)
			}
			return ids
		}
		own := api.CommentRef{Space: space, Comment: stays}
		servertest.Equal(t, "before the merge", nil, inSpace())
		servertest.Refused(w, "commenter", api.GetComment, api.CommentInput{CommentRef: own}, 404, api.ReasonNotFound)
		w.Change(ref, servertest.Write(page, servertest.PumpIntro+servertest.PumpBody))
		w.MustMerge(ref)
		servertest.Equal(t, "in the space", []string{stays}, inSpace())
		shown := servertest.Do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: own})
		servertest.Equal(t, "state", api.AnchorExact, shown.Target.Anchor.State)
		servertest.Equal(t, "change request", w.ReadRequest(ref).ID, shown.Target.ChangeRequest)
		all := servertest.Do(w, "commenter", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref})
		servertest.Equal(t, "in the request", []string{solved, whole, dies, stays}, []string{
			all.Items[0].ID, all.Items[1].ID, all.Items[2].ID, all.Items[3].ID,
		})

		servertest.Do(w, "editor", api.CreateReply, api.CreateReplyInput{
			CommentRef: own, Body: api.ReplyCreate{Body: servertest.CommentBody("Here, too.")},
		})
		replies := servertest.Do(w, "commenter", api.ListChangeRequestReplies, api.ListChangeRequestRepliesInput{
			ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: stays},
		})
		servertest.Equal(t, "replies", 1, replies.Count)
		servertest.Do(w, "editor", api.UpdateComment, api.UpdateCommentInput{
			CommentRef: own, Body: api.CommentUpdate{Resolved: api.Some(true)},
		})
		servertest.Equal(t, "when it is resolved", nil, inSpace())
	})
}
