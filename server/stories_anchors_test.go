package server_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// A reviewer's comments on sentences go with their text, wherever it goes; where it is gone, what they were about
// is still said, and somebody can give them another place.
func TestStoryOfAnchors(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(pumpIntro + pumpBody + pumpLast)
		blocks := w.published(space, page).Blocks
		on := func(block int, quote string) api.CommentRef {
			made := do(w, "commenter", api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Page: page, Node: blocks[block].ID, Quote: quote, Body: says("Really?")},
			})
			equal(t, "state", api.AnchorExact, made.Target.Anchor.State)
			return api.CommentRef{Space: space, Comment: made.ID}
		}
		sentence, last := on(1, "Wait for the pressure to rise above four bar."), on(2, "")
		shown := func(ref api.CommentRef) api.CommentTarget {
			return do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: ref}).Target
		}
		at := func(a *api.CommentAnchor) string {
			text := *do(w, "reader", api.GetContentPage, api.PageInput{Space: space, Page: a.Page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}}).Markdown
			return text[*a.Start:*a.End]
		}

		ref := w.newRequest("editor", space)
		w.change(ref, write(page, pumpIntro+strings.Replace(pumpBody, "green", "red", 1)+strings.Replace(pumpLast, "minute", "quarter", 1)))
		w.merged(ref)
		target := shown(sentence)
		equal(t, "the sentence", [2]any{api.AnchorShifted, false}, [2]any{target.Anchor.State, target.Page.Outdated})
		equal(t, "its text", "Wait for the pressure to rise above four bar.", at(target.Anchor))
		target = shown(last)
		equal(t, "what was edited", [2]any{api.AnchorFuzzy, true}, [2]any{target.Anchor.State, target.Page.Outdated})
		equal(t, "its quote", strings.TrimSpace(pumpLast), target.Anchor.Quote)

		ref = w.newRequest("editor", space)
		other := w.insertPage(ref, newPage("Other", "# Other\n\n"+pumpBody))
		w.change(ref, write(page, pumpIntro))
		w.merged(ref)
		target = shown(sentence)
		equal(t, "what moved", [2]any{api.AnchorMoved, other}, [2]any{target.Anchor.State, target.Anchor.Page})
		equal(t, "its text", "Wait for the pressure to rise above four bar.", at(target.Anchor))
		equal(t, "what is gone", api.AnchorOrphaned, shown(last).Anchor.State)
		onPage := func(page string) (ids []string) {
			in := api.ListCommentsInput{Space: space, CommentFilters: api.CommentFilters{TargetPage: page, Order: api.Ascending}}
			for _, c := range do(w, "commenter", api.ListComments, in).Items {
				ids = append(ids, c.ID)
			}
			return ids
		}
		equal(t, "on the other page", []string{sentence.Comment}, onPage(other))
		equal(t, "never hidden", []string{sentence.Comment, last.Comment}, onPage(page))

		place := api.CommentPlace{Page: page, Node: w.published(space, page).Blocks[0].ID, Quote: "how the pump is started"}
		refused(w, "guest", api.ReattachComment, api.ReattachCommentInput{CommentRef: last, Body: place}, 404, api.ReasonNotFound)
		absent := place
		absent.Quote = "how the pump was started"
		refused(w, "commenter", api.ReattachComment, api.ReattachCommentInput{CommentRef: last, Body: absent}, 422, api.ReasonInvalid)
		target = do(w, "commenter", api.ReattachComment, api.ReattachCommentInput{CommentRef: last, Body: place}).Target
		equal(t, "reattached", [2]any{api.AnchorExact, false}, [2]any{target.Anchor.State, target.Page.Outdated})
		equal(t, "its text", place.Quote, at(target.Anchor))
		do(w, "editor", api.ReattachComment, api.ReattachCommentInput{CommentRef: sentence, Body: api.CommentPlace{Page: other}})
		equal(t, "on the other page", []string{sentence.Comment}, onPage(other))
		equal(t, "no more on its first", []string{last.Comment}, onPage(page))
		if target := shown(sentence); target.Anchor != nil || target.Page.Outdated {
			t.Errorf("on a page as a whole: %+v", target)
		}
	})
}

// After a merge the open threads of a request stay with it, and those whose text is in the space are shown there.
func TestStoryOfThreadsAfterAMerge(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		space, page := w.seed(pumpIntro)
		ref := w.newRequest("editor", space)
		w.change(ref, write(page, pumpIntro+pumpBody+pumpLast))
		proposed := do(w, "editor", api.GetChangeRequestContentPage, api.ChangeRequestPageInput{
			ChangeRequestRef: ref, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		})
		thread := func(block int, body string) string {
			in := api.CreateChangeRequestCommentInput{ChangeRequestRef: ref, Body: api.CommentCreate{Page: page, Body: says(body)}}
			if block >= 0 {
				in.Body.Node = proposed.Blocks[block].ID
			}
			return do(w, "commenter", api.CreateChangeRequestComment, in).ID
		}
		stays, dies, whole, solved := thread(1, "stays"), thread(2, "its text goes"), thread(-1, "on the page"), thread(1, "solved")
		do(w, "commenter", api.UpdateChangeRequestComment, api.UpdateChangeRequestCommentInput{
			ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: solved}, Body: api.CommentUpdate{Resolved: api.Some(true)},
		})
		inSpace := func() (ids []string) {
			list := do(w, "commenter", api.ListComments, api.ListCommentsInput{Space: space, CommentFilters: api.CommentFilters{TargetPage: page}})
			equal(t, "count", len(list.Items), list.Count)
			for _, c := range list.Items {
				ids = append(ids, c.ID)
			}
			return ids
		}
		own := api.CommentRef{Space: space, Comment: stays}
		equal(t, "before the merge", nil, inSpace())
		refused(w, "commenter", api.GetComment, api.CommentInput{CommentRef: own}, 404, api.ReasonNotFound)
		w.change(ref, write(page, pumpIntro+pumpBody))
		w.merged(ref)
		equal(t, "in the space", []string{stays}, inSpace())
		shown := do(w, "commenter", api.GetComment, api.CommentInput{CommentRef: own})
		equal(t, "state", api.AnchorExact, shown.Target.Anchor.State)
		equal(t, "change request", w.shown(ref).ID, shown.Target.ChangeRequest)
		all := do(w, "commenter", api.ListChangeRequestComments, api.ListChangeRequestCommentsInput{ChangeRequestRef: ref})
		equal(t, "in the request", []string{solved, whole, dies, stays}, []string{all.Items[0].ID, all.Items[1].ID, all.Items[2].ID, all.Items[3].ID})

		do(w, "editor", api.CreateReply, api.CreateReplyInput{CommentRef: own, Body: api.ReplyCreate{Body: says("Here, too.")}})
		replies := do(w, "commenter", api.ListChangeRequestReplies, api.ListChangeRequestRepliesInput{
			ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: stays},
		})
		equal(t, "replies", 1, replies.Count)
		do(w, "editor", api.UpdateComment, api.UpdateCommentInput{CommentRef: own, Body: api.CommentUpdate{Resolved: api.Some(true)}})
		equal(t, "when it is resolved", nil, inSpace())
	})
}
