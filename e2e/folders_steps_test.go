package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A folderComment is a comment on a sentence of a page of the space.
type folderComment struct{ id, sentence string }

// git runs git in a directory, and fails the test if git does.
func (f *folderHistory) git(dir string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), "HOME="+f.user.home, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// makeRepository makes a clone of the space a git repository.
func (f *folderHistory) makeRepository(i int) {
	f.repositories[i] = true
	f.git(f.dirs[i], "init", "-q", "-b", "main")
	f.git(f.dirs[i], "config", "user.name", "Ada")
	f.git(f.dirs[i], "config", "user.email", "ada@example.com")
	f.commit(i)
}

// commit commits the files of a clone, if it is a repository and a file has changed.
func (f *folderHistory) commit(i int) {
	if !f.repositories[i] || f.hasMarks(i) {
		return
	}
	f.git(f.dirs[i], "add", "-A")
	if f.git(f.dirs[i], "status", "--porcelain") != "" {
		f.git(f.dirs[i], "commit", "-q", "-m", "Change pages")
		f.log = append(f.log, fmt.Sprintf("clone %d is at %s", i, f.git(f.dirs[i], "rev-parse", "--short", "HEAD")))
	}
}

// hasMarks reports whether a file of a clone has conflicts that are not decided.
func (f *folderHistory) hasMarks(i int) bool {
	for _, text := range f.files(i) {
		if strings.Contains(text, "<<<<<<< ") {
			return true
		}
	}
	return false
}

// build pushes and merges one of the last commits of a clone from a fresh checkout, as a build does. Builds of older commits may come
// after those of newer ones.
func (f *folderHistory) build(i int) {
	if !f.repositories[i] || f.renamed[i] {
		return
	}
	commits := strings.Fields(f.git(f.dirs[i], "log", "-4", "--format=%H"))
	commit := commits[0]
	if f.random.IntN(2) == 0 {
		commit = commits[f.random.IntN(len(commits))]
	}
	f.buildAt(i, commit)
}

// buildAt pushes and merges a commit of a clone from a fresh checkout.
func (f *folderHistory) buildAt(i int, commit string) {
	dir := filepath.Join(f.t.TempDir(), "docs")
	f.git(f.dirs[i], "clone", "-q", f.dirs[i], dir)
	f.git(dir, "checkout", "-q", "-B", "main", commit)
	f.log = append(f.log, fmt.Sprintf("a build of clone %d at %.7s", i, commit))
	f.builds++
	if f.runIn(dir, "push", "--merge", "--yes", "--no-input") {
		f.refusedBuilds++
	}
}

// buildOnly publishes some edits of a page of a clone by builds, without a pull between them, while another clone edits and deletes
// sentences.
func (f *folderHistory) buildOnly(i int, page string) {
	if !f.repositories[i] || f.renamed[i] || len(f.dirs) < 2 {
		return
	}
	other := (i + 1) % len(f.dirs)
	for range 2 {
		if f.pages(other) == nil || !slices.Contains(f.pages(i), page) {
			return
		}
		there := f.pages(other)[f.random.IntN(len(f.pages(other)))]
		if f.random.IntN(2) == 0 {
			f.remove(other, there)
		} else {
			f.append(f.dirs[other], there)
		}
		f.publish(other)
		if f.random.IntN(3) == 0 {
			f.pull(i)
		}
		if !slices.Contains(f.pages(i), page) { // moved or deleted by the pull
			return
		}
		f.append(f.dirs[i], page)
		f.commit(i)
		f.buildAt(i, f.git(f.dirs[i], "rev-parse", "HEAD"))
	}
}

// openRequest returns the number and the id of the newest revision of a random draft of the space; 0 if there is none.
func (f *folderHistory) openRequest() (number int, revision string) {
	drafts := f.direct.do(f.t, http.MethodGet, "/v1/spaces/"+f.space+"/change-requests?status=draft&limit=20", nil)
	items, _ := drafts["items"].([]any)
	if len(items) == 0 {
		return 0, ""
	}
	request, _ := items[f.random.IntN(len(items))].(map[string]any)
	n, _ := request["number"].(float64)
	revision, _ = request["revision"].(string)
	return int(n), revision
}

