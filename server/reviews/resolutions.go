package reviews

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/diff"
	"docspace.dev/wsd/server/merge"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/revision"
)

// conflicted answers conflicts as data; nothing is applied.
func conflicted(ctx context.Context, plan mergePlan, unchanged string) (rest.Result[api.MergeResult], error) {
	found, err := Conflicts(ctx, plan.draft, plan.conflicts)
	if err != nil {
		return rest.Result[api.MergeResult]{}, err
	}
	r, err := rest.Value(api.MergeResult{Revision: unchanged, Result: api.OutcomeConflicts, Conflicts: found})
	r.Unchanged = true
	return r, err
}

// Conflicts are the conflicts of a merge as they are on the wire. The merge of an import shows its own so, too.
func Conflicts(ctx context.Context, d *revision.Worktree, found []merge.Conflict) ([]api.Conflict, error) {
	wire := make([]api.Conflict, len(found))
	for i, c := range found {
		wire[i] = api.Conflict{
			ID: c.ID, Kind: c.Kind, Page: c.Page, Block: c.Block, Attribute: c.Attribute, Key: c.Key,
			Base: plain(c, c.Base), Ours: plain(c, c.Ours), Theirs: plain(c, c.Theirs), Proposed: plain(c, c.Proposed),
		}
		wire[i].OursRuns, wire[i].TheirsRuns = runsBetween(ctx, wire[i].Base, wire[i].Ours), runsBetween(ctx, wire[i].Base, wire[i].Theirs)
		about := d.Tree.Page(c.Page)
		if strings.HasPrefix(c.Page, revision.ReusablePrefix) {
			wire[i].Page, wire[i].ReusableContent = "", c.Page
			var err error
			if about, err = d.Reusable(ctx, c.Page); err != nil {
				return nil, err
			}
		}
		if about != nil {
			wire[i].Title = about.Name()
		}
	}
	return wire, ctx.Err()
}

// runsBetween is what a side of a conflict changed.
func runsBetween(ctx context.Context, base, side *string) []api.TextRun {
	if base == nil || side == nil {
		return nil
	}
	return diff.Runs(ctx, *base, *side)
}

// plain is a value of a conflict as people read it: a title or slug without the quotes of JSON.
func plain(c merge.Conflict, v *string) *string {
	var text string
	if v == nil || c.Attribute == "" || json.Unmarshal([]byte(*v), &text) != nil {
		return v
	}
	return &text
}

// resolve merges again with an answer for each conflict. Answers are applied only when every conflict has one. One
// answer may bring up another conflict: then all of them are told again, and all are to be answered.
func (s *Service) resolve(ctx context.Context, plan *mergePlan, given []api.Resolution) error {
	all, answers := plan.conflicts, merge.Resolutions{}
	for len(plan.conflicts) > 0 {
		for _, conflict := range plan.conflicts {
			i := slices.IndexFunc(given, func(r api.Resolution) bool { return r.Conflict == conflict.ID })
			if i < 0 {
				plan.conflicts = all
				return MeantForAnother(given, all)
			}
			answer, err := Decide(conflict, given, i)
			if err != nil {
				return err
			}
			answers[conflict.ID] = answer
		}
		if err := s.merge(ctx, plan, answers); err != nil {
			return err
		}
		all = append(all, plan.conflicts...)
	}
	return MeantForAnother(given, all)
}

// Decide is the value that one of the given resolutions settles a conflict with; nil means absent.
func Decide(c merge.Conflict, given []api.Resolution, i int) (*string, error) {
	answer, err := resolution(c, given[i])
	if err != nil {
		return nil, revision.Within(fmt.Sprintf("resolutions[%d]", i), err)
	}
	return answer, nil
}

// MeantForAnother refuses answers to conflicts that are not there, or not any more: they were meant for another state.
func MeantForAnother(given []api.Resolution, conflicts []merge.Conflict) error {
	for i, r := range given {
		path := fmt.Sprintf("resolutions[%d].conflict", i)
		if !slices.ContainsFunc(conflicts, func(c merge.Conflict) bool { return c.ID == r.Conflict }) {
			return api.InvalidField(path, "is not a conflict of these two states")
		}
		if slices.ContainsFunc(given[:i], func(other api.Resolution) bool { return other.Conflict == r.Conflict }) {
			return api.InvalidField(path, "is answered twice")
		}
	}
	return nil
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
	case api.TakeBoth:
		if c.Kind != merge.KindText && c.Kind != merge.KindInserted {
			return nil, api.InvalidField("take", "both does not go with a conflict of kind %s; take ours or theirs", c.Kind)
		}
		return c.Proposed, nil
	case api.TakeText:
	}
	switch c.Kind {
	case merge.KindText, merge.KindInserted:
		var wrong *content.TextError
		if err := content.Check([]byte(text)); errors.As(err, &wrong) {
			return nil, api.InvalidField("text", "%s", wrong.Error())
		}
		return &text, nil
	case merge.KindVariable:
		return &text, variableText(text)
	case merge.KindAttribute, merge.KindSlug:
		return attributeText(c.Attribute, text)
	}
	return nil, api.InvalidField("take", "text does not go with a conflict of kind %s; take ours or theirs", c.Kind)
}

// attributeText is a text as the value of a member of a page. It is held to the rules of update_page.
func attributeText(name, text string) (*string, error) {
	if strings.HasPrefix(name, revision.VariableAttribute) {
		encoded, _ := json.Marshal(text) // strings always encode
		return new(string(encoded)), variableText(text)
	}
	change := api.NewCompiler().Compile(reflect.TypeFor[api.ContentChange]())
	at := slices.IndexFunc(change.Fields, func(f api.Field) bool { return f.Name == name })
	if at < 0 || change.Fields[at].Schema.Kind != api.KindString {
		return nil, api.InvalidField("take", "text does not go with the attribute %s; take ours or theirs", name)
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", name, err)
	}
	if wrong := api.CheckText("text", text, change.Fields[at].Schema, api.DefaultLimits()); len(wrong) > 0 {
		return nil, api.Invalid(wrong...)
	}
	if change.Fields[at].Schema.Format == "" {
		if wrong := api.CheckLine("text", text); len(wrong) > 0 {
			return nil, api.Invalid(wrong...)
		}
	}
	value := string(encoded)
	return &value, nil
}

// variableText holds a text against the rule of set_variables.
func variableText(text string) error {
	if utf8.RuneCountInString(text) > api.MaxVariableLength {
		return api.InvalidField("text", "must have at most %d characters", api.MaxVariableLength)
	}
	return nil
}
