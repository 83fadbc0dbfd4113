package folder

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
)

// problem is a finding in one text.
type problem struct {
	severity Severity
	rule     Rule
	offset   int
	message  string
}

var (
	yamlLine    = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	unclosedKey = regexp.MustCompile(`\A(?:\x{feff})?---[ \t]*\r?\n["']?[A-Za-z_][\w -]*["']?[ \t]*:(?:[ \t]|\r?\n)`)
	titleEntry  = regexp.MustCompile(`(?m)^["']?(title|description)["']?[ \t]*:[ \t]*(.*)$`)
)

// frontMatterProblems returns what of the front matter of a text cannot be read. A page has its title and its description from it.
func frontMatterProblems(text []byte) (found []problem) {
	add := func(severity Severity, offset int, format string, args ...any) {
		found = append(found, problem{severity, RuleFrontMatter, offset, fmt.Sprintf(format, args...)})
	}
	head := text[:content.BodyStart(text)]
	_, entries, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case bytes.HasPrefix(text, []byte("+++\n")):
		add(SeverityError, 0, "front matter between +++ is not read; write it as YAML between ---")
		return found
	case len(entries) == 0 && unclosedKey.Match(text):
		add(SeverityError, 0, "front matter has no end: the line --- after it is missing")
		return found
	case len(entries) == 0:
		return nil
	}
	entries = entries[:bytes.LastIndexByte(bytes.TrimRight(entries, "\r\n"), '\n')+1]
	start := bytes.IndexByte(head, '\n') + 1
	severity := SeverityNote
	for _, m := range titleEntry.FindAllSubmatchIndex(entries, -1) {
		key, value := string(entries[m[2]:m[3]]), strings.TrimSpace(string(entries[m[4]:m[5]]))
		switch value {
		case "", "~", "null", `""`, "''":
			continue
		}
		if content.FrontMatter(text, key) == "" {
			severity = SeverityError
			add(severity, start+m[0], "%s of the front matter cannot be read: it must be one YAML text of at most 4 KiB", key)
		}
	}
	if err := yaml.Unmarshal(entries, &yaml.Node{}); err != nil && severity == SeverityNote {
		message, offset := err.Error(), start
		if m := yamlLine.FindStringSubmatch(message); m != nil {
			message = message[len(m[0]):]
			for n, _ := strconv.Atoi(m[1]); n > 1; n-- {
				offset += bytes.IndexByte(text[offset:], '\n') + 1
			}
		}
		add(severity, offset, "front matter is not YAML: %s", message)
	}
	return found
}

// construct is markup of other tools that stays text.
type construct struct {
	marks   []string // a text without any of them does not match
	pattern *regexp.Regexp
	message string // with %s for the first group of the pattern
	inCode  bool   // other tools read it in code, too
}

const useHint = `; a hint is {% hint style="info" %} and {% endhint %}`

