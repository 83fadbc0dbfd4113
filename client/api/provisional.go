package api

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// provisionalPaths maps rows to the paths of members with ids and secrets that a dry run invents: the write itself gives others.
// A path goes through the elements of arrays. Rows that create something under "id" only are left out.
var provisionalPaths = map[string][]string{
	AcceptInvite.Name:               {"token"},
	CopyTransfer.Name:               {"copy"},
	CreateChangeRequestReview.Name:  {"id", "comment.id", "comments"},
	CreateInstallationToken.Name:    {"token"},
	CreateInvite.Name:               {"invites.id", "invites.secret"},
	CreateLinkInvite.Name:           {"id", "secret"},
	CreateServiceAccountToken.Name:  {"id", "token"},
	CreateShareLink.Name:            {"id", "urls.published"},
	CreateSiteSection.Name:          {"id", "siteSpaces.id"},
	CreateToken.Name:                {"id", "token"},
	DuplicateSpace.Name:             {"id"},
	EditChangeRequestContent.Name:   {"changes.page.id", "files.id", "revision"},
	ImportChangeRequestContent.Name: {"created.page", "source"},
	ImportContent.Name:              {"created.page", "source"},
	RegenerateSiteAuth.Name:         {"privateKey"},
	RotateToken.Name:                {"token"},
	SubmitChangeRequestReview.Name:  {"review", "comment", "drafts.comment"},
}

// ProvisionalPaths returns the paths of the members of an answer of the row whose values a dry run invents.
func (r Row) ProvisionalPaths() []string {
	if paths, ok := provisionalPaths[r.Name]; ok {
		return paths
	}
	if r.Verb() == "create" {
		return []string{"id"}
	}
	return nil
}

// WithoutProvisional returns the answer of a dry run without the ids and secrets that it invented, and without every text that
// contains one of them. sent is the path and the body of the request: what it contains is not invented.
func WithoutProvisional(row Row, sent string, answer []byte) []byte {
	var value any
	if json.Unmarshal(answer, &value) != nil {
		return answer
	}
	var invented []string
	for _, path := range row.ProvisionalPaths() {
		invented = append(invented, textsAt(value, strings.Split(path, "."))...)
	}
	invented = slices.DeleteFunc(invented, func(text string) bool { return text == "" || strings.Contains(sent, text) })
	if len(invented) == 0 {
		return answer
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	var b bytes.Buffer
	isInvented := func(text string) bool {
		return slices.ContainsFunc(invented, func(part string) bool { return strings.Contains(text, part) })
	}
	if _, err := copyWithout(&b, d, isInvented); err != nil {
		return answer
	}
	return PlainJSON(b.Bytes())
}

// textsAt returns the texts at a path of a decoded JSON value. Objects with the member existing are left out: they were not made.
func textsAt(value any, path []string) (texts []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			texts = append(texts, textsAt(element, path)...)
		}
	case map[string]any:
		if len(path) > 0 && value["existing"] != true {
			return textsAt(value[path[0]], path[1:])
		}
	case string:
		if len(path) == 0 {
			return []string{value}
		}
	}
	return texts
}

// copyWithout copies a JSON value without the members and elements that are texts for which omit returns true. omitted is true if
// the value itself is one.
func copyWithout(b *bytes.Buffer, d *json.Decoder, omit func(string) bool) (omitted bool, err error) {
	token, err := d.Token()
	if err != nil {
		return false, err
	}
	switch token := token.(type) {
	case json.Delim:
		return false, copyElements(b, d, token, omit)
	case string:
		if omit(token) {
			return true, nil
		}
	}
	text, err := json.Marshal(token)
	b.Write(text)
	return false, err
}

// copyElements is copyWithout for an object or an array whose first token was read.
func copyElements(b *bytes.Buffer, d *json.Decoder, open json.Delim, omit func(string) bool) error {
	b.WriteString(open.String())
	count := 0
	for d.More() {
		start := b.Len()
		if count > 0 {
			b.WriteByte(',')
		}
		if open == '{' {
			if _, err := copyWithout(b, d, func(string) bool { return false }); err != nil {
				return err
			}
			b.WriteByte(':')
		}
		omitted, err := copyWithout(b, d, omit)
		switch {
		case err != nil:
			return err
		case omitted:
			b.Truncate(start)
		default:
			count++
		}
	}
	end, err := d.Token()
	if end, ok := end.(json.Delim); ok {
		b.WriteString(end.String())
	}
	return err
}
