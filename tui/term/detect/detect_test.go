package detect

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Answers of xterm.
const (
	colorAnswer      = "\x1bP1$r0;48:2::21:37:53m\x1b\\"
	backgroundAnswer = "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\"
	attributesAnswer = "\x1b[?64;1;2;22c"
	allAnswers       = colorAnswer + backgroundAnswer + attributesAnswer
)

var fullQuestion = Question{TrueColor: true, Background: true}

// arrival is input that arrives at a time.
type arrival struct {
	at   time.Duration
	text string
}

// scriptedTerminal is a terminal whose input arrives at given times of a clock that only waiting moves.
type scriptedTerminal struct {
	arrivals []arrival
	now      time.Duration
	written  strings.Builder
}

func (s *scriptedTerminal) Write(p []byte) (int, error) { return s.written.Write(p) }

func (s *scriptedTerminal) Await(limit time.Duration) (waited time.Duration, ready bool) {
	if len(s.arrivals) == 0 || s.arrivals[0].at > s.now+limit {
		s.now += limit
		return limit, false
	}
	waited = max(0, s.arrivals[0].at-s.now)
	s.now += waited
	return waited, true
}

func (s *scriptedTerminal) Read(p []byte) (int, error) {
	if len(s.arrivals) == 0 {
		return 0, io.EOF
	}
	s.now = max(s.now, s.arrivals[0].at)
	n := copy(p, s.arrivals[0].text)
	if s.arrivals[0].text = s.arrivals[0].text[n:]; s.arrivals[0].text == "" {
		s.arrivals = s.arrivals[1:]
	}
	return n, nil
}

// byteArrivals returns input that arrives byte by byte.
func byteArrivals(at, every time.Duration, text string) (arrivals []arrival) {
	for i := range len(text) {
		arrivals = append(arrivals, arrival{at + time.Duration(i)*every, text[i : i+1]})
	}
	return arrivals
}

// readAll returns the results of the reads until the end of the input.
func readAll(t *testing.T, input *Input) (reads []string) {
	t.Helper()
	for p := make([]byte, 256); ; {
		n, err := input.Read(p)
		if errors.Is(err, io.EOF) {
			return reads
		}
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			reads = append(reads, string(p[:n]))
		}
	}
}

