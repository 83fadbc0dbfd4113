package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/dialects"
)

// Journal holds the changes of a pull before they are made, so that a pull that was interrupted is completed by the next
// command.
type journal struct {
	Steps []step `json:"steps"`
	State *State `json:"state"` // of the folder afterwards, nil for none

	// IsUndo is set if the steps undo those of an earlier pull.
	IsUndo bool `json:"undo,omitzero"`
}

// step is a change of one file. It is made only if the file has the hash Old, so that nothing that was written meanwhile is
// lost.
type step struct {
	Path string `json:"path"`
	Old  string `json:"old"` // SHA-256 before, "" for no file
	New  string `json:"new"` // SHA-256 after, "" for no file; the bytes are in the base directory
	// IsSettings is set for the file with the settings of pages, which is beside wsctl.yaml and not below the root.
	IsSettings bool `json:"settings,omitzero"`
}

// compareSteps orders removals before writes, so that a file can move to the path of another.
func compareSteps(a, b step) int {
	if (a.New == "") != (b.New == "") {
		if a.New == "" {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Path, b.Path)
}

// readText returns the bytes of a text that a pull writes.
type readText func() ([]byte, error)

// apply makes the changes of a journal and sets the state. It returns the files that were left alone because they have other
// bytes than expected.
func (f *Folder) apply(j journal, texts map[string]readText) (left []string, err error) {
	if err := f.makeData(); err != nil {
		return nil, err
	}
	inSpace := map[string]bool{}
	if j.State != nil {
		for _, e := range j.State.Entries {
			inSpace[e.SHA256] = true
		}
	}
	for hash, read := range texts {
		data, err := read()
		if err != nil {
			return nil, err
		}
		if err := f.writeFile(f.top, path.Join(baseName, hash), data, !inSpace[hash]); err != nil {
			return nil, err
		}
	}
	if !j.IsUndo {
		if err := f.keepUndo(j); err != nil {
			return nil, err
		}
	}
	data, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := f.write(f.top, journalName, data); err != nil {
		return nil, err
	}
	return f.complete(j)
}

// finishJournal completes a pull that was interrupted.
func (f *Folder) finishJournal() error {
	data, err := f.top.ReadFile(journalName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", journalName, err)
	}
	var j journal
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("%s cannot be read; remove %s, and pull again: %w", journalName, dataName, err)
	}
	if err := j.checkPaths(); err != nil {
		return fmt.Errorf("%s: %w; remove %s, and pull again", journalName, err, dataName)
	}
	_, err = f.complete(j)
	return err
}

// checkPaths returns an error for a step that no pull makes. A journal is read from the folder, whose author may have written it.
func (j journal) checkPaths() error {
	for _, s := range j.Steps {
		if s.IsSettings && s.Path == settingsName {
			continue
		}
		if reason := dialects.InvalidPathReason(s.Path); reason != "" {
			return fmt.Errorf("the path %q %s", s.Path, reason)
		}
	}
	return nil
}

func (f *Folder) complete(j journal) (left []string, err error) {
	for _, s := range j.Steps {
		done, err := f.make(s)
		if err != nil {
			return left, err
		}
		if !done {
			left = append(left, s.Path)
		}
	}
	if err := f.replaceState(j.State, left); err != nil {
		return left, err
	}
	if j.IsUndo {
		if err := f.dropUndo(); err != nil {
			return left, err
		}
	}
	f.callBeforeChange()
	if err := f.top.Remove(journalName); err != nil {
		return left, fmt.Errorf("remove %s: %w", journalName, err)
	}
	return left, f.dropUnusedTexts() // only now, because the steps of the journal need them
}

// replaceState writes the state after the steps of a journal, of which those of some files were not made. It removes the state if it
// is nil.
func (f *Folder) replaceState(state *State, left []string) error {
	before := f.State
	if f.State = state; state == nil {
		f.callBeforeChange()
		if err := f.top.Remove(stateName); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", stateName, err)
		}
		return nil
	}
	state.keepStale(before, left)
	f.noteTimes(state.Entries)
	return f.writeState()
}

// make makes a change unless it was made before. done is false if the file has other bytes than expected. A text whose lines end with
// CRLF here only keeps these.
func (f *Folder) make(s step) (done bool, err error) {
	now, isConverted := "", false
	current, exists, err := f.current(s)
	if err != nil {
		return false, err
	}
	if exists {
		now = hashOf(current)
		if isConverted = now != s.Old && now != s.New && isText(s.Path) && hasCRLF(current); isConverted {
			now = hashOf(toLF(current))
		}
	}
	switch {
	case now == s.New && s.New != "":
		return true, nil
	case now != s.Old && now != s.New:
		return false, nil
	case s.New == "":
		return true, f.remove(f.rootOf(s), s.Path)
	}
	data, err := f.top.ReadFile(path.Join(baseName, s.New))
	if err == nil && hashOf(data) != s.New {
		err = fmt.Errorf("its text in %s is damaged; remove %s, and pull again", dataName, dataName)
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", s.Path, err)
	}
	if isConverted && !bytes.Contains(data, []byte("\r")) {
		data = toCRLF(data)
	}
	return true, f.write(f.rootOf(s), s.Path, data)
}

// rootOf returns the directory that the path of a step is relative to.
func (f *Folder) rootOf(s step) *os.Root {
	if s.IsSettings {
		return f.top
	}
	return f.root
}

// current returns the bytes of the file of a step as it is. exists is false if there is none.
func (f *Folder) current(s step) (data []byte, exists bool, err error) {
	root := f.rootOf(s)
	if _, err := root.Lstat(s.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	data, err = readIn(root, s.Path)
	return data, true, err
}

// remove removes a file, which may be missing, and the directories above it that are empty then.
func (f *Folder) remove(in *os.Root, at string) error {
	f.callBeforeChange()
	if err := in.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", at, err)
	}
	for dir := path.Dir(at); dir != "."; dir = path.Dir(dir) {
		f.callBeforeChange()
		if in.Remove(dir) != nil { // not empty
			break
		}
	}
	return nil
}

// keepStale replaces the entries of files that were left alone by those of the state before, so that the next pull merges them.
func (s *State) keepStale(before *State, left []string) {
	for i, e := range s.Entries {
		if !slices.Contains(left, e.Path) {
			continue
		}
		s.Entries[i].IsStale = true
		if before == nil {
			continue
		}
		for _, old := range before.Entries {
			if old.Key() == e.Key() {
				old.Path, old.IsStale = e.Path, true
				s.Entries[i] = old
			}
		}
	}
}
