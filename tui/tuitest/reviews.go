package tuitest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Submit stores a submission once per id. If LoseResponses is set, the response fails.
func (f client) Submit(ctx context.Context, at remote.Target, id string, body api.ReviewSubmit) (api.Submission, error) {
	lines := []string{string(body.Status) + " of " + body.Revision}
	if body.Comment != nil {
		lines[0] += ": " + body.Comment.Text()
	}
	for _, d := range body.Drafts {
		lines = append(lines, "  "+draftText(d))
	}
	answer := api.Submission{ID: id, Status: body.Status, Revision: body.Revision}
	isVerdict := body.Status == api.ReviewApproved || body.Status == api.ReviewChangesRequested
	if isVerdict {
		answer.Review = "rv_" + id
	}
	again, err := f.write(ctx, "submit", id, strings.Join(lines, "\n"))
	if _, refused := api.AsError(err); refused && f.hasKey(id) {
		again, err = true, nil // it looks up the id first
	}
	if err != nil {
		return answer, err
	}
	if !again {
		f.post(at, id, body)
		if isVerdict {
			f.postVerdict(answer)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.LoseResponses {
		return answer, ErrUnreachable
	}
	return answer, nil
}

// postVerdict adds the verdict of a submission, which is outdated if it is not about the head.
func (f *Server) postVerdict(s api.Submission) {
	f.confirm("submit", s.Revision)
	if s.Revision != f.head() {
		f.outdatedVerdicts = append(f.outdatedVerdicts, api.Review{
			ReviewFields: api.ReviewFields{ID: s.Review, Status: s.Status}, Reviewer: UserAda, Outdated: true,
		})
	}
}

// hasKey reports whether a write with the key was recorded.
func (f *Server) hasKey(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.keys[key]
}

// post adds the comments of a submission.
func (f *Server) post(at remote.Target, id string, body api.ReviewSubmit) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, d := range body.Drafts {
		if d.ReplyTo != "" {
			continue
		}
		target := api.CommentTarget{Space: at.Space, ChangeRequest: at.ChangeRequest}
		if d.Page != "" {
			target.Page = &api.CommentPage{ID: d.Page, Title: d.Page}
		}
		if d.Node != "" {
			target.Node = &api.CommentNode{ID: d.Node}
		}
		c := f.NewComment(fmt.Sprintf("c_%s_%d", id, i), d.Body.Text(), target)
		c.PostedBy, c.Weight = NewUser("u_1", "Ada"), d.Weight
		if d.Suggestion != nil {
			c.Suggestion = &api.Suggestion{Markdown: d.Suggestion.Markdown, Original: d.Quote}
		}
		f.CommentList = append(f.CommentList, c)
	}
}

func draftText(d api.ReviewDraft) string {
	if d.ReplyTo != "" {
		return "reply " + d.ReplyTo + ": " + d.Body.Text()
	}
	what := d.Page + "/" + d.Node + formatQuote(d.Quote)
	if start, ok := d.Start.Get(); ok {
		what += fmt.Sprintf("@%d", start)
	}
	if d.Weight != "" {
		what += " " + string(d.Weight)
	}
	if d.Suggestion != nil {
		what += fmt.Sprintf(" suggests %q", d.Suggestion.Markdown)
	}
	return what + " at " + d.Revision + ": " + d.Body.Text()
}

// Reading returns the read state of the change request: three pages, a file and a variable.
func (f client) Reading(ctx context.Context, _ remote.Target) (api.Reading, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := api.Reading{Revision: f.Head, Items: []api.ReadingItem{
		{ID: "p_gone", Title: "Old page", Reason: "deleted"},
		{ID: "p_new", Title: "Power and battery", Reason: "created"},
		{ID: "p_quick", Title: "Quick start", Reason: "text"},
		{ID: "f_light", Title: "light.png", Reason: "created"},
	}}
	for i := range f.MorePages {
		r.Items = append(r.Items, api.ReadingItem{ID: fmt.Sprintf("p_more_%d", i), Title: fmt.Sprintf("More %d", i), Reason: "created"})
	}
	if f.Variable {
		r.Items = append(r.Items, api.ReadingItem{ID: "variable:gust", Title: "gust", Reason: "text"})
	}
	for i := range r.Items {
		if r.Items[i].Read = f.ReadItems[r.Items[i].ID]; r.Items[i].Read {
			r.Read++
		}
		if r.Items[i].ID == f.ChangedSinceRead {
			r.Items[i].MarkedAt = api.At(Clock)
		}
	}
	r.Total = len(r.Items)
	err := f.Fail["reading"]
	if err == nil {
		err = f.Fail["*"]
	}
	return r, err
}

func (f client) Mark(ctx context.Context, at remote.Target, body api.ReadingUpdate, key string) (api.Reading, error) {
	if err := f.recordCall(ctx, "mark"); err != nil {
		return api.Reading{}, err
	}
	f.mu.Lock()
	f.MarkWrites = append(f.MarkWrites, fmt.Sprintf("%s %s -%s", body.Revision, strings.Join(body.Read, ","),
		strings.Join(body.Unread, ",")))
	for _, id := range body.Read {
		f.ReadItems[id] = true
	}
	for _, id := range body.Unread {
		delete(f.ReadItems, id)
	}
	f.mu.Unlock()
	return f.Reading(ctx, at)
}

func (f client) Apply(ctx context.Context, _ remote.Target, revision string, comments []string, key string) (api.SuggestionsApplied,
	error,
) {
	if err := f.recordCall(ctx, "apply"); err != nil {
		return api.SuggestionsApplied{}, err
	}
	if err := f.checkHead(revision); err != nil { // by If-Match
		return api.SuggestionsApplied{}, err
	}
	if f.record(key, "apply "+revision+" "+strings.Join(comments, ",")) {
		return api.SuggestionsApplied{}, nil
	}
	f.confirm("apply", revision)
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.CommentList {
		if slices.Contains(comments, f.CommentList[i].ID) {
			f.CommentList[i].Status, f.CommentList[i].Outcome = api.CommentResolved, api.OutcomeApplied
		}
	}
	return api.SuggestionsApplied{Revision: "r_8", Comments: comments, Pages: []string{"p_quick"}}, nil
}
