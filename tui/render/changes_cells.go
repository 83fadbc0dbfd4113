package render

import (
	"regexp"
	"slices"
	"strings"
)

// codeSpan matches code within a line, in which nothing is a link.
var codeSpan = regexp.MustCompile("`[^`]*`")

// settled are lines of a table in which one that went and came as the same cells is the same: only its spaces changed.
func settled(cut []cutLine) []cutLine {
	var out []cutLine
	for i := 0; i < len(cut); {
		end := i
		for end < len(cut) && cut[end].op != same {
			end++
		}
		if end == i {
			out, i = append(out, cut[i]), i+1
			continue
		}
		out, i = append(out, common(cut[i:end])...), end
	}
	return out
}

// common are lines that went and came, with those that both sides have, in the same order, as one that stayed.
func common(cut []cutLine) []cutLine {
	var gone, come []cutLine
	for _, line := range cut {
		if line.op == removed {
			gone = append(gone, line)
		} else {
			come = append(come, line)
		}
	}
	const most = 1 << 16
	if len(gone)*len(come) == 0 || len(gone)*len(come) > most {
		return cut
	}
	length := make([][]int, len(gone)+1) // of what is common from here on
	for i := range length {
		length[i] = make([]int, len(come)+1)
	}
	for i, went := range slices.Backward(gone) {
		for j, came := range slices.Backward(come) {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if inCells(went) == inCells(came) {
				length[i][j] = max(length[i][j], length[i+1][j+1]+1)
			}
		}
	}
	if length[0][0] == 0 {
		return cut
	}
	var out []cutLine
	i, j := 0, 0
	for i < len(gone) && j < len(come) {
		switch {
		case inCells(gone[i]) == inCells(come[j]):
			out, i, j = append(out, unchanged(come[j])), i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			out, i = append(out, gone[i]), i+1
		default:
			out, j = append(out, come[j]), j+1
		}
	}
	return append(append(out, gone[i:]...), come[j:]...)
}

// inCells is what the cells of a line say, whatever spaces are around them.
func inCells(line cutLine) string {
	var all []string
	for _, cell := range splitCells(strings.Trim(strings.TrimSpace(line.text()), "|")) {
		all = append(all, strings.Join(strings.Fields(cell), " "))
	}
	return strings.Join(all, "|")
}
