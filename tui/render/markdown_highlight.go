package render

import (
	"regexp"
	"slices"
	"strings"
)

// Token is a part of a line of code with its tone.
type Token struct {
	Tone Tone
	Text string
}

// Highlighter marks keywords, literals, names and comments in code, line by line. It reads each line once from left
// to right without backtracking, because the code is untrusted.
type Highlighter struct {
	language  language
	inComment bool // inside a block comment
}

// language describes the syntax of a family of languages.
type language struct {
	lineComment, openComment, closeComment string   // comment delimiters
	quotes                                 string   // delimiters of literals
	keywords                               []string // keywords
	hasKeys                                bool     // a word before a colon is a name
	hasShellNames                          bool     // $ begins a name and - an option
}

// families maps the name of a family to its syntax.
var families = map[string]language{
	"braces": {lineComment: "//", openComment: "/*", closeComment: "*/", quotes: "\"'`", keywords: strings.Fields("break case catch class const continue default defer do " +
		"else enum export extends extern false final finally fn for from func function go if impl implements import in interface let " +
		"match mut " +
		"new nil null package private protected pub public return self static struct super switch this throw true try type undefined use " +
		"var void while yield async await")},
	"shell": {
		lineComment: "#", quotes: "\"'", hasShellNames: true,
		keywords: strings.Fields("case do done elif else esac export fi for function if in local return set then unset until while"),
	},
	"python": {lineComment: "#", quotes: "\"'", keywords: strings.Fields("and as assert async await break class continue def del elif " +
		"else except False finally for " +
		"from if import in is lambda None nonlocal not or pass raise return self True try while with yield")},
	"yaml": {lineComment: "#", quotes: "\"'", hasKeys: true, keywords: strings.Fields("true false null yes no on off")},
	"json": {
		lineComment: "//", openComment: "/*", closeComment: "*/", quotes: "\"", hasKeys: true, keywords: strings.Fields("true false null"),
	},
	"sql": {lineComment: "--", openComment: "/*", closeComment: "*/", quotes: "'", keywords: strings.Fields("and as asc between by " +
		"create delete desc distinct drop from group having in " +
		"insert into is join left like limit not null on or order outer primary select set table union update values where")},
}

// languageNames maps the info string of a fence to a family.
var languageNames = map[string]string{
	"go": "braces", "golang": "braces", "js": "braces", "javascript": "braces", "jsx": "braces", "ts": "braces", "typescript": "braces",
	"tsx":  "braces",
	"java": "braces", "kotlin": "braces", "swift": "braces", "c": "braces", "h": "braces", "cpp": "braces", "c++": "braces", "cs": "braces",
	"csharp": "braces",
	"rust":   "braces", "rs": "braces", "php": "braces", "scala": "braces", "dart": "braces", "css": "braces", "scss": "braces",
	"proto": "braces",
	"sh":    "shell", "bash": "shell", "shell": "shell", "zsh": "shell", "console": "shell", "dockerfile": "shell", "make": "shell",
	"makefile": "shell",
	"py":       "python", "python": "python", "rb": "python", "ruby": "python",
	"yaml": "yaml", "yml": "yaml", "toml": "yaml", "ini": "yaml", "conf": "yaml", "properties": "yaml", "env": "yaml",
	"json": "json", "json5": "json", "jsonc": "json", "sql": "sql", "lua": "sql", "http": "yaml",
}

// NewHighlighter returns a Highlighter for the info string of a fence. Code in unknown languages is not highlighted.
func NewHighlighter(info string) *Highlighter {
	name, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(info)), " ")
	return &Highlighter{language: families[languageNames[name]]}
}

var (
	wordPattern     = regexp.MustCompile(`^[\pL_][\pL\pN_]*`)
	numberPattern   = regexp.MustCompile(`^[0-9][0-9a-zA-Z_.]*`)
	optionPattern   = regexp.MustCompile(`^--?[a-zA-Z][a-zA-Z0-9-]*`)
	variablePattern = regexp.MustCompile(`^(?:\$\{[^}]*\}?|\$[\pL_][\pL\pN_]*)`)
	nameSuffix      = regexp.MustCompile(`^[ \t]*[:=]`)
)

// Line splits the next line of code into tokens, whose concatenation is the line.
func (h *Highlighter) Line(line string) []Token {
	var out []Token
	for rest := line; rest != ""; {
		t := h.nextToken(rest, len(rest) < len(line))
		if last := len(out) - 1; last >= 0 && out[last].Tone == t.Tone {
			out[last].Text += t.Text
		} else {
			out = append(out, t)
		}
		rest = rest[len(t.Text):]
	}
	return out
}

// nextToken returns the first token of the rest of a line.
func (h *Highlighter) nextToken(rest string, within bool) Token {
	l := h.language
	switch {
	case h.inComment:
		return h.blockComment(rest)
	case l.openComment != "" && strings.HasPrefix(rest, l.openComment):
		h.inComment = true
		return h.blockComment(rest)
	case l.lineComment != "" && strings.HasPrefix(rest, l.lineComment):
		return Token{CodeComment, rest}
	case l.quotes != "" && strings.ContainsRune(l.quotes, rune(rest[0])):
		return l.literalToken(rest)
	}
	if found := wordPattern.FindString(rest); found != "" {
		return l.wordToken(found, rest[len(found):])
	}
	if found := numberPattern.FindString(rest); found != "" && l.quotes != "" {
		return Token{CodeLiteral, found}
	}
	if l.hasShellNames {
		if found := variablePattern.FindString(rest); found != "" {
			return Token{CodeName, found}
		}
		if found := optionPattern.FindString(rest); found != "" && within {
			return Token{CodeName, found}
		}
	}
	_, size := firstRune(rest)
	return Token{Code, rest[:size]}
}

// blockComment returns a token up to the end of the comment, at which it resets inComment, or else up to the end of the line.
func (h *Highlighter) blockComment(rest string) Token {
	if end := strings.Index(rest, h.language.closeComment); end >= 0 {
		h.inComment = false
		return Token{CodeComment, rest[:end+len(h.language.closeComment)]}
	}
	return Token{CodeComment, rest}
}

// literalToken returns the token of a quoted literal, up to the end of the line if it is not closed. Before a colon, the
// literal is a name in languages with keys.
func (l language) literalToken(rest string) Token {
	end := len(rest)
	for i := 1; i < len(rest); i++ {
		if rest[i] == '\\' {
			i++
		} else if rest[i] == rest[0] {
			end = i + 1
			break
		}
	}
	if l.hasKeys && nameSuffix.MatchString(rest[end:]) {
		return Token{CodeName, rest[:end]}
	}
	return Token{CodeLiteral, rest[:end]}
}

func (l language) wordToken(found, after string) Token {
	switch {
	case l.hasKeys && nameSuffix.MatchString(after):
		return Token{CodeName, found}
	case slices.Contains(l.keywords, found), slices.Contains(l.keywords, strings.ToLower(found)) && found == strings.ToUpper(found):
		return Token{CodeKeyword, found}
	default:
		return Token{Code, found}
	}
}

// firstRune returns the first rune of a text and its length, which is 1 for invalid UTF-8.
func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}
