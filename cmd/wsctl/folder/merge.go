package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
)

// Beginnings of the lines that mark a conflict in a file, as git writes them.
const (
	markOurs   = "<<<<<<< "
	markBase   = "||||||| "
	markSplit  = "======="
	markTheirs = ">>>>>>> "
)

// Labels name the sides of a merge in the marks of its conflicts.
type Labels struct{ Ours, Base, Theirs string }

// mergeText merges three versions of a text as the server does. If both sides have changed the same sentence, conflicts is the
// number of the passages in conflict, and the merged text has both sides of each with marks around them.
func mergeText(ctx context.Context, base, ours, theirs []byte, labels Labels) (merged []byte, conflicts int) {
	t, ok := parseVersions(base, ours, theirs)
	if !ok { // of no page, or of one of several parts
		merged, conflicts = mergeLines(ctx, base, ours, theirs, labels)
	} else {
		text, undecided := t.merge(ctx, nil)
		if len(undecided) == 0 && ctx.Err() == nil {
			return text, 0
		}
		merged, conflicts = t.markConflicts(ctx, undecided, labels)
	}
	if conflicts == 0 { // the sides of the conflict do not differ in lines
		return markConflict(nil, [3][]byte{base, ours, theirs}, labels, newlineOf(ours)), 1
	}
	return merged, conflicts
}

// mergedPage is the id of the page whose texts are merged.
const mergedPage = "page"

// versions are the texts of a page that are merged.
type versions struct{ base, ours, theirs content.Text }

// parseVersions reads three versions of a text. ok is false if one of them cannot be the text of a page.
func parseVersions(base, ours, theirs []byte) (v versions, ok bool) {
	var errs [3]error
	v.base, errs[0] = content.Parse(mergedPage, base, content.Text{})
	v.ours, errs[1] = content.Parse(mergedPage, ours, v.base)
	v.theirs, errs[2] = content.Parse(mergedPage, theirs, v.base)
	return v, errors.Join(errs[:]...) == nil
}

// merge merges the texts with resolutions of conflicts of an earlier merge, and returns the other conflicts.
func (v versions) merge(ctx context.Context, answers merge.Resolutions) (markdown []byte, conflicts []merge.Conflict) {
	merged, conflicts := merge.ResolveText(ctx, mergedPage, v.base, v.ours, v.theirs, answers)
	return merged.Markdown, conflicts
}

// maxConflictPasses limits how often conflicts are resolved for one side, because each resolution may show others.
const maxConflictPasses = 4

// resolve merges the texts with one value of all conflicts.
func (v versions) resolve(ctx context.Context, conflicts []merge.Conflict, value func(merge.Conflict) *string) (markdown []byte, ok bool) {
	answers := merge.Resolutions{}
	for range maxConflictPasses {
		for _, c := range conflicts {
			answers[c.ID] = value(c)
		}
		if markdown, conflicts = v.merge(ctx, answers); len(conflicts) == 0 {
			return markdown, ctx.Err() == nil
		}
	}
	return nil, false
}

// markConflicts marks the passages in conflict: those in which the merged text differs between the values that the conflicts have on
// both sides.
func (v versions) markConflicts(ctx context.Context, conflicts []merge.Conflict, labels Labels) (marked []byte, count int) {
	var sides [3][]byte
	for i, value := range []func(c merge.Conflict) *string{
		func(c merge.Conflict) *string { return c.Base }, func(c merge.Conflict) *string { return c.Ours },
		func(c merge.Conflict) *string { return c.Theirs },
	} {
		var ok bool
		if sides[i], ok = v.resolve(ctx, conflicts, value); !ok {
			return nil, 0
		}
	}
	newline := newlineOf(v.ours.Markdown)
	base, ours, theirs := lines(sides[0]), lines(sides[1]), lines(sides[2])
	for _, p := range passages(ctx, base, ours, theirs) {
		b, o, t := join(base[p[0][0]:p[0][1]]), join(ours[p[1][0]:p[1][1]]), join(theirs[p[2][0]:p[2][1]])
		if bytes.Equal(o, t) {
			marked = append(marked, o...)
			continue
		}
		marked = markConflict(marked, [3][]byte{b, o, t}, labels, newline)
		count++
	}
	return marked, count
}

// mergeCleanly merges three versions of a text. ok is false if there are conflicts.
func mergeCleanly(ctx context.Context, base, ours, theirs []byte) (merged []byte, ok bool) {
	v, ok := parseVersions(base, ours, theirs)
	if !ok {
		return nil, false
	}
	merged, conflicts := v.merge(ctx, nil)
	return merged, len(conflicts) == 0 && ctx.Err() == nil
}

// mergeLines merges by lines. A passage that both sides have changed is merged as a text of its own if it can be, and marked
// otherwise.
func mergeLines(ctx context.Context, base, ours, theirs []byte, labels Labels) (merged []byte, conflicts int) {
	was, here, there := lines(base), lines(ours), lines(theirs)
	newline := newlineOf(ours)
	for _, p := range passages(ctx, was, here, there) {
		b, o, t := join(was[p[0][0]:p[0][1]]), join(here[p[1][0]:p[1][1]]), join(there[p[2][0]:p[2][1]])
		switch {
		case bytes.Equal(o, t), bytes.Equal(b, t):
			merged = append(merged, o...)
		case bytes.Equal(b, o):
			merged = append(merged, t...)
		default:
			text, ok := mergeCleanly(ctx, b, o, t)
			if ok && len(b) > 0 {
				merged = append(merged, text...)
				continue
			}
			merged = markConflict(merged, [3][]byte{b, o, t}, labels, newline)
			conflicts++
		}
	}
	return merged, conflicts
}