// Answers within 150 ms are used, and Ask does not wait for later ones. No part of an answer is read as typed input, and no
// typed input is lost.
func TestAsk(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	all, none := Answer{TrueColor: true, Background: Light}, Answer{}
	for name, c := range map[string]struct {
		arrivals []arrival
		answer   Answer
		waited   time.Duration
		typed    string   // text that was typed while the answers were awaited
		read     []string // afterwards
	}{
		"at once":         {[]arrival{{0, allAnswers}}, all, 0, "", nil},
		"after 100 ms":    {[]arrival{{100 * ms, allAnswers}}, all, 100 * ms, "", nil},
		"after 150 ms":    {[]arrival{{150 * ms, allAnswers}}, all, 150 * ms, "", nil},
		"after 1 s":       {[]arrival{{time.Second, allAnswers}}, none, 150 * ms, "", nil},
		"never":           {nil, none, 150 * ms, "", nil},
		"byte by byte":    {byteArrivals(10*ms, ms, allAnswers), all, time.Duration(9+len(allAnswers)) * ms, "", nil},
		"slow bytes":      {byteArrivals(140*ms, 20*ms, allAnswers), none, 150 * ms, "", nil},
		"late slow bytes": {byteArrivals(time.Second, 100*ms, allAnswers), none, 150 * ms, "", nil},
		"one answer in time": {
			[]arrival{{100 * ms, colorAnswer}, {200 * ms, backgroundAnswer + attributesAnswer}}, Answer{TrueColor: true}, 150 * ms, "", nil,
		},
		"no true color": {
			[]arrival{{ms, "\x1bP1$r0;48:5:16m\x1b\\" + backgroundAnswer + attributesAnswer}}, Answer{Background: Light}, ms, "", nil,
		},
		"last answer only": {[]arrival{{ms, attributesAnswer}}, none, ms, "", nil},
		"typed before, between and after": {
			[]arrival{
				{10 * ms, "j" + colorAnswer + "\x1b[B"}, {20 * ms, backgroundAnswer + "é" + attributesAnswer + "k"}, {time.Second, "\x1b"},
			},
			all, 20 * ms, "j\x1b[Bék",
			[]string{"\x1b"},
		},
		"typed, and a late answer": {
			[]arrival{{10 * ms, "jk"}, {time.Second, "l"}, {2 * time.Second, allAnswers + "q"}}, none, 150 * ms, "jk", []string{"l", "q"},
		},
		"escape, and no answer": {
			[]arrival{{time.Second, "\x1b"}, {time.Second + keyTimeout + 1, "q"}, {2 * time.Second, "\x1b"}, {2*time.Second + 1, "q"}},
			none, 150 * ms, "",
			[]string{"\x1b", "q", "\x1b", "q"},
		},
		"keys that begin like answers": {
			[]arrival{{time.Second, "\x1b[A\x1b]\x1bP\x1b\x1b[<0;1;1M"}, {2 * time.Second, "\x1b["}, {2*time.Second + 1, "B"}},
			none, 150 * ms, "",
			[]string{"\x1b[A\x1b]\x1bP\x1b\x1b[<0;1;1M", "\x1b[B"},
		},
		"escape while waiting": {[]arrival{{ms, "\x1b"}, {time.Second, "q"}}, none, 150 * ms, "", []string{"q"}},
		"unterminated answer": {
			[]arrival{{time.Second, "\x1bP1$r48"}, {2 * time.Second, "\x1b[A"}}, none, 150 * ms, "", []string{"\x1b[A"},
		},
		"unrelated report": {[]arrival{{time.Second, "\x1b[?1u"}}, none, 150 * ms, "", []string{"\x1b[?1u"}},
		"overlong answer": {
			[]arrival{{time.Second, colorForm.prefix + strings.Repeat("1", 122) + "jk"}}, none, 150 * ms, "", []string{"k"},
		},
		"hangup while waiting": {[]arrival{{time.Hour, ""}}, none, 150 * ms, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			terminal := &scriptedTerminal{arrivals: c.arrivals}
			answer, input, typed := Ask(terminal, fullQuestion)
			if answer != c.answer || terminal.now != c.waited || string(typed) != c.typed {
				t.Errorf("%+v after %v, typed %q; want %+v after %v, typed %q", answer, terminal.now, typed, c.answer, c.waited, c.typed)
			}
			if got := readAll(t, input); !slices.Equal(got, c.read) {
				t.Errorf("read %q, want %q", got, c.read)
			}
		})
	}
}

// TestQuestion checks that the question is written at once, and that its last part is one that every terminal answers.
func TestQuestion(t *testing.T) {
	t.Parallel()
	for q, want := range map[Question]string{
		{}:                 "",
		{TrueColor: true}:  "\x1b[48;2;21;37;53m\x1bP$qm\x1b\\\x1b[0m\x1b[c",
		{Background: true}: "\x1b]11;?\x1b\\\x1b[c",
		fullQuestion:       "\x1b[48;2;21;37;53m\x1bP$qm\x1b\\\x1b[0m\x1b]11;?\x1b\\\x1b[c",
	} {
		terminal := &scriptedTerminal{}
		_, input, _ := Ask(terminal, q)
		if want != "" {
			want += eraseLine
		}
		if got := terminal.written.String(); got != want || input.IsComplete() != (want == "") {
			t.Errorf("%+v: wrote %q, want %q", q, got, want)
		}
	}
}

