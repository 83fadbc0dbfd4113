package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/server/web/rest"
)

// conflicted answers conflicts as data; nothing is applied.
func conflicted(plan mergePlan, unchanged string) (rest.Result[api.MergeResult], error) {
	r, err := rest.Value(api.MergeResult{Revision: unchanged, Result: api.OutcomeConflicts, Conflicts: plan.told})
	r.Unchanged = true
	return r, err
}

// resolve merges again with an answer for each conflict. Answers are applied only when every conflict has one. One
// answer may bring up another conflict: then all of them are told again, and all are to be answered.
func (s *Service) resolve(ctx context.Context, c *rest.Call, plan *mergePlan, given []api.Resolution) error {
	all, answers := plan.conflicts, merge.Resolutions{}
	for len(plan.conflicts) > 0 {
		for _, conflict := range plan.conflicts {
			i := slices.IndexFunc(given, func(r api.Resolution) bool { return r.Conflict == conflict.ID })
			if i < 0 {
				plan.conflicts = all
				return s.MeantForAnother(ctx, c, plan.dispute(), given, all)
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
	return s.MeantForAnother(ctx, c, plan.dispute(), given, all)
}

// Decide is the value that one of the given resolutions settles a conflict with; nil means absent.
func Decide(c merge.Conflict, given []api.Resolution, i int) (*string, error) {
	answer, err := resolution(c, given[i])
	if err != nil {
		return nil, revision.Within(fmt.Sprintf("resolutions[%d]", i), err)
	}
	return answer, nil
}

// MeantForAnother refuses answers to conflicts that are not there, or not any more: they were meant for another state. It
// names the conflicts that stand in their place.
func (s *Service) MeantForAnother(ctx context.Context, c *rest.Call, d Dispute, given []api.Resolution, found []merge.Conflict) error {
	for i, r := range given {
		path := fmt.Sprintf("resolutions[%d].conflict", i)
		if !slices.ContainsFunc(found, func(c merge.Conflict) bool { return c.ID == r.Conflict }) {
			instead, err := s.Conflicts.Tell(ctx, c, d, merge.InPlaceOf(r.Conflict, found))
			if err != nil {
				return err
			}
			return overtaken(path, instead)
		}
		if slices.ContainsFunc(given[:i], func(other api.Resolution) bool { return other.Conflict == r.Conflict }) {
			return api.InvalidField(path, "is answered twice")
		}
	}
	return nil
}

// maxInstead bounds how many conflicts an error names.
const maxInstead = 20

// overtaken is the error about an answer to a conflict that is not there any more; others stand in its place.
func overtaken(path string, instead []api.Conflict) error {
	if len(instead) == 0 {
		return api.InvalidField(path, "is not a conflict of these two states").WithHint("Read the conflicts again, and decide those that are there.")
	}
	var fields []api.FieldError
	var names []string
	for _, c := range instead[:min(len(instead), maxInstead)] {
		name := c.Place
		if c.Title != "" {
			name = Quoted(c.Title) + ", " + name
		}
		names = append(names, name)
		fields = append(fields, api.FieldError{Path: path, Message: "is not there any more; in its place stands: " + name, Conflict: c.ID})
	}
	if more := len(instead) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	e := api.Invalid(fields...).WithHint("Nothing was applied. Read the conflicts again, and decide those that are there.")
	e.Message = "A conflict that was answered is not there any more: both sides have gone on, or it has been split. In its place: " + strings.Join(names, "; ") + "."
	return e
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
	field, ok := WrittenField(name)
	if !ok {
		return nil, api.InvalidField("take", "text does not go with the attribute %s; take ours or theirs", name)
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return nil, fmt.Errorf("attribute %s: %w", name, err)
	}
	if wrong := api.CheckText("text", text, field.Schema, api.DefaultLimits()); len(wrong) > 0 {
		return nil, api.Invalid(wrong...)
	}
	if field.Schema.Format == "" {
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
