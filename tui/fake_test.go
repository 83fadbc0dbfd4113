package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/tui/remote"
)

// Server is a server with one organization. It keeps its state in memory, and Fail makes operations fail.
type Server struct {
	Reviewed                 bool     // by the user
	Approved                 bool     // Lin's approval, which an edit outdates
	UnchangedSinceReview     bool     // nothing changed since the review
	ChangedSinceRead         string   // page that changed since it was read
	Calls                    []string // operations called
	mu                       sync.Mutex
	Fail                     map[string]error // by operation, or "*"
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
	EditConflicts            bool           // the next edit conflicts with another one
	Searched                 []string       // "<space>/<words>"
	conflicts                []api.Conflict // conflicts of the next merge
	LoseResponses            bool           // responses to submissions are lost
	Head                     string         // head revision of the change request
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

// Client returns a client of the server.
func (f *Server) Client() remote.Client { return client{f} }

var (
	ErrUnreachable = errors.New("connection refused")
	Clock          = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
)

func NewUser(id, name string) api.User {
	return api.User{UserFields: api.UserFields{ID: id, DisplayName: name}}
}

const (
	OldMarkdown = "# Quick start\n\nPlug the gateway in and wait until the light is blue.\n\n" +
		"1. Open the box.\n2. Turn it on.\n\n```sh\ncurl http://skylark.local/v1/current\ncurl -I http://skylark.local\n```\n\n" +
		"| Light | Meaning |\n| --- | --- |\n| green | ready |\n| blue | paired |\n\n> Do not open it.\n\nOld words that nobody needs any more at all.\n"
	newMarkdown = "# Quick start\n\nPlug the gateway in and wait\nuntil the light is green.\n\n" +
		"1. Open the box.\n2. Turn it on.\n\n```sh\ncurl http://skylark.local/v2/current\ncurl -I http://skylark.local\n```\n\n" +
		"| Light | Meaning |\n| --- | --- |\n| green | ready |\n| blue | paired |\n\n> Do not open it.\n\nA paragraph about *batteries* with a [link](power.md).\n"
)

func NewDocument(id, title, document string, below ...api.RevisionPage) api.RevisionPage {
	return api.RevisionPage{ID: id, Title: title, Type: api.PageDocument, Slug: id, Path: id, DocumentID: document, UpdatedAt: api.At(Clock.Add(-5 * 24 * time.Hour)), Pages: below}
}

func NewServer() *Server {
	f := &Server{Description: "Check the **figures**, please, not the style.\n\nThe field test is in OPS-311.", ReadItems: map[string]bool{}, Head: "r_7", Fail: map[string]error{}, FailOnce: map[string]error{}, ReplyLists: map[string][]api.CommentReply{}, keys: map[string]bool{}, Status: api.StatusOpen, conflicts: ConflictResult().Conflicts, Author: NewUser("u_2", "Grace"), Queue: newQueue()}
	f.Trees = map[string][]api.RevisionPage{
		"":     {NewDocument("p_welcome", "Welcome", "d1", NewDocument("p_quick", "Quick start", "d2"), NewDocument("p_gone", "Old page", "d3")), {ID: "p_group", Title: "Reference", Type: api.PageGroup}},
		"cr_2": {NewDocument("p_welcome", "Welcome", "d1", NewDocument("p_quick", "Quick start", "d4")), NewDocument("p_new", "Power and battery, with a title that is longer than most", "d5"), {ID: "p_group", Title: "Reference", Type: api.PageGroup}},
	}
	f.Texts = map[string]map[string]string{
		"":      {"p_welcome": "# Welcome\n", "p_quick": OldMarkdown, "p_gone": "Gone.\n"},
		"cr_27": {"p_quick": strings.Replace(OldMarkdown, "Do not open", "Never open", 1)},
		"cr_2":  {"p_welcome": "# Welcome\n", "p_quick": newMarkdown, "p_new": "# Power\n\n电池电量很重要。 Long lines of text wrap at the width of the window.\n"},
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
	f.ReplyLists["c_1"] = []api.CommentReply{{ReplyFields: api.ReplyFields{ID: "r_1", PostedAt: api.At(Clock.Add(-time.Minute)), Body: api.CommentText{Markdown: "Yes."}}, PostedBy: NewUser("u_1", "Ada")}}
	return f
}

func (f *Server) NewComment(id, body string, target api.CommentTarget) api.Comment {
	return api.Comment{
		CommentFields: api.CommentFields{ID: id, PostedAt: api.At(Clock.Add(-3 * time.Hour)), Body: api.CommentText{Markdown: body}, Status: api.CommentOpen},
		PostedBy:      NewUser("u_2", "Grace"), Target: target,
		Reactions: []api.Reaction{{Emoji: "👍", Count: 1, Users: []api.ReactionUser{{User: NewUser("u_1", "Ada")}}}},
	}
}

// recordCall records a call and returns its scripted error.
func (f *Server) recordCall(ctx context.Context, operation string) error {
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

// write records a write once per key.
func (f *Server) write(ctx context.Context, operation, key, text string) (again bool, err error) {
	if err := f.recordCall(ctx, operation); err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[key] {
		return true, nil
	}
	f.keys[key] = true
	f.Writes = append(f.Writes, operation+" "+text)
	return false, nil
}

func (f client) User(ctx context.Context) (api.User, error) {
	return NewUser("u_1", "Ada"), f.recordCall(ctx, "user")
}

func (f client) Organizations(ctx context.Context) ([]api.Organization, error) {
	two := []api.Organization{
		{OrganizationFields: api.OrganizationFields{ID: "o_1", Title: "Tidemark Instruments"}},
		{OrganizationFields: api.OrganizationFields{ID: "o_2", Title: "Other\x1b]0;title\x07 people"}},
	}
	if f.Empty {
		two = nil
	}
	return two, f.recordCall(ctx, "organizations")
}

func (f client) Collections(ctx context.Context, _ string) ([]api.Collection, error) {
	all := []api.Collection{
		{CollectionFields: api.CollectionFields{ID: "l_1", Title: "Customers"}},
		{CollectionFields: api.CollectionFields{ID: "l_2", Title: "Inside", Parent: "l_1"}},
	}
	if f.Empty {
		all = nil
	}
	return all, f.recordCall(ctx, "collections")
}

func (f client) Spaces(ctx context.Context, _ string) ([]api.Space, error) {
	all := []api.Space{
		{SpaceFields: api.SpaceFields{ID: "s_1", Title: "Skylark Handbook", Emoji: "🌦️", Parent: "l_1"}, ChangeRequestsOpen: 1, Comments: 2},
		{SpaceFields: api.SpaceFields{ID: "s_2", Title: "操作手册", Emoji: "🛠️", Parent: "l_2"}},
		{SpaceFields: api.SpaceFields{ID: "s_3", Title: "Team Guide", Emoji: "📘"}, ChangeRequestsDraft: 3},
	}
	if f.Empty {
		all = nil
	}
	return all, f.recordCall(ctx, "spaces")
}

func (f client) Space(ctx context.Context, id string) (api.Space, error) {
	return api.Space{SpaceFields: api.SpaceFields{ID: id, Title: "Skylark Handbook", Organization: "o_1"}}, f.recordCall(ctx, "space")
}

func (f client) Content(at remote.Target) remote.Content { return targetContent{f.Server, at} }

// targetContent is the content of one target.
type targetContent struct {
	*Server
	at remote.Target
}

func (f targetContent) Pages(ctx context.Context) ([]api.RevisionPage, error) {
	if f.Empty {
		return nil, f.recordCall(ctx, "pages")
	}
	return f.Trees[f.at.ChangeRequest], f.recordCall(ctx, "pages")
}

func (f targetContent) Page(ctx context.Context, id string) (api.RevisionPage, error) {
	if err := f.recordCall(ctx, "page"); err != nil {
		return api.RevisionPage{}, err
	}
	markdown, ok := f.Texts[f.at.ChangeRequest][id]
	if !ok {
		return api.RevisionPage{}, api.NotFound()
	}
	p := NewDocument(id, strings.TrimPrefix(strings.Split(markdown, "\n")[0], "# "), "d")
	p.Markdown, p.Blocks = &markdown, blocksOf(markdown)
	return p, nil
}

func (f client) Changes(ctx context.Context, _ remote.Target, since string) (api.SemanticChanges, error) {
	attribute := func(name, was, is string) map[string]api.AttributeChange {
		return map[string]api.AttributeChange{name: {Before: []byte(`"` + was + `"`), After: []byte(`"` + is + `"`)}}
	}
	page := func(id, title string) *api.ChangedPage {
		return &api.ChangedPage{ID: id, Type: api.PageDocument, Title: title, Path: id}
	}
	if f.Unchanged {
		return api.SemanticChanges{}, f.recordCall(ctx, "changes")
	}
	if since != "" {
		return api.SemanticChanges{Changes: []api.SemanticChange{
			{Type: api.PageCreated, Page: page("p_new", "Power and battery, with a title that is longer than most")},
		}}, f.recordCall(ctx, "changes")
	}
	all := []api.SemanticChange{
		{Type: api.PageEdited, Page: page("p_quick", "Quick start"), Attributes: attribute("document", "d2", "d4")},
		{Type: api.PageDeleted, Page: page("p_gone", "Old page")},
		{Type: api.PageCreated, Page: page("p_new", "Power and battery, with a title that is longer than most")},
		{Type: api.FileCreated, File: &api.ChangedFile{ID: "f_light", Name: "light.png"}},
	}
	if f.Renamed {
		all[0].Attributes["title"] = attribute("title", "Start", "Quick start")["title"]
	}
	if f.Variable {
		all = append(all, api.SemanticChange{Type: api.VariablesEdited, Variables: map[string]api.VariableChange{"gust": {Before: new("5 s"), After: new("3 s")}}})
	}
	return api.SemanticChanges{Changes: all}, f.recordCall(ctx, "changes")
}

func (f client) Diff(ctx context.Context, at remote.Target, page, since string) (api.DocumentDiff, error) {
	text := func(markdown string) content.Text {
		t := content.Text{Markdown: []byte(markdown)}
		for _, b := range blocksOf(markdown) {
			t.Blocks = append(t.Blocks, content.Block{ID: b.ID, Kind: b.Kind, Start: b.Start, End: b.End})
		}
		return t
	}
	if since != "" {
		old := "# Power\n\nOld.\n"
		if f.UnchangedSinceReview {
			old = f.Texts[at.ChangeRequest][page]
		}
		blocks := diff.Text(ctx, text(old), text(f.Texts[at.ChangeRequest][page]))
		return api.DocumentDiff{Page: &api.ChangedPage{ID: page}, Blocks: blocks}, f.recordCall(ctx, "diff")
	}
	blocks := diff.Text(ctx, text(f.Texts[""][page]), text(f.Texts[at.ChangeRequest][page]))
	return api.DocumentDiff{Page: &api.ChangedPage{ID: page}, Words: f.Queue.Words[page], Blocks: blocks}, f.recordCall(ctx, "diff")
}

// blocksOf splits a text at empty lines into blocks, with ids by index.
func blocksOf(markdown string) []api.Block {
	var blocks []api.Block
	at := 0
	for i, part := range strings.SplitAfter(markdown, "\n\n") {
		kind := "paragraph"
		switch {
		case strings.HasPrefix(part, "#"):
			kind = "heading"
		case strings.HasPrefix(part, "```"):
			kind = "code"
		case strings.HasPrefix(part, "|"):
			kind = "table"
		}
		id := fmt.Sprintf("b_%d", i)
		if strings.HasPrefix(part, "A paragraph") {
			id = "b_new"
		}
		blocks = append(blocks, api.Block{ID: id, Kind: kind, Start: at, End: at + len(part)})
		at += len(part)
	}
	return blocks
}

func (f *Server) request() api.ChangeRequest {
	return api.ChangeRequest{
		ChangeRequestFields: api.ChangeRequestFields{ID: "cr_2", Number: 2, Status: f.Status, Subject: "Firmware 2.4: faster readings, longer battery life", DescriptionMarkdown: f.Description, Space: "s_1", CreatedAt: api.At(Clock.Add(-72 * time.Hour))},
		URLs:                api.AppURLs{App: "https://docs.example/cr/2"},
		CreatedBy:           f.Author, UpdatedAt: api.At(Clock.Add(-2 * time.Hour)), Comments: 2, Revision: f.Head, Outdated: true,
	}
}

func (f client) ChangeRequests(ctx context.Context, _ string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error) {
	if status != f.Status || f.Empty {
		return nil, f.recordCall(ctx, "requests")
	}
	all := []api.ChangeRequest{f.request()}
	if f.ManyRequests && f.firstAsked {
		second := f.request()
		second.ID, second.Number, second.Subject = "cr_1000", 1000, "The last of many"
		all = append(all, second)
	}
	f.firstAsked = true
	return all, f.recordCall(ctx, "requests")
}

func (f client) FirstChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, bool, error) {
	all, err := f.ChangeRequests(ctx, space, status)
	return all, f.ManyRequests, err
}

func (f client) ChangeRequest(ctx context.Context, _ remote.Target) (api.ChangeRequest, error) {
	return f.request(), f.recordCall(ctx, "request")
}

func (f client) Merge(ctx context.Context, _ remote.Target, key string) (api.MergeResult, error) {
	return f.mergeWrite(ctx, "merge", key, "")
}

func (f client) Mergeability(ctx context.Context, _ remote.Target) (api.Mergeability, error) {
	answer := api.Mergeability{Rules: []api.MergeGate{
		{Rule: api.GateRole, State: api.GatePassed, Message: "Your role, review, may merge."},
		{Rule: api.GateThreads, State: api.GateAdvice, Message: "2 open comments to resolve.", ClearedBy: &api.GateClearers{Role: api.RoleEdit}},
		{
			Rule: string(api.RuleApproval), State: api.GateFailed, Message: "What Grace\x1b[2J reviewed is not what would be merged: Quick start (text).",
			ClearedBy: &api.GateClearers{Users: []api.User{NewUser("u_2", "Grace")}, Role: api.RoleReview},
			Unseen:    []api.UnseenChange{{ID: "p_quick", Title: "Quick start", Reason: api.UnseenText}},
		},
	}}
	if f.AsksForChanges {
		answer.Rules = append(answer.Rules, api.MergeGate{Rule: api.GateChangesRequested, State: api.GateAdvice, Message: "Piet requested changes.", ClearedBy: &api.GateClearers{Users: []api.User{NewUser("u_4", "Piet")}}})
	}
	if f.BlockedByConflicts {
		answer.Rules = append(answer.Rules, api.MergeGate{Rule: api.GateConflicts, State: api.GateFailed, Message: "2 conflicts to decide."})
	}
	if !f.Blocked {
		answer.Rules[2].State, answer.Mergeable = api.GateBypassed, true
	}
	if f.Empty {
		answer = api.Mergeability{}
	}
	if f.Gates != nil {
		failed := slices.ContainsFunc(f.Gates, func(g api.MergeGate) bool { return g.State == api.GateFailed })
		answer = api.Mergeability{Mergeable: !failed, Rules: f.Gates}
	}
	return answer, f.recordCall(ctx, "mergeability")
}

// hasWrite reports whether a write of the operation was recorded.
func (f *Server) hasWrite(operation string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.Writes, func(w string) bool { return strings.HasPrefix(w, operation+" ") })
}

func (f client) Reviews(ctx context.Context, _ remote.Target) ([]api.Review, []api.RequestedReviewer, error) {
	review := func(by api.User, status api.ReviewStatus, outdated bool) api.Review {
		return api.Review{ReviewFields: api.ReviewFields{Status: status, CreatedAt: api.At(Clock.Add(-time.Hour))}, Reviewer: by, Outdated: outdated}
	}
	reviews := []api.Review{
		review(NewUser("u_3", "Lin"), api.ReviewApproved, !f.Approved || f.hasWrite("edit")), review(NewUser("u_3", "Lin"), api.ReviewChangesRequested, true),
		review(NewUser("u_4", "Piet"), api.ReviewChangesRequested, false),
	}
	asked := []api.RequestedReviewer{{User: NewUser("u_1", "Ada"), RequestedBy: NewUser("u_2", "Grace"), CreatedAt: api.At(Clock.Add(-3 * time.Hour))}}
	asked = append(asked, f.RequestedReviewers...)
	if f.Reviewed {
		reviews = append(reviews, review(NewUser("u_1", "Ada"), api.ReviewChangesRequested, true))
	}
	if f.Empty {
		reviews, asked = nil, nil
	}
	if f.ReviewList != nil {
		reviews, asked = f.ReviewList, f.RequestedReviewers
	}
	return reviews, asked, f.recordCall(ctx, "reviews")
}

func (f client) Pull(ctx context.Context, _ remote.Target, resolutions []api.Resolution, key string) (api.MergeResult, error) {
	var takes []string
	for _, r := range resolutions {
		own, _ := r.Text.Get()
		takes = append(takes, r.Conflict+"="+string(r.Take)+own)
	}
	return f.mergeWrite(ctx, "pull", key, strings.Join(takes, ","))
}

func (f client) Conflicts(ctx context.Context, _ remote.Target) ([]api.Conflict, error) {
	return f.conflicts, f.recordCall(ctx, "conflicts")
}

func (f *Server) mergeWrite(ctx context.Context, operation, key, what string) (api.MergeResult, error) {
	if _, err := f.write(ctx, operation, key, what); err != nil {
		return api.MergeResult{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.MergeResults) == 0 {
		return api.MergeResult{Revision: "r_2", Result: api.OutcomeMerge}, nil
	}
	next := f.MergeResults[0]
	f.MergeResults = f.MergeResults[1:]
	return next, nil
}

func ConflictResult() api.MergeResult {
	answers := func(takes ...api.ResolutionTake) (list []api.ConflictAnswer) {
		for _, take := range takes {
			list = append(list, api.ConflictAnswer{Take: take, Effect: "It is as " + string(take) + " says."})
		}
		return list
	}
	side := func(base, value string) api.ConflictSide {
		return api.ConflictSide{Value: value, Runs: diff.Runs(context.Background(), base, value)}
	}
	day, words := "Answer within 15 minutes.", "Words."
	both := "Answer within 10 minutes. Answer within 25 minutes at night."
	mine := side(day, "Answer within 25 minutes at night.")
	mine.By, mine.At, mine.ChangeRequest = &api.ConflictAuthor{ID: "u_1", DisplayName: "Ada"}, new(api.At(Clock.Add(-3*time.Hour))), &api.HistoryRequest{ID: "cr_2", Number: 2}
	return api.MergeResult{Revision: "r_1", Result: api.OutcomeConflicts, Conflicts: []api.Conflict{
		{
			ID: "x_1", Kind: "text", Title: "On call", Page: "p_quick", Block: "b_1", Place: "paragraph 1, sentence 2 of 3", Summary: "The space and the change request changed this sentence differently.",
			Base: &api.ConflictSide{Value: day}, Ours: side(day, "Answer within 10 minutes."), Theirs: mine, Proposed: &both,
			Before: "Keep the phone on.", After: "Then write it down.", Answers: answers(api.TakeOurs, api.TakeTheirs, api.TakeBoth, api.TakeText),
		},
		{
			ID: "x_2", Kind: "deleted", Title: "Old page", Place: "Table of contents", Summary: "The space deleted “Old page”, the change request changed it.",
			Base: &api.ConflictSide{Value: words}, Ours: api.ConflictSide{Value: "Deleted.", Absent: true}, Theirs: side(words, "More words."), Answers: answers(api.TakeOurs, api.TakeTheirs),
		},
	}}
}

func (f targetContent) Comments(ctx context.Context, page string) ([]api.Comment, error) {
	if err := f.recordCall(ctx, "comments"); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []api.Comment
	for _, c := range f.CommentList {
		onPage := c.Target.Page != nil && c.Target.Page.ID == page
		if c.Target.ChangeRequest == f.at.ChangeRequest && (page == "" || onPage) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (f targetContent) Replies(ctx context.Context, comment string) ([]api.CommentReply, error) {
	return f.ReplyLists[comment], f.recordCall(ctx, "replies")
}

func quoted(words string) string {
	if words == "" {
		return ""
	}
	return " “" + words + "”"
}

func (f targetContent) CreateComment(ctx context.Context, body api.CommentCreate, key string) (string, error) {
	id := "c_" + key
	again, err := f.write(ctx, "comment", key, body.Page+"/"+body.Node+quoted(body.Quote)+": "+body.Body.Text())
	if err != nil || again {
		return id, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	target := api.CommentTarget{Space: f.at.Space, ChangeRequest: f.at.ChangeRequest}
	if body.Page != "" {
		target.Page = &api.CommentPage{ID: body.Page, Title: body.Page}
	}
	if body.Node != "" {
		target.Node = &api.CommentNode{ID: body.Node}
	}
	f.CommentList = append(f.CommentList, f.NewComment(id, body.Body.Text(), target))
	return id, nil
}

func (f targetContent) UpdateComment(ctx context.Context, comment string, body api.CommentUpdate, key string) error {
	what := comment
	if body.Body != nil {
		what += " text " + body.Body.Text()
	}
	resolved, set := body.Resolved.Get()
	if set {
		what += fmt.Sprintf(" resolved %v", resolved)
	}
	outcome, came := body.Outcome.Get()
	if came {
		what += " " + string(outcome)
	}
	weight, weighed := body.Weight.Get()
	if !body.Weight.IsZero() {
		what += " weight " + string(weight)
	}
	what += strings.Join(body.AddedReactions, "+") + strings.Join(body.RemovedReactions, "-")
	again, err := f.write(ctx, "update-comment", key, what)
	if err != nil || again {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.CommentList {
		if f.CommentList[i].ID == comment && (weighed || !body.Weight.IsZero()) {
			f.CommentList[i].Weight = weight
		}
		if f.CommentList[i].ID == comment && set {
			f.CommentList[i].Outcome = outcome
			f.CommentList[i].Status = map[bool]api.CommentStatus{true: api.CommentResolved, false: api.CommentOpen}[resolved]
		}
	}
	return nil
}

func (f targetContent) CreateReply(ctx context.Context, comment string, body api.ReplyCreate, key string) (string, error) {
	id := "r_" + key
	again, err := f.write(ctx, "reply", key, comment+": "+body.Body.Text())
	if err != nil || again {
		return id, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	fields := api.ReplyFields{ID: id, PostedAt: api.At(Clock), Body: api.CommentText{Markdown: body.Body.Text()}}
	f.ReplyLists[comment] = append(f.ReplyLists[comment], api.CommentReply{ReplyFields: fields, PostedBy: NewUser("u_1", "Ada")})
	for i := range f.CommentList {
		if f.CommentList[i].ID == comment {
			f.CommentList[i].Replies++
		}
	}
	return id, nil
}

func (f targetContent) UpdateReply(ctx context.Context, comment, reply string, body api.ReplyUpdate, key string) error {
	what := comment + "/" + reply + strings.Join(body.AddedReactions, "+")
	if body.Body != nil {
		what += " text " + body.Body.Text()
	}
	_, err := f.write(ctx, "update-reply", key, what)
	return err
}
