package main

import (
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// methodDoc returns the doc comment of the method of row, without slashes: its effect, hints for callers, and its route.
func methodDoc(row api.Row) string {
	summary, successor, deprecated := strings.Cut(strings.TrimSuffix(row.Summary, "."), " (deprecated: ")
	paragraphs := []string{
		strings.Join(append([]string{goName(row.Verb()) + " " + thirdPerson(summary) + "."}, callHints(row)...), " "),
		fmt.Sprintf("\t%s %s (operation %s)", row.Method, row.Path, row.Operation),
	}
	if deprecated {
		resource, verb, _ := strings.Cut(strings.TrimSuffix(successor, ")"), " ")
		paragraphs = append(paragraphs, fmt.Sprintf("Deprecated: use [%sService.%s].", goName(resource), goName(verb)))
	}
	return strings.Join(paragraphs, "\n\n")
}

// uploadDoc returns the doc comment of the method that sends content.
func uploadDoc(method string, form api.Upload) string {
	return fmt.Sprintf("%sUpload is %s with the content as the body, which is %s.", method, method, form)
}

// callHints returns sentences about special properties of calling row.
func callHints(row api.Row) []string {
	var sentences []string
	if row.IsList() && strings.HasPrefix(row.Out.Name(), "Page[") {
		sentences = append(sentences, "It answers a page of the list; [All] goes through all of it.")
	}
	if row.IsList() && !row.IsCounted() {
		sentences = append(sentences, "It answers a page of the log; [All] of [Log] goes through all of it.")
	}
	if row.OptionalBody {
		sentences = append(sentences, "Body may be zero.")
	}
	if row.Slow {
		sentences = append(sentences, "It may take minutes, and only the context limits it.")
	}
	if row.Secret {
		sentences = append(sentences,
			"The answer holds a secret, so a repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].")
	}
	return sentences
}

// coordinatedVerbs lists the verbs that may follow the first one in a summary, as in "Edit, resolve or react to a comment".
var coordinatedVerbs = []string{
	"answer", "ask", "change", "come", "leave", "post", "react", "read", "remove", "resolve", "switch",
}

// thirdPerson converts a summary from the imperative to the third person: "Copy a space" to "copies a space".
func thirdPerson(summary string) string {
	words := strings.Split(summary, " ")
	for i, word := range words {
		verb := strings.TrimSuffix(word, ",")
		if i == 0 || slices.Contains(coordinatedVerbs, verb) && isCoordinated(words[i-1]) {
			words[i] = conjugate(strings.ToLower(verb)) + word[len(verb):]
		}
	}
	return strings.Join(words, " ")
}

// isCoordinated reports whether a verb after the word before is coordinated with an earlier verb.
func isCoordinated(before string) bool {
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

// commentWidth is the maximum width of comment lines, including slashes.
const commentWidth = 118

// formatComment formats paragraphs as a Go comment. Lines that start with a tab are not wrapped.
func formatComment(text string) string {
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
