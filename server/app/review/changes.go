package review

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) changesEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.GetChangeRequestChanges, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestChangesInput,
		) rest.Finish[api.SemanticChanges] {
			compared := s.Revisions.CompareRequest(r.Org, b, in.ChangeRequestRef, in.Since)
			return func(ctx context.Context, c *rest.Call) (rest.Result[api.SemanticChanges], error) {
				of, err := compared(ctx, c.Caller.User)
				return s.showChanges(ctx, c, of, in.Size(), true, err)
			}
		}),
		rest.Read(api.GetRevisionChanges, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, _ *txn.Batch, in api.RevisionChangesInput,
		) rest.Finish[api.SemanticChanges] {
			return func(ctx context.Context, c *rest.Call) (rest.Result[api.SemanticChanges], error) {
				of, err := s.Revisions.CompareRevisions(ctx, c.Org, in.RevisionRef, in.Base)
				metadata, given := in.Metadata.Get()
				return s.showChanges(ctx, c, of, in.Size(), metadata || !given, err)
			}
		}),
	}
}

// showChanges returns at most limit changes of a comparison. If merged is set, the result includes the change request
// that was merged.
func (s *Service) showChanges(ctx context.Context, c *rest.Call, of revision.DiffSpec, limit int, merged bool,
	err error,
) (none rest.Result[api.SemanticChanges], _ error) {
	if err != nil {
		return none, err
	}
	v, err := s.Revisions.Diff(ctx, of)
	if err != nil {
		return none, err
	}
	permit, err := s.Slow.Begin(ctx, (v.BeforeTree.Count+v.AfterTree.Count)*budgets.ChangedOverhead)
	if err != nil {
		return none, err
	}
	defer permit.End()
	changes, err := s.semanticChanges(ctx, c, v)
	if err != nil {
		return none, err
	}
	answer := api.SemanticChanges{Base: of.Base, Revision: of.Revision, Changes: view.OrEmpty(changes[:min(limit, len(changes))])}
	answer.More = len(changes) - len(answer.Changes)
	if merged {
		if answer.MergedFrom, err = s.MergedRequest(ctx, c, of.Target, v.After); err != nil {
			return none, err
		}
	}
	r, err := rest.Value(answer)
	return r.WithVersion(of.Version), err
}

// semanticChanges returns all changes of a diff: pages in tree order, then files, reusable contents and variables.
func (s *Service) semanticChanges(ctx context.Context, c *rest.Call, v *revision.Diff) ([]api.SemanticChange, error) {
	list, err := pageChanges(ctx, v)
	if err != nil {
		return nil, err
	}
	files, err := s.fileChanges(ctx, c, v)
	if err != nil {
		return nil, err
	}
	reusables, err := reusableChanges(ctx, v)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, files, reusables)
	if variables := variableChanges(v); len(variables) > 0 {
		list = append(list, api.SemanticChange{Type: api.VariablesEdited, Variables: variables})
	}
	return list, nil
}

func pageChanges(ctx context.Context, v *revision.Diff) (list []api.SemanticChange, err error) {
	found, err := v.ChangedEntries(ctx, revision.PagesRoot)
	if err != nil {
		return nil, err
	}
	moved := map[string]map[string]bool{} // by parent
	for _, id := range v.SortPages(found) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before, after, err := revision.DecodePages(id, found[id])
		if err != nil {
			return nil, err
		}
		switch {
		case before == nil:
			list = append(list, api.SemanticChange{Type: api.PageCreated, Page: v.ChangedPage(id), Attributes: initialAttributes(after)})
			continue
		case after == nil:
			list = append(list, api.SemanticChange{Type: api.PageDeleted, Page: v.ChangedPage(id)})
			continue
		}
		if moved[after.Parent] == nil && before.Order != after.Order {
			moved[after.Parent] = movedChildren(v, after.Parent)
		}
		if before.Parent != after.Parent || moved[after.Parent][id] {
			parent := &api.ParentChange{
				Before: revision.NewChangedPage(v.BeforeTree, before.Parent), After: revision.NewChangedPage(v.AfterTree, after.Parent),
			}
			list = append(list,
				api.SemanticChange{Type: api.PageMoved, Page: v.ChangedPage(id), Parent: parent, Previous: &api.ParentChange{
					Before: previousSibling(v.BeforeTree, before.Parent, id), After: previousSibling(v.AfterTree, after.Parent, id),
				}})
		}
		if changed := changedAttributes(pageAttributes(before), pageAttributes(after)); len(changed) > 0 {
			list = append(list, api.SemanticChange{Type: api.PageEdited, Page: v.ChangedPage(id), Attributes: changed})
		}
	}
	return list, nil
}

