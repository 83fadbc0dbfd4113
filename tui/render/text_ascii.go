package render

import "strings"

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

// ASCII replaces the signs and frames in a line by ASCII. The name of the enter key takes cells of the blanks after it, so
// that columns keep their position.
func ASCII(l Line, width int) Line {
	out := make(Line, 0, len(l))
	wider := 0
	for _, s := range l {
		wider += strings.Count(s.text, enterSign) * (len(enterName) - 1)
		text := ASCIIText(s.text)
		for wider > 0 {
			at := strings.Index(text, "  ") // one blank remains
			if at < 0 {
				break
			}
			text = text[:at] + text[at+1:]
			wider--
		}
		out = append(out, Span{text: text, style: s.style, target: s.target})
	}
	if out.Width() <= width {
		return out
	}
	return ASCII(out.Cut(width), width) // which adds an ellipsis
}
