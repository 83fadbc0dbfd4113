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
		rest.Planned(api.ApplyChangeRequestSuggestions, auth.InSpace(api.RoleEdit), s.planSuggestions, s.applySuggestions).MatchingHead().Of(rest.ChangeRequest),
	}
}

// suggestionPlan is what suggestions make of a change request.
type suggestionPlan struct {
	draft  *revision.Worktree
	read   []comments.Suggested
	pages  []string
	blocks map[string]string // by revision.SuggestedBlock: who suggested their words
}

// planSuggestions edits the pages. Nothing is applied unless every suggestion fits.
func (s *Service) planSuggestions(ctx context.Context, c *rest.Call, in api.ApplySuggestionsInput) (plan suggestionPlan, err error) {
	sides, err := s.MergeInputs(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return plan, err
	}
	if err := Unfinished(sides.Request.ChangeRequestDocument, "edited"); err != nil {
		return plan, err
	}
	if err := sides.at(api.Pull{Revision: in.Body.Revision}); err != nil {
		return plan, err
	}
	if plan.draft, err = s.Revisions.OpenWorktree(ctx, in.Space, sides.Theirs); err != nil {
		return plan, err
	}
	now := comments.At{Head: sides.Theirs, Tree: plan.draft.Start}
	read, wrong, err := s.Comments.ReadSuggested(ctx, c, revision.TargetOf(in.ChangeRequestRef), now, in.Body.Comments)
	if err != nil || len(wrong) > 0 {
		return plan, cmp.Or(err, unfit(http.StatusUnprocessableEntity, api.ReasonInvalid, "They cannot be applied.", wrong))
	}
	plan.read = read
	turn, err := s.Slow.Begin(ctx, len(plan.read)*budgets.ChangedOverhead)
	if err != nil {
		return plan, err
	}
	defer turn.End()
	if wrong, err = s.edit(ctx, &plan, turn); err == nil && len(wrong) > 0 {
		err = unfit(http.StatusConflict, api.ReasonConflict, "Not all of them fit, and nothing was applied.", wrong)
	}
	return plan, err
}

// unfit names the comments whose suggestions cannot be applied, and why.
func unfit(status int, reason api.Reason, message string, wrong map[int]string) error {
	e := api.Errorf(status, reason, "%s", message).WithHint("Leave out those that are named, and apply the others.")
	for i, why := range wrong {
		e.Fields = append(e.Fields, api.FieldError{Path: fmt.Sprintf("comments[%d]", i), Message: why})
	}
	slices.SortFunc(e.Fields, func(a, b api.FieldError) int { return cmp.Compare(a.Path, b.Path) })
	return e
}

// pageEdit is an edit of a page's text: bytes, and what to write in their place.
type pageEdit struct {
	at         int // among the suggestions
	start, end int
	text       string
	author     string
}

// edit applies the suggestions to the worktree, page by page.
func (s *Service) edit(ctx context.Context, plan *suggestionPlan, turn *budgets.Work) (wrong map[int]string, err error) {
	byPage := map[string][]pageEdit{}
	wrong, plan.blocks = map[int]string{}, map[string]string{}
	for i, read := range plan.read {
		if read.Place.Page == "" {
			wrong[i] = "is about a text that is gone"
			continue
		}
		start, f := read.Place.Start, read.Fields.Suggestion
		byPage[read.Place.Page] = append(byPage[read.Place.Page], pageEdit{i, start, start + len(f.Original), f.Markdown, read.Private.Author})
	}
	for page, edits := range byPage {
		plan.pages = append(plan.pages, page)
		if err := s.editPage(ctx, plan, page, edits, turn, wrong); err != nil {
			return nil, err
		}
	}
	slices.Sort(plan.pages)
	return wrong, nil
}

