package review

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// mergePlan is a computed three-way merge that can be committed. Ours is the space and theirs the change request,
// both for merges and for updates.
type mergePlan struct {
	Request       LoadedRequest
	ours          store.Head         // head of the space
	Theirs        store.Head         // head of the change request
	worktree      *revision.Worktree // ours with theirs merged into it; nil if there is nothing to merge
	conflicts     []merge.Conflict
	revisions     [3]revision.Revision // base, ours and theirs
	conflictViews []api.Conflict       // descriptions of the conflicts

	rules            RuleSet    // merge rules of the space
	openComments     int        // open comments of the change request
	blockingComments int        // open comments that are blocking
	facts            mergeFacts // inputs of the merge rules

	source *api.RevisionSource // source of the merge, or nil
}

// LoadMergePlan reads the inputs of a merge in one pipeline. It returns a not_found error if the change request does
// not exist.
func (s *Service) LoadMergePlan(ctx context.Context, c *rest.Call, ref api.ChangeRequestRef) (plan mergePlan, err error) {
	plan, err = s.loadMergePlan(ctx, c.Org, store.RequestIDOf(ref.Space, ref.ChangeRequest))
	if err == nil && !revision.MatchesRequest(ref.ChangeRequest, plan.Request.ChangeRequestDocument) {
		return plan, api.NotFound()
	}
	return plan, err
}

