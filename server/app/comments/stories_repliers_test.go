package comments_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// thread is a comment with its replies.
type thread struct {
	*servertest.World

	path string
}

// newThread comments on a space or change request.
func newThread(w *servertest.World, target string) thread {
	w.T.Helper()
	body := api.CommentCreate{Body: servertest.CommentBody("Why?")}
	created := w.Call("commenter", http.MethodPost, target+"/comments", body, http.StatusOK)
	comment := decoded[api.Comment](w.T, created)
	if comment.Repliers == nil || len(comment.Repliers) > 0 {
		w.T.Errorf("a new comment: %s", created.Body)
	}
	return thread{w, target + "/comments/" + comment.ID}
}

// comment returns the id of the comment.
func (t thread) comment() string { return t.path[strings.LastIndex(t.path, "/")+1:] }

// decoded returns the body of a response.
func decoded[T any](t *testing.T, a servertest.Response) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// reply writes a reply, a second after the last one, and returns its path.
func (t thread) reply(as, text string) string {
	t.T.Helper()
	t.Clock.Advance(time.Second)
	created := t.Call(as, http.MethodPost, t.path+"/replies", api.ReplyCreate{Body: servertest.CommentBody(text)}, http.StatusOK)
	return t.path + "/replies/" + decoded[api.CommentReply](t.T, created).ID
}

// repliers returns the repliers as NAME:COUNT, the latest first, or "absent".
func (t thread) repliers() string {
	t.T.Helper()
	comment := decoded[api.Comment](t.T, t.Call("commenter", http.MethodGet, t.path, nil, http.StatusOK))
	if comment.Repliers == nil {
		return "absent"
	}
	var texts []string
	for _, r := range comment.Repliers {
		texts = append(texts, fmt.Sprintf("%s:%d", strings.TrimPrefix(r.User.DisplayName, "The "), r.Count))
	}
	return strings.Join(texts, " ")
}

// forget removes the stored repliers, as a build does that does not know them.
func (t thread) forget() {
	t.T.Helper()
	t.Must(t.Store.Update(context.Background(), store.Organization(t.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.Comment(t.Org, t.comment())
		if err != nil {
			return err
		}
		return tx.PutRepliers(t.Org, d, nil)
	}))
}

// TestCommentHasRepliers checks that a comment of a space or change request has the users with replies, through additions, edits and
// deletions of replies and edits of the comment.
func TestCommentHasRepliers(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		request := w.NewRequest("editor", space)
		for _, target := range []string{"/v1/spaces/" + space, "/v1/spaces/" + space + "/change-requests/" + request.ChangeRequest} {
			at := newThread(w, target)
			servertest.Equal(t, "without replies", "", at.repliers())
			first := at.reply("editor", "So.")
			at.reply("admin", "No.")
			servertest.Equal(t, "two repliers", "admin:1 editor:1", at.repliers())
			at.reply("editor", "Yes.")
			last := at.reply("editor", "Yes!")
			servertest.Equal(t, "several replies of one", "editor:3 admin:1", at.repliers())

			w.Clock.Advance(time.Second)
			w.Call("editor", http.MethodPut, first, api.ReplyUpdate{Body: new(servertest.CommentBody("So it is."))}, http.StatusOK)
			w.Call("commenter", http.MethodPut, at.path, api.CommentUpdate{Body: new(servertest.CommentBody("Why so?"))}, http.StatusOK)
			w.Call("admin", http.MethodPut, at.path, api.CommentUpdate{Resolved: api.Some(true)}, http.StatusOK)
			servertest.Equal(t, "after edits", "editor:3 admin:1", at.repliers())
			w.Call("editor", http.MethodDelete, last, nil, http.StatusResetContent)
			w.Call("editor", http.MethodDelete, first, nil, http.StatusResetContent)
			servertest.Equal(t, "after deletions", "editor:1 admin:1", at.repliers())

			at.forget()
			servertest.Equal(t, "of an earlier build", "absent", at.repliers())
			again := at.reply("admin", "Well.")
			servertest.Equal(t, "computed with the next reply", "admin:2 editor:1", at.repliers())
			at.forget()
			w.Call("admin", http.MethodDelete, again, nil, http.StatusResetContent)
			servertest.Equal(t, "computed with the next deletion", "editor:1 admin:1", at.repliers())
		}
	})
}

// TestSubmissionAddsRepliers checks the repliers of a comment that gets several replies at once, also if they were not stored before.
func TestSubmissionAddsRepliers(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		request := w.NewRequest("editor", space)
		target := "/v1/spaces/" + space + "/change-requests/" + request.ChangeRequest
		at := newThread(w, target)
		at.reply("editor", "One.")
		for i, want := range []string{"reviewer:2 editor:1", "reviewer:4 editor:1"} {
			w.Clock.Advance(time.Second)
			drafts := []api.ReviewDraft{
				{ReplyTo: at.comment(), CommentCreate: api.CommentCreate{Body: servertest.CommentBody("Two.")}},
				{ReplyTo: at.comment(), CommentCreate: api.CommentCreate{Body: servertest.CommentBody("Three.")}},
			}
			servertest.Do(w, "reviewer", api.SubmitChangeRequestReview, api.SubmitReviewInput{
				ChangeRequestRef: request, Submission: fmt.Sprintf("s_%d", i), Body: api.ReviewSubmit{Drafts: drafts},
			})
			servertest.Equal(t, "after a submission", want, at.repliers())
			at.forget()
		}
	})
}

// TestLatestRepliersAreAnswered checks that at most 20 repliers are answered, those with the latest replies.
func TestLatestRepliersAreAnswered(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	at := newThread(w, "/v1/spaces/"+w.NewSpace().ID)
	w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		for i := range 25 {
			comment, err := tx.Comment(w.Org, at.comment())
			if err != nil {
				return err
			}
			reply, err := tx.Reply(w.Org, fmt.Sprintf("rp_%d", i))
			if err != nil {
				return err
			}
			reply.Fields = api.ReplyFields{
				Object: "comment-reply", ID: fmt.Sprintf("rp_%d", i), PostedAt: api.At(w.Clock.Now().Add(time.Duration(i) * time.Second)),
			}
			reply.Private = store.ReplyPrivate{Author: fmt.Sprintf("u_%d", i), Comment: at.comment()}
			if _, err := tx.PutNewReply(w.Org, comment, reply); err != nil {
				return err
			}
		}
		return nil
	}))
	comment := decoded[api.Comment](t, w.Call("commenter", http.MethodGet, at.path, nil, http.StatusOK))
	if n := len(comment.Repliers); n != 20 || comment.Replies != 25 {
		t.Fatalf("%d repliers of %d replies", n, comment.Replies)
	}
	servertest.Equal(t, "the first", "u_24", comment.Repliers[0].User.ID)
	servertest.Equal(t, "the last", "u_5", comment.Repliers[19].User.ID)
}

// TestConcurrentRepliesAreCounted checks that replies of several users at the same time are all counted.
func TestConcurrentRepliesAreCounted(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		at := newThread(w, "/v1/spaces/"+space)
		people := []string{"admin", "editor", "reviewer", "commenter"}
		servertest.Concurrently(len(people), func(i int) {
			w.Send(people[i], http.MethodPost, at.path+"/replies", api.ReplyCreate{Body: servertest.CommentBody("I.")})
		})
		if names := strings.Fields(at.repliers()); len(names) != len(people) {
			t.Errorf("repliers: %v", names)
		}
	})
}