// archive archives an open change request. What it has is in the folder that it was pushed from, unless a suggestion was applied.
func (f *folderHistory) archive() {
	number, _ := f.openRequest()
	if number == 0 || f.suggested[number] != nil {
		return
	}
	f.log = append(f.log, fmt.Sprintf("archived #%d", number))
	at := fmt.Sprintf("/v1/spaces/%s/change-requests/%d", f.space, number)
	f.direct.do(f.t, http.MethodPatch, at, map[string]any{"status": "archived"})
}

// suggest comments on a sentence of an open change request with another one, and applies that.
func (f *folderHistory) suggest() {
	number, revision := f.openRequest()
	if number == 0 {
		return
	}
	request := fmt.Sprintf("/v1/spaces/%s/change-requests/%d", f.space, number)
	page, node, sentence := f.anySentence(request + "/content")
	if node == "" {
		return
	}
	better := fmt.Sprintf("Sentence number %d was suggested in a review.", len(f.added))
	comment := f.direct.do(f.t, http.MethodPost, request+"/comments", map[string]any{
		"body": map[string]any{"markdown": "Better?"}, "page": page, "node": node, "quote": sentence,
		"suggestion": map[string]any{"markdown": better},
	})
	f.direct.do(f.t, http.MethodPost, request+"/apply-suggestions", map[string]any{
		"revision": revision, "comments": []any{comment["id"]},
	})
	f.added[better], f.deleted[sentence] = true, true
	f.suggested[number] = append(f.suggested[number], better, sentence)
	f.log = append(f.log, fmt.Sprintf("#%d: %s instead of %s", number, better, sentence))
}

// endSuggestions counts the applied suggestions that were merged. The other requests were left by clones without a state, so that their
// suggestions are in no space.
func (f *folderHistory) endSuggestions() {
	for number, sentences := range f.suggested {
		request := f.direct.do(f.t, http.MethodGet, fmt.Sprintf("/v1/spaces/%s/change-requests/%d", f.space, number), nil)
		if request["status"] == "merged" {
			f.suggestions += len(sentences) / 2
			continue
		}
		for _, sentence := range sentences {
			f.deleted[sentence], f.disputed[sentence] = true, true
		}
	}
}

// anySentence returns a random sentence that is a block of its own at the address of a content; "" if there is none.
func (f *folderHistory) anySentence(content string) (page, node, sentence string) {
	pages, _ := f.direct.do(f.t, http.MethodGet, content+"/pages", nil)["pages"].([]any)
	var ids []string
	for _, item := range pages {
		entry, _ := item.(map[string]any)
		if entry["type"] == "document" {
			id, _ := entry["id"].(string)
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return "", "", ""
	}
	page = ids[f.random.IntN(len(ids))]
	found := f.direct.do(f.t, http.MethodGet, content+"/page/"+page+"?format=document", nil)
	document, _ := found["document"].(map[string]any)
	blocks, _ := document["nodes"].([]any)
	var nodes, sentences []string
	for _, item := range blocks {
		block, _ := item.(map[string]any)
		key, _ := block["key"].(string)
		for text := range f.added {
			if block["type"] == "paragraph" && textOf(block) == text {
				nodes, sentences = append(nodes, key), append(sentences, text)
			}
		}
	}
	if len(nodes) == 0 {
		return "", "", ""
	}
	n := f.random.IntN(len(nodes))
	return page, nodes[n], sentences[n]
}

// textOf returns the text of a node of a document.
func textOf(node map[string]any) string {
	var text strings.Builder
	for _, member := range []string{"nodes", "leaves"} {
		children, _ := node[member].([]any)
		for _, item := range children {
			child, _ := item.(map[string]any)
			if leaf, ok := child["text"].(string); ok {
				text.WriteString(leaf)
			}
			text.WriteString(textOf(child))
		}
	}
	return text.String()
}

// comment comments on a sentence of the space.
func (f *folderHistory) comment() {
	page, node, sentence := f.anySentence("/v1/spaces/" + f.space + "/content")
	if node == "" {
		return
	}
	made := f.direct.do(f.t, http.MethodPost, "/v1/spaces/"+f.space+"/comments", map[string]any{
		"body": map[string]any{"markdown": "Why?"}, "page": page, "node": node, "quote": sentence,
	})
	id, _ := made["id"].(string)
	f.comments = append(f.comments, folderComment{id, sentence})
	f.log = append(f.log, "a comment on "+sentence)
}

// addPicture adds a picture to a clone, at a path of its own.
func (f *folderHistory) addPicture(i int) {
	name := fmt.Sprintf("img/picture-%d.png", len(f.pictures))
	data := slices.Concat([]byte("\x89PNG\r\n\x1a\n"), fmt.Appendf(nil, "%s of clone %d", name, i))
	at := filepath.Join(f.dirs[i], name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o750), os.WriteFile(at, data, 0o600)); err != nil {
		f.t.Fatal(err)
	}
	f.pictures = append(f.pictures, string(data))
	f.log = append(f.log, fmt.Sprintf("clone %d: %s", i, name))
}