// TestParse checks that the answers of terminals are parsed, which differ in separators, in the colour space and in the number
// of digits.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Answer{
		"\x1bP1$r0;48:2::21:37:53m\x1b\\":           {TrueColor: true},
		"\x1bP1$r0;48:2:1:21:37:53m\x1b\\":          {TrueColor: true},
		"\x1bP1$r48:2:21:37:53m\x1b\\":              {TrueColor: true},
		"\x1bP1$r0;48;2;21;37;53m\x1b\\":            {TrueColor: true},
		"\x1bP1$r0;48;2;21;37;53;1m\a":              {TrueColor: true},
		"\x1bP1$r0;48:2::21:37:5m\x1b\\":            {},
		"\x1bP1$r0;38:2::21:37:53m\x1b\\":           {},
		"\x1bP1$r0;48:5:235m\x1b\\":                 {},
		"\x1bP1$r0m\x1b\\":                          {},
		"\x1bP0$r\x1b\\":                            {},
		"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\":          {Background: Dark},
		"\x1b]11;rgb:1e/1e/1e\a":                    {Background: Dark},
		"\x1b]11;rgba:ffff/ffff/dddd/ffff\x1b\\":    {Background: Light},
		"\x1b]11;rgb:0/0/f\x1b\\":                   {Background: Dark},
		"\x1b]11;rgb:0000/ffff/0000\x1b\\":          {Background: Light},
		"\x1b]11;?\x1b\\":                           {},
		"\x1b]11;rgb:12345/1/1\x1b\\\x1b[?1;2c":     {},
		backgroundAnswer + "\x1b[?62;c":             {Background: Light},
		"\x1b]11;rgb:f/f/f\x1b\\\x1bP0$r\x1b\\junk": {Background: Light},
	} {
		s := &scanner{}
		typed := s.scan([]byte(text))
		if got := parse(s.answers); got != want || string(typed) != strings.Repeat("junk", strings.Count(text, "junk")) {
			t.Errorf("%q: %+v, want %+v; typed %q", text, got, want, typed)
		}
	}
}

// TestScanKeepsKeys checks that exactly the keys are typed, however answers and keys are mixed and cut.
func TestScanKeepsKeys(t *testing.T) {
	t.Parallel()
	keys := []string{
		"j", "q", " ", "\r", "\x03", "é", "电", "\x1b[A", "\x1bOP", "\x1bx", "\x1b[<0;3;4M", "\x1b[I", "\x1b", "\x1b[200~a\x1b[201~",
	}
	rapid.Check(t, func(t *rapid.T) {
		var input, want string
		for _, answer := range []string{colorAnswer, backgroundAnswer, attributesAnswer} {
			typed := strings.Join(rapid.SliceOfN(rapid.SampledFrom(keys), 0, 4).Draw(t, "keys"), "")
			input, want = input+typed+answer, want+typed
		}
		after := strings.Join(rapid.SliceOfN(rapid.SampledFrom(keys), 0, 4).Draw(t, "keys"), "")
		input, want = input+after, want+after
		s, got := &scanner{}, ""
		for input != "" {
			n := rapid.IntRange(1, len(input)).Draw(t, "bytes")
			got += string(s.scan([]byte(input[:n])))
			input = input[n:]
		}
		if got != want || !s.isComplete {
			t.Fatalf("typed %q, want %q", got, want)
		}
	})
}

// Read with a small buffer returns all input, in order.
func TestReadIntoSmallBuffer(t *testing.T) {
	t.Parallel()
	input := &Input{terminal: &scriptedTerminal{arrivals: []arrival{{0, "ab\x1b["}, {1, "Acd" + colorAnswer + "e\x1bPf"}}}}
	var got []byte
	for p := make([]byte, 1); ; {
		n, err := input.Read(p)
		if err != nil {
			break
		}
		got = append(got, p[:n]...)
	}
	if string(got) != "ab\x1b[Acde\x1bPf" {
		t.Errorf("read %q", got)
	}
}
