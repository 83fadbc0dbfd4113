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

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

// Draft is a text that the server does not have yet, and where it shall go: a comment, with
// Comment a reply, with Verdict a review, with Conflict a decision.
type Draft struct {
	Target  remote.Target `json:"place"`
	Page    string        `json:"page,omitempty"`
	Node    string        `json:"node,omitempty"`    // the block commented on
	Quote   string        `json:"quote,omitempty"`   // the words of it commented on; empty for all
	Comment string        `json:"comment,omitempty"` // the comment replied to, or edited
	Reply   string        `json:"reply,omitempty"`   // the reply edited
	Edit    bool          `json:"edit,omitempty"`    // replaces the text of Comment or Reply

	Verdict  api.ReviewStatus `json:"verdict,omitempty"`  // with the text as its reason
	Revision string           `json:"revision,omitempty"` // that the verdict is about
	Conflict string           `json:"conflict,omitempty"` // the conflict of a merge that the text decides

	About string `json:"about"` // for people: what the text is about
	Text  string `json:"text"`
	Key   string `json:"key"` // idempotency key of the write with this text
}

// ID names what the draft is about; there is one draft of each.
func (d Draft) ID() string {
	d.About, d.Text, d.Key, d.Revision = "", "", "", ""
	data, err := json.Marshal(d)
	if err != nil { // strings and a bool always marshal
		return "draft"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// Journal keeps drafts until the server has them. It is called from several goroutines.
type Journal interface {
	Save(d Draft) error
	// Delete forgets a draft; one that is not there is no error.
	Delete(id string) error
	// All returns what is kept; a draft that cannot be read is left out and left alone.
	All() ([]Draft, error)
}

// Dir keeps each draft in a file of a directory, which is made when it is needed.
type Dir string

// Save implements journal: the file is replaced as a whole, so that a crash leaves the old or the new text.
func (dir Dir) Save(d Draft) error {
	data, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		err = dir.replace(d.ID()+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep draft: %w", err)
	}
	return nil
}

// replace writes a file of the directory as a whole.
func (dir Dir) replace(name string, data []byte) error {
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(string(dir), "new-*")
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(string(dir), name))
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the first error says what is wrong
	}
	return err
}

func (dir Dir) path(id string) string { return filepath.Join(string(dir), id+".json") }

// Delete implements journal.
func (dir Dir) Delete(id string) error {
	if err := os.Remove(dir.path(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget draft: %w", err)
	}
	return nil
}

// All implements journal.
func (dir Dir) All() ([]Draft, error) {
	entries, err := os.ReadDir(string(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read drafts: %w", err)
	}
	var all []Draft
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(string(dir), entry.Name()))
		var d Draft
		if err == nil && json.Unmarshal(data, &d) == nil {
			all = append(all, d)
		}
	}
	return all, nil
}
