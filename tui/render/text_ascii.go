package render

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// asciiSigns are the signs and frames of the screen with their replacements in ASCII, which have the same width.
var asciiSigns = strings.NewReplacer(
	"✓", "v", "✗", "x", "●", "*", "○", "o", "◌", ".", "•", "*", "✎", "%", "▌", ">", "▏", "|", "│", "|", "┃", "|", "┆", ":", "─", "-",
	"┄", "-", "━", "=", "┼", "+", "█", "_", "…", ".", "·", "-", "›", ">", "‹", "<", "→", ">", "←", "<", "↑", "^", "↓", "v", "↳", "`",
	"↪", "`", "↵", "<", "−", "-", "±", "+", "≈", "~", "×", "x", "—", "-", "–", "-", "▸", ">", "▾", "v", "“", `"`, "”", `"`, "‘", "'",
	"’", "'",
)

// enterSign is the sign of the enter key. No character in ASCII stands for it.
const enterSign, enterName = "⏎", "enter"

// ASCIIText replaces the signs and frames in a text by ASCII. Other characters stay.
func ASCIIText(text string) string {
	return asciiSigns.Replace(strings.ReplaceAll(text, enterSign, enterName))
}

// ASCII replaces the signs and frames in a line by ASCII. The name of the enter key takes cells of the blanks after it, so that
// columns keep their position. If the result is still wider than width, it is cut.
func ASCII(l Line, width int) Line {
	out := make(Line, len(l))
	for i, s := range l {
		out[i] = Span{text: ASCIIText(s.text), style: s.style, target: s.target}
	}
	for _, blanks := range []string{"   ", "  "} { // long gaps first
		removeBlanks(l, out, blanks)
	}
	if out.Width() <= width {
		return out
	}
	return ASCII(out.Cut(width), width) // Cut adds an ellipsis, which also has to be replaced
}

// removeBlanks shortens the runs in line that contain blanks by one blank at a time until line is as wide as before, the line
// before the replacement. Only runs after the text that became wider are shortened.
func removeBlanks(before, line Line, blanks string) {
	wider := 0
	for i := range line {
		wider += ansi.StringWidth(line[i].text) - ansi.StringWidth(before[i].text)
		for wider > 0 {
			at := strings.Index(line[i].text, blanks)
			if at < 0 {
				break
			}
			line[i].text = line[i].text[:at] + line[i].text[at+1:]
			wider--
		}
	}
}