// initialAttributes returns the attributes that a new page was created with, except its text, title, slug and type.
func initialAttributes(p *revision.Page) map[string]api.AttributeChange {
	created := changedAttributes(nil, pageAttributes(p))
	for _, name := range []string{"title", "slug", "type", "document"} {
		delete(created, name)
	}
	if len(created) == 0 {
		return nil
	}
	return created
}

// previousSibling returns the sibling before a page below parent, or nil if the page is the first.
func previousSibling(t *revision.Tree, parent, id string) *api.ChangedPage {
	siblings := t.Children(parent)
	index := slices.Index(siblings, id)
	if index <= 0 {
		return nil
	}
	return revision.NewChangedPage(t, siblings[index-1])
}

// movedChildren returns the pages below parent whose order among their siblings changed. Order keys alone do not show
// this, since they may be redistributed: a page with a new key counts as moved only if it passed a sibling that kept
// its key.
func movedChildren(v *revision.Diff, parent string) map[string]bool {
	place := map[string]int{}
	for i, id := range v.BeforeTree.Children(parent) {
		place[id] = i
	}
	var both []string
	var places []int
	for _, id := range v.AfterTree.Children(parent) {
		if at, ok := place[id]; ok {
			both, places = append(both, id), append(places, at)
		}
	}
	rekeyed := func(id string) bool { return v.BeforeTree.Page(id).Order != v.AfterTree.Page(id).Order }
	stayed := align.InOrder(places)
	for i, id := range both {
		stayed[i] = stayed[i] || !rekeyed(id)
	}
	first := make([]int, len(both)+1) // first[i] is the lowest position among the unmoved pages from index i on
	first[len(both)] = len(place)
	for i := len(both) - 1; i >= 0; i-- {
		first[i] = first[i+1]
		if stayed[i] {
			first[i] = min(first[i], places[i])
		}
	}
	moved, last := map[string]bool{}, -1
	for i, id := range both {
		if rekeyed(id) && (last > places[i] || first[i+1] < places[i]) {
			moved[id] = true
		}
		if stayed[i] {
			last = max(last, places[i])
		}
	}
	return moved
}

// pageAttributes returns the user-editable members of a page by name, as JSON. The text is represented by its id.
func pageAttributes(p *revision.Page) map[string]json.RawMessage {
	named := map[string]json.RawMessage{}
	for name, v := range revision.Attributes(p) {
		if !strings.HasPrefix(name, revision.VariableAttributePrefix) {
			named[name] = json.RawMessage(v)
		}
	}
	set := func(name string, v any) { named[name], _ = json.Marshal(v) } // strings always encode
	set("title", p.Name())
	if p.Text != "" {
		set("document", p.Text)
	}
	if len(p.Variables) > 0 {
		set("variables", p.Variables)
	}
	return named
}

// changedAttributes returns the attributes that differ, with both values.
func changedAttributes(before, after map[string]json.RawMessage) map[string]api.AttributeChange {
	changed := map[string]api.AttributeChange{}
	for _, side := range []map[string]json.RawMessage{before, after} {
		for name := range side {
			if !bytes.Equal(before[name], after[name]) {
				changed[name] = api.AttributeChange{Before: before[name], After: after[name]}
			}
		}
	}
	return changed
}

