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

// fake is a server with one organization. It keeps its state in memory, and fail makes operations fail.
type fake struct {
	reviewed                 bool     // by the user
	approved                 bool     // Lin's approval, which an edit outdates
	unchangedSinceReview     bool     // nothing changed since the review
	changedSinceRead         string   // page that changed since it was read
	calls                    []string // operations called
	mu                       sync.Mutex
	fail                     map[string]error // by operation, or "*"
	failOnce                 map[string]error // by operation, for one call
	comments                 []api.Comment
	replies                  map[string][]api.CommentReply
	writes                   []string // "<operation> <key> <text>"
	keys                     map[string]bool
	mergeResults             []api.MergeResult // results of the next merges and updates
	status                   api.ChangeRequestStatus
	trees                    map[string][]api.RevisionPage
	texts                    map[string]map[string]string // by target and page
	empty                    bool
	unchanged                bool                    // the change request is empty
	renamed                  bool                    // the change request also renames a page
	gates                    []api.MergeGate         // merge gates, if set by a test
	reviews                  []api.Review            // reviews, if set by a test
	requested                []api.RequestedReviewer // requested reviewers
	asksForChanges           bool                    // an advisory request for changes exists
	blocked                  bool                    // a rule blocks the merge
	blockedByConflicts       bool
	manyRequests, firstAsked bool           // the list of change requests has a second part
	author                   api.User       // of the change request
	description              string         // of the change request
	version                  int            // of its content
	editConflicts            bool           // the next edit conflicts with another one
	searched                 []string       // "<space>/<words>"
	conflicts                []api.Conflict // conflicts of the next merge
	loseResponses            bool           // responses to submissions are lost
	head                     string         // head revision of the change request
	variable                 bool           // the change request changes a variable
	read                     map[string]bool
	markWrites               []string   // "<revision> <read> -<unread>"
	selfLinks                bool       // each page links only to itself
	permitted                []api.User // reviewers of the space, if set by a test
	blamed                   []string   // blocks whose authors were requested
	queue                    queueState
}

// client is the remote.Client of a fake.
type client struct{ *fake }

// client returns a client of the server.
func (f *fake) client() remote.Client { return client{f} }

var (
	errUnreachable = errors.New("connection refused")
	clock          = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
)

func newUser(id, name string) api.User {
	return api.User{UserFields: api.UserFields{ID: id, DisplayName: name}}
}

const (
	oldMarkdown = "# Quick start\n\nPlug the gateway in and wait until the light is blue.\n\n" +
		"1. Open the box.\n2. Turn it on.\n\n```sh\ncurl http://skylark.local/v1/current\ncurl -I http://skylark.local\n```\n\n" +
		"| Light | Meaning |\n| --- | --- |\n| green | ready |\n| blue | paired |\n\n> Do not open it.\n\nOld words that nobody needs any more at all.\n"
	newMarkdown = "# Quick start\n\nPlug the gateway in and wait\nuntil the light is green.\n\n" +
		"1. Open the box.\n2. Turn it on.\n\n```sh\ncurl http://skylark.local/v2/current\ncurl -I http://skylark.local\n```\n\n" +
		"| Light | Meaning |\n| --- | --- |\n| green | ready |\n| blue | paired |\n\n> Do not open it.\n\nA paragraph about *batteries* with a [link](power.md).\n"
)

func newDocument(id, title, document string, below ...api.RevisionPage) api.RevisionPage {
	return api.RevisionPage{ID: id, Title: title, Type: api.PageDocument, Slug: id, Path: id, DocumentID: document, UpdatedAt: api.At(clock.Add(-5 * 24 * time.Hour)), Pages: below}
}

