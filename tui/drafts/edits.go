package drafts

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"docspace.dev/wsd/tui/remote"
)

// Edit is a page whose text is open in an editor, with its destination. The text is a file that exists from before
// the editor opens until the server has the text. With Draft, the text is a suggestion for that draft.
type Edit struct {
	Target remote.Target `json:"place"` // the change request, or the space if the change request is not created yet
	Page   string        `json:"page"`
	Title  string        `json:"title"`
	Base   string        `json:"base"` // text before the edit
	Key    string        `json:"key"`  // idempotency key of the writes
	Begun  remote.Target `json:"begun"`
	Draft  *Draft        `json:"draft,omitempty"` // draft that the text is suggested in; nil for an edit of a page

	Path string `json:"-"` // path of the text file
	Line int    `json:"-"` // line at which the editor opens, from 1; 0 if it is not known
}

// key returns a key for the page and target. There is one edit of each.
func (e Edit) key() string {
	what := e.Begun.Space + "\n" + e.Begun.ChangeRequest + "\n" + e.Page
	if e.Draft != nil {
		what += "\n" + e.Draft.ID()
	}
	sum := sha256.Sum256([]byte(what))
	return hex.EncodeToString(sum[:8])
}

// Edits stores the texts of edited pages until the server has them.
type Edits interface {
	// Begin stores an edit before the editor opens. If there is one already, it returns that one and again is true.
	Begin(e Edit) (kept Edit, again bool, err error)
	// Keep replaces the stored data of an edit. The text is unchanged.
	Keep(e Edit) error
	// Written returns the text of an edit, byte for byte. Rewrite replaces it.
	Written(e Edit) (string, error)
	Rewrite(e Edit, text string) error
	// Drop removes an edit.
	Drop(e Edit) error
	// Edits returns all stored edits.
	Edits() ([]Edit, error)
}

// editsName is the name of the directory of edits.
const editsName = "edits"

func (dir Dir) editsDir() Dir { return Dir(filepath.Join(string(dir), editsName)) }

func (dir Dir) withPath(e Edit) Edit {
	e.Path = filepath.Join(string(dir.editsDir()), e.key()+".md")
	return e
}

// Begin implements Edits.
func (dir Dir) Begin(e Edit) (Edit, bool, error) {
	e.Begun = e.Target
	e = dir.withPath(e)
	all, err := dir.Edits()
	if err != nil {
		return e, false, err
	}
	for _, known := range all {
		if known.key() == e.key() {
			return known, true, nil
		}
	}
	if err := dir.editsDir().writeFile(e.key()+".md", []byte(e.Base)); err != nil {
		return e, false, fmt.Errorf("keep page: %w", err)
	}
	return e, false, dir.Keep(e)
}

// Keep implements Edits.
func (dir Dir) Keep(e Edit) error {
	data, err := json.Marshal(e)
	if err == nil {
		err = dir.editsDir().writeFile(e.key()+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep page: %w", err)
	}
	return nil
}

// Written implements Edits.
func (dir Dir) Written(e Edit) (string, error) {
	data, err := os.ReadFile(dir.withPath(e).Path)
	if err != nil {
		return "", fmt.Errorf("read page: %w", err)
	}
	return string(data), nil
}

// Rewrite implements Edits.
func (dir Dir) Rewrite(e Edit, text string) error {
	if err := dir.editsDir().writeFile(e.key()+".md", []byte(text)); err != nil {
		return fmt.Errorf("keep page: %w", err)
	}
	return nil
}

// Drop implements Edits.
func (dir Dir) Drop(e Edit) error {
	for _, name := range []string{e.key() + ".json", e.key() + ".md"} { // an edit without its JSON file is ignored
		if err := os.Remove(filepath.Join(string(dir.editsDir()), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget page: %w", err)
		}
	}
	return nil
}

// Edits implements Edits. An edit without its text file is skipped.
func (dir Dir) Edits() ([]Edit, error) {
	entries, err := os.ReadDir(string(dir.editsDir()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read pages: %w", err)
	}
	var all []Edit
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(string(dir.editsDir()), entry.Name()))
		var e Edit
		if err != nil || json.Unmarshal(data, &e) != nil {
			continue
		}
		e = dir.withPath(e)
		if _, err := os.Stat(e.Path); err == nil {
			all = append(all, e)
		}
	}
	return all, nil
}
