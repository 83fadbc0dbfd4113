package drafts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"docspace.dev/wsd/tui/remote"
)

// Mark says that something of a change request was read, or is to count as not read. It waits for the server.
type Mark struct {
	Key      string        `json:"key"` // names it
	Target   remote.Target `json:"place"`
	Revision string        `json:"revision"` // that was read
	Item     string        `json:"item"`     // the id of the page, file or content, or variable:NAME
	Read     bool          `json:"read"`
	At       time.Time     `json:"at"`
}

// Marking keeps marks until the server has them. Each has a file of its own, so that two screens lose none.
type Marking interface {
	KeepMark(m Mark) error
	// Marks are those that wait, the first first.
	Marks() ([]Mark, error)
	// DropMark forgets one; one that is not there is no error.
	DropMark(m Mark) error
}

// marks is where they are kept, beside the drafts.
func (dir Dir) marks() Dir { return Dir(filepath.Join(string(dir), "marks")) }

// KeepMark implements Marking.
func (dir Dir) KeepMark(m Mark) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = dir.marks().replace(m.Key+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	return nil
}

// Marks implements Marking.
func (dir Dir) Marks() ([]Mark, error) {
	var all []Mark
	err := dir.marks().each(func(_ string, data []byte) {
		var m Mark
		if json.Unmarshal(data, &m) == nil {
			all = append(all, m)
		}
	})
	slices.SortStableFunc(all, func(a, b Mark) int { return a.At.Compare(b.At) })
	return all, err
}

// DropMark implements Marking.
func (dir Dir) DropMark(m Mark) error {
	if err := os.Remove(dir.marks().path(m.Key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was read: %w", err)
	}
	return nil
}