func newFake() *fake {
	f := &fake{description: "Check the **figures**, please, not the style.\n\nThe field test is in OPS-311.", read: map[string]bool{}, head: "r_7", fail: map[string]error{}, failOnce: map[string]error{}, replies: map[string][]api.CommentReply{}, keys: map[string]bool{}, status: api.StatusOpen, conflicts: conflictResult().Conflicts, author: newUser("u_2", "Grace"), queue: newQueue()}
	f.trees = map[string][]api.RevisionPage{
		"":     {newDocument("p_welcome", "Welcome", "d1", newDocument("p_quick", "Quick start", "d2"), newDocument("p_gone", "Old page", "d3")), {ID: "p_group", Title: "Reference", Type: api.PageGroup}},
		"cr_2": {newDocument("p_welcome", "Welcome", "d1", newDocument("p_quick", "Quick start", "d4")), newDocument("p_new", "Power and battery, with a title that is longer than most", "d5"), {ID: "p_group", Title: "Reference", Type: api.PageGroup}},
	}
	f.texts = map[string]map[string]string{
		"":      {"p_welcome": "# Welcome\n", "p_quick": oldMarkdown, "p_gone": "Gone.\n"},
		"cr_27": {"p_quick": strings.Replace(oldMarkdown, "Do not open", "Never open", 1)},
		"cr_2":  {"p_welcome": "# Welcome\n", "p_quick": newMarkdown, "p_new": "# Power\n\n电池电量很重要。 Long lines of text wrap at the width of the window.\n"},
	}
	node := &api.CommentNode{ID: "b_0", Preview: "# Quick start"}
	on := func(page string, node *api.CommentNode) api.CommentTarget {
		return api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: page, Title: "Quick start"}, Node: node}
	}
	f.comments = []api.Comment{
		f.comment("c_1", "Is **green** right? \x1b[31mred\x1b[0m", on("p_quick", node)),
		f.comment("c_2", "On a block that is gone.", on("p_quick", &api.CommentNode{ID: "b_gone", Preview: "Old words"})),
		f.comment("c_3", "On the whole.", api.CommentTarget{Space: "s_1", ChangeRequest: "cr_2"}),
	}
	phrase := on("p_quick", &api.CommentNode{ID: "b_1", Preview: "Plug the gateway in"})
	phrase.Anchor = &api.CommentAnchor{State: api.AnchorExact, Page: "p_quick", Node: "b_1", Quote: "until the light is green"}
	f.comments = append(f.comments, f.comment("c_4", "How long is that?", phrase))
	f.comments[0].Replies = 1
	f.comments[1].Status = api.CommentResolved
	f.replies["c_1"] = []api.CommentReply{{ReplyFields: api.ReplyFields{ID: "r_1", PostedAt: api.At(clock.Add(-time.Minute)), Body: api.CommentText{Markdown: "Yes."}}, PostedBy: newUser("u_1", "Ada")}}
	return f
}

func (f *fake) comment(id, body string, target api.CommentTarget) api.Comment {
	return api.Comment{
		CommentFields: api.CommentFields{ID: id, PostedAt: api.At(clock.Add(-3 * time.Hour)), Body: api.CommentText{Markdown: body}, Status: api.CommentOpen},
		PostedBy:      newUser("u_2", "Grace"), Target: target,
		Reactions: []api.Reaction{{Emoji: "👍", Count: 1, Users: []api.ReactionUser{{User: newUser("u_1", "Ada")}}}},
	}
}

// recordCall records a call and returns its scripted error.
func (f *fake) recordCall(ctx context.Context, operation string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, operation)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.fail["*"]; err != nil {
		return err
	}
	if err := f.failOnce[operation]; err != nil {
		delete(f.failOnce, operation)
		return err
	}
	return f.fail[operation]
}

// write records a write once per key.
func (f *fake) write(ctx context.Context, operation, key, text string) (again bool, err error) {
	if err := f.recordCall(ctx, operation); err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keys[key] {
		return true, nil
	}
	f.keys[key] = true
	f.writes = append(f.writes, operation+" "+text)
	return false, nil
}

func (f client) User(ctx context.Context) (api.User, error) {
	return newUser("u_1", "Ada"), f.recordCall(ctx, "user")
}

func (f client) Organizations(ctx context.Context) ([]api.Organization, error) {
	two := []api.Organization{
		{OrganizationFields: api.OrganizationFields{ID: "o_1", Title: "Tidemark Instruments"}},
		{OrganizationFields: api.OrganizationFields{ID: "o_2", Title: "Other\x1b]0;title\x07 people"}},
	}
	if f.empty {
		two = nil
	}
	return two, f.recordCall(ctx, "organizations")
}

