package tuitest

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Server is a server with the organization o_1, its space s_1 and the change request cr_2. It keeps its state in
// memory, and Fail makes operations fail.
type Server struct {
	Reviewed                 bool     // by the user
	Approved                 bool     // Lin's approval, which an edit outdates
	UnchangedSinceReview     bool     // nothing changed since the review
	ChangedSinceRead         string   // page that changed since it was read
	Calls                    []string // operations called
	mu                       sync.Mutex
	Fail                     map[string]error // by operation, or "*"
	ReadOnly                 bool             // writes are rejected
	FailOnce                 map[string]error // by operation, for one call
	CommentList              []api.Comment
	ReplyLists               map[string][]api.CommentReply
	Writes                   []string // "<operation> <key> <text>"
	keys                     map[string]bool
	MergeResults             []api.MergeResult // results of the next merges and updates
	Status                   api.ChangeRequestStatus
	Trees                    map[string][]api.RevisionPage
	Texts                    map[string]map[string]string // by target and page
	Empty                    bool
	OneOrganization          bool
	Unchanged                bool                    // the change request is empty
	Renamed                  bool                    // the change request also renames a page
	Gates                    []api.MergeGate         // merge gates, if set by a test
	ReviewList               []api.Review            // reviews, if set by a test
	RequestedReviewers       []api.RequestedReviewer // requested reviewers
	AsksForChanges           bool                    // an advisory request for changes exists
	Blocked                  bool                    // a rule blocks the merge
	BlockedByConflicts       bool
	ManyRequests, firstAsked bool           // the list of change requests has a second part
	Author                   api.User       // of the change request
	Description              string         // of the change request
	version                  int            // of its content
	edits                    int            // number of edits by other users
	EditConflicts            bool           // the next edit conflicts with another one
	Searched                 []string       // "<space>/<words>"
	outdatedVerdicts         []api.Review   // posted for another revision than the head
	ConflictList             []api.Conflict // present conflicts of the change request
	LoseResponses            bool           // responses to submissions are lost
	Head                     string         // head revision of the change request
	MorePages                int            // further pages that the change request creates
	OldSince                 string         // text of each page in earlier revisions, if set by a test
	HeadShown                bool           // the subject and changes name the head
	OnCall                   func()         // called before each operation
	callMu                   sync.Mutex
	Delay                    time.Duration  // of each operation, in the fake time of a synctest bubble
	Confirmations            []Confirmation // accepted writes that depend on the head
	Variable                 bool           // the change request changes a variable
	ReadItems                map[string]bool
	MarkWrites               []string   // "<revision> <read> -<unread>"
	SelfLinks                bool       // each page links only to itself
	PermittedUsers           []api.User // reviewers of the space, if set by a test
	Blamed                   []string   // blocks whose authors were requested
	Queue                    queueState
}

// client is the remote.Client of a Server.
type client struct{ *Server }

// Events has no stream, so that screens poll.
func (client) Events(context.Context, string) iter.Seq2[api.EventMessage, error] {
	return func(yield func(api.EventMessage, error) bool) {
		yield(api.EventMessage{}, api.Errorf(http.StatusServiceUnavailable, api.ReasonBusy, "no stream"))
	}
}

// ErrUnreachable is the error of a server that does not answer.
var ErrUnreachable = errors.New("connection refused")

// Clock is the time at which a screen starts.
var Clock = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// The text of the page p_quick in the space, OldMarkdown, and in the change request.
const (
	OldMarkdown = "# Quick start\n\nPlug the gateway in and wait until the light is blue.\n\n" +
		"1. Open the box.\n2. Turn it on.\n\n```sh\ncurl http://skylark.local/v1/current\ncurl -I http://skylark.local\n```\n\n" +
		"| Light | Meaning |\n| --- | --- |\n| green | ready |\n| blue | paired |\n\n> Do not open it.\n\n" +
		"Old words that nobody needs any more at all.\n"
	newMarkdown = "# Quick start\n\nPlug the gateway in and wait\nuntil the light is green.\n\n" +
		"1. Open the box.\n2. Turn it on.\n\n```sh\ncurl http://skylark.local/v2/current\ncurl -I http://skylark.local\n```\n\n" +
		"| Light | Meaning |\n| --- | --- |\n| green | ready |\n| blue | paired |\n\n> Do not open it.\n\n" +
		"A paragraph about *batteries* with a [link](power.md).\n"
)

// Client returns a client of the server.
func (f *Server) Client() remote.Client { return client{f} }

// NewUser returns a user.
func NewUser(id, name string) api.User {
	return api.User{UserFields: api.UserFields{ID: id, DisplayName: name}}
}

// NewDocument returns a page with a text, and the pages below it.
func NewDocument(id, title, document string, below ...api.RevisionPage) api.RevisionPage {
	return api.RevisionPage{
		ID: id, Title: title, Type: api.PageDocument, Slug: id, Path: id, DocumentID: document,
		UpdatedAt: api.At(Clock.Add(-5 * 24 * time.Hour)), Pages: below,
	}
}

