package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/server/text/texttest"
)

// importedPage is a page in a response.
type importedPage struct {
	ID    string         `json:"id"`
	Type  string         `json:"type"`
	Path  string         `json:"path"`
	Pages []importedPage `json:"pages"`
	Git   struct {
		Path string `json:"path"`
	} `json:"git"`
	Document documentNode `json:"document"`
	Markdown string       `json:"markdown"`
	Blocks   []struct {
		ID      string         `json:"id"`
		Aliases []string       `json:"aliases"`
		Offsets map[string]int `json:"offsets"`
	} `json:"blocks"`
}

// importedLink is an item of the links of a page in a response.
type importedLink struct {
	Status string `json:"status"`
	Href   string `json:"href"`
	Target *struct {
		Page     *importedPage `json:"page"`
		File     *importedPage `json:"file"`
		Location struct {
			Anchor string `json:"anchor"`
		} `json:"internalLocation"`
	} `json:"targetReference"`
}

// siteTarget returns the file of the site from which the target of the link was imported, or the zero siteLink if the link is
// broken or its target is neither a page nor a file.
func (l importedLink) siteTarget() (to siteLink) {
	switch {
	case l.Status != "ok" || l.Target == nil:
	case l.Target.Page != nil:
		to = siteLink{l.Target.Page.Git.Path, l.Target.Location.Anchor}
	case l.Target.File != nil:
		to = siteLink{l.Target.File.Git.Path, ""}
	}
	return to
}

// documentNode is a node of a document in a response.
type documentNode struct {
	Object string         `json:"object"`
	Type   string         `json:"type"`
	Key    string         `json:"key"`
	Nodes  []documentNode `json:"nodes"`
	Leaves []struct {
		Text string `json:"text"`
	} `json:"leaves"`
	Fragments []documentNode `json:"fragments"` // table cells and folded content
	Data      struct {
		Title   string `json:"title"`   // title of the page, its first heading
		Formula string `json:"formula"` // of a math node
		View    struct {
			Columns []string `json:"columns"`
		} `json:"view"`
		Definition map[string]struct {
			Title string `json:"title"`
		} `json:"definition"`
	} `json:"data"`
}

// ownText returns the text of a node that is not in its child nodes: a formula, or the column titles of a table.
func (n documentNode) ownText() string {
	text := n.Data.Formula
	for _, column := range n.Data.View.Columns {
		text += " " + n.Data.Definition[column].Title
	}
	return text
}

// pagesBySource returns the pages of a space by source file. A large file becomes several pages. Groups are left out, as
// they have no text.
func pagesBySource(t *testing.T, c client, space string) map[string][]importedPage {
	t.Helper()
	var tree importedPage
	if err := json.Unmarshal([]byte(c.run(t.Context(), t, "", "content", "list-pages", "--space", space, "-o", "json")),
		&tree); err != nil {
		t.Fatal(err)
	}
	pages := map[string][]importedPage{}
	var walk func(list []importedPage)
	walk = func(list []importedPage) {
		for _, p := range list {
			if p.Type == "document" {
				pages[p.Git.Path] = append(pages[p.Git.Path], p)
			}
			walk(p.Pages)
		}
	}
	walk(tree.Pages)
	return pages
}

// importedText is the text of an imported page with the positions of its blocks, and its links.
type importedText struct {
	words       []string
	letters     string
	blockStarts map[string]int    // by block
	blockEnds   []int             // of blocks, sorted
	blockOf     map[string]string // by alias
	offsetText  map[string]string // text at aliases that point into a block
	headings    map[string]int    // positions by fragment
	links       map[siteLink]bool
}

// importedTexts reads all pages with their links, a few at a time.
func importedTexts(t *testing.T, c client, space string, have map[string][]importedPage) map[string]*importedText {
	t.Helper()
	var wait sync.WaitGroup
	var lock sync.Mutex
	turn := make(chan struct{}, 4)
	pages := map[string]*importedText{}
	for file, parts := range have {
		wait.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			page := &importedText{
				blockStarts: map[string]int{}, blockOf: map[string]string{}, offsetText: map[string]string{}, headings: map[string]int{},
				links: map[siteLink]bool{},
			}
			for _, part := range parts {
				if err := page.read(t, c, "/v1/spaces/"+space+"/content/page/"+part.ID); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
			slices.Sort(page.blockEnds)
			lock.Lock()
			defer lock.Unlock()
			pages[file] = page
		})
	}
	wait.Wait()
	return pages
}

// read fetches the page at path and adds its text, the positions of its blocks, and its links.
func (l *importedText) read(t *testing.T, c client, path string) error {
	t.Helper()
	var text importedPage
	if err := c.read(t, path+"?format=document", &text); err != nil {
		return err
	}
	start := len(l.letters)
	if l.addText(text.Document); text.Document.Data.Title != "" && len(text.Blocks) > 0 {
		l.blockStarts[text.Blocks[0].ID] = start // the heading of the title, which is not a node
	}
	l.addBlocks(text)
	if err := l.addOffsets(t, c, path, text); err != nil {
		return err
	}
	for next := path + "/links?limit=1000"; next != ""; {
		var list struct {
			Items []importedLink `json:"items"`
			Next  struct {
				Page string `json:"page"`
			} `json:"next"`
		}
		if err := c.read(t, next, &list); err != nil {
			return err
		}
		for _, link := range list.Items {
			l.links[link.siteTarget()] = true
		}
		if next = ""; list.Next.Page != "" {
			next = path + "/links?limit=1000&page=" + url.QueryEscape(list.Next.Page)
		}
	}
	return nil
}

