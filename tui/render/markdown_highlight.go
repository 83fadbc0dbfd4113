package render

import (
	"regexp"
	"slices"
	"strings"
)

// Token is a piece of a line of code, as it is written.
type Token struct {
	Tone Tone
	Text string
}

// Highlighter tells keywords, literals, names and remarks of code apart, line by line. It reads each line once from left
// to right, whatever is in it: code is written by others, too, and a grammar that goes back could take forever over it.
type Highlighter struct {
	language language
	remark   bool // within a remark of many lines
}

// language is what there is to know of a family of languages.
type language struct {
	line, open, shut string   // of remarks
	quotes           string   // around literals
	words            []string // keywords
	keys             bool     // what stands before a colon is a name
	variables        bool     // what begins with $ is a name, and what begins with - an option
}

// families are languages by what they have in common.
var families = map[string]language{
	"braces": {line: "//", open: "/*", shut: "*/", quotes: "\"'`", words: strings.Fields("break case catch class const continue default defer do " +
		"else enum export extends extern false final finally fn for from func function go if impl implements import in interface let match mut " +
		"new nil null package private protected pub public return self static struct super switch this throw true try type undefined use var void while yield async await")},
	"shell": {line: "#", quotes: "\"'", variables: true, words: strings.Fields("case do done elif else esac export fi for function if in local return set then unset until while")},
	"python": {line: "#", quotes: "\"'", words: strings.Fields("and as assert async await break class continue def del elif else except False finally for " +
		"from if import in is lambda None nonlocal not or pass raise return self True try while with yield")},
	"yaml": {line: "#", quotes: "\"'", keys: true, words: strings.Fields("true false null yes no on off")},
	"json": {line: "//", open: "/*", shut: "*/", quotes: "\"", keys: true, words: strings.Fields("true false null")},
	"sql": {line: "--", open: "/*", shut: "*/", quotes: "'", words: strings.Fields("and as asc between by create delete desc distinct drop from group having in " +
		"insert into is join left like limit not null on or order outer primary select set table union update values where")},
}

// languageNames are what people write behind a fence.
var languageNames = map[string]string{
	"go": "braces", "golang": "braces", "js": "braces", "javascript": "braces", "jsx": "braces", "ts": "braces", "typescript": "braces", "tsx": "braces",
	"java": "braces", "kotlin": "braces", "swift": "braces", "c": "braces", "h": "braces", "cpp": "braces", "c++": "braces", "cs": "braces", "csharp": "braces",
	"rust": "braces", "rs": "braces", "php": "braces", "scala": "braces", "dart": "braces", "css": "braces", "scss": "braces", "proto": "braces",
	"sh": "shell", "bash": "shell", "shell": "shell", "zsh": "shell", "console": "shell", "dockerfile": "shell", "make": "shell", "makefile": "shell",
	"py": "python", "python": "python", "rb": "python", "ruby": "python",
	"yaml": "yaml", "yml": "yaml", "toml": "yaml", "ini": "yaml", "conf": "yaml", "properties": "yaml", "env": "yaml",
	"json": "json", "json5": "json", "jsonc": "json", "sql": "sql", "lua": "sql", "http": "yaml",
}

// NewHighlighter returns one for the language that stands behind a fence; of an unknown one, all is plain code.
func NewHighlighter(info string) *Highlighter {
	name, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(info)), " ")
	return &Highlighter{language: families[languageNames[name]]}
}

var (
	word   = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
	number = regexp.MustCompile(`^[0-9][0-9a-zA-Z_.]*`)
	option = regexp.MustCompile(`^--?[a-zA-Z][a-zA-Z0-9-]*`)
	named  = regexp.MustCompile(`^(?:\$\{[^}]*\}?|\$[\pL_][\pL\pN_]*)`)
	before = regexp.MustCompile(`^[ \t]*[:=]`)
)

// Line cuts the next line of the code into its pieces; together they are the line.
func (h *Highlighter) Line(line string) []Token {
	var out []Token
	for rest := line; rest != ""; {
		t := h.next(rest, len(rest) < len(line))
		if last := len(out) - 1; last >= 0 && out[last].Tone == t.Tone {
			out[last].Text += t.Text
		} else {
			out = append(out, t)
		}
		rest = rest[len(t.Text):]
	}
	return out
}

// next is the first piece of what is left of a line.
func (h *Highlighter) next(rest string, within bool) Token {
	l := h.language
	switch {
	case h.remark:
		return h.remarked(rest)
	case l.open != "" && strings.HasPrefix(rest, l.open):
		h.remark = true
		return h.remarked(rest)
	case l.line != "" && strings.HasPrefix(rest, l.line):
		return Token{Remark, rest}
	case l.quotes != "" && strings.ContainsRune(l.quotes, rune(rest[0])):
		return l.literal(rest)
	}
	if found := word.FindString(rest); found != "" {
		return l.worded(found, rest[len(found):])
	}
	if found := number.FindString(rest); found != "" && l.quotes != "" {
		return Token{Literal, found}
	}
	if l.variables {
		if found := named.FindString(rest); found != "" {
			return Token{Name, found}
		}
		if found := option.FindString(rest); found != "" && within {
			return Token{Name, found}
		}
	}
	_, size := firstRune(rest)
	return Token{Code, rest[:size]}
}

// remarked is a remark of many lines to its end, or to that of the line.
func (h *Highlighter) remarked(rest string) Token {
	if end := strings.Index(rest, h.language.shut); end >= 0 {
		h.remark = false
		return Token{Remark, rest[:end+len(h.language.shut)]}
	}
	return Token{Remark, rest}
}

// literal is a text in quotes, to the end of the line where they are not closed; before a colon it may be a name.
func (l language) literal(rest string) Token {
	end := len(rest)
	for i := 1; i < len(rest); i++ {
		if rest[i] == '\\' {
			i++
		} else if rest[i] == rest[0] {
			end = i + 1
			break
		}
	}
	if l.keys && before.MatchString(rest[end:]) {
		return Token{Name, rest[:end]}
	}
	return Token{Literal, rest[:end]}
}

func (l language) worded(found, after string) Token {
	switch {
	case l.keys && before.MatchString(after):
		return Token{Name, found}
	case slices.Contains(l.words, found), slices.Contains(l.words, strings.ToLower(found)) && found == strings.ToUpper(found):
		return Token{Keyword, found}
	default:
		return Token{Code, found}
	}
}

// firstRune is the first character and its length, of broken bytes one.
func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}
