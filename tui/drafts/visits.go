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

// Visit is an opened page of the screen.
type Visit struct {
	Space         string    `json:"space"`
	ChangeRequest string    `json:"changeRequest,omitempty"` // set for a change request
	Page          string    `json:"page,omitempty"`          // set for a page of the space
	Title         string    `json:"title"`
	VisitedAt     time.Time `json:"at"`
}

// SamePage reports whether two visits are of the same page.
func (v Visit) SamePage(other Visit) bool {
	return v.Space == other.Space && v.ChangeRequest == other.ChangeRequest && v.Page == other.Page
}

// Visits stores the history of opened pages, latest first.
type Visits interface {
	Visits() ([]Visit, error)
	Visit(v Visit) error
}

// maxVisits is the maximum length of the history.
const maxVisits = 20

// visitsFile is the name of the history file in the directory of drafts.
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

// Visit implements Visits. An unreadable file is replaced.
func (dir Dir) Visit(v Visit) error {
	all, _ := dir.Visits() // an unreadable file counts as empty
	all = slices.DeleteFunc(all, v.SamePage)
	all = append([]Visit{v}, all...)
	data, err := json.Marshal(all[:min(len(all), maxVisits)])
	if err == nil {
		err = dir.writeFile(visitsFile, data)
	}
	if err != nil {
		return fmt.Errorf("remember what was opened: %w", err)
	}
	return nil
}