// NewServer returns a server with a change request that has comments and reviews.
func NewServer() *Server {
	f := &Server{
		Description: "Check the **figures**, please, not the style.\n\nThe field test is in OPS-311.", ReadItems: map[string]bool{},
		Head: "r_7", Fail: map[string]error{}, FailOnce: map[string]error{}, ReplyLists: map[string][]api.CommentReply{},
		keys: map[string]bool{}, Status: api.StatusOpen, ConflictList: ConflictResult().Conflicts, Author: NewUser("u_2",
			"Grace"), Queue: newQueue(),
	}
	f.Trees = map[string][]api.RevisionPage{
		"": {
			NewDocument("p_welcome", "Welcome", "d1", NewDocument("p_quick", "Quick start", "d2"),
				NewDocument("p_gone", "Old page", "d3")), {
				ID: "p_group", Title: "Reference", Type: api.PageGroup,
			},
		},
		"cr_2": {
			NewDocument("p_welcome", "Welcome", "d1", NewDocument("p_quick", "Quick start", "d4")), NewDocument("p_new",
				"Power and battery, with a title that is longer than most", "d5"), {
				ID: "p_group", Title: "Reference", Type: api.PageGroup,
			},
		},
	}
	f.Texts = map[string]map[string]string{
		"":      {"p_welcome": "# Welcome\n", "p_quick": OldMarkdown, "p_gone": "Gone.\n"},
		"cr_27": {"p_quick": strings.Replace(OldMarkdown, "Do not open", "Never open", 1)},
		"cr_2": {
			"p_welcome": "# Welcome\n", "p_quick": newMarkdown,
			"p_new": "# Power\n\n电池电量很重要。 Long lines of text wrap at the width of the window.\n",
		},
	}
	node := &api.CommentNode{ID: "b_0", Preview: "# Quick start"}
	on := func(page string, node *api.CommentNode) api.CommentTarget {
		return api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: page, Title: "Quick start"}, Node: node}
	}
	f.CommentList = []api.Comment{
		f.NewComment("c_1", "Is **green** right? \x1b[31mred\x1b[0m", on("p_quick", node)),
		f.NewComment("c_2", "On a block that is gone.", on("p_quick", &api.CommentNode{ID: "b_gone", Preview: "Old words"})),
		f.NewComment("c_3", "On the whole.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2"}),
	}
	phrase := on("p_quick", &api.CommentNode{ID: "b_1", Preview: "Plug the gateway in"})
	phrase.Anchor = &api.CommentAnchor{State: api.AnchorExact, Page: "p_quick", Node: "b_1", Quote: "until the light is green"}
	f.CommentList = append(f.CommentList, f.NewComment("c_4", "How long is that?", phrase))
	f.CommentList[0].Replies = 1
	f.CommentList[1].Status = api.CommentResolved
	f.ReplyLists["c_1"] = []api.CommentReply{
		{
			ReplyFields: api.ReplyFields{
				ID: "r_1", PostedAt: api.At(Clock.Add(-time.Minute)), Body: api.CommentText{Markdown: "Yes."},
			}, PostedBy: NewUser("u_1", "Ada"),
		},
	}
	return f
}

// recordCall records a call and returns its scripted error.
func (f *Server) recordCall(ctx context.Context, operation string) error {
	f.runOnCall()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls = append(f.Calls, operation)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.Fail["*"]; err != nil {
		return err
	}
	if err := f.FailOnce[operation]; err != nil {
		delete(f.FailOnce, operation)
		return err
	}
	return f.Fail[operation]
}

// write records a call and its write, once per key; again reports whether the write was recorded before. It returns the
// scripted error of the call, or an error if the server is read-only.
func (f *Server) write(ctx context.Context, operation, key, text string) (again bool, err error) {
	if err := f.recordCall(ctx, operation); err != nil {
		return false, err
	}
	if f.ReadOnly {
		return false, api.Errorf(403, api.ReasonForbidden, "This profile is read-only.")
	}
	return f.record(key, operation+" "+text), nil
}

// record records a write once per key, and reports whether it was recorded before.
func (f *Server) record(key, text string) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[key] {
		return true
	}
	f.keys[key] = true
	f.Writes = append(f.Writes, text)
	return false
}

// head returns the head of the change request.
func (f *Server) head() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Head
}

// runOnCall waits for the delay, and calls OnCall, one call at a time.
func (f *Server) runOnCall() {
	if f.Delay > 0 {
		time.Sleep(f.Delay)
	}
	f.callMu.Lock()
	defer f.callMu.Unlock()
	if f.OnCall != nil {
		f.OnCall()
	}
}

// Confirmation is a verdict, merge or update that the server accepted.
type Confirmation struct{ Operation, Revision, Head string }

// confirm records a Confirmation for a revision.
func (f *Server) confirm(operation, revision string) {
	f.Confirmations = append(f.Confirmations, Confirmation{operation, revision, f.head()})
}
