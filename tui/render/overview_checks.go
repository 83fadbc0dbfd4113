package render

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// MergeBlockers returns the gates that block a merge, those enforced by a rule first, and the advisory ones. A gate that only
// repeats earlier ones is left out.
func MergeBlockers(m api.Mergeability) (stops, advice []api.MergeGate) {
	for _, g := range m.Rules {
		switch {
		case g.State == api.GatePassed:
		case g.State == api.GateFailed, g.Rule == api.GateChangesRequested, g.Rule == api.GateConflicts:
			stops = append(stops, g)
		default:
			advice = append(advice, g)
		}
	}
	slices.SortStableFunc(stops, func(a, b api.MergeGate) int { return blockerRank(a) - blockerRank(b) })
	stops = withoutRepeats(stops)
	return stops, withoutRepeats(slices.Concat(stops, advice))[len(stops):]
}

// PassedRules returns the number of passed rules among those that are shown. The success sign is shown only if all of
// them passed.
func PassedRules(rules []api.MergeGate) Line {
	passed := 0
	for _, g := range rules {
		if g.State == api.GatePassed {
			passed++
		}
	}
	stops, advice := MergeBlockers(api.Mergeability{Rules: rules})
	total := passed + len(stops) + len(advice)
	if passed == total {
		return Line{In(Added, "✓ "), In(Dim, "all "+Plural(passed, "check")+" pass")}
	}
	return Line{In(Dim, fmt.Sprintf("%d of %s pass", passed, Plural(total, "check")))}
}

// blockerRank orders gates: those enforced by a rule come first.
func blockerRank(g api.MergeGate) int {
	if g.State == api.GateFailed {
		return 0
	}
	return 1
}

// OpenFirst is the advice for merging a draft.
const OpenFirst = "open it for review first"

// MergeHeading returns the heading of the checks of a change request with status s. It also shows that the merge is not
// ready if no rule forbids it but changes are requested, and that the change request is a draft.
func MergeHeading(m api.Mergeability, s api.ChangeRequestStatus) Line {
	stops, advice := MergeBlockers(m)
	line, counts := Section("Merge "), describeBlockers(stops, advice)
	switch {
	case s == api.StatusDraft && m.Mergeable && len(stops) == 0:
		line = append(line, Chip(ChipPlain, "draft"))
		counts = append([]string{OpenFirst}, counts...)
	case !m.Mergeable || len(stops) > 0:
		line = append(line, Chip(ChipWarning, "not yet"))
	default:
		line = append(line, Chip(ChipGood, "can be merged"))
	}
	if len(counts) > 0 {
		line = append(line, In(Dim, "  "+strings.Join(counts, ", ")))
	}
	return line
}

// describeBlockers describes the number of blocking gates, requested changes and advisory gates.
func describeBlockers(stops, advice []api.MergeGate) []string {
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
		case g.State == api.GateFailed: // counted
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
