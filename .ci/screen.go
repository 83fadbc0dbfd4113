// Command screen draws docs/screen.svg, the picture of the review screen in README.md. It runs the demo, opens the screen as
// the reviewer in tmux, goes to a change with a thread, and writes the content of the terminal as SVG.
//
//	go run .ci/screen.go
//
// It needs tmux, and is run from the root of the module.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

const (
	columns, rows          = 112, 32
	cellWidth, cellHeight  = 8.4, 18
	background, foreground = "#1e1e1e", "#d8d8d8"
	waitLimit              = 20 * time.Second
)

// steps are the keys that lead to the page, each with a text that the screen shows before it.
var steps = []struct{ text, key string }{
	{"ASKED FOR YOUR REVIEW", "Enter"},
	{"Changed pages (4)", "Enter"},
	{"change 1 of 3", "n"},
	{"Fast changes", "n"},
	{"Agreed, a forecast should look like one", ""},
}

func main() {
	if err := draw("docs/screen.svg"); err != nil {
		fmt.Fprintln(os.Stderr, "screen:", err)
		os.Exit(1)
	}
}

func draw(file string) error {
	dir, err := os.MkdirTemp("", "screen-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "bin")+string(filepath.Separator), "./cmd/wsd",
		"./cmd/wsctl").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	demo := exec.Command(filepath.Join(dir, "bin", "wsd"), "demo", "-o", "json", "--addr", "127.0.0.1:0")
	stdout, err := demo.StdoutPipe()
	if err != nil {
		return err
	}
	if err := demo.Start(); err != nil {
		return err
	}
	defer func() { _, _ = demo.Process.Signal(os.Interrupt), demo.Wait() }()
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the demo's first line: %w", err)
	}
	var started struct{ URL, ReviewerToken string }
	if err := json.Unmarshal(line, &started); err != nil {
		return err
	}
	text, err := capture(dir, started.URL, started.ReviewerToken)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(renderSVG(text)), 0o644)
}

// capture opens the screen in a tmux server of its own, follows the steps, and returns the terminal's content with its colours.
func capture(dir, url, token string) (string, error) {
	settings := filepath.Join(dir, "tmux.conf")
	if err := os.WriteFile(settings, []byte("set -g remain-on-exit on\nset -g status off\n"), 0o600); err != nil {
		return "", err
	}
	tmux := func(args ...string) (string, error) {
		out, err := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "tmux"), "-f", settings}, args...)...).CombinedOutput()
		return string(out), err
	}
	command := strings.Join([]string{
		"exec", "env", "HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "COLORTERM=truecolor", "TERM=xterm-256color", "WSCTL_URL=" + url,
		"WSCTL_TOKEN=" + token, filepath.Join(dir, "bin", "wsctl"), "tui", "--theme", "dark",
	}, " ")
	if out, err := tmux("new-session", "-d", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows), command); err != nil {
		return "", fmt.Errorf("tmux: %w\n%s", err, out)
	}
	defer func() { _, _ = tmux("kill-server") }()
	for _, step := range steps {
		if err := await(tmux, step.text); err != nil {
			return "", err
		}
		if step.key == "" {
			break
		}
		if out, err := tmux("send-keys", step.key); err != nil {
			return "", fmt.Errorf("tmux: %w\n%s", err, out)
		}
	}
	return tmux("capture-pane", "-e", "-p", "-N")
}

// await waits until the terminal shows a text.
func await(tmux func(...string) (string, error), text string) error {
	shown := ""
	for deadline := time.Now().Add(waitLimit); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		var err error
		if shown, err = tmux("capture-pane", "-p"); err != nil {
			return fmt.Errorf("tmux: %w\n%s", err, shown)
		}
		if strings.Contains(shown, text) {
			time.Sleep(300 * time.Millisecond) // gives wsctl time to draw the rest of the page
			return nil
		}
	}
	return fmt.Errorf("the screen never showed %q:\n%s", text, shown)
}

// style is the state of the SGR attributes of a cell.
type style struct {
	foreground, background                                 string
	bold, faint, italic, underline, reverse, strikethrough bool
}

var escapeSequence = regexp.MustCompile("\x1b\\[([0-9;:]*)m|\x1b[()][A-Z0-9]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[\x0e\x0f]")

