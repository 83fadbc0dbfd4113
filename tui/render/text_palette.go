package render

import (
	"slices"
	"strings"

	"github.com/muesli/termenv"

	"docspace.dev/wsd/tui/term"
)

// Tone is the semantic colour of text; the theme maps it to a colour. A tone is never the only indication of a state.
type Tone int

// Tones.
const (
	Normal  Tone = iota
	Dim          // secondary facts
	Faint        // rules and folds
	Heading      // section titles and headings
	Link         // link targets
	Code         // inline code and keys to type
	Quote        // quotations
	Added        // added text and success
	Removed      // removed text
	Accent       // keys, numbers and the cursor bar
	Fresh        // new since the last visit
	Warning
	Failure
	CodeKeyword // syntax of code, like the next three
	CodeLiteral
	CodeComment
	CodeName
	toneCount
)

// Ground is the semantic background of a span. Signs carry the same meaning on terminals without backgrounds.
type Ground int

// Grounds.
const (
	NoGround     Ground = iota
	Selected            // the row of the cursor
	SelectedItem        // the other rows of the selected item
	AddedLine
	AddedWord
	RemovedLine
	RemovedWord
	Anchor // the phrase that a thread refers to
	Thread // comments of others
	Draft  // unsent text
	ChipGood
	ChipWarning
	ChipPlain
	ChipAccent
	groundCount
)

// Palette is a set of colours for tones and grounds.
type Palette int

// Palettes.
const (
	NoStyle Palette = iota // no escape sequences, for files and pipes
	Mono                   // bold, underline and reverse without colour
	Sixteen                // the 16 colours of the terminal as configured by its user
	Dark                   // for dark backgrounds
	Light                  // for light backgrounds
)

// colourSet holds a tone or ground in each palette: true colours for dark and light backgrounds with attributes, and
// complete parameters for 16 colours and for none. With 256 colours the nearest one is used unless dark256 or
// light256 is set: the number of a colour, or complete parameters. The 256 colours have no dark green or red that is
// quiet enough for whole lines, so lines have a text colour there, and only words have a background.
type colourSet struct{ dark, light, dark256, light256, attributes, sixteen, none string }

// tones maps tones to text colours.
var tones = [toneCount]colourSet{
	Dim:         {dark: "#939ca6", light: "#57606a", dark256: "248", light256: "240", sixteen: "90"},
	Faint:       {dark: "#5c6370", light: "#8c959f", dark256: "241", light256: "246", sixteen: "90"},
	Heading:     {dark: "#7fc8ff", light: "#0550ae", sixteen: "96"},
	Link:        {dark: "#79b8ff", light: "#0763d0", light256: "25", sixteen: "94"},
	Code:        {dark: "#d7ba7d", light: "#7d4e00", light256: "58", sixteen: "33"},
	Quote:       {dark: "#c9d1d9", light: "#424a53"},
	Added:       {dark: "#7ee787", light: "#187933", light256: "22", sixteen: "92"},
	Removed:     {dark: "#ff7b72", light: "#ca212d", light256: "124", sixteen: "91"},
	Accent:      {dark: "#c9a6ff", light: "#7a3fb3", light256: "55", sixteen: "95"},
	Fresh:       {dark: "#56d4dd", light: "#06737e", light256: "23", sixteen: "96"},
	Warning:     {dark: "#f2cc60", light: "#8d5e00", light256: "58", sixteen: "93"},
	Failure:     {dark: "#ff7b72", light: "#ca212d", light256: "124", sixteen: "91"},
	CodeKeyword: {dark: "#d2a8ff", light: "#794ad0", light256: "55", sixteen: "35"},
	CodeLiteral: {dark: "#a5d6a7", light: "#0a5c36", light256: "22", sixteen: "32"},
	CodeComment: {dark: "#939ca6", light: "#57606a", dark256: "248", light256: "240", sixteen: "90"},
	CodeName:    {dark: "#9cdcfe", light: "#0550ae", sixteen: "36"},
}

