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

// Mark is a pending change of the read state of an item in a change request.
type Mark struct {
	Key      string        `json:"key"` // idempotency key and file name
	Target   remote.Target `json:"place"`
	Revision string        `json:"revision"` // revision that was read
	Item     string        `json:"item"`     // id of the page, file or content, or variable:NAME
	Read     bool          `json:"read"`
	MarkedAt time.Time     `json:"at"`
}

// MarkJournal stores marks until the server has them. Each mark is a separate file, so concurrent screens do not
// overwrite each other's.
type MarkJournal interface {
	KeepMark(m Mark) error
	// Marks returns the pending marks, oldest first.
	Marks() ([]Mark, error)
	// DropMark removes a mark. A missing mark is not an error.
	DropMark(m Mark) error
}

// marksDir returns the directory of marks.
func (dir Dir) marksDir() Dir { return Dir(filepath.Join(string(dir), "marks")) }

// KeepMark implements MarkJournal.
func (dir Dir) KeepMark(m Mark) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = dir.marksDir().writeFile(m.Key+".json", data)
	}
	if err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	return nil
}

// Marks implements MarkJournal.
func (dir Dir) Marks() ([]Mark, error) {
	var all []Mark
	err := dir.marksDir().forEachFile(func(_ string, data []byte) {
		var m Mark
		if json.Unmarshal(data, &m) == nil {
			all = append(all, m)
		}
	})
	slices.SortStableFunc(all, func(a, b Mark) int { return a.MarkedAt.Compare(b.MarkedAt) })
	return all, err
}

// DropMark implements MarkJournal.
func (dir Dir) DropMark(m Mark) error {
	if err := os.Remove(dir.marksDir().path(m.Key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was read: %w", err)
	}
	return nil
}
