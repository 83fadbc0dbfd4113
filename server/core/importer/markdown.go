package importer

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// importMarkdown imports one Markdown document without changing its bytes.
func (i *Importer) importMarkdown(ctx context.Context, req Request) (Result, error) {
	from, err := i.readStart(ctx, req, i.limits.ResourceSize)
	if err != nil {
		return Result{}, err
	}
	text, note := decode(from.body, from.contentType, from.label())
	if fault := textFault(text); fault != "" {
		return Result{}, from.errorf("%s", fault)
	}
	page := &Page{
		ID: req.NewID("p_"), Markdown: text, Source: from.label(), Path: from.path, OID: content.BlobID(from.body),
		Title: markdownTitle(text, from.name), Description: content.Description(text),
	}
	page.Slug = from.name
	setSlugs([]*Page{page})
	result := Result{Pages: []*Page{page}, Imported: 1, Total: 1}
	if note != "" {
		result.Notes = append(result.Notes, note)
	}
	req.Progress(1, 1)
	return result, nil
}

// textFault returns why a text cannot be a page's text, or "" if it can. Size is not checked: see SplitPage.
func textFault(text []byte) string {
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return fmt.Sprintf("it has a NUL character at offset %d", at)
	}
	return ""
}

// pathOf returns the path of a URL's document relative to its host.
func pathOf(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return sitePath(u)
}

// baseName returns the last element of a URL's path without its extension.
func baseName(rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	name := path.Base(u.Path)
	if name == "/" || name == "." {
		return ""
	}
	return strings.TrimSuffix(name, path.Ext(name))
}

// markdownTitle returns the title: that of the front matter, else the first heading, else the fallback, else
// "Untitled".
func markdownTitle(text []byte, fallback string) string {
	if title := content.FrontMatter(text, "title"); title != "" {
		return title
	}
	fenced := false
	for line := range strings.Lines(string(bodyOf(text))) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if title, ok := strings.CutPrefix(line, "# "); ok && !fenced {
			title = content.WithoutHeadingID(title)
			if title = strings.TrimSpace(strings.TrimRight(title, "# ")); title != "" {
				return title
			}
		}
	}
	if fallback != "" {
		return fallback
	}
	return "Untitled"
}
