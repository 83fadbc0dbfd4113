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

// Edit is a page whose text is in an editor: what it was, and where the new text shall go. The text itself is a file that
// the editor has, from before it opens until the server has the text. With Draft it is a suggestion, until that is a draft.
type Edit struct {
	Target remote.Target `json:"place"` // the change request, or the space where one is yet to be made
	Page   string        `json:"page"`
	Title  string        `json:"title"`
	Base   string        `json:"base"` // the text that was edited
	Key    string        `json:"key"`  // of the writes
	Begun  remote.Target `json:"begun"`
	Draft  *Draft        `json:"draft,omitempty"` // that the text is suggested in

	Path string `json:"-"` // of the file
}

// id names what is edited; there is one edit of each page and target.
func (e Edit) id() string {
	what := e.Begun.Space + "\n" + e.Begun.ChangeRequest + "\n" + e.Page
	if e.Draft != nil {
		what += "\n" + e.Draft.ID()
	}
	sum := sha256.Sum256([]byte(what))
	return hex.EncodeToString(sum[:8])
}

// Edits keep the texts of pages that are edited until the server has them.
type Edits interface {
	// Begin keeps a text before the editor opens; one that was begun before is returned instead, with again.
	Begin(e Edit) (kept Edit, again bool, err error)
	// Keep remembers what has changed of an edit, but for its text.
	Keep(e Edit) error
	// Written is the text of an edit, byte for byte, and Rewrite replaces it.
	Written(e Edit) (string, error)
	Rewrite(e Edit, text string) error
	// Drop forgets an edit that the server has.
	Drop(e Edit) error
	// Edits returns what is kept.
	Edits() ([]Edit, error)
}

// edits is where they are kept, beside the drafts.
const edits = "edits"

func (dir Dir) edits() Dir { return Dir(filepath.Join(string(dir), edits)) }

func (dir Dir) placed(e Edit) Edit {
	e.Path = filepath.Join(string(dir.edits()), e.id()+".md")
	return e
}

// Begin implements Edits.
func (dir Dir) Begin(e Edit) (Edit, bool, error) {
	e.Begun = e.Target
	e = dir.placed(e)
	all, err := dir.Edits()
	if err != nil {
		return e, false, err
	}
	for _, known := range all {
		if known.id() == e.id() {
			return known, true, nil
		}
	}
	if err := dir.edits().replace(e.id()+".md", []byte(e.Base)); err != nil {
		return e, false, fmt.Errorf("keep page: %w", err)
	}
	return e, false, dir.Keep(e)
}

// Keep implements Edits.
func (dir Dir) Keep(e Edit) error {
	data, err := json.Marshal(e)
	if err == nil {
		err = dir.edits().replace(e.id()+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep page: %w", err)
	}
	return nil
}

// Written implements Edits.
func (dir Dir) Written(e Edit) (string, error) {
	data, err := os.ReadFile(dir.placed(e).Path)
	if err != nil {
		return "", fmt.Errorf("read page: %w", err)
	}
	return string(data), nil
}

// Rewrite implements Edits.
func (dir Dir) Rewrite(e Edit, text string) error {
	if err := dir.edits().replace(e.id()+".md", []byte(text)); err != nil {
		return fmt.Errorf("keep page: %w", err)
	}
	return nil
}

// Drop implements Edits.
func (dir Dir) Drop(e Edit) error {
	for _, name := range []string{e.id() + ".json", e.id() + ".md"} { // without the first there is no edit
		if err := os.Remove(filepath.Join(string(dir.edits()), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget page: %w", err)
		}
	}
	return nil
}

// Edits implements Edits: one whose text is gone is none.
func (dir Dir) Edits() ([]Edit, error) {
	entries, err := os.ReadDir(string(dir.edits()))
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
		data, err := os.ReadFile(filepath.Join(string(dir.edits()), entry.Name()))
		var e Edit
		if err != nil || json.Unmarshal(data, &e) != nil {
			continue
		}
		e = dir.placed(e)
		if _, err := os.Stat(e.Path); err == nil {
			all = append(all, e)
		}
	}
	return all, nil
}
