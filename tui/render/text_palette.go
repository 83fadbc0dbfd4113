package render

import (
	"strings"

	"github.com/muesli/termenv"
)

// Tone is the meaning of the letters of a span; the theme gives it a colour. Nothing is said by the tone alone.
type Tone int

// The tones.
const (
	Normal  Tone = iota
	Dim          // facts beside the content
	Faint        // rules and folds
	Heading      // sections and headings
	Link         // where something leads
	Code         // what is typed and not read
	Quote        // words of somebody else
	Added        // signs and letters of what came; what is well
	Removed      // signs and letters of what went
	Accent       // keys, numbers, the bar of the cursor
	Fresh        // new since the last look
	Warning
	Failure
	Keyword // of code, as the next three
	Literal
	Remark
	Name
	toneCount
)

// Ground is the meaning of what lies behind a span. Where a terminal cannot show one, signs say the same.
type Ground int

// The grounds.
const (
	NoGround     Ground = iota
	Selected            // the row of the cursor
	SelectedItem        // the other rows of what the cursor is on
	AddedLine
	AddedWord
	RemovedLine
	RemovedWord
	Anchor // the phrase that a thread is about
	Thread // what others said
	Draft  // what is not sent yet
	ChipGood
	ChipWarning
	ChipPlain
	ChipAccent
	groundCount
)

// Palette is a way to show tones and grounds.
type Palette int

// The palettes.
const (
	Bare    Palette = iota // nothing but characters: for files and pipes
	Mono                   // bold, underline and reverse; no colour
	Sixteen                // the colours that every terminal has, as its owner set them
	Dark                   // for a dark background
	Light                  // for a light one
)

// paint is a role in each palette: a colour of its own for dark and light backgrounds, attributes for these two, and
// the whole for 16 colours and for none. Where a terminal has 256 colours, the nearest one is taken unless one is named: the
// nearest of two dark greens may be the same.
type paint struct{ dark, light, dark256, light256, attributes, sixteen, none string }

// tones are the colours of letters.
var tones = [toneCount]paint{
	Dim:     {dark: "#8b949e", light: "#57606a", dark256: "246", light256: "241", sixteen: "90"},
	Faint:   {dark: "#5c6370", light: "#8c959f", dark256: "241", light256: "246", sixteen: "90"},
	Heading: {dark: "#7fc8ff", light: "#0550ae", sixteen: "96"},
	Link:    {dark: "#79b8ff", light: "#0969da", sixteen: "94"},
	Code:    {dark: "#d7ba7d", light: "#7d4e00", sixteen: "33"},
	Quote:   {dark: "#c9d1d9", light: "#424a53"},
	Added:   {dark: "#7ee787", light: "#1a7f37", sixteen: "92"},
	Removed: {dark: "#ff7b72", light: "#cf222e", sixteen: "91"},
	Accent:  {dark: "#c9a6ff", light: "#7a3fb3", sixteen: "95"},
	Fresh:   {dark: "#56d4dd", light: "#0a7f8a", sixteen: "96"},
	Warning: {dark: "#f2cc60", light: "#9a6700", sixteen: "93"},
	Failure: {dark: "#ff7b72", light: "#cf222e", sixteen: "91"},
	Keyword: {dark: "#d2a8ff", light: "#8250df", sixteen: "35"},
	Literal: {dark: "#a5d6a7", light: "#0a5c36", sixteen: "32"},
	Remark:  {dark: "#8b949e", light: "#57606a", dark256: "246", light256: "241", sixteen: "90"},
	Name:    {dark: "#9cdcfe", light: "#0550ae", sixteen: "36"},
}