func (f client) Collections(ctx context.Context, _ string) ([]api.Collection, error) {
	all := []api.Collection{
		{CollectionFields: api.CollectionFields{ID: "l_1", Title: "Customers"}},
		{CollectionFields: api.CollectionFields{ID: "l_2", Title: "Inside", Parent: "l_1"}},
	}
	if f.empty {
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
	if f.empty {
		all = nil
	}
	return all, f.recordCall(ctx, "spaces")
}

func (f client) Space(ctx context.Context, id string) (api.Space, error) {
	return api.Space{SpaceFields: api.SpaceFields{ID: id, Title: "Skylark Handbook", Organization: "o_1"}}, f.recordCall(ctx, "space")
}

func (f client) Content(at remote.Target) remote.Content { return targetContent{f.fake, at} }

// targetContent is the fake content of one target.
type targetContent struct {
	*fake
	at remote.Target
}

func (f targetContent) Pages(ctx context.Context) ([]api.RevisionPage, error) {
	if f.empty {
		return nil, f.recordCall(ctx, "pages")
	}
	return f.trees[f.at.ChangeRequest], f.recordCall(ctx, "pages")
}

func (f targetContent) Page(ctx context.Context, id string) (api.RevisionPage, error) {
	if err := f.recordCall(ctx, "page"); err != nil {
		return api.RevisionPage{}, err
	}
	markdown, ok := f.texts[f.at.ChangeRequest][id]
	if !ok {
		return api.RevisionPage{}, api.NotFound()
	}
	p := newDocument(id, strings.TrimPrefix(strings.Split(markdown, "\n")[0], "# "), "d")
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
	if f.unchanged {
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
	if f.renamed {
		all[0].Attributes["title"] = attribute("title", "Start", "Quick start")["title"]
	}
	if f.variable {
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
		if f.unchangedSinceReview {
			old = f.texts[at.ChangeRequest][page]
		}
		blocks := diff.Text(ctx, text(old), text(f.texts[at.ChangeRequest][page]))
		return api.DocumentDiff{Page: &api.ChangedPage{ID: page}, Blocks: blocks}, f.recordCall(ctx, "diff")
	}
	blocks := diff.Text(ctx, text(f.texts[""][page]), text(f.texts[at.ChangeRequest][page]))
	return api.DocumentDiff{Page: &api.ChangedPage{ID: page}, Words: f.queue.words[page], Blocks: blocks}, f.recordCall(ctx, "diff")
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

func (f *fake) request() api.ChangeRequest {
	return api.ChangeRequest{
		ChangeRequestFields: api.ChangeRequestFields{ID: "cr_2", Number: 2, Status: f.status, Subject: "Firmware 2.4: faster readings, longer battery life", DescriptionMarkdown: f.description, Space: "s_1", CreatedAt: api.At(clock.Add(-72 * time.Hour))},
		URLs:                api.AppURLs{App: "https://docs.example/cr/2"},
		CreatedBy:           f.author, UpdatedAt: api.At(clock.Add(-2 * time.Hour)), Comments: 2, Revision: f.head, Outdated: true,
	}
}

func (f client) ChangeRequests(ctx context.Context, _ string, status api.ChangeRequestStatus) ([]api.ChangeRequest, error) {
	if status != f.status || f.empty {
		return nil, f.recordCall(ctx, "requests")
	}
	all := []api.ChangeRequest{f.request()}
	if f.manyRequests && f.firstAsked {
		second := f.request()
		second.ID, second.Number, second.Subject = "cr_1000", 1000, "The last of many"
		all = append(all, second)
	}
	f.firstAsked = true
	return all, f.recordCall(ctx, "requests")
}

func (f client) FirstChangeRequests(ctx context.Context, space string, status api.ChangeRequestStatus) ([]api.ChangeRequest, bool, error) {
	all, err := f.ChangeRequests(ctx, space, status)
	return all, f.manyRequests, err
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
			ClearedBy: &api.GateClearers{Users: []api.User{newUser("u_2", "Grace")}, Role: api.RoleReview},
			Unseen:    []api.UnseenChange{{ID: "p_quick", Title: "Quick start", Reason: api.UnseenText}},
		},
	}}
	if f.asksForChanges {
		answer.Rules = append(answer.Rules, api.MergeGate{Rule: api.GateChangesRequested, State: api.GateAdvice, Message: "Piet requested changes.", ClearedBy: &api.GateClearers{Users: []api.User{newUser("u_4", "Piet")}}})
	}
	if f.blockedByConflicts {
		answer.Rules = append(answer.Rules, api.MergeGate{Rule: api.GateConflicts, State: api.GateFailed, Message: "2 conflicts to decide."})
	}
	if !f.blocked {
		answer.Rules[2].State, answer.Mergeable = api.GateBypassed, true
	}
	if f.empty {
		answer = api.Mergeability{}
	}
	if f.gates != nil {
		failed := slices.ContainsFunc(f.gates, func(g api.MergeGate) bool { return g.State == api.GateFailed })
		answer = api.Mergeability{Mergeable: !failed, Rules: f.gates}
	}
	return answer, f.recordCall(ctx, "mergeability")
}

