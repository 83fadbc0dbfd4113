package review

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/comments"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) suggestionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Planned(api.ApplyChangeRequestSuggestions, auth.InSpace(api.RoleEdit), s.planSuggestions,
			s.applySuggestions).MatchHead().On(rest.ChangeRequest),
	}
}

// suggestionPlan is the result of applying suggestions to a change request.
type suggestionPlan struct {
	worktree     *revision.Worktree
	suggestions  []comments.SuggestionComment
	pages        []string
	blockAuthors map[string]string // authors of suggested blocks, by revision.SuggestedKey
}

// planSuggestions applies the suggestions to a worktree. It returns an error if any suggestion does not fit.
func (s *Service) planSuggestions(ctx context.Context, c *rest.Call, in api.ApplySuggestionsInput) (plan suggestionPlan, err error) {
	sides, err := s.LoadMergePlan(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return plan, err
	}
	if err := CheckUnfinished(sides.Request.ChangeRequestDocument, "edited"); err != nil {
		return plan, err
	}
	if err := sides.checkHeads(api.Pull{Revision: in.Body.Revision}); err != nil {
		return plan, err
	}
	if plan.worktree, err = s.Revisions.OpenWorktree(ctx, in.Space, sides.Theirs); err != nil {
		return plan, err
	}
	now := comments.Content{Head: sides.Theirs, Tree: plan.worktree.BaseTree}
	read, wrong, err := s.Comments.ReadSuggestions(ctx, c, revision.RequestTarget(in.ChangeRequestRef), now, in.Body.Comments)
	if err != nil || len(wrong) > 0 {
		return plan, cmp.Or(err, invalidSuggestionsError(http.StatusUnprocessableEntity, api.ReasonInvalid, "They cannot be applied.",
			wrong))
	}
	plan.suggestions = read
	permit, err := s.Slow.Begin(ctx, len(plan.suggestions)*budgets.ChangedOverhead)
	if err != nil {
		return plan, err
	}
	defer permit.End()
	if wrong, err = s.applyEdits(ctx, &plan, permit); err == nil && len(wrong) > 0 {
		err = invalidSuggestionsError(http.StatusConflict, api.ReasonConflict, "Not all of them fit, and nothing was applied.", wrong)
	}
	return plan, err
}

// invalidSuggestionsError returns an error that lists the comments whose suggestions cannot be applied, with the reasons.
func invalidSuggestionsError(status int, reason api.Reason, message string, wrong map[int]string) error {
	e := api.Errorf(status, reason, "%s", message).WithHint("Leave out those that are named, and apply the others.")
	for i, why := range wrong {
		e.Fields = append(e.Fields, api.FieldError{Path: fmt.Sprintf("comments[%d]", i), Message: why})
	}
	slices.SortFunc(e.Fields, func(a, b api.FieldError) int { return cmp.Compare(a.Path, b.Path) })
	return e
}

// pageEdit replaces a byte range in the text of a page.
type pageEdit struct {
	index      int // index of the suggestion
	start, end int
	text       string
	author     string
}

// applyEdits applies the suggestions to the worktree, page by page. It returns the reasons for the suggestions that
// do not fit, by index.
func (s *Service) applyEdits(ctx context.Context, plan *suggestionPlan, permit *budgets.Work) (wrong map[int]string, err error) {
	byPage := map[string][]pageEdit{}
	wrong, plan.blockAuthors = map[int]string{}, map[string]string{}
	for i, read := range plan.suggestions {
		if read.Location.Page == "" {
			wrong[i] = "is about a text that is gone"
			continue
		}
		start, f := read.Location.Start, read.Fields.Suggestion
		byPage[read.Location.Page] = append(byPage[read.Location.Page], pageEdit{
			i, start, start + len(f.Original), f.Markdown, read.Private.Author,
		})
	}
	for page, edits := range byPage {
		plan.pages = append(plan.pages, page)
		if err := s.editPage(ctx, plan, page, edits, permit, wrong); err != nil {
			return nil, err
		}
	}
	slices.Sort(plan.pages)
	return wrong, nil
}