// loadMergePlan reads the inputs of a merge of the change request with the given RequestID.
func (s *Service) loadMergePlan(ctx context.Context, org, key string) (plan mergePlan, err error) {
	in := store.HeadSpace(key)
	b := s.Store.NewBatch()
	record := b.Record(store.ChangeRequestKey(org, key))
	heads := b.Fields(store.HeadsKey(org), key, in)
	organization, space := b.Record(store.OrganizationKey(org)), b.Record(store.SpaceKey(org, in))
	threads := b.Cardinality(store.CommentsKey(org, key, string(api.CommentOpen)))
	blocking := b.Cardinality(store.CommentsKey(org, key, store.BlockingFilter))
	if err := b.Do(ctx); err != nil {
		return plan, fmt.Errorf("read change request: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return plan, rest.NotFoundIfNil(err)
	}
	if err := plan.Request.Decode(r); err != nil {
		return plan, err
	}
	plan.Request.Key = key
	if plan.ours, err = store.ParseHead(heads.Value()[in]); err != nil {
		return plan, err
	}
	if plan.Theirs, err = store.ParseHead(heads.Value()[key]); err != nil {
		return plan, err
	}
	plan.openComments, plan.blockingComments = int(threads.Value()), int(blocking.Value())
	plan.rules, err = EffectiveRules(organization, space)
	return plan, err
}

// baseRevision returns the common ancestor of both sides.
func (p mergePlan) baseRevision() string {
	return cmp.Or(p.Request.Fields.RevisionMergedAncestor, p.Request.Fields.RevisionInitial)
}

// merge merges theirs into ours, using answers for conflicts, and sets the result and the open conflicts in plan.
func (s *Service) merge(ctx context.Context, plan *mergePlan, answers merge.Resolutions) error {
	space := plan.Request.Fields.Space
	d, err := s.Revisions.OpenWorktree(ctx, space, plan.ours)
	if err != nil {
		return err
	}
	plan.worktree = d
	d.Links.Roots = append(d.Links.Roots, plan.Theirs.Links)
	base, err := s.Revisions.Revision(ctx, d.Content, plan.baseRevision())
	if err != nil {
		return fmt.Errorf("base of the merge: %w", err)
	}
	theirs, err := s.Revisions.Revision(ctx, d.Content, plan.Theirs.Revision)
	if err != nil {
		return fmt.Errorf("change request of the merge: %w", err)
	}
	plan.revisions = [3]revision.Revision{base, d.BaseRevision, theirs}
	inTexts, err := s.mergeTexts(ctx, d, base, theirs, answers)
	if err != nil {
		return err
	}
	inFiles, err := d.MergeFiles(ctx, base, theirs, answers)
	if err != nil {
		return err
	}
	if err := d.MergeSources(ctx, base, theirs); err != nil {
		return err
	}
	plan.conflicts = slices.Concat(inTexts, inFiles, d.MergeVariables(base, theirs, answers))
	return nil
}

// mergeTexts merges pages and reusable contents into d and returns the conflicts.
func (s *Service) mergeTexts(ctx context.Context, d *revision.Worktree, base, theirs revision.Revision,
	answers merge.Resolutions,
) ([]merge.Conflict, error) {
	pages, err := d.ChangedEntries(ctx, base.Pages, d.BaseRevision.Pages, theirs.Pages)
	if err != nil {
		return nil, err
	}
	reusables, err := d.ChangedEntries(ctx, base.Reusables, d.BaseRevision.Reusables, theirs.Reusables)
	if err != nil || len(pages)+len(reusables) == 0 {
		return nil, err
	}
	v, err := s.Revisions.Versions(ctx, d.Content, [3]revision.Revision{base, d.BaseRevision, theirs}, reusables)
	if err != nil {
		return nil, err
	}
	permit, err := s.Slow.Begin(ctx, (len(pages)+len(reusables))*budgets.ChangedOverhead)
	if err != nil {
		return nil, err
	}
	defer permit.End()
	merged, err := merge.Pages(ctx, slices.Concat(pages, reusables), merge.Input{
		Base: revision.NewMergeView(v.Base), Ours: revision.NewMergeView(v.Ours), Theirs: revision.NewMergeView(v.Theirs),
		Resolutions: answers,
		Load: func(_, hash string) (content.Text, error) {
			text, blocks, _ := strings.Cut(hash, revision.TextSeparator)
			t, err := revision.ReadText(ctx, d.Content, text, blocks)
			if err == nil {
				err = permit.Grow(ctx, len(t.Markdown)*budgets.MergeFactor)
			}
			return t, err
		},
	})
	if err != nil {
		return nil, fmt.Errorf("merge pages: %w", err)
	}
	if err := d.Apply(v, merged); err != nil {
		return nil, err
	}
	d.MergeOrigins(v, pages)
	return merged.Conflicts, nil
}

// planMerge computes the content of the space after the merge.
func (s *Service) planMerge(ctx context.Context, c *rest.Call, in api.MergeInput) (mergePlan, error) {
	plan, err := s.LoadMergePlan(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return plan, err
	}
	if err := s.checkMergeable(c, plan); err != nil {
		return plan, err
	}
	if err := s.mergeAndResolve(ctx, c, &plan, api.Pull(in.Body)); err != nil || len(plan.conflicts) > 0 {
		return plan, err
	}
	if plan.source, err = s.lastSource(ctx, plan); err != nil || len(plan.rules.rules) == 0 {
		return plan, err
	}
	plan.facts, err = s.gatherFacts(ctx, c, &plan)
	return plan, err
}

// mergeAndResolve merges both sides, applies the given resolutions and describes the conflicts that remain.
func (s *Service) mergeAndResolve(ctx context.Context, c *rest.Call, plan *mergePlan, given api.Pull) error {
	if err := plan.checkHeads(given); err != nil {
		return err
	}
	err := s.merge(ctx, plan, nil)
	if err == nil && len(given.Resolutions) > 0 {
		err = s.resolve(ctx, c, plan, given.Resolutions)
	}
	if err == nil {
		plan.conflictViews, err = s.Conflicts.Describe(ctx, c, plan.conflictedMerge(), plan.conflicts)
	}
	return err
}

// conflictedMerge returns the merge as input for describing its conflicts.
func (p mergePlan) conflictedMerge() ConflictedMerge {
	return ConflictedMerge{
		Draft: p.worktree, Revisions: p.revisions, Names: [2]string{"the space", "the change request"},
		Origins: [2]SideOrigin{
			{
				Head: p.ours.Revision, Until: p.baseRevision(),
			}, {Head: p.Theirs.Revision, Until: p.baseRevision(), Request: p.Request.Fields.ID},
		},
	}
}

// checkHeads returns a conflict error if the resolutions were made for other heads than the current ones.
func (p mergePlan) checkHeads(given api.Pull) error {
	for _, head := range []struct{ what, given, now string }{
		{"change request", given.Revision, p.Theirs.Revision}, {"space", given.SpaceRevision, p.ours.Revision},
	} {
		if head.given != "" && head.given != head.now {
			return api.Errorf(http.StatusConflict, api.ReasonConflict, "The %s has changed since: its head is %s, not %s.", head.what,
				head.now, head.given).
				WithHint("Read the conflicts again, and decide whether the resolutions still fit.")
		}
	}
	return nil
}

// showConflicts returns the conflicts that a merge or an update would have, without applying either.
func (s *Service) showConflicts(ctx context.Context, c *rest.Call, in api.ChangeRequestRef) (none rest.Result[api.ConflictList],
	err error,
) {
	plan, err := s.LoadMergePlan(ctx, c, in)
	if err != nil {
		return none, err
	}
	if err := CheckUnfinished(plan.Request.ChangeRequestDocument, "merged"); err != nil {
		return none, err
	}
	answer := api.ConflictList{Revision: plan.Theirs.Revision, SpaceRevision: plan.ours.Revision, Conflicts: []api.Conflict{}}
	if plan.baseRevision() != plan.ours.Revision { // without changes of the space since the base there is no conflict
		if err := s.merge(ctx, &plan, nil); err != nil {
			return none, err
		}
		if answer.Conflicts, err = s.Conflicts.Describe(ctx, c, plan.conflictedMerge(), plan.conflicts); err != nil {
			return none, err
		}
	}
	r, err := rest.Value(answer)
	return r.WithVersion(strconv.FormatInt(plan.Request.Version, 10) + "." + plan.Theirs.Revision), err
}

func (s *Service) checkMergeable(c *rest.Call, plan mergePlan) error {
	if err := CheckUnfinished(plan.Request.ChangeRequestDocument, "merged"); err != nil {
		return err
	}
	if err := s.checkNoPush(c, plan.Request.ChangeRequestDocument, "merged"); err != nil {
		return err
	}
	if plan.Theirs.Revision == plan.Request.Fields.RevisionInitial {
		return nothingToMergeError()
	}
	return nil
}

func nothingToMergeError() *api.Error {
	return api.WrongState("The change request changes nothing: there is nothing to merge.")
}

// recheck reads the change request again inside the transaction and returns ErrHeadMoved if the plan is outdated. It
// does not read the comment count, so that ongoing discussion does not delay the merge.
func (s *Service) recheck(c *rest.Call, tx *store.Tx, ref api.ChangeRequestRef, plan mergePlan) (l LoadedRequest, err error) {
	l.Key, l.State.Head = plan.Request.Key, plan.Theirs
	heads := store.HeadsKey(c.Org)
	if err := tx.Prefetch(store.ChangeRequestKey(c.Org, l.Key), heads.Field(l.Key), heads.Field(ref.Space)); err != nil {
		return l, err
	}
	if l.ChangeRequestDocument, err = tx.ChangeRequest(c.Org, l.Key); err != nil || l.Version == 0 {
		return l, rest.NotFoundIfNil(err)
	}
	if l.Version != plan.Request.Version {
		return l, store.ErrHeadMoved
	}
	if err := revision.CheckHead(tx, c.Org, revision.Target{Space: ref.Space}, plan.ours); err != nil {
		return l, err
	}
	return l, revision.CheckHead(tx, c.Org, revision.Target{Space: ref.Space, ChangeRequest: ref.ChangeRequest}, plan.Theirs)
}

func (s *Service) applyMerge(ctx context.Context, c *rest.Call, tx *store.Tx, in api.MergeInput,
	plan mergePlan,
) (rest.Result[api.MergeResult], error) {
	l, err := s.recheck(c, tx, in.ChangeRequestRef, plan)
	if err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	if len(plan.conflicts) > 0 {
		return conflictsResult(plan, plan.ours.Revision)
	}
	if plan.worktree.IsEmpty() {
		return rest.Result[api.MergeResult]{}, nothingToMergeError()
	}
	if err := s.checkRules(c, tx, l, plan); err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	if err := plan.worktree.Check("changeRequest"); err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	head, err := s.Revisions.CommitWorktree(ctx, c, tx, revision.Target{Space: in.Space}, plan.worktree, revision.Revision{
		Type: api.RevisionMerge, Parents: []string{plan.ours.Revision, plan.Theirs.Revision}, MergedFrom: l.Fields.ID,
		Source: plan.source,
	})
	if err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	old := l.Fields.Status
	l.Fields.Status, l.Fields.RevisionMerged = api.StatusMerged, head.Revision
	if _, err := l.write(c, tx, old); err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	r, err := rest.Value(api.MergeResult{Revision: head.Revision, Result: api.OutcomeMerge})
	r.ID = l.Fields.ID
	return r, err
}

// planPull computes the content of the change request after an update from the space.
func (s *Service) planPull(ctx context.Context, c *rest.Call, in api.PullInput) (mergePlan, error) {
	plan, err := s.LoadMergePlan(ctx, c, in.ChangeRequestRef)
	if err != nil {
		return plan, err
	}
	if err := CheckUnfinished(plan.Request.ChangeRequestDocument, "updated"); err != nil {
		return plan, err
	}
	if plan.baseRevision() == plan.ours.Revision {
		return plan, plan.checkHeads(in.Body) // there is nothing to merge
	}
	return plan, s.mergeAndResolve(ctx, c, &plan, in.Body)
}

func (s *Service) applyPull(ctx context.Context, c *rest.Call, tx *store.Tx, in api.PullInput,
	plan mergePlan,
) (rest.Result[api.MergeResult], error) {
	l, err := s.recheck(c, tx, in.ChangeRequestRef, plan)
	if err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	if plan.worktree == nil {
		r, err := rest.Value(api.MergeResult{Revision: plan.Theirs.Revision, Result: api.OutcomeUpdate})
		r.Unchanged = true
		return r, err
	}
	if len(plan.conflicts) > 0 {
		return conflictsResult(plan, plan.Theirs.Revision)
	}
	if err := plan.worktree.Check("changeRequest"); err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	head, err := s.Revisions.CommitWorktree(ctx, c, tx, revision.Target{Space: in.Space, ChangeRequest: in.ChangeRequest}, plan.worktree,
		revision.Revision{
			Type: api.RevisionUpdate, Parents: []string{plan.Theirs.Revision, plan.ours.Revision},
		})
	if err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	l.addContributor(c.Caller.User)
	l.Fields.RevisionMergedAncestor = plan.ours.Revision
	if _, err := tx.PutChangeRequest(c.Org, l.ChangeRequestDocument, l.Fields.Status); err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	r, err := rest.Value(api.MergeResult{Revision: head.Revision, Result: api.OutcomeUpdate})
	r.ID = l.Fields.ID
	return r, err
}
