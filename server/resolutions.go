package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/merge"
)

// conflicted answers conflicts as data; nothing is applied.
func conflicted(plan mergePlan, unchanged string) (Result[api.MergeResult], error) {
	r, err := value(api.MergeResult{Revision: unchanged, Result: api.OutcomeConflicts, Conflicts: conflicts(plan.draft.tree, plan.conflicts)})
	r.unchanged = true
	return r, err
}

// conflicts are the conflicts of a merge as they are on the wire.
func conflicts(t *tree, found []merge.Conflict) []api.Conflict {
	wire := make([]api.Conflict, len(found))
	for i, c := range found {
		wire[i] = api.Conflict{
			ID: c.ID, Kind: c.Kind, Page: c.Page, Block: c.Block, Attribute: c.Attribute, Key: c.Key,
			Base: plain(c, c.Base), Ours: plain(c, c.Ours), Theirs: plain(c, c.Theirs), Proposed: plain(c, c.Proposed),
		}
		if p, ok := t.pages[c.Page]; ok {
			wire[i].Title = p.name()
		}
	}
	return wire
}

// plain is a value of a conflict as people read it: a title or slug without the quotes of JSON.
func plain(c merge.Conflict, v *string) *string {
	var text string
	if v == nil || c.Attribute == "" || json.Unmarshal([]byte(*v), &text) != nil {
		return v
	}
	return &text
}

// resolve merges again with an answer for each conflict. Answers are applied only when every conflict has one, and
// an answer to a conflict that is not there any more is refused: it was meant for another state.
func (s *Server) resolve(ctx context.Context, plan *mergePlan, given []api.Resolution) error {
	answers := merge.Resolutions{}
	for i, r := range given {
		path := fmt.Sprintf("resolutions[%d]", i)
		at := slices.IndexFunc(plan.conflicts, func(c merge.Conflict) bool { return c.ID == r.Conflict })
		if at < 0 {
			return api.InvalidField(path+".conflict", "is not a conflict of this update")
		}
		if _, twice := answers[r.Conflict]; twice {
			return api.InvalidField(path+".conflict", "is answered twice")
		}
		answer, err := resolution(plan.conflicts[at], r)
		if err != nil {
			return within(path, err)
		}
		answers[r.Conflict] = answer
	}
	if len(answers) < len(plan.conflicts) {
		return nil // the conflicts are answered again
	}
	return s.merge(ctx, plan, answers)
}

// resolution is the value that settles a conflict; nil means absent.
func resolution(c merge.Conflict, r api.Resolution) (*string, error) {
	text, given := r.Text.Get()
	if (r.Take == api.TakeText) != given {
		return nil, api.InvalidField("text", "goes with take text, and only with it")
	}
	if c.Kind == merge.KindSlug && !given {
		return c.Proposed, nil // two pages cannot have it, whichever side is taken: this one gets what is free
	}
	switch r.Take {
	case api.TakeOurs:
		return c.Ours, nil
	case api.TakeTheirs:
		return c.Theirs, nil
	case api.TakeText:
	}
	switch c.Kind {
	case merge.KindText, merge.KindInserted:
		var wrong *content.TextError
		if err := content.Check([]byte(text)); errors.As(err, &wrong) {
			return nil, api.InvalidField("text", "%s", wrong.Error())
		}
		return &text, nil
	case merge.KindAttribute, merge.KindSlug:
		return attributeText(c.Attribute, text)
	}
	return nil, api.InvalidField("take", "text does not go with a conflict of kind %s; take ours or theirs", c.Kind)
}

// attributeText is a text as the value of a member of a page. It is held to the rules of update_page.
func attributeText(name, text string) (*string, error) {
	change := api.NewCompiler().Compile(reflect.TypeFor[api.ContentChange]())
	at := slices.IndexFunc(change.Fields, func(f api.Field) bool { return f.Name == name })
	if at < 0 || change.Fields[at].Schema.Kind != api.KindString {
		return nil, api.InvalidField("take", "text does not go with the attribute %s; take ours or theirs", name)
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", name, err)
	}
	if wrong := api.CheckText("text", text, change.Fields[at].Schema); len(wrong) > 0 {
		return nil, api.Invalid(wrong...)
	}
	value := string(encoded)
	return &value, nil
}
