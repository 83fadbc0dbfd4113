package render

import "strings"

// DrawVersion draws the old or the new version of a block, with signs before the lines that differ from the other version.
// Differing words are marked only on terminals with backgrounds: brackets would interrupt the text.
func (c BlockChange) DrawVersion(old bool, v View) Drawn {
	pan := panner{position: v.At}
	inner := max(v.Width-2, 1) // without the sign
	version, other, only := c.New, c.Old, added
	if old {
		version, other, only = c.Old, c.New, removed
	}
	d := Drawn{}
	switch {
	case c.op == added || c.op == removed:
		d.Lines = v.Marks.fillLines(only, prefixSign(only, version.lines(inner, &pan)), v.Width)
	case !c.Changed():
		d.Lines = prefixSign(c.op, version.lines(inner, &pan))
	case isLineBased(c.New.kind):
		against, _ := other.Lines(inner, v.At)
		d.Lines, d.First = signDifferingLines(version.lines(inner, &pan), against, only, v.Marks, v.Width)
		if lines := c.versionCode(only, inner, v.Marks, &pan); lines != nil {
			d.Lines = lines
			d.First = max(firstSignedLine(lines), min(d.First, len(lines)-1))
		}
	default:
		d.Lines = c.versionLines(only, inner, v.Marks)
		d.First = max(firstSignedLine(d.Lines), 0)
	}
	d.Pan = pan.pan()
	return d
}

// versionLines draws a paragraph with the unchanged words and those with the operation only.
func (c BlockChange) versionLines(only operation, width int, marks Marks) []Line {
	var shown []segment
	for _, p := range c.segments {
		if p.op == same || p.op == only {
			shown = append(shown, p)
		}
	}
	var out []Line
	for _, line := range proseLines(shown) {
		op := c.op
		if op == edited {
			op = line.operation()
		}
		if marks == Brackets {
			line = proseLine{{same, line.text()}}
		}
		out = append(out, marks.fillLines(op, prefixSign(op, line.draw(width, marks)), width+2)...)
	}
	return out
}

// versionCode draws the version of a table or code with its differing parts marked. It returns nil if the table is to be drawn
// as a list.
func (c BlockChange) versionCode(only operation, width int, marks Marks, pan *panner) []Line {
	cut := diffLines(c.segments)
	if c.New.kind != "table" {
		return rawLines(linesOfSide(cut, only), width, marks, pan)
	}
	lines, _ := drawTableLines(linesOfSide(alignTableLines(cut), only), width, marks, pan, 0)
	return lines
}

// signDifferingLines puts signs before the lines of a table or of code that are not in the other version, and returns the index
// of the first one. If there is none, because only the other version has additional lines, it returns the index of the line
// before or after these.
func signDifferingLines(lines, other []Line, op operation, marks Marks, width int) (out []Line, first int) {
	known := map[string]bool{}
	for _, line := range other {
		known[trimLine(line)] = true
	}
	first = -1
	for i, line := range lines {
		sign := same
		if !known[trimLine(line)] {
			sign = op
		}
		if first < 0 && (sign != same || i >= len(other) || trimLine(line) != trimLine(other[i])) {
			first = i
		}
		out = append(out, marks.fillLines(sign, prefixSign(sign, []Line{line}), width)...)
	}
	if first < 0 && len(lines) != len(other) { // everything after the last line was removed
		first = len(lines) - 1
	}
	return out, max(first, 0)
}

// trimLine returns the text of a line without rules, with every run of white space reduced to one space.
func trimLine(line Line) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(line.String(), "─", "")), " ")
}
