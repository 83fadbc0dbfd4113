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

// conflictsResult returns the conflicts of a plan as a result; nothing is applied.
func conflictsResult(plan mergePlan, unchanged string) (rest.Result[api.MergeResult], error) {
	r, err := rest.Value(api.MergeResult{Revision: unchanged, Result: api.OutcomeConflicts, Conflicts: plan.conflictViews})
	r.Unchanged = true
	return r, err
}

// resolve repeats the merge with the given resolutions until no conflict remains. If a conflict has no resolution,
// nothing is applied and the plan holds all conflicts, including those that other resolutions have caused.
func (s *Service) resolve(ctx context.Context, c *rest.Call, plan *mergePlan, given []api.Resolution) error {
	all, answers := plan.conflicts, merge.Resolutions{}
	for len(plan.conflicts) > 0 {
		for _, conflict := range plan.conflicts {
			i := slices.IndexFunc(given, func(r api.Resolution) bool { return r.Conflict == conflict.ID })
			if i < 0 {
				plan.conflicts = all
				return s.CheckResolutions(ctx, c, plan.conflictedMerge(), given, all)
			}
			answer, err := ResolutionValue(conflict, given, i)
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
	return s.CheckResolutions(ctx, c, plan.conflictedMerge(), given, all)
}

// ResolutionValue returns the value that the resolution given[i] selects for a conflict; nil means absent.
func ResolutionValue(c merge.Conflict, given []api.Resolution, i int) (*string, error) {
	answer, err := selectedValue(c, given[i])
	if err != nil {
		return nil, revision.PrefixFields(fmt.Sprintf("resolutions[%d]", i), err)
	}
	return answer, nil
}

// CheckResolutions returns an error if a resolution refers to a conflict that does not exist, or not any more, or if
// one is resolved twice. The error names the conflicts that replaced it.
func (s *Service) CheckResolutions(ctx context.Context, c *rest.Call, d ConflictedMerge, given []api.Resolution,
	found []merge.Conflict,
) error {
	for i, r := range given {
		path := fmt.Sprintf("resolutions[%d].conflict", i)
		if !slices.ContainsFunc(found, func(c merge.Conflict) bool { return c.ID == r.Conflict }) {
			instead, err := s.Conflicts.Describe(ctx, c, d, merge.Successors(r.Conflict, found))
			if err != nil {
				return err
			}
			return staleResolutionError(path, instead)
		}
		if slices.ContainsFunc(given[:i], func(other api.Resolution) bool { return other.Conflict == r.Conflict }) {
			return api.InvalidField(path, "is answered twice")
		}
	}
	return nil
}

// maxReplacements bounds the number of conflicts named in an error.
const maxReplacements = 20

// staleResolutionError returns the error for a resolution of a conflict that no longer exists. instead lists the
// conflicts in its place.
func staleResolutionError(path string, instead []api.Conflict) error {
	if len(instead) == 0 {
		return api.InvalidField(path,
			"is not a conflict of these two states").WithHint("Read the conflicts again, and decide those that are there.")
	}
	var fields []api.FieldError
	var names []string
	for _, c := range instead[:min(len(instead), maxReplacements)] {
		name := c.Place
		if c.Title != "" {
			name = Quote(c.Title) + ", " + name
		}
		names = append(names, name)
		fields = append(fields, api.FieldError{Path: path, Message: "is not there any more; in its place stands: " + name, Conflict: c.ID})
	}
	if more := len(instead) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	e := api.Invalid(fields...).WithHint("Nothing was applied. Read the conflicts again, and decide those that are there.")
	e.Message = "A conflict that was answered is not there any more: both sides have gone on, or it has been split. In its place: " +
		strings.Join(names, "; ") + "."
	return e
}

// selectedValue returns the value that a resolution selects; nil means absent.
func selectedValue(c merge.Conflict, r api.Resolution) (*string, error) {
	text, given := r.Text.Get()
	if (r.Take == api.TakeText) != given {
		return nil, api.InvalidField("text", "goes with take text, and only with it")
	}
	if c.Kind == merge.KindSlug && !given {
		return c.Proposed, nil // both pages cannot have the slug, so this one gets the free slug
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
		return &text, checkVariableText(text)
	case merge.KindAttribute, merge.KindSlug:
		return attributeValue(c.Attribute, text)
	}
	return nil, api.InvalidField("take", "text does not go with a conflict of kind %s; take ours or theirs", c.Kind)
}

// attributeValue returns a text as the JSON value of a page attribute. The text must satisfy the rules of
// update_page.
func attributeValue(name, text string) (*string, error) {
	if strings.HasPrefix(name, revision.VariableAttributePrefix) {
		encoded, _ := json.Marshal(text) // strings always encode
		return new(string(encoded)), checkVariableText(text)
	}
	field, ok := TextField(name)
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

// checkVariableText returns an error if a text is too long for a variable.
func checkVariableText(text string) error {
	if utf8.RuneCountInString(text) > api.MaxVariableLength {
		return api.InvalidField("text", "must have at most %d characters", api.MaxVariableLength)
	}
	return nil
}
