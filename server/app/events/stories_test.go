package events_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

func getTimeline(w *servertest.World, as string, in api.GetTimelineInput) api.Timeline {
	w.T.Helper()
	return servertest.Do(w, as, api.GetChangeRequestTimeline, in)
}

// formatEvents formats events as text, without values that differ between runs.
func formatEvents(events []api.TimelineEvent) (said []string) {
	for _, e := range events {
		text := e.By.DisplayName + " " + string(e.Kind)
		if e.PageTitle != "" {
			text += " on " + e.PageTitle
		}
		for _, u := range e.Users {
			text += ", " + u.DisplayName
		}
		said = append(said, strings.TrimPrefix(text, "The "))
	}
	return said
}

func newConversation(w *servertest.World) (ref api.ChangeRequestRef, comment api.Comment) {
	w.T.Helper()
	space, page := w.NewSpaceWithPage("One sentence.\n")
	ref = w.NewRequest("editor", space)
	w.Change(ref, servertest.Write(page, "Another sentence.\n"))
	servertest.Do(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
		ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{w.Users["reviewer"].ID}},
	})
	comment = servertest.Do(w, "reviewer", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: ref, Body: api.CommentCreate{Body: servertest.CommentBody("Why?"), Page: page},
	})
	return ref, comment
}

// TestTimeline checks that the timeline lists who did what to which page or thread, for callers who may comment, and continues
// after a cursor.
func TestTimeline(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, comment := newConversation(w)
		in := api.GetTimelineInput{ChangeRequestRef: ref}
		first := getTimeline(w, "commenter", in)
		servertest.Equal(t, "at first", []string{
			"editor created", "editor edited on Page", "editor asked, The reviewer", "reviewer commented on Page",
		}, formatEvents(first.Events))
		servertest.Equal(t, "nothing before or gone", []any{"", false, false}, []any{first.Earlier, first.Gone, first.More})
		servertest.Equal(t, "thread", comment.ID, first.Events[3].Comment)
		if edited := first.Events[1]; edited.Revision == "" || edited.Pages != 1 || edited.Page == "" {
			t.Errorf("the edit says %+v", edited)
		}

		in.After = first.Cursor
		path := fmt.Sprintf("/v1/spaces/%s/change-requests/%s/timeline?after=%s", ref.Space, ref.ChangeRequest, first.Cursor)
		nothing := w.Send("commenter", http.MethodGet, path, nil)
		same := func() int {
			return w.Send("commenter", http.MethodGet, path, nil, "If-None-Match", nothing.Header.Get("Etag")).Status
		}
		servertest.Equal(t, "nothing new", http.StatusNotModified, same())
		w.CreateRequest("editor", ref.Space, "Another one")
		servertest.Equal(t, "something elsewhere", http.StatusNotModified, same())

		thread := api.ChangeRequestCommentRef{ChangeRequestRef: ref, Comment: comment.ID}
		reply := servertest.Do(w, "editor", api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
			ChangeRequestCommentRef: thread, Body: api.ReplyCreate{Body: servertest.CommentBody("So.")},
		})
		resolve := api.UpdateChangeRequestCommentInput{ChangeRequestCommentRef: thread, Body: api.CommentUpdate{Resolved: api.Some(true)}}
		servertest.Do(w, "reviewer", api.UpdateChangeRequestComment, resolve)
		servertest.Do(w, "reviewer", api.CreateChangeRequestReview, api.CreateReviewInput{
			ChangeRequestRef: ref, Body: api.ReviewCreate{Status: api.ReviewApproved},
		})
		servertest.Do(w, "reviewer", api.SubmitChangeRequestReview,
			api.SubmitReviewInput{ChangeRequestRef: ref, Submission: "mine", Body: api.ReviewSubmit{
				Comment: &api.CommentBody{Markdown: api.Some("And more.")},
			}})
		servertest.Do(w, "reviewer", api.UpdateChangeRequestReading, api.UpdateReadingInput{
			ChangeRequestRef: ref, Body: api.ReadingUpdate{LastLook: api.Some(first.Cursor)},
		})
		w.MustMerge(ref)
		servertest.Equal(t, "something new", http.StatusOK, same())
		next := getTimeline(w, "commenter", in)
		servertest.Equal(t, "then", []string{
			"editor replied on Page", "reviewer resolved on Page", "reviewer approved", "reviewer reviewed", "reviewer merged",
		}, formatEvents(next.Events))
		servertest.Equal(t, "reply", []string{comment.ID, reply.ID}, []string{next.Events[0].Comment, next.Events[0].Reply})
		if next.Events[2].Review == "" || next.Events[2].Revision == "" {
			t.Errorf("the review says %+v", next.Events[2])
		}
		in.After = ""
		servertest.Equal(t, "last look of the reviewer", first.Cursor, getTimeline(w, "reviewer", in).LastLook)
		servertest.Equal(t, "and of others", "", getTimeline(w, "commenter", in).LastLook)
		servertest.Equal(t, "by number", 9,
			len(getTimeline(w, "reviewer", api.GetTimelineInput{
				ChangeRequestRef: api.ChangeRequestRef{
					Space: ref.Space, ChangeRequest: ref.ChangeRequest[strings.LastIndex(ref.ChangeRequest, "_")+1:],
				},
			}).Events))
	})
}

