package render

import (
	"strings"
)

// visible writes white space so that people see it.
func visible(space string) string {
	return strings.NewReplacer(" ", "·", "\t", "→", "\r\n", "↵", "\n", "↵", "\r", "␍", "\u00a0", "⍽").Replace(space)
}

// whitespaceNote says which white space differs in a line that differs in nothing else.
func whitespaceNote(line cutLine) Line {
	var names []string
	for i, p := range line.parts {
		if p.op == same {
			continue
		}
		if strings.TrimSpace(p.text) != "" {
			return nil
		}
		name := spaceName(p.text)
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

// spaceName counts white space in words.
func spaceName(space string) string {
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