var constructs = []construct{
	{
		marks:   []string{"import"},
		pattern: regexp.MustCompile(`(?m)^(import)[ \t]+(?:[\w*{][^\n]*[ \t]from[ \t]+)?["'][^"'\n]+["'];?[ \t]*\r?$`),
		message: "%s of MDX stays text",
	},
	{
		marks:   []string{"export"},
		pattern: regexp.MustCompile(`(?m)^(export)[ \t]+(?:default|const|let|var|function|class)[ \t]`),
		message: "%s of MDX stays text",
	},
	{marks: []string{"{/*"}, pattern: regexp.MustCompile(`(\{/\*)`), message: "%s */} of MDX stays text; a comment is <!-- -->"},
	{
		marks:   []string{"!!!", "???"},
		pattern: regexp.MustCompile(`(?m)^[ \t]*((?:!!!|\?\?\?\+?)[ \t]+"?[\w-]+)`),
		message: "%s of MkDocs stays text" + useHint,
	},
	{
		marks:   []string{"==="},
		pattern: regexp.MustCompile(`(?m)^[ \t]*(===[!+]?[ \t]+"[^"\n]*")`),
		message: `%s of MkDocs stays text; tabs are {% tabs %} and {% tab title="..." %}`,
	},
	{marks: []string{":::"}, pattern: regexp.MustCompile(`(?m)^[ \t>]*(:{3,}[ \t]*\{?[\w-]+)`), message: "%s stays text" + useHint},
	{marks: []string{"[!"}, pattern: regexp.MustCompile(`(?m)^[ \t]*>[ \t]*(\[!\w+\])`), message: "%s of GitHub stays text" + useHint},
	{
		marks:   []string{"{{"},
		pattern: regexp.MustCompile(`(\{\{[ \t]*#[a-z_]+[^{}\n]*\}\})`),
		message: "%s of mdBook stays text", inCode: true,
	},
	{
		marks:   []string{"-8<-"},
		pattern: regexp.MustCompile(`(?m)^[ \t]*;?(-+8<-+)`),
		message: "%s of MkDocs stays text: nothing is included", inCode: true,
	},
	{
		marks:   []string{"{{<", "{{%"},
		pattern: regexp.MustCompile(`(\{\{[<%][ \t]*/?[\w.-]+)`),
		message: "shortcode %s of Hugo stays text",
	},
	{
		marks:   []string{"{:", "{.", "{ ."},
		pattern: regexp.MustCompile(`(?m)(?:^|[^{])(\{:[^{}\n]+\}|\{ ?\.[\w-][^{}\n]*\})`),
		message: "attributes %s stay text; only {#id} of headings is read",
	},
	{marks: []string{"[^"}, pattern: regexp.MustCompile(`(?m)^ {0,3}(\[\^[^\]\s]+\]):`), message: "footnote %s stays text"},
	{marks: []string{"[TOC]"}, pattern: regexp.MustCompile(`(?m)^(\[TOC\])[ \t]*\r?$`), message: "%s stays text"},
	{
		marks:   []string{"[["},
		pattern: regexp.MustCompile(`(?m)(?:^|[^\]\\])(\[\[[^\[\]\n]+\]\])(?:[^(\[:]|$)`),
		message: "%s stays text: it is no link",
	},
}

// jsxTag matches a tag whose name is not one of HTML.
var jsxTag = regexp.MustCompile(`<([A-Z]\w*[a-z]\w*(?:\.\w+)*)[\s/>]`)

// valueExpression matches an expression in double braces other than those of mdBook and Hugo.
var valueExpression = regexp.MustCompile(`\{\{-?[ \t]*[A-Za-z_$.][^{}\n]*\}\}`)

// unreadSyntax returns the markup of other tools in a text that is not read, each construct once, and tags without an end.
func unreadSyntax(text []byte) (found []problem) {
	s := syntaxFinder{text: text}
	for _, c := range constructs {
		if !slices.ContainsFunc(c.marks, func(mark string) bool { return bytes.Contains(text, []byte(mark)) }) {
			continue
		}
		if at := s.first(c.pattern, c.inCode, nil); at != nil {
			s.add(at[2], strings.Replace(c.message, "%s", string(text[at[2]:at[3]]), 1))
		}
	}
	s.addElements()
	s.addExpressions()
	s.addTags()
	return s.found
}

// syntaxFinder collects what is not read of one text.
type syntaxFinder struct {
	text    []byte
	literal content.Spans // nil until it is needed
	found   []problem
}

func (s *syntaxFinder) add(offset int, message string) {
	s.found = append(s.found, problem{SeverityNote, RuleSyntax, offset, message})
}

// addElements adds the elements of MDX, each name once.
func (s *syntaxFinder) addElements() {
	seen := map[string]bool{}
	for _, at := range jsxTag.FindAllSubmatchIndex(s.text, -1) {
		name := string(s.text[at[2]:at[3]])
		if !seen[name] && !s.isLiteral(at[0]) {
			seen[name] = true
			s.add(at[0], "<"+name+"> is not read: only the text in it is shown")
		}
	}
}