// TestTimelinePagination checks that a long timeline can be read in pages, forwards and backwards, without duplicate or missing
// events.
func TestTimelinePagination(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, comment := newConversation(w)
		addOtherEvents(w, ref, 2_500)
		for i := range 5 {
			addOtherEvents(w, ref, 700)
			servertest.Do(w, "editor", api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
				ChangeRequestCommentRef: api.ChangeRequestCommentRef{
					ChangeRequestRef: ref, Comment: comment.ID,
				}, Body: api.ReplyCreate{Body: servertest.CommentBody(fmt.Sprint(i))},
			})
		}
		addOtherEvents(w, ref, 1_500)
		var forwards, backwards []string
		in := api.GetTimelineInput{ChangeRequestRef: ref, After: "0-0", Limit: api.Some(4)}
		for rounds := 0; ; rounds++ {
			part := getTimeline(w, "reviewer", in)
			for _, e := range part.Events {
				forwards = append(forwards, e.Cursor)
			}
			if in.After = part.Cursor; !part.More || rounds > 20 {
				break
			}
		}
		in = api.GetTimelineInput{ChangeRequestRef: ref, Limit: api.Some(4)}
		for rounds := 0; ; rounds++ {
			part := getTimeline(w, "reviewer", in)
			var page []string
			for _, e := range part.Events {
				page = append(page, e.Cursor)
			}
			backwards = append(page, backwards...)
			if in.Before = part.Earlier; in.Before == "" || rounds > 20 {
				break
			}
		}
		servertest.Equal(t, "events", 9, len(forwards))
		servertest.Equal(t, "both ways", forwards, backwards)

		latest := getTimeline(w, "reviewer", api.GetTimelineInput{ChangeRequestRef: ref})
		addOtherEvents(w, ref, 3_000)
		again := getTimeline(w, "reviewer", api.GetTimelineInput{ChangeRequestRef: ref, After: latest.Cursor})
		if len(again.Events) != 0 || again.More || again.Cursor == latest.Cursor {
			t.Errorf("after 3,000 other events it answers %d, more %t, and goes on at %s after %s", len(again.Events), again.More,
				again.Cursor, latest.Cursor)
		}
	})
}

// addOtherEvents adds n events elsewhere in the organization.
func addOtherEvents(w *servertest.World, ref api.ChangeRequestRef, n int) {
	w.T.Helper()
	pipe := w.Store.Client.Pipeline()
	for range n {
		pipe.XAdd(w.T.Context(), &goredis.XAddArgs{Stream: w.Store.Name(store.EventsKey(w.Org)), Values: map[string]any{
			"type": "spaces.update", "space": ref.Space, "at": fmt.Sprint(w.Clock.Now().UnixMilli()), "actor": w.Users["admin"].ID,
		}})
	}
	if _, err := pipe.Exec(w.T.Context()); err != nil {
		w.T.Fatal(err)
	}
}