func (s *Service) fileChanges(ctx context.Context, c *rest.Call, v *revision.Diff) ([]api.SemanticChange, error) {
	found, err := v.ChangedEntries(ctx, revision.FilesRoot)
	if err != nil {
		return nil, err
	}
	var list []api.SemanticChange
	reason := c.AddressReason(v.Target.Space)
	for _, id := range slices.Sorted(maps.Keys(found)) {
		var sides [2]*api.File
		for i, e := range []*objects.Entry{found[id].Before, found[id].After} {
			if e == nil {
				continue
			}
			f, err := revision.DecodeFile(id, *e)
			if err != nil {
				return nil, err
			}
			sides[i] = new(s.View.File(reason, v.Target.Space, f))
		}
		list = append(list, fileChange(sides[0], sides[1]))
	}
	slices.SortStableFunc(list, func(a, b api.SemanticChange) int { return cmp.Compare(a.File.Name, b.File.Name) })
	return list, nil
}

func fileChange(before, after *api.File) api.SemanticChange {
	change := api.SemanticChange{Type: api.FileEdited}
	shown := after
	switch {
	case before == nil:
		change.Type = api.FileCreated
	case after == nil:
		change.Type, shown = api.FileDeleted, before
	default:
		change.Attributes = changedAttributes(fileAttributes(before), fileAttributes(after))
	}
	change.File = &api.ChangedFile{ID: shown.ID, Name: shown.Name, ContentType: shown.ContentType, DownloadURL: shown.DownloadURL}
	return change
}

func fileAttributes(f *api.File) map[string]json.RawMessage {
	named := map[string]json.RawMessage{}
	data, _ := json.Marshal(f)       // plain members always encode
	_ = json.Unmarshal(data, &named) // encoded above
	return named
}

func reusableChanges(ctx context.Context, v *revision.Diff) ([]api.SemanticChange, error) {
	found, err := v.ChangedEntries(ctx, revision.ReusablesRoot)
	if err != nil {
		return nil, err
	}
	var list []api.SemanticChange
	for _, id := range slices.Sorted(maps.Keys(found)) {
		before, after, err := revision.DecodePages(id, found[id])
		if err != nil {
			return nil, err
		}
		switch {
		case before == nil:
			list = append(list, api.SemanticChange{Type: api.ReusableContentCreated, ReusableContent: revision.NewChangedReusable(after)})
		case after == nil:
			list = append(list, api.SemanticChange{Type: api.ReusableContentDeleted, ReusableContent: revision.NewChangedReusable(before)})
		default:
			if changed := changedAttributes(pageAttributes(before), pageAttributes(after)); len(changed) > 0 {
				list = append(list, api.SemanticChange{
					Type: api.ReusableContentEdited, ReusableContent: revision.NewChangedReusable(after), Attributes: changed,
				})
			}
		}
	}
	return list, nil
}

// variableChanges returns the variables of the space that the change request itself changed.
func variableChanges(v *revision.Diff) map[string]api.VariableChange {
	changed := variableDiff(v.Before.Variables, v.After.Variables)
	if len(v.ProposedPairs) == 0 {
		return changed
	}
	own := map[string]api.VariableChange{}
	for _, p := range v.ProposedPairs {
		maps.Copy(own, variableDiff(p[0].Variables, p[1].Variables))
	}
	maps.DeleteFunc(changed, func(name string, _ api.VariableChange) bool { _, counts := own[name]; return !counts })
	return changed
}

func variableDiff(before, after map[string]string) map[string]api.VariableChange {
	changed := map[string]api.VariableChange{}
	for _, side := range []map[string]string{before, after} {
		for name := range side {
			old, had := before[name]
			current, has := after[name]
			if had != has || old != current {
				changed[name] = api.VariableChange{Before: optionalText(old, had), After: optionalText(current, has)}
			}
		}
	}
	return changed
}

func optionalText(text string, ok bool) *string {
	if !ok {
		return nil
	}
	return &text
}
