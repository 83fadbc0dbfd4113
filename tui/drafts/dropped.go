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

// Dropped is a draft that was thrown away.
type Dropped struct {
	Draft Draft     `json:"draft"`
	At    time.Time `json:"droppedAt"`
}

// Fetchable is how long a draft that was thrown away can be fetched back.
const Fetchable = 7 * 24 * time.Hour

// ErrTaken says that a draft cannot come back, because there is another one at its place.
var ErrTaken = errors.New("there is another draft at its place: send or drop that first")

// dropped is where they are kept, beside the drafts.
func (dir Dir) dropped() Dir { return Dir(filepath.Join(string(dir), "dropped")) }

func (d Dropped) file() string {
	return d.Draft.ID() + "-" + strconv.FormatInt(d.At.UnixNano(), 10) + ".json"
}

// Discard implements Journal: it is with the dropped ones before it is gone here.
func (dir Dir) Discard(d Draft, at time.Time) error {
	gone := Dropped{d, at}
	data, err := json.Marshal(gone)
	if err == nil && !d.Empty() {
		err = dir.dropped().replace(gone.file(), data)
	}
	if err != nil {
		return fmt.Errorf("drop draft: %w", err)
	}
	return dir.Delete(d.ID())
}

// Dropped implements Journal: those that are older than a week go.
func (dir Dir) Dropped(now time.Time) ([]Dropped, error) {
	var all []Dropped
	err := dir.dropped().each(func(name string, data []byte) {
		var d Dropped
		if json.Unmarshal(data, &d) != nil {
			return
		}
		if now.Sub(d.At) > Fetchable {
			_ = os.Remove(filepath.Join(string(dir.dropped()), name)) // it goes the next time
			return
		}
		all = append(all, d)
	})
	slices.SortFunc(all, func(a, b Dropped) int { return b.At.Compare(a.At) })
	return all, err
}

// Restore implements Journal.
func (dir Dir) Restore(d Dropped) error {
	if _, err := os.Stat(dir.path(d.Draft.ID())); err == nil {
		return ErrTaken
	}
	if err := dir.Save(d.Draft); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(string(dir.dropped()), d.file())); err != nil {
		return fmt.Errorf("fetch draft back: %w", err)
	}
	return nil
}
