package main

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// doc is the comment of a row's method, without slashes: what it does, what to know about it, how it is asked for.
func doc(row api.Row) string {
	summary, successor, deprecated := strings.Cut(strings.TrimSuffix(row.Summary, "."), " (deprecated: ")
	paragraphs := []string{
		strings.Join(append([]string{camel(row.Verb()) + " " + thirdPerson(summary) + "."}, hints(row)...), " "),
		fmt.Sprintf("\t%s %s (operation %s)", row.Method, row.Path, row.Operation),
	}
	if deprecated {
		resource, verb, _ := strings.Cut(strings.TrimSuffix(successor, ")"), " ")
		paragraphs = append(paragraphs, fmt.Sprintf("Deprecated: use [%sService.%s].", camel(resource), camel(verb)))
	}
	return strings.Join(paragraphs, "\n\n")
}

// hints are sentences about what is special about calling a row.
func hints(row api.Row) []string {
	var sentences []string
	if row.IsList() && strings.HasPrefix(row.Out.Name(), "Page[") {
		sentences = append(sentences, "It answers a page of the list; [All] goes through all of it.")
	}
	if row.OptionalBody {
		sentences = append(sentences, "Body may be zero.")
	}
	if row.Slow {
		sentences = append(sentences, "It may take minutes, and only the context limits it.")
	}
	if row.Secret {
		sentences = append(sentences, "The answer holds a secret, so a repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].")
	}
	return sentences
}

// continuing are the verbs that go on with a summary after another one, as in "Edit, resolve or react to a comment".
var continuing = []string{
	"answer", "ask", "change", "come", "leave", "post", "react", "read", "remove", "resolve", "switch",
}

// thirdPerson turns a summary, which tells people what to do, into what a method does: "Copy a space" into "copies a
// space".
func thirdPerson(summary string) string {
	words := strings.Split(summary, " ")
	for i, word := range words {
		verb := strings.TrimSuffix(word, ",")
		if i == 0 || slices.Contains(continuing, verb) && continues(words[i-1]) {
			words[i] = conjugate(strings.ToLower(verb)) + word[len(verb):]
		}
	}
	return strings.Join(words, " ")
}

// continues reports whether a verb after the word stands beside the first one.
func continues(before string) bool {
	return before == "and" || before == "or" || strings.HasSuffix(before, ",")
}

func conjugate(verb string) string {
	stem, y := strings.CutSuffix(verb, "y")
	switch {
	case y && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"):
		return verb + "es"
	default:
		return verb + "s"
	}
}

// commentWidth is how long the lines of comments may become, slashes included.
const commentWidth = 118

// comment writes a text of paragraphs as a Go comment; lines that begin with a tab stay as they are.
func comment(text string) string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(paragraph, "\t") {
			lines = append(lines, "//"+paragraph)
			continue
		}
		line := "//"
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+1+len(word) > commentWidth {
				lines, line = append(lines, line), "//"
			}
			line += " " + word
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