func (s *Service) editPage(ctx context.Context, plan *suggestionPlan, id string, edits []pageEdit, permit *budgets.Work,
	wrong map[int]string,
) error {
	next := *plan.worktree.Tree.Page(id)
	old, err := plan.worktree.Text(ctx, &next)
	if err != nil {
		return err
	}
	if err := permit.Grow(ctx, len(old.Markdown)*budgets.EditFactor); err != nil {
		return err
	}
	slices.SortFunc(edits, func(a, b pageEdit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.index, b.index)) })
	fits := true
	for i, e := range edits {
		original := plan.suggestions[e.index].Fields.Suggestion.Original
		switch {
		case plan.suggestions[e.index].Location.State == content.Fuzzy, e.end > len(old.Markdown) ||
			string(old.Markdown[e.start:e.end]) != original:
			wrong[e.index], fits = "is about a text that has changed since", false
		case i > 0 && e.start < edits[i-1].end:
			wrong[e.index], wrong[edits[i-1].index], fits = "overlaps another one", "overlaps another one", false
		}
	}
	if !fits {
		return nil
	}
	text, spans := splice(old.Markdown, edits)
	if err := plan.worktree.SetMarkdown(ctx, &next, text, "comments"); err != nil {
		return err
	}
	next.UpdatedAt = revision.ChangeTime(next.CreatedAt, s.Clock())
	plan.worktree.Put(&next)
	return plan.recordBlockAuthors(ctx, &next, old.Blocks, spans)
}

// span is a byte range of a text with its author.
type span struct {
	start, end int
	author     string
}

// splice applies the edits, which are sorted and do not overlap, and returns the new text and the spans of the edits
// in it.
func splice(old []byte, edits []pageEdit) (text []byte, spans []span) {
	at := 0
	for _, e := range edits {
		text = append(text, old[at:e.start]...)
		spans = append(spans, span{len(text), len(text) + len(e.text), e.author})
		text = append(text, e.text...)
		at = e.end
	}
	return append(text, old[at:]...), spans
}

// recordBlockAuthors records the authors of the suggestions for the blocks that they changed.
func (p *suggestionPlan) recordBlockAuthors(ctx context.Context, page *revision.Page, previous content.Table, spans []span) error {
	now, err := p.worktree.Text(ctx, page)
	if err != nil {
		return err
	}
	for _, block := range now.Blocks {
		if old, had := previous.Find(block.ID); had && old.Hash == block.Hash {
			continue
		}
		for _, of := range spans {
			if of.start < block.End && block.Start <= of.end {
				p.blockAuthors[revision.SuggestedKey(page.ID, block.ID)] = of.author
			}
		}
	}
	return nil
}

// applySuggestions writes the revision and resolves the comments. The caller becomes a contributor; the authors of
// the suggestions do not, but are recorded as the authors of their text.
func (s *Service) applySuggestions(ctx context.Context, c *rest.Call, tx *store.Tx, in api.ApplySuggestionsInput,
	plan suggestionPlan,
) (none rest.Result[api.SuggestionsApplied], err error) {
	l, err := LoadEditable(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	at := revision.RequestTarget(in.ChangeRequestRef)
	if err := revision.CheckHead(tx, c.Org, at, plan.worktree.BaseHead); err != nil {
		return none, err
	}
	if plan.worktree.IsEmpty() {
		return none, api.WrongState("Together the suggestions change nothing.")
	}
	if err := plan.worktree.Check("comments"); err != nil {
		return none, err
	}
	if err := l.AddContributor(c, tx); err != nil {
		return none, err
	}
	suggested := map[string]string{}
	for block, author := range plan.blockAuthors {
		if author != c.Caller.User {
			suggested[block] = author
		}
	}
	head, err := s.Revisions.CommitWorktree(ctx, c, tx, at, plan.worktree, revision.Revision{
		Type: api.RevisionEdits, Parents: []string{plan.worktree.BaseHead.Revision}, Suggested: suggested,
	})
	if err != nil {
		return none, err
	}
	for _, read := range plan.suggestions {
		if err := comments.MarkApplied(c, tx, read, head.Revision); err != nil {
			return none, err
		}
	}
	r, err := rest.Value(api.SuggestionsApplied{Revision: head.Revision, Comments: in.Body.Comments, Pages: plan.pages})
	r.ID = l.Fields.ID
	return r, err
}
