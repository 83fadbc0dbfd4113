package render

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// Stands says what stands in the way of a merge, by a rule first and then as somebody asks for changes, and what is other
// advice.
func Stands(m api.Mergeability) (stops, advice []api.MergeGate) {
	for _, g := range m.Rules {
		switch {
		case g.State == api.GatePassed:
		case g.State == api.GateFailed, g.Rule == api.GateChangesRequested, g.Rule == api.GateConflicts:
			stops = append(stops, g)
		default:
			advice = append(advice, g)
		}
	}
	slices.SortStableFunc(stops, func(a, b api.MergeGate) int { return rank(a) - rank(b) })
	stops = once(stops)
	return stops, once(slices.Concat(stops, advice))[len(stops):] // what stops the merge says the same already
}

// once are checks without those whose message an earlier one says.
func once(all []api.MergeGate) (out []api.MergeGate) {
	for _, g := range all {
		if !slices.ContainsFunc(out, func(s api.MergeGate) bool { return s.Message == g.Message }) {
			out = append(out, g)
		}
	}
	return out
}

// Passing says how many of the rules are kept: with the sign that all is well only where all are.
func Passing(rules []api.MergeGate) Line {
	passed := 0
	for _, g := range rules {
		if g.State == api.GatePassed {
			passed++
		}
	}
	if passed == len(rules) {
		return Line{In(Added, "✓ "), In(Dim, "all "+Plural(passed, "check")+" pass")}
	}
	said := fmt.Sprintf("%d of %s pass", passed, Plural(len(rules), "check"))
	if n := len(Alike(rules)); n == 1 {
		said += ", 1 says the same as another"
	} else if n > 1 {
		said += fmt.Sprintf(", %d say the same as others", n)
	}
	return Line{In(Dim, said)}
}

// Alike are the checks that do not pass and that Stands leaves out, for another says the same.
func Alike(rules []api.MergeGate) []api.MergeGate {
	stops, advice := Stands(api.Mergeability{Rules: rules})
	shown := append(stops, advice...)
	return slices.DeleteFunc(slices.Clone(rules), func(g api.MergeGate) bool {
		return g.State == api.GatePassed || slices.ContainsFunc(shown, func(s api.MergeGate) bool { return s.Rule == g.Rule && s.State == g.State && s.Message == g.Message })
	})
}

// rank is small for what a rule stops a merge by.
func rank(g api.MergeGate) int {
	if g.State == api.GateFailed {
		return 0
	}
	return 1
}

// OpenFirst says what comes before the merge of a draft.
const OpenFirst = "open it for review first"

// Merge is the heading of the checks of a change request in a status: not yet is what it says as well where nothing forbids a
// merge and somebody asks for changes, and of a draft that it is one.
func Merge(m api.Mergeability, s api.ChangeRequestStatus) Line {
	stops, advice := Stands(m)
	line, said := Section("Merge "), standing(stops, advice)
	switch {
	case s == api.StatusDraft && m.Mergeable && len(stops) == 0:
		line = append(line, Chip(ChipPlain, "draft"))
		said = append([]string{OpenFirst}, said...)
	case !m.Mergeable || len(stops) > 0:
		line = append(line, Chip(ChipWarning, "not yet"))
	default:
		line = append(line, Chip(ChipGood, "can be merged"))
	}
	if len(said) > 0 {
		line = append(line, In(Dim, "  "+strings.Join(said, ", ")))
	}
	return line
}

// standing says how many checks stop a merge, that changes are asked for, and how many are advice.
func standing(stops, advice []api.MergeGate) []string {
	failed := 0
	for _, g := range stops {
		if g.State == api.GateFailed {
			failed++
		}
	}
	var parts []string
	switch {
	case failed == 1:
		parts = append(parts, "1 check stops it")
	case failed > 1:
		parts = append(parts, fmt.Sprintf("%d checks stop it", failed))
	}
	for _, g := range stops {
		switch {
		case g.State == api.GateFailed: // is counted
		case g.Rule == api.GateChangesRequested:
			parts = append(parts, "changes requested")
		default:
			parts = append(parts, "conflicts to decide")
		}
	}
	if len(advice) > 0 {
		parts = append(parts, Plural(len(advice), "warning"))
	}
	return parts
}
