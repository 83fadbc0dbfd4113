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
)

// Visit is a page that was opened on the screen.
type Visit struct {
	Space         string    `json:"space"`
	ChangeRequest string    `json:"changeRequest,omitempty"` // of a change request
	Page          string    `json:"page,omitempty"`          // of a page of the space
	Title         string    `json:"title"`
	At            time.Time `json:"at"`
}

// Same reports whether two visits were to the same place.
func (v Visit) Same(other Visit) bool {
	return v.Space == other.Space && v.ChangeRequest == other.ChangeRequest && v.Page == other.Page
}

// Visits remember what was opened, the last first.
type Visits interface {
	Visits() ([]Visit, error)
	Visit(v Visit) error
}

// manyVisits is how many are remembered.
const manyVisits = 20

// visitsFile is beside the drafts, and none of them.
const visitsFile = "visits"

// Visits implements Visits.
func (dir Dir) Visits() ([]Visit, error) {
	data, err := os.ReadFile(filepath.Join(string(dir), visitsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Visit
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read what was opened: %w", err)
	}
	return all, nil
}

// Visit implements Visits: a file that cannot be read is begun anew.
func (dir Dir) Visit(v Visit) error {
	all, _ := dir.Visits() // see above
	all = slices.DeleteFunc(all, v.Same)
	all = append([]Visit{v}, all...)
	data, err := json.Marshal(all[:min(len(all), manyVisits)])
	if err == nil {
		err = dir.replace(visitsFile, data)
	}
	if err != nil {
		return fmt.Errorf("remember what was opened: %w", err)
	}
	return nil
}