// grounds maps grounds to background colours.
var grounds = [groundCount]colourSet{
	Selected:     {dark: "#2b3245", light: "#e4e9f5", dark256: "48;5;237", light256: "48;5;254", sixteen: "7", none: "1"},
	SelectedItem: {dark: "#2b3245", light: "#e4e9f5", dark256: "48;5;237", light256: "48;5;254", sixteen: "7"},
	AddedLine:    {dark: "#12271d", light: "#e6ffec", dark256: "38;5;114", light256: "38;5;22", sixteen: "32"},
	AddedWord: {
		dark: "#195a35", light: "#abf2bc", dark256: "38;5;194;48;5;22", light256: "38;5;22;48;5;194", attributes: "1", sixteen: "30;42",
		none: "1",
	},
	RemovedLine: {dark: "#2c1719", light: "#ffebe9", dark256: "38;5;174", light256: "38;5;88", sixteen: "31"},
	RemovedWord: {
		dark: "#7d2b2f", light: "#ffc1bb", dark256: "38;5;224;48;5;52", light256: "38;5;88;48;5;224", attributes: "9", sixteen: "30;41",
		none: "9",
	},
	Anchor:      {dark: "#4a3f12", light: "#fff3b0", dark256: "38;5;230;48;5;58", light256: "48;5;229", sixteen: "4", none: "4"},
	Thread:      {dark: "#20242d", light: "#f6f8fa", dark256: "48;5;235", light256: "48;5;255"},
	Draft:       {dark: "#2a2036", light: "#f5efff", dark256: "38;5;183", light256: "38;5;54"},
	ChipGood:    {dark: "#7ee787", light: "#1a7f37", attributes: "1", sixteen: "7", none: "7"},
	ChipWarning: {dark: "#f2cc60", light: "#9a6700", attributes: "1", sixteen: "7", none: "7"},
	ChipPlain:   {dark: "#8b949e", light: "#57606a", attributes: "1", sixteen: "7", none: "7"},
	ChipAccent:  {dark: "#c9a6ff", light: "#7a3fb3", attributes: "1", sixteen: "7", none: "7"},
}

// chipColour is the text colour of chips.
var chipColour = colourSet{dark: "#16181d", light: "#ffffff"}

// parameters returns the SGR parameters for the text colour or, if ground is set, the background colour.
func (p colourSet) parameters(palette Palette, depth termenv.Profile, ground bool) string {
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
	case NoStyle:
	}
	switch {
	case depth == termenv.ANSI256 && strings.Contains(named, ";"):
		return joinParameters(named, p.attributes)
	case depth == termenv.ANSI256 && named != "":
		colour = named
	}
	if colour == "" {
		return ""
	}
	return joinParameters(depth.Color(colour).Sequence(ground), p.attributes)
}

func joinParameters(parameters ...string) string {
	var set []string
	for _, p := range parameters {
		if p != "" {
			set = append(set, p)
		}
	}
	return strings.Join(set, ";")
}

// HasGrounds reports whether the palette has background colours. Without them, changed words need signs.
func (p Palette) HasGrounds() bool { return p >= Sixteen }

// Display holds the capabilities of a terminal.
type Display struct {
	Depth termenv.Profile
	Dark  bool // whether the background is dark
}

// DisplayOf returns the display that COLORTERM, TERM and COLORFGBG announce, by default 16 colours on a dark background.
func DisplayOf(env func(string) string) Display {
	return Display{Depth: colorDepth(env), Dark: term.IsDark(env("COLORFGBG"))}
}

// PaletteFor returns the palette and the colour depth for a display. The names light, dark, 16 and mono select a palette, 256
// and truecolor a depth; the rest is chosen from the display. NO_COLOR selects no colour if name is empty or auto.
func PaletteFor(env func(string) string, name string, display Display) (Palette, termenv.Profile) {
	depth := display.Depth
	switch name {
	case "256":
		depth = termenv.ANSI256
	case "truecolor":
		depth = termenv.TrueColor
	}
	switch {
	case name == "mono" || env("NO_COLOR") != "" && (name == "" || name == "auto"):
		return Mono, termenv.Ascii
	case name == "16" || depth == termenv.ANSI:
		return Sixteen, termenv.ANSI
	case name == "light" || name != "dark" && !display.Dark:
		return Light, depth
	default:
		return Dark, depth
	}
}

// trueColorTerminals are terminals that show all colours in each of their versions in use, by the first word of TERM after
// "xterm-".
var trueColorTerminals = []string{
	"alacritty", "contour", "foot", "ghostty", "iterm", "iterm2", "iterm2.app", "kitty", "konsole", "mintty", "rio", "st", "vte",
	"wezterm",
}

// colorDepth returns the colour depth that COLORTERM or TERM announces.
func colorDepth(env func(string) string) termenv.Profile {
	colors, name := strings.ToLower(env("COLORTERM")), strings.ToLower(env("TERM"))
	words := strings.Split(strings.TrimPrefix(name, "xterm-"), "-")
	switch {
	case colors == "truecolor" || colors == "24bit":
		return termenv.TrueColor
	case slices.Contains(trueColorTerminals, words[0]) || strings.Contains(name, "-direct"):
		return termenv.TrueColor
	case strings.Contains(name, "256color"):
		return termenv.ANSI256
	}
	return termenv.ANSI
}
