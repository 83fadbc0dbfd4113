package operations

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

const mineHelp = "--mine leaves out what you did yourself and what does not concern you. The member reason says why an event does: " +
	"review_asked, somebody asks for your review; verdict, a review of your change request; reply, a comment on your change request or " +
	"a reply to your comment, on your change request or in a thread with a reply of yours; conflict, a change of a space with which your " +
	"open change request, named in changeRequests, now conflicts. The reason is also in WSCTL_EVENT_REASON."

// concernReason says why an event concerns the caller.
type concernReason string

// Values of concernReason.
const (
	concernReviewAsked concernReason = "review_asked" // a review was requested from the caller
	concernVerdict     concernReason = "verdict"      // a change request of the caller was reviewed
	concernReply       concernReason = "reply"        // somebody answered the caller, or commented on their change request
	concernConflict    concernReason = "conflict"     // an open change request of the caller has conflicts since the event
)

// concern is the reason why an event concerns the caller. The zero concern is that of events that do not.
type concern struct {
	reason         concernReason
	changeRequests []string // with concernConflict: ids of the change requests that have conflicts
}

// concernMessage is a message of the stream with the reason why its event concerns the caller.
type concernMessage struct {
	api.EventMessage
	Reason         concernReason `json:"reason"`
	ChangeRequests []string      `json:"changeRequests,omitempty"`
}

// concernEvent is an event with the same members.
type concernEvent struct {
	api.Event
	Reason         concernReason `json:"reason"`
	ChangeRequests []string      `json:"changeRequests,omitempty"`
}

const (
	// maxJudgedThreads is the maximum number of threads that are read for an event.
	maxJudgedThreads = 20
	// maxJudgedRequests is the maximum number of change requests of the caller whose conflicts are read for an event.
	maxJudgedRequests = 20
	// submissionTime is the maximum time between an event of a submission and the replies posted by it.
	submissionTime = 5 * time.Second
)

// judge finds the events that concern the caller by reading their objects as they are now, a bounded number for each event. An event
// whose objects the caller can no longer read does not concern them.
type judge struct {
	app       *app.App
	client    *client.Client
	org, user string
	conflicts map[string]string // head of each change request whose conflicts were reported, by its id
}

func newJudge(ctx context.Context, a *app.App, c *client.Client, org string) (*judge, error) {
	user, err := c.User.Get(ctx, api.NoInput{})
	return &judge{app: a, client: c, org: org, user: user.ID, conflicts: map[string]string{}}, err
}

// item returns the output for an event, or nil if the event does not concern the caller.
func (j *judge) item(ctx context.Context, m api.EventMessage) (*tailItem, error) {
	found, err := j.concern(ctx, *m.Event)
	if refused, ok := api.AsError(err); ok && refused.Code != http.StatusUnauthorized {
		j.app.Warnf("event %s was left out, because it is not known whether it concerns you: %v", m.Event.ID, err)
		return nil, nil
	}
	if err != nil || found.reason == "" {
		return nil, err
	}
	line, err := json.Marshal(concernMessage{m, found.reason, found.changeRequests})
	if err != nil {
		return nil, err
	}
	event, err := json.Marshal(concernEvent{*m.Event, found.reason, found.changeRequests})
	return &tailItem{line: line, event: event, reason: found.reason}, err
}

// concern returns why an event concerns the caller.
func (j *judge) concern(ctx context.Context, e api.Event) (found concern, err error) {
	if e.Space == "" || j.is(e.By) {
		return found, nil
	}
	concerns := false
	switch e.Kind {
	case api.RequestChangeRequestReview.Name:
		found.reason = concernReviewAsked
		concerns, err = j.isAsked(ctx, e)
	case api.CreateChangeRequestReview.Name:
		found.reason = concernVerdict
		concerns, err = j.ownsRequest(ctx, e)
	case api.SubmitChangeRequestReview.Name:
		return j.submission(ctx, e)
	case api.CreateChangeRequestComment.Name:
		found.reason = concernReply
		concerns, err = j.ownsRequest(ctx, e)
	case api.CreateReply.Name, api.CreateChangeRequestReply.Name:
		found.reason = concernReply
		concerns, err = j.isAnswered(ctx, e)
	default:
		return j.conflict(ctx, e)
	}
	if !concerns {
		return concern{}, err
	}
	return found, err
}

// is reports whether a user is the caller.
func (j *judge) is(user *api.User) bool { return user != nil && user.ID == j.user }

// lookUp reads an object. It returns false if the caller cannot read it, or if its state does not allow the read.
func lookUp[In, T any](ctx context.Context, read func(context.Context, In, ...client.CallOption) (T, error), in In) (
	value T, ok bool, err error,
) {
	value, err = persist(ctx, func(ctx context.Context) (T, error) { return read(ctx, in) })
	if refused, isRefused := api.AsError(err); isRefused {
		switch refused.Code {
		case http.StatusForbidden, http.StatusNotFound, http.StatusConflict:
			return value, false, nil
		}
	}
	return value, err == nil, err
}