// addText appends the words of a document and records the positions of its blocks.
func (l *importedText) addText(document documentNode) {
	var unread strings.Builder
	flush := func() {
		found := words(unread.String())
		l.words = append(l.words, found...)
		l.letters += strings.Join(found, "")
		unread.Reset()
	}
	var read func(n documentNode)
	read = func(n documentNode) {
		if n.Object == "block" || n.Object == "fragment" {
			unread.WriteByte(' ')
		}
		if n.Key != "" {
			flush()
			l.blockStarts[n.Key] = len(l.letters)
		}
		if n.Type == "image" || n.Type == "inline-image" { // a caption is not running text
			return
		}
		for _, leaf := range n.Leaves {
			unread.WriteString(foldTags.ReplaceAllString(leaf.Text, " "))
		}
		start := len(l.letters)
		unread.WriteString(n.ownText())
		for _, child := range slices.Concat(n.Nodes, n.Fragments) {
			read(child)
		}
		if strings.HasPrefix(n.Type, "heading-") {
			title := unread.String()
			flush()
			l.headings[folderFragment(strings.TrimSpace(title))] = start
		}
	}
	if title := document.Data.Title; title != "" {
		l.headings[folderFragment(title)] = len(l.letters)
		unread.WriteString(title)
		flush()
	}
	read(document)
	flush()
}

// addBlocks records the aliases and the ends of blocks. A block ends where the next one starts.
func (l *importedText) addBlocks(text importedPage) {
	for i, block := range text.Blocks {
		if _, shown := l.blockStarts[block.ID]; !shown { // the block has no node, such as a link definition
			l.blockStarts[block.ID] = len(l.letters)
		}
		if i > 0 {
			l.blockEnds = append(l.blockEnds, l.blockStarts[block.ID])
		}
		for _, alias := range block.Aliases {
			if _, known := l.blockOf[alias]; !known {
				l.blockOf[alias] = block.ID
			}
		}
	}
	l.blockEnds = append(l.blockEnds, len(l.letters))
}

// snippetBytes is the length of Markdown that contains at least eight words.
const snippetBytes = 4000

// addOffsets records the text at aliases that point into a block.
func (l *importedText) addOffsets(t *testing.T, c client, path string, text importedPage) error {
	t.Helper()
	for _, block := range text.Blocks {
		for alias, offset := range block.Offsets {
			if text.Markdown == "" {
				if err := c.read(t, path+"?format=markdown", &text); err != nil {
					return err
				}
			}
			if l.blockOf[alias] == block.ID {
				l.offsetText[alias] = strings.Join(words(plainText(text.Markdown[offset:min(offset+snippetBytes, len(text.Markdown))])), "")
			}
		}
	}
	return nil
}

// foldTags matches the tags of folded parts, which stay HTML.
var foldTags = regexp.MustCompile(`</?(?:details|summary)\b[^>]*>`)

var markupPatterns = []struct {
	pattern *regexp.Regexp
	text    string
}{
	{regexp.MustCompile(`(^|[^\\])!\[[^\]]*\]`), "$1"},
	{regexp.MustCompile(`\]\((?:[^()\\\s]|\\.|\([^()]*\))*(?: "[^"]*")?\)`), "]"},
	{regexp.MustCompile(`</?(?:sub|sup|br|span|a|details|summary)\b[^>]*>`), ""},
	{regexp.MustCompile(`\\([[:punct:]])`), "$1"},
	{regexp.MustCompile(`\n[ >]*\d+[.)] `), "\n"},
}

// plainText returns the approximate plain text of Markdown.
func plainText(markdown string) string {
	for _, mark := range markupPatterns {
		markdown = mark.pattern.ReplaceAllString(markdown, mark.text)
	}
	return html.UnescapeString(markdown)
}

// checkTarget reports whether the block that a fragment points to contains letters, and whether it starts with them.
// If not, why describes the difference.
func (l *importedText) checkTarget(fragment, letters string) (within, atStart bool, why string) {
	end := len(l.letters)
	block, known := l.blockOf[fragment]
	start, isHeading := l.headings[fragment]
	if known || fragment == "" {
		start = l.blockStarts[block]
	} else if !isHeading {
		return false, false, "no block has the name"
	}
	if next, _ := slices.BinarySearch(l.blockEnds, start+1); next < len(l.blockEnds) {
		end = l.blockEnds[next]
	}
	offset := strings.Index(l.letters[start:], letters)
	if offset < 0 || offset > 0 && start+offset >= end {
		return false, false, fmt.Sprintf("%q is expected, %.80q is there", letters, l.letters[start:])
	}
	if behind, inside := l.offsetText[fragment]; inside {
		if !strings.HasPrefix(behind, letters) {
			return true, false, fmt.Sprintf("%q is expected, %.80q is at the offset", letters, behind)
		}
		return true, true, ""
	}
	if offset > 0 {
		why = fmt.Sprintf("%q is expected, %.80q is at the start", letters, l.letters[start:])
	}
	return true, offset == 0, why
}

// read decodes a response over HTTP, as a wsctl process for each of 2,000 pages would take minutes. It retries if the
// server is busy.
func (c client) read(t *testing.T, path string, answer any) (err error) {
	t.Helper()
	for range 3 {
		var busy bool
		if busy, err = c.readOnce(t, path, answer); !busy {
			break
		}
	}
	return err
}

func (c client) readOnce(t *testing.T, path string, answer any) (busy bool, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+path, nil)
	if err != nil {
		return false, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return response.StatusCode == http.StatusServiceUnavailable, fmt.Errorf("%s %s: %w", response.Status, body,
			errors.Join(err, errUnexpectedResponse))
	}
	for _, misfit := range texttest.Violations(body) {
		t.Errorf("%s: a document that does not fit: %s", path, misfit)
	}
	return false, json.Unmarshal(body, answer)
}

var errUnexpectedResponse = errors.New("not the answer that was asked for")