func (s *Service) editPage(ctx context.Context, plan *suggestionPlan, id string, edits []pageEdit, turn *budgets.Work, wrong map[int]string) error {
	next := *plan.draft.Tree.Page(id)
	was, err := plan.draft.Text(ctx, &next)
	if err != nil {
		return err
	}
	if err := turn.Grow(ctx, len(was.Markdown)*budgets.EditedFactor); err != nil {
		return err
	}
	slices.SortFunc(edits, func(a, b pageEdit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.at, b.at)) })
	fits := true
	for i, e := range edits {
		original := plan.read[e.at].Fields.Suggestion.Original
		switch {
		case plan.read[e.at].Place.State == content.Fuzzy, e.end > len(was.Markdown) || string(was.Markdown[e.start:e.end]) != original:
			wrong[e.at], fits = "is about a text that has changed since", false
		case i > 0 && e.start < edits[i-1].end:
			wrong[e.at], wrong[edits[i-1].at], fits = "overlaps another one", "overlaps another one", false
		}
	}
	if !fits {
		return nil
	}
	text, spans := spliced(was.Markdown, edits)
	if err := plan.draft.SetMarkdown(ctx, &next, text, "comments"); err != nil {
		return err
	}
	next.UpdatedAt = revision.NotBefore(next.CreatedAt, s.Clock())
	plan.draft.Put(&next)
	return plan.noteWriters(ctx, &next, was.Blocks, spans)
}

// span is a part of a text that somebody wrote.
type span struct {
	start, end int
	author     string
}

// spliced is a text with edits made, which are in order, and where they are in it.
func spliced(was []byte, edits []pageEdit) (text []byte, spans []span) {
	at := 0
	for _, e := range edits {
		text = append(text, was[at:e.start]...)
		spans = append(spans, span{len(text), len(text) + len(e.text), e.author})
		text = append(text, e.text...)
		at = e.end
	}
	return append(text, was[at:]...), spans
}

// noteWriters notes of the blocks that suggestions gave other words whose words they are.
func (p *suggestionPlan) noteWriters(ctx context.Context, page *revision.Page, was content.Table, spans []span) error {
	now, err := p.draft.Text(ctx, page)
	if err != nil {
		return err
	}
	for _, block := range now.Blocks {
		if old, had := was.Find(block.ID); had && old.Hash == block.Hash {
			continue
		}
		for _, of := range spans {
			if of.start < block.End && block.Start <= of.end {
				p.blocks[revision.SuggestedBlock(page.ID, block.ID)] = of.author
			}
		}
	}
	return nil
}

// applySuggestions writes the revision, and resolves the comments. Who applies them is who edits: a contributor. Who
// suggested them is not, and stands as the writer of the words.
func (s *Service) applySuggestions(ctx context.Context, c *rest.Call, tx *store.Tx, in api.ApplySuggestionsInput, plan suggestionPlan) (none rest.Result[api.SuggestionsApplied], err error) {
	l, err := Editable(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	at := revision.TargetOf(in.ChangeRequestRef)
	if err := revision.AtHead(tx, c.Org, at, plan.draft.From); err != nil {
		return none, err
	}
	if plan.draft.IsEmpty() {
		return none, api.WrongState("Together the suggestions change nothing.")
	}
	if err := plan.draft.Check("comments"); err != nil {
		return none, err
	}
	if err := l.Contribute(c, tx); err != nil {
		return none, err
	}
	suggested := map[string]string{}
	for block, author := range plan.blocks {
		if author != c.Caller.User {
			suggested[block] = author
		}
	}
	head, err := s.Revisions.CommitWorktree(ctx, c, tx, at, plan.draft, revision.Revision{
		Type: api.RevisionEdits, Parents: []string{plan.draft.From.Revision}, Suggested: suggested,
	})
	if err != nil {
		return none, err
	}
	for _, read := range plan.read {
		if err := comments.Apply(c, tx, read, head.Revision); err != nil {
			return none, err
		}
	}
	r, err := rest.Value(api.SuggestionsApplied{Revision: head.Revision, Comments: in.Body.Comments, Pages: plan.pages})
	r.ID = l.Fields.ID
	return r, err
}
