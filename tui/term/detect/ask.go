package detect

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Timeout is the time for which a program waits for the answers of a terminal before it shows its screen.
const Timeout = 150 * time.Millisecond

// keyTimeout is the time for which the beginning of an answer waits for the rest if it may be a key, too.
const keyTimeout = 150 * time.Millisecond

// Question selects the properties to ask for. The zero Question asks nothing.
type Question struct {
	TrueColor  bool // whether it shows all colours
	Background bool // whether its background is dark
}

// Answer holds the properties that a terminal has reported within Timeout.
type Answer struct {
	TrueColor  bool // it shows all colours
	Background Background
}

// Background is the brightness of the background.
type Background int

// Backgrounds.
const (
	Unknown Background = iota
	Dark
	Light
)

// The colour that the question sets and then queries. It is not one of the 256 colours, which a terminal could use instead.
const red, green, blue = 21, 37, 53

// String returns the escape sequences of the question. The last one asks for the attributes, which every terminal answers.
func (q Question) String() string {
	var b strings.Builder
	if q.TrueColor { // sets a background, asks for the one set (DECRQSS), and resets it
		fmt.Fprintf(&b, "\x1b[48;2;%d;%d;%dm\x1bP$qm\x1b\\\x1b[0m", red, green, blue)
	}
	if q.Background {
		b.WriteString("\x1b]11;?\x1b\\")
	}
	if b.Len() > 0 {
		b.WriteString("\x1b[c")
	}
	return b.String()
}

// eraseLine removes the text that a terminal displays instead of an answer if it does not support a question.
const eraseLine = "\r\x1b[K"

// Terminal is a terminal in raw mode.
type Terminal interface {
	io.ReadWriter
	// Await waits for input until the limit, and returns how long it has waited and whether there is input.
	Await(limit time.Duration) (waited time.Duration, ready bool)
}

// Ask asks a terminal and waits for its answers, for at most Timeout. input is the further input from the terminal, without
// answers; typed is the input typed during the wait.
func Ask(t Terminal, q Question) (answer Answer, input *Input, typed []byte) {
	input = &Input{terminal: t}
	question := q.String()
	if question == "" {
		input.scanner.isComplete = true
		return answer, input, nil
	}
	if _, err := io.WriteString(t, question); err != nil {
		return answer, input, nil // if the question cannot be written, the screen cannot be written either
	}
	piece := make([]byte, 256)
	for left := Timeout; !input.scanner.isComplete; {
		waited, ready := t.Await(left)
		if left -= waited; !ready || left < 0 {
			break
		}
		n, err := t.Read(piece)
		typed = append(typed, input.scanner.scan(piece[:n])...)
		if err != nil {
			break
		}
	}
	_, _ = io.WriteString(t, eraseLine) // as above
	return parse(input.scanner.answers), input, typed
}

var (
	colorPattern      = regexp.MustCompile(fmt.Sprintf(`[;r]48[:;]2[:;](\d*[:;])?%d[:;]%d[:;]%d[;m]`, red, green, blue))
	backgroundPattern = regexp.MustCompile(`rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})`)
)

func parse(answers []string) (a Answer) {
	for _, answer := range answers {
		switch {
		case strings.HasPrefix(answer, colorForm.prefix):
			a.TrueColor = colorPattern.MatchString(answer)
		case strings.HasPrefix(answer, backgroundForm.prefix):
			a.Background = backgroundOf(answer)
		}
	}
	return a
}

// backgroundOf returns the brightness of a colour in the form of X11: rgb:1e1e/1e1e/1e1e.
func backgroundOf(answer string) Background {
	parts := backgroundPattern.FindStringSubmatch(answer)
	if parts == nil {
		return Unknown
	}
	luma := 0.0
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		digits := parts[i+1]
		value, _ := strconv.ParseUint(digits, 16, 16) // guaranteed by the pattern
		luma += weight * float64(value) / float64(uint64(1)<<(4*len(digits))-1)
	}
	if luma < 0.5 {
		return Dark
	}
	return Light
}