// deletePage deletes a page of a clone and in the space. Its sentences may come back with it, if it was edited in the space. A page of
// which the clone has deleted a sentence that is not published stays: that would come back, too.
func (f *folderHistory) deletePage(i int, page string) {
	at := filepath.Join(f.dirs[i], page)
	if _, err := os.Stat(filepath.Join(f.dirs[i], ".wsctl")); err != nil || len(f.pages(i)) < 3 || f.shortened[at] {
		return
	}
	data, err := os.ReadFile(at)
	if err != nil {
		f.t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if sentence := strings.TrimSpace(line); f.added[sentence] {
			f.deleted[sentence], f.disputed[sentence] = true, true
		}
	}
	if err := os.Remove(at); err != nil {
		f.t.Fatal(err)
	}
	f.dropLine(i, page)
	f.log = append(f.log, fmt.Sprintf("clone %d: %s is deleted", i, page))
	f.deleting[i] = true
	f.publish(i)
	f.deleting[i] = false
}

// dropLine removes the entry of a page from the SUMMARY.md of a clone.
func (f *folderHistory) dropLine(i int, page string) {
	at := filepath.Join(f.dirs[i], "SUMMARY.md")
	data, err := os.ReadFile(at)
	if err != nil {
		return
	}
	var kept []byte
	for line := range bytes.Lines(data) {
		if !bytes.Contains(line, []byte("("+filepath.ToSlash(page)+")")) {
			kept = append(kept, line...)
		}
	}
	if err := os.WriteFile(at, kept, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// checkComments checks that the comments are at their sentences, unless those were deleted or in a conflict.
func (f *folderHistory) checkComments() {
	f.t.Helper()
	for _, c := range f.comments {
		if f.deleted[c.sentence] || f.disputed[c.sentence] {
			continue
		}
		target, _ := f.direct.do(f.t, http.MethodGet, "/v1/spaces/"+f.space+"/comments/"+c.id, nil)["target"].(map[string]any)
		anchor, _ := target["anchor"].(map[string]any)
		if anchor["quote"] != c.sentence || anchor["score"] != 100.0 || anchor["node"] == nil {
			f.t.Errorf("the comment on %q is at %v", c.sentence, anchor)
		}
	}
}

// checkPictures checks that a clone has all pictures.
func (f *folderHistory) checkPictures(i int) {
	f.t.Helper()
	has := map[string]bool{}
	for _, data := range f.files(i) {
		has[data] = true
	}
	for n, data := range f.pictures {
		if !has[data] {
			f.t.Errorf("clone %d lacks picture %d", i, n)
		}
	}
}