// grounds are the colours behind letters.
var grounds = [groundCount]paint{
	Selected:     {dark: "#2b3245", light: "#e4e9f5", dark256: "238", light256: "189", sixteen: "7", none: "1"},
	SelectedItem: {dark: "#2b3245", light: "#e4e9f5", dark256: "238", light256: "189"},
	AddedLine:    {dark: "#12271d", light: "#e6ffec", dark256: "22", light256: "194", sixteen: "32"},
	AddedWord:    {dark: "#1f6b3f", light: "#abf2bc", dark256: "28", light256: "157", attributes: "1", sixteen: "30;42", none: "1"},
	RemovedLine:  {dark: "#2c1719", light: "#ffebe9", dark256: "52", light256: "224", sixteen: "31"},
	RemovedWord:  {dark: "#7d2b2f", light: "#ffc1bb", dark256: "124", light256: "217", attributes: "9", sixteen: "30;41", none: "9"},
	Anchor:       {dark: "#4a3f12", light: "#fff3b0", dark256: "58", light256: "229", sixteen: "4", none: "4"},
	Thread:       {dark: "#20242d", light: "#f6f8fa", dark256: "235", light256: "255"},
	Draft:        {dark: "#2a2036", light: "#f5efff", dark256: "53", light256: "225"},
	ChipGood:     {dark: "#7ee787", light: "#1a7f37", attributes: "1", sixteen: "7", none: "7"},
	ChipWarning:  {dark: "#f2cc60", light: "#9a6700", attributes: "1", sixteen: "7", none: "7"},
	ChipPlain:    {dark: "#8b949e", light: "#57606a", attributes: "1", sixteen: "7", none: "7"},
	ChipAccent:   {dark: "#c9a6ff", light: "#7a3fb3", attributes: "1", sixteen: "7", none: "7"},
}

// ink is the colour of letters on a chip.
var ink = paint{dark: "#16181d", light: "#ffffff"}

// in is the parameters of the sequence for a role, of letters or, with ground, of what lies behind them.
func (p paint) in(palette Palette, depth termenv.Profile, ground bool) string {
	var colour, named string
	switch palette {
	case Sixteen:
		return p.sixteen
	case Mono:
		return p.none
	case Dark:
		colour, named = p.dark, p.dark256
	case Light:
		colour, named = p.light, p.light256
	case Bare:
	}
	if depth == termenv.ANSI256 && named != "" {
		colour = named
	}
	if colour == "" {
		return ""
	}
	return joined(depth.Color(colour).Sequence(ground), p.attributes)
}

func joined(parameters ...string) string {
	var set []string
	for _, p := range parameters {
		if p != "" {
			set = append(set, p)
		}
	}
	return strings.Join(set, ";")
}

// Grounded reports whether the palette shows grounds: without one, changed words need signs.
func (p Palette) Grounded() bool { return p >= Sixteen }

// PaletteFor chooses the palette of a terminal, and how many colours it has, from its environment: a name is light,
// dark, 16 or mono; any other leaves the choice to the environment.
func PaletteFor(env func(string) string, name string, dark bool) (Palette, termenv.Profile) {
	depth := depthOf(env)
	switch {
	case name == "mono" || env("NO_COLOR") != "" && name != "16" && name != "light" && name != "dark":
		return Mono, termenv.Ascii
	case name == "16" || depth == termenv.ANSI:
		return Sixteen, termenv.ANSI
	case name == "light" || name != "dark" && !dark:
		return Light, depth
	default:
		return Dark, depth
	}
}

// depthOf is how many colours a terminal says that it has. One that says nothing has 16: those of no colour at all are
// in museums, and NO_COLOR is for them.
func depthOf(env func(string) string) termenv.Profile {
	kind := env("TERM")
	switch colours := env("COLORTERM"); {
	case colours == "truecolor" || colours == "24bit":
		return termenv.TrueColor
	case strings.Contains(kind, "256color"):
		return termenv.ANSI256
	}
	for _, known := range []string{"kitty", "ghostty", "wezterm", "alacritty", "foot", "direct"} {
		if strings.Contains(kind, known) {
			return termenv.TrueColor
		}
	}
	return termenv.ANSI
}