// hasWrite reports whether a write of the operation was recorded.
func (f *fake) hasWrite(operation string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.writes, func(w string) bool { return strings.HasPrefix(w, operation+" ") })
}

func (f client) Reviews(ctx context.Context, _ remote.Target) ([]api.Review, []api.RequestedReviewer, error) {
	review := func(by api.User, status api.ReviewStatus, outdated bool) api.Review {
		return api.Review{ReviewFields: api.ReviewFields{Status: status, CreatedAt: api.At(clock.Add(-time.Hour))}, Reviewer: by, Outdated: outdated}
	}
	reviews := []api.Review{
		review(newUser("u_3", "Lin"), api.ReviewApproved, !f.approved || f.hasWrite("edit")), review(newUser("u_3", "Lin"), api.ReviewChangesRequested, true),
		review(newUser("u_4", "Piet"), api.ReviewChangesRequested, false),
	}
	asked := []api.RequestedReviewer{{User: newUser("u_1", "Ada"), RequestedBy: newUser("u_2", "Grace"), CreatedAt: api.At(clock.Add(-3 * time.Hour))}}
	asked = append(asked, f.requested...)
	if f.reviewed {
		reviews = append(reviews, review(newUser("u_1", "Ada"), api.ReviewChangesRequested, true))
	}
	if f.empty {
		reviews, asked = nil, nil
	}
	if f.reviews != nil {
		reviews, asked = f.reviews, f.requested
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

func (f *fake) mergeWrite(ctx context.Context, operation, key, what string) (api.MergeResult, error) {
	if _, err := f.write(ctx, operation, key, what); err != nil {
		return api.MergeResult{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.mergeResults) == 0 {
		return api.MergeResult{Revision: "r_2", Result: api.OutcomeMerge}, nil
	}
	next := f.mergeResults[0]
	f.mergeResults = f.mergeResults[1:]
	return next, nil
}

func conflictResult() api.MergeResult {
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
	mine.By, mine.At, mine.ChangeRequest = &api.ConflictAuthor{ID: "u_1", DisplayName: "Ada"}, new(api.At(clock.Add(-3*time.Hour))), &api.HistoryRequest{ID: "cr_2", Number: 2}
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
	for _, c := range f.comments {
		onPage := c.Target.Page != nil && c.Target.Page.ID == page
		if c.Target.ChangeRequest == f.at.ChangeRequest && (page == "" || onPage) {
			out = append(out, c)
		}
	}
	return out, nil
}

func (f targetContent) Replies(ctx context.Context, comment string) ([]api.CommentReply, error) {
	return f.replies[comment], f.recordCall(ctx, "replies")
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
	f.comments = append(f.comments, f.comment(id, body.Body.Text(), target))
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
	for i := range f.comments {
		if f.comments[i].ID == comment && (weighed || !body.Weight.IsZero()) {
			f.comments[i].Weight = weight
		}
		if f.comments[i].ID == comment && set {
			f.comments[i].Outcome = outcome
			f.comments[i].Status = map[bool]api.CommentStatus{true: api.CommentResolved, false: api.CommentOpen}[resolved]
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
	fields := api.ReplyFields{ID: id, PostedAt: api.At(clock), Body: api.CommentText{Markdown: body.Body.Text()}}
	f.replies[comment] = append(f.replies[comment], api.CommentReply{ReplyFields: fields, PostedBy: newUser("u_1", "Ada")})
	for i := range f.comments {
		if f.comments[i].ID == comment {
			f.comments[i].Replies++
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
