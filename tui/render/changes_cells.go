package render

import (
	"regexp"
	"slices"
	"strings"
)

// codeSpan matches inline code, in which links are not recognized.
var codeSpan = regexp.MustCompile("`[^`]*`")

// alignTableLines merges the removed and added lines of a table whose cells are equal into unchanged lines: only
// their spacing differs.
func alignTableLines(cut []diffLine) []diffLine {
	var out []diffLine
	for i := 0; i < len(cut); {
		end := i
		for end < len(cut) && cut[end].op != same {
			end++
		}
		if end == i {
			out, i = append(out, cut[i]), i+1
			continue
		}
		out, i = append(out, matchCommonLines(cut[i:end])...), end
	}
	return out
}

// matchCommonLines replaces pairs of removed and added lines by unchanged ones along the longest common subsequence.
func matchCommonLines(cut []diffLine) []diffLine {
	var oldLines, newLines []diffLine
	for _, line := range cut {
		if line.op == removed {
			oldLines = append(oldLines, line)
		} else {
			newLines = append(newLines, line)
		}
	}
	const most = 1 << 16
	if len(oldLines)*len(newLines) == 0 || len(oldLines)*len(newLines) > most {
		return cut
	}
	length := make([][]int, len(oldLines)+1) // length of the common subsequence of the remaining lines
	for i := range length {
		length[i] = make([]int, len(newLines)+1)
	}
	for i, oldLine := range slices.Backward(oldLines) {
		for j, newLine := range slices.Backward(newLines) {
			length[i][j] = max(length[i+1][j], length[i][j+1])
			if cellText(oldLine) == cellText(newLine) {
				length[i][j] = max(length[i][j], length[i+1][j+1]+1)
			}
		}
	}
	if length[0][0] == 0 {
		return cut
	}
	var out []diffLine
	i, j := 0, 0
	for i < len(oldLines) && j < len(newLines) {
		switch {
		case cellText(oldLines[i]) == cellText(newLines[j]):
			out, i, j = append(out, unchangedLine(newLines[j])), i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			out, i = append(out, oldLines[i]), i+1
		default:
			out, j = append(out, newLines[j]), j+1
		}
	}
	return append(append(out, oldLines[i:]...), newLines[j:]...)
}

// cellText returns the contents of the cells of a line without the spaces around them.
func cellText(line diffLine) string {
	var all []string
	for _, cell := range splitCells(strings.Trim(strings.TrimSpace(line.text()), "|")) {
		all = append(all, strings.Join(strings.Fields(cell), " "))
	}
	return strings.Join(all, "|")
}
