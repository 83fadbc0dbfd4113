package drafts

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// DroppedDraft is a discarded draft.
type DroppedDraft struct {
	Draft     Draft     `json:"draft"`
	DroppedAt time.Time `json:"droppedAt"`
}

// RestorePeriod is the period in which a discarded draft can be restored.
const RestorePeriod = 7 * 24 * time.Hour

// ErrTaken is returned by Restore if there is another draft for the destination.
var ErrTaken = errors.New("there is another draft at its place: send or drop that first")

// droppedDir returns the directory of discarded drafts.
func (dir Dir) droppedDir() Dir { return Dir(filepath.Join(string(dir), "dropped")) }

func (d DroppedDraft) fileName() string {
	return d.Draft.ID() + "-" + strconv.FormatInt(d.DroppedAt.UnixNano(), 10) + ".json"
}

// Discard implements Journal. The draft is stored as discarded before it is deleted.
func (dir Dir) Discard(d Draft, at time.Time) error {
	dropped := DroppedDraft{d, at}
	data, err := json.Marshal(dropped)
	if err == nil && !d.Empty() {
		err = dir.droppedDir().writeFile(dropped.fileName(), data)
	}
	if err != nil {
		return fmt.Errorf("drop draft: %w", err)
	}
	return dir.Delete(d.ID())
}

// Dropped implements Journal. It deletes drafts discarded more than a week ago.
func (dir Dir) Dropped(now time.Time) ([]DroppedDraft, error) {
	var all []DroppedDraft
	err := dir.droppedDir().forEachFile(func(name string, data []byte) {
		var d DroppedDraft
		if json.Unmarshal(data, &d) != nil {
			return
		}
		if now.Sub(d.DroppedAt) > RestorePeriod {
			_ = os.Remove(filepath.Join(string(dir.droppedDir()), name)) // deleted by the next call
			return
		}
		all = append(all, d)
	})
	slices.SortFunc(all, func(a, b DroppedDraft) int { return b.DroppedAt.Compare(a.DroppedAt) })
	return all, err
}

// Restore implements Journal.
func (dir Dir) Restore(d DroppedDraft) error {
	if _, err := os.Stat(dir.path(d.Draft.ID())); err == nil {
		return ErrTaken
	}
	if err := dir.Save(d.Draft); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(string(dir.droppedDir()), d.fileName())); err != nil {
		return fmt.Errorf("fetch draft back: %w", err)
	}
	return nil
}
