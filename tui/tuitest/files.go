package tuitest

import (
	"sync"

	"docspace.dev/wsd/tui/drafts"
)

// files stores edits in memory.
type files struct {
	mu     sync.Mutex
	ByPath map[string]drafts.Edit
	Texts  map[string]string
}

// Visits stores the history of opened pages in memory.
type Visits struct{ List []drafts.Visit }

func newFiles() *files {
	return &files{ByPath: map[string]drafts.Edit{}, Texts: map[string]string{}}
}

func (f *files) Begin(e drafts.Edit) (drafts.Edit, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.Begun = e.Target
	e.Path = e.Target.Space + "/" + e.Target.ChangeRequest + "/" + e.Page
	if e.Draft != nil {
		e.Path += "/" + e.Draft.ID()
	}
	if known, ok := f.ByPath[e.Path]; ok {
		return known, true, nil
	}
	f.ByPath[e.Path], f.Texts[e.Path] = e, e.Base
	return e, false, nil
}

func (f *files) Keep(e drafts.Edit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ByPath[e.Path] = e
	return nil
}

func (f *files) Written(e drafts.Edit) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.Texts[e.Path], nil
}

func (f *files) Rewrite(e drafts.Edit, text string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Texts[e.Path] = text
	return nil
}

func (f *files) Drop(e drafts.Edit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.ByPath, e.Path)
	delete(f.Texts, e.Path)
	return nil
}

func (f *files) Edits() ([]drafts.Edit, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []drafts.Edit
	for _, e := range f.ByPath {
		all = append(all, e)
	}
	return all, nil
}

// Visits implements drafts.Visits.
func (v *Visits) Visits() ([]drafts.Visit, error) { return v.List, nil }

// Visit implements drafts.Visits.
func (v *Visits) Visit(one drafts.Visit) error {
	v.List = append([]drafts.Visit{one}, v.List...)
	return nil
}