// markDifferences marks the passages in which two texts with no known common version differ.
func markDifferences(ctx context.Context, ours, theirs []byte, labels Labels) (marked []byte) {
	here, there := lines(ours), lines(theirs)
	newline := newlineOf(ours)
	labels.Base = baseLabelStart + "unknown"
	for _, p := range passages(ctx, here, here, there) {
		o, t := join(here[p[1][0]:p[1][1]]), join(there[p[2][0]:p[2][1]])
		if bytes.Equal(o, t) {
			marked = append(marked, o...)
			continue
		}
		marked = markConflict(marked, [3][]byte{nil, o, t}, labels, newline)
	}
	return marked
}

// passages divides three versions into passages, alternately equal in all of them and different in some. A passage is the range of
// lines in each version.
func passages(ctx context.Context, base, ours, theirs []string) (found [][3][2]int) {
	alignment := func(other []string) []int {
		aligner := align.New[string](ctx, align.Rules{Anchors: align.AnchorsFirst})
		return aligner.Align(other, base)
	}
	toOurs, toTheirs := alignment(ours), alignment(theirs)
	at := [3]int{}
	closeAt := func(end [3]int) {
		if end != at {
			found = append(found, [3][2]int{{at[0], end[0]}, {at[1], end[1]}, {at[2], end[2]}})
			at = end
		}
	}
	for i := range base {
		if toOurs[i] < 0 || toTheirs[i] < 0 {
			continue
		}
		closeAt([3]int{i, toOurs[i], toTheirs[i]})
		closeAt([3]int{i + 1, toOurs[i] + 1, toTheirs[i] + 1})
	}
	closeAt([3]int{len(base), len(ours), len(theirs)})
	return found
}

// markConflict appends the sides of a conflict with marks.
func markConflict(text []byte, sides [3][]byte, labels Labels, newline string) []byte {
	add := func(mark string, side []byte) {
		text = append(text, mark+newline...)
		text = append(text, side...)
		if len(side) > 0 && side[len(side)-1] != '\n' {
			text = append(text, newline...)
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, newline...)
	}
	add(markOurs+labels.Ours, sides[1])
	add(markBase+labels.Base, sides[0])
	add(markSplit, sides[2])
	return append(text, markTheirs+labels.Theirs+newline...)
}

// Labels of the sides in the marks that pull writes. That of a change request is "#" with its number.
const (
	oursLabel  = "this folder"
	spaceLabel = "space"
)

// undecidedLine returns the number of the first line that marks a conflict, 0 if there is none: a mark that pull writes, or outside
// of fenced code, the marks of the beginning, the middle and the end in this order.
func undecidedLine(text []byte) int {
	first, state, fenced := 0, 0, false
	for i, line := range lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if fence := strings.TrimLeft(line, " "); strings.HasPrefix(fence, "```") || strings.HasPrefix(fence, "~~~") {
			fenced = !fenced
		}
		switch {
		case line == markOurs+oursLabel || strings.HasPrefix(line, markBase+baseLabelStart) || isTheirsMark(line):
			return i + 1
		case fenced:
		case strings.HasPrefix(line, markOurs):
			first, state = i+1, 1
		case line == markSplit && state == 1:
			state = 2
		case strings.HasPrefix(line, markTheirs) && state == 2:
			return first
		}
	}
	return 0
}

// isTheirsMark reports whether a line is the mark at the end of a conflict that pull writes: of the space, or of a change request.
func isTheirsMark(line string) bool {
	label, isMark := strings.CutPrefix(line, markTheirs)
	number, isRequest := strings.CutPrefix(label, "#")
	return isMark && (label == spaceLabel || isRequest && number != "" && strings.Trim(number, "0123456789") == "")
}

// firstConflictLine returns the line of a file at which the first conflict of a text is that mergeText marked: that of the folder's side,
// or of the line before it if that is empty.
func firstConflictLine(marked, file []byte) int {
	before, side, found := 0, "", false
	for _, line := range lines(marked) {
		if strings.HasPrefix(line, markBase) {
			break
		}
		if found {
			side += line
		}
		found = found || strings.HasPrefix(line, markOurs)
		if !found {
			before++
		}
	}
	here := lines(file)
	if at := bytes.Index(file, []byte(side)); side != "" && at >= 0 {
		return lineAt(file, at)
	}
	return max(1, min(before, len(here)))
}

// takeSide returns a text that mergeText marked with one side of each conflict and without the marks.
func takeSide(marked []byte, side Side) []byte {
	var text []byte
	state := ""
	for _, line := range lines(marked) {
		switch bare := strings.TrimRight(line, "\r\n"); {
		case state == "" && strings.HasPrefix(bare, markOurs):
			state = string(TakeFolder)
		case state == string(TakeFolder) && strings.HasPrefix(bare, markBase):
			state = "base"
		case state == "base" && bare == markSplit:
			state = string(TakeSpace)
		case state == string(TakeSpace) && strings.HasPrefix(bare, markTheirs):
			state = ""
		case state == "" || state == string(side):
			text = append(text, line...)
		}
	}
	return text
}

func lines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

func join(lines []string) []byte { return []byte(strings.Join(lines, "")) }

func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// baseLabelStart begins the label of the base in the marks that pull writes.
const baseLabelStart = "before, revision "

// baseLabel returns the label of the base of a merge.
func baseLabel(s *State) string { return fmt.Sprint(baseLabelStart, s.Number) }