// renderSVG draws lines with SGR sequences. Runs of cells with one style become one text, whose length is fixed, so that columns stay
// aligned with any monospaced font.
func renderSVG(text string) string {
	var out strings.Builder
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-size="14"
 font-family="DejaVu Sans Mono,Menlo,Consolas,monospace">
<rect width="100%%" height="100%%" rx="6" fill="%s"/>
<g transform="translate(8 8)">
`, columns*cellWidth+16, len(lines)*cellHeight+16, background)
	var s style
	for row, line := range lines {
		at, column := 0, 0
		for _, m := range append(escapeSequence.FindAllStringSubmatchIndex(line, -1), []int{len(line), len(line), -1, -1}) {
			column += drawRun(&out, s, line[at:m[0]], column, row)
			if m[2] >= 0 {
				s.apply(line[m[2]:m[3]])
			}
			at = m[1]
		}
	}
	out.WriteString("</g>\n</svg>\n")
	return out.String()
}

// drawRun draws cells of one style and returns their number.
func drawRun(out *strings.Builder, s style, text string, column, row int) int {
	cells := runewidth.StringWidth(text)
	fg, bg := s.foreground, s.background
	if fg == "" {
		fg = foreground
	}
	if s.reverse {
		if bg == "" {
			bg = background
		}
		fg, bg = bg, fg
	}
	if bg != "" {
		fmt.Fprintf(out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`+"\n",
			float64(column)*cellWidth, row*cellHeight, float64(cells)*cellWidth, cellHeight, bg)
	}
	trimmed := strings.TrimLeft(text, " ")
	indent := len(text) - len(trimmed)
	if trimmed = strings.TrimRight(trimmed, " "); trimmed == "" {
		return cells
	}
	attributes := ""
	for _, a := range []struct {
		set  bool
		text string
	}{
		{s.bold, ` font-weight="bold"`}, {s.italic, ` font-style="italic"`}, {s.faint, ` opacity=".6"`},
		{s.underline, ` text-decoration="underline"`}, {s.strikethrough, ` text-decoration="line-through"`},
	} {
		if a.set {
			attributes += a.text
		}
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%d" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s xml:space="preserve">%s</text>`+
		"\n",
		float64(column+indent)*cellWidth, row*cellHeight+14, float64(runewidth.StringWidth(trimmed))*cellWidth, fg, attributes,
		html.EscapeString(trimmed))
	return cells
}

// apply changes the style by the parameters of an SGR sequence.
func (s *style) apply(parameters string) {
	var codes []int
	for _, p := range strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' }) {
		n, _ := strconv.Atoi(p) // the expression matches digits only
		codes = append(codes, n)
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	for i := 0; i < len(codes); i++ {
		switch c := codes[i]; {
		case c == 0:
			*s = style{}
		case c == 1:
			s.bold = true
		case c == 2:
			s.faint = true
		case c == 3:
			s.italic = true
		case c == 4:
			s.underline = true
		case c == 7:
			s.reverse = true
		case c == 9:
			s.strikethrough = true
		case c == 22:
			s.bold, s.faint = false, false
		case c == 23:
			s.italic = false
		case c == 24:
			s.underline = false
		case c == 27:
			s.reverse = false
		case c == 29:
			s.strikethrough = false
		case c == 39:
			s.foreground = ""
		case c == 49:
			s.background = ""
		case (c == 38 || c == 48) && i+4 < len(codes) && codes[i+1] == 2:
			s.setColor(c, fmt.Sprintf("#%02x%02x%02x", codes[i+2], codes[i+3], codes[i+4]))
			i += 4
		case (c == 38 || c == 48) && i+2 < len(codes) && codes[i+1] == 5:
			s.setColor(c, paletteColor(codes[i+2]))
			i += 2
		case c >= 30 && c <= 37 || c >= 90 && c <= 97:
			s.foreground = paletteColor(c%10 + 8*(c/90))
		case c >= 40 && c <= 47 || c >= 100 && c <= 107:
			s.background = paletteColor(c%10 + 8*(c/100))
		}
	}
}

func (s *style) setColor(code int, colour string) {
	if code == 38 {
		s.foreground = colour
	} else {
		s.background = colour
	}
}

var ansiColors = strings.Fields("#000000 #cd3131 #0dbc79 #c5a500 #2472c8 #bc3fbc #11a8cd #bfbfbf" +
	" #767676 #f14c4c #23d18b #f5f543 #3b8eea #d670d6 #29b8db #ffffff")

// paletteColor returns a colour of the palette of 256.
func paletteColor(n int) string {
	switch {
	case n < 16:
		return ansiColors[n]
	case n < 232:
		steps := []int{0, 95, 135, 175, 215, 255}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", steps[n/36], steps[n/6%6], steps[n%6])
	}
	v := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", v, v, v)
}