// addExpressions adds the first expression that is no variable of wsd.
func (s *syntaxFinder) addExpressions() {
	if !bytes.Contains(s.text, []byte("{{")) {
		return
	}
	known := map[int]bool{}
	for _, e := range content.Expressions(s.text) {
		known[e.Start] = true
	}
	if at := s.first(valueExpression, false, known); at != nil {
		s.add(at[0], string(s.text[at[0]:at[1]])+" stays text; variables are {{ space.vars.NAME }} and {{ page.vars.NAME }}")
	}
}

// isLiteral reports whether an offset is in front matter or code.
func (s *syntaxFinder) isLiteral(offset int) bool {
	if s.literal == nil {
		s.literal = append(content.LiteralSpans(s.text), [2]int{len(s.text), len(s.text)})
	}
	return s.literal.Contains(offset)
}

// first returns the first match of a pattern that is not in code and not at a known offset, nil if there is none.
func (s *syntaxFinder) first(pattern *regexp.Regexp, inCode bool, known map[int]bool) []int {
	for _, at := range pattern.FindAllSubmatchIndex(s.text, -1) {
		if !known[at[0]] && (inCode && at[0] >= content.BodyStart(s.text) || !s.isLiteral(at[len(at)-2])) {
			return at
		}
	}
	return nil
}

var (
	tagPattern = regexp.MustCompile(`\{%-?[ \t]*([A-Za-z][\w-]*)[^\n]*?%\}`)
	lineMarks  = regexp.MustCompile(`^[ \t]*(?:(?:[>*+-]|\d+[.)])[ \t]+)*`) // of quotes and lists
)

// openTag is a tag whose end was not found yet.
type openTag struct {
	name   string
	offset int
}

// addTags adds the tags that are not read, once for each name, and those without their counterpart.
func (s *syntaxFinder) addTags() {
	if !bytes.Contains(s.text, []byte("{%")) {
		return
	}
	seen := map[string]bool{}
	var open []openTag
	for _, at := range tagPattern.FindAllSubmatchIndex(s.text, -1) {
		if s.isLiteral(at[0]) {
			continue
		}
		name, message, end := s.readTag(at)
		pairs, _ := documents.HasTag(name)
		switch {
		case message != "" && !seen[message]:
			seen[message] = true
			s.add(at[0], message)
		case message != "" || !pairs:
		case !end:
			open = append(open, openTag{name, at[0]})
		default:
			n := len(open) - 1
			for n >= 0 && open[n].name != name {
				n--
			}
			if n < 0 {
				s.add(at[0], "{% end"+name+" %} stays text: there is no {% "+name+" %} before it")
				continue
			}
			s.addUnclosed(open[n+1:])
			open = open[:n]
		}
	}
	s.addUnclosed(open)
}

// readTag returns the name of a tag, without end if it is an end tag, and why it stays text, "" if it is read.
func (s *syntaxFinder) readTag(at []int) (name, message string, end bool) {
	start := bytes.LastIndexByte(s.text[:at[0]], '\n') + 1
	line, _, _ := bytes.Cut(s.text[start:], []byte("\n"))
	line = bytes.TrimSpace(line[len(lineMarks.Find(line)):])
	written := strings.TrimPrefix(string(s.text[at[2]:at[3]]), "end")
	name, end, ok := content.ParseTag(line)
	pairs, single := documents.HasTag(written)
	switch {
	case !pairs && !single:
		return written, "{% " + written + " %} stays text: it is no tag of wsd", false
	case !ok:
		return written, "{% " + written + " %} stays text: a tag is alone on its line", false
	case name == "include":
		if _, read := content.IncludedID(line); !read {
			return name, `{% include %} of a file stays text; a reusable content is {% include "reusable:ID" %}`, false
		}
	}
	return name, "", end
}

// addUnclosed adds the tags without an end, other than those that need none.
func (s *syntaxFinder) addUnclosed(open []openTag) {
	for _, tag := range open {
		if _, single := documents.HasTag(tag.name); !single {
			s.add(tag.offset, "{% "+tag.name+" %} stays text: there is no {% end"+tag.name+" %} after it")
		}
	}
}