// isAsked reports whether a request for reviews asks the caller. An event names all people unless they are many; then those of its
// change request are read.
func (j *judge) isAsked(ctx context.Context, e api.Event) (bool, error) {
	if slices.ContainsFunc(e.Users, func(u api.User) bool { return u.ID == j.user }) {
		return true, nil
	}
	const fewest = 5 // that an event names if it does not name all
	if len(e.Users) > 0 && len(e.Users) < fewest {
		return false, nil
	}
	in := api.ListReviewersInput{ChangeRequestRef: requestOf(e), ListOptions: api.ListOptions{Limit: api.Some(api.MaxLimit)}}
	asked, _, err := lookUp(ctx, j.client.ChangeRequests.ListReviewers, in)
	return slices.ContainsFunc(asked.Items, func(r api.RequestedReviewer) bool {
		return r.User.ID == j.user && isNear(r.CreatedAt, e.At)
	}), err
}

// isNear reports whether two times are those of one change.
func isNear(a, b api.Time) bool { return a.Sub(b.Time).Abs() <= submissionTime }

// requestOf returns the change request that an event is in, or that it is about.
func requestOf(e api.Event) api.ChangeRequestRef {
	ref := api.ChangeRequestRef{Space: e.Space, ChangeRequest: e.ChangeRequest}
	if ref.ChangeRequest == "" && e.Target != nil {
		ref.ChangeRequest = e.Target.ID
	}
	return ref
}

// ownsRequest reports whether the caller has created the change request that an event is in.
func (j *judge) ownsRequest(ctx context.Context, e api.Event) (bool, error) {
	r, ok, err := lookUp(ctx, j.client.ChangeRequests.Get, requestOf(e))
	return ok && j.is(&r.CreatedBy), err
}

// submission returns why a draft review that was posted concerns the caller: it has a verdict or comments on a change request of the
// caller, or a reply in a thread of theirs.
func (j *judge) submission(ctx context.Context, e api.Event) (concern, error) {
	owns, err := j.ownsRequest(ctx, e)
	if err != nil || e.Target == nil {
		return concern{}, err
	}
	if !owns {
		return j.submittedReply(ctx, e)
	}
	in := api.ReviewInput{ReviewRef: api.ReviewRef{ChangeRequestRef: requestOf(e), Review: e.Target.ID}}
	_, hasVerdict, err := lookUp(ctx, j.client.ChangeRequestReviews.Get, in)
	if hasVerdict {
		return concern{reason: concernVerdict}, err
	}
	return concern{reason: concernReply}, err
}

// submittedReply returns the concern of a draft review that has a reply in a thread of the caller. The event does not name the threads:
// the first maxJudgedThreads with replies, of the latest 100 threads of the change request, are read.
func (j *judge) submittedReply(ctx context.Context, e api.Event) (none concern, err error) {
	in := api.ListChangeRequestCommentsInput{ChangeRequestRef: requestOf(e)}
	in.Limit = api.Some(100)
	threads, _, err := lookUp(ctx, j.client.ChangeRequestComments.List, in)
	if err != nil {
		return none, err
	}
	read := 0
	for _, thread := range threads.Items {
		if thread.Replies == 0 || read == maxJudgedThreads {
			continue
		}
		read++
		replies, err := j.replies(ctx, e, thread.ID)
		if err != nil {
			return none, err
		}
		posted := func(r api.CommentReply) bool {
			return e.By != nil && r.PostedBy.ID == e.By.ID && isNear(r.PostedAt, e.At)
		}
		if slices.ContainsFunc(replies, posted) && (j.is(&thread.PostedBy) || j.hasReplied(replies)) {
			return concern{reason: concernReply}, nil
		}
	}
	return none, nil
}

func (j *judge) hasReplied(replies []api.CommentReply) bool {
	return slices.ContainsFunc(replies, func(r api.CommentReply) bool { return j.is(&r.PostedBy) })
}

// isAnswered reports whether a reply is in a thread that the caller has begun or replied in, or on their change request.
func (j *judge) isAnswered(ctx context.Context, e api.Event) (bool, error) {
	thread, ok, err := j.thread(ctx, e)
	if !ok || j.is(&thread.PostedBy) {
		return ok, err
	}
	if e.ChangeRequest != "" {
		if owns, err := j.ownsRequest(ctx, e); owns || err != nil {
			return owns, err
		}
	}
	replies, err := j.replies(ctx, e, e.Comment)
	return j.hasReplied(replies), err
}

// thread reads the comment that an event is in.
func (j *judge) thread(ctx context.Context, e api.Event) (api.Comment, bool, error) {
	if e.ChangeRequest == "" {
		return lookUp(ctx, j.client.Comments.Get, api.CommentInput{CommentRef: api.CommentRef{Space: e.Space, Comment: e.Comment}})
	}
	ref := api.ChangeRequestCommentRef{ChangeRequestRef: requestOf(e), Comment: e.Comment}
	return lookUp(ctx, j.client.ChangeRequestComments.Get, api.ChangeRequestCommentInput{ChangeRequestCommentRef: ref})
}

// replies reads the first api.MaxLimit replies of a thread.
func (j *judge) replies(ctx context.Context, e api.Event, thread string) ([]api.CommentReply, error) {
	most := api.ListOptions{Limit: api.Some(api.MaxLimit)}
	if e.ChangeRequest == "" {
		page, _, err := lookUp(ctx, j.client.Replies.List, api.ListRepliesInput{
			CommentRef: api.CommentRef{Space: e.Space, Comment: thread}, ListOptions: most,
		})
		return page.Items, err
	}
	page, _, err := lookUp(ctx, j.client.ChangeRequestReplies.List, api.ListChangeRequestRepliesInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: requestOf(e), Comment: thread}, ListOptions: most,
	})
	return page.Items, err
}
