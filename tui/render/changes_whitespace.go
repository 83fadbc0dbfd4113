package render

import (
	"strings"
)

// visibleSpace replaces white space by visible characters.
func visibleSpace(space string) string {
	return strings.NewReplacer(" ", "·", "\t", "→", "\r\n", "↵", "\n", "↵", "\r", "␍", "\u00a0", "⍽").Replace(space)
}

// whitespaceNote describes the difference in a line that differs only in white space.
func whitespaceNote(line diffLine) Line {
	var names []string
	for i, p := range line.parts {
		if p.op == same {
			continue
		}
		if strings.TrimSpace(p.text) != "" {
			return nil
		}
		name := describeSpace(p.text)
		switch {
		case i == len(line.parts)-1:
			name += " at the end"
		case i == 0:
			name += " at the start"
		}
		names = append(names, name)
	}
	if len(names) == 0 || strings.TrimSpace(line.text()) == "" {
		return nil
	}
	verb := "  has "
	if line.op == removed {
		verb = "  had "
	}
	return Line{In(Dim, verb+strings.Join(names, ", "))}
}

// describeSpace counts white space characters in words.
func describeSpace(space string) string {
	switch {
	case strings.Contains(space, "\r"):
		return "a Windows line end"
	case strings.Trim(space, " ") == "":
		return Plural(len(space), "space")
	case strings.Trim(space, "\t") == "":
		return Plural(len(space), "tab")
	case space == "\u00a0":
		return "a space that does not break"
	}
	return "other white space"
}