// TestTimelineReportsExpiredEvents checks that the timeline reports expired events, and shows events of earlier versions as far
// as possible.
func TestTimelineReportsExpiredEvents(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, _ := newConversation(w)
		stream := w.Store.Name(store.EventsKey(w.Org))
		first := getTimeline(w, "reviewer", api.GetTimelineInput{ChangeRequestRef: ref})
		w.Clock.Advance(time.Minute)
		w.Must(w.Store.Client.XAdd(t.Context(), &goredis.XAddArgs{Stream: stream, Values: map[string]any{
			"type": api.CreateChangeRequestReview.Name, "space": ref.Space, "changeRequest": ref.ChangeRequest,
			"at": fmt.Sprint(w.Clock.Now().UnixMilli()), "actor": w.Users["admin"].ID,
		}}).Err())
		next := getTimeline(w, "reviewer", api.GetTimelineInput{ChangeRequestRef: ref, After: first.Cursor})
		servertest.Equal(t, "of an earlier version", []string{"admin reviewed"}, formatEvents(next.Events))
		servertest.Equal(t, "all is kept", false, next.Gone)
		w.Must(w.Store.Client.XTrimMaxLen(t.Context(), stream, 1).Err())
		for name, in := range map[string]api.GetTimelineInput{
			"after an event": {After: first.Cursor}, "from the start": {After: "0-0"}, "the latest": {},
		} {
			in.ChangeRequestRef = ref
			part := getTimeline(w, "reviewer", in)
			servertest.Equal(t, name, []any{true, 1, ""}, []any{part.Gone, len(part.Events), part.Earlier})
		}
		for _, wrong := range []string{"?after=yesterday", "?before=1", "?after=1-1&before=2-2", "?limit=0"} {
			w.Call("reviewer", http.MethodGet, fmt.Sprintf("/v1/spaces/%s/change-requests/%s/timeline%s", ref.Space, ref.ChangeRequest,
				wrong), nil, http.StatusBadRequest)
		}
		w.Call("reader", http.MethodGet, fmt.Sprintf("/v1/spaces/%s/change-requests/%s/timeline", ref.Space, ref.ChangeRequest), nil,
			http.StatusForbidden)
	})
}

// TestTimelineReportsLostStream checks that if the stream of events is lost, the timeline reports that the events after any
// cursor have expired.
func TestTimelineReportsLostStream(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		ref, _ := newConversation(w)
		first := getTimeline(w, "reviewer", api.GetTimelineInput{ChangeRequestRef: ref})
		w.Must(w.Store.Client.Del(t.Context(), w.Store.Name(store.EventsKey(w.Org))).Err())
		for name, in := range map[string]api.GetTimelineInput{
			"after": {After: first.Cursor}, "from the start": {After: "0-0"}, "the latest": {},
		} {
			in.ChangeRequestRef = ref
			part := getTimeline(w, "reviewer", in)
			servertest.Equal(t, name, []any{true, 0}, []any{part.Gone, len(part.Events)})
		}
	})
}

// TestEveryOperationHasKind checks that every operation that changes a change request has a kind of event.
func TestEveryOperationHasKind(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		ref, _ := newConversation(w)
		quiet := []string{api.UpdateChangeRequestReading.Name}
		var rows []api.Row
		for _, row := range api.Rows() {
			if row.Writes() && strings.Contains(row.Path, "{changeRequestId}") && !slices.Contains(quiet, row.Name) {
				rows = append(rows, row)
				w.Must(w.Store.Client.XAdd(t.Context(),
					&goredis.XAddArgs{Stream: w.Store.Name(store.EventsKey(w.Org)), Values: map[string]any{
						"type": row.Name, "space": ref.Space, "changeRequest": ref.ChangeRequest,
						"at": fmt.Sprint(w.Clock.Now().UnixMilli()),
					}}).Err())
			}
		}
		found := getTimeline(w, "reviewer", api.GetTimelineInput{ChangeRequestRef: ref, Limit: api.Some(len(rows))})
		for i, e := range found.Events {
			if e.Kind == api.TimelineOther {
				t.Errorf("%s has no kind", rows[i].Name)
			}
		}
	})
}

// TestTimelineWithoutReadableRevision checks that the timeline lists an edit whose revision was given up in a repair, without
// the source of the edit.
func TestTimelineWithoutReadableRevision(t *testing.T) {
	t.Parallel()
	w, removeObject := servertest.NewBreakableWorld(t)
	space, page := w.NewSpaceWithPage("One sentence.\n")
	ref := w.NewRequest("editor", space)
	edit := func(text string) string {
		servertest.Do(w, "editor", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: ref, Body: api.ContentEdit{
			Changes: []api.ContentChange{servertest.Write(page, text)}, Source: &api.RevisionSource{Name: "docs"},
		}})
		return w.ReadRequest(ref).Revision
	}
	lost := revision.ObjectHash(edit("Lost.\n"))
	edit("Kept.\n")
	removeObject(space, lost)
	w.Must(w.Store.ReplaceLost(t.Context(), space, map[string]objects.Placeholder{lost: {}}))
	w.Serve()
	var sources []*api.RevisionSource
	for _, e := range getTimeline(w, "commenter", api.GetTimelineInput{ChangeRequestRef: ref}).Events {
		if e.Kind == api.TimelineEdited {
			sources = append(sources, e.Source)
		}
	}
	servertest.Equal(t, "sources", []*api.RevisionSource{nil, {Name: "docs"}}, sources)
}
