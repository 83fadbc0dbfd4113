package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// undoName is the path of the record of how the last pull is undone.
const undoName = dataName + "/undo.json"

// errNoPull is returned if there is no pull that can be undone.
var errNoPull = errors.New("there is no pull to undo: the folder was not pulled, or was pushed since, or the last pull was undone")

// keepUndo saves the journal that undoes another one, and the texts that it needs. A pull that changes no file keeps the earlier one.
func (f *Folder) keepUndo(j journal) error {
	if len(j.Steps) == 0 {
		return nil
	}
	undo := journal{IsUndo: true}
	data, err := f.top.ReadFile(stateName)
	if err == nil {
		err = json.Unmarshal(data, &undo.State)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", stateName, err)
	}
	for _, s := range j.Steps {
		back := step{Path: s.Path, Old: s.New, IsSettings: s.IsSettings}
		if s.Old != "" {
			if back.New, err = f.keepReplaced(s); err != nil {
				return err
			}
			if back.New == "" { // the step will not be made
				continue
			}
		}
		undo.Steps = append(undo.Steps, back)
	}
	slices.SortStableFunc(undo.Steps, compareSteps)
	if data, err = json.Marshal(undo); err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	return f.write(f.top, undoName, data)
}

// keepReplaced keeps the bytes of the file that a step will replace and returns their hash. It returns "" if the file has other bytes than
// the step expects.
func (f *Folder) keepReplaced(s step) (string, error) {
	data, exists, err := f.current(s)
	if err != nil || !exists {
		return "", err
	}
	if !hasHash(s.Path, data, s.Old) {
		return "", nil
	}
	hash := hashOf(data)
	at := path.Join(baseName, hash)
	if info, err := f.top.Lstat(at); err == nil && info.Size() == int64(len(data)) {
		return hash, nil
	}
	return hash, f.writeFile(f.top, at, data, true)
}

// readUndo returns the journal that undoes the last pull, or errNoPull.
func (f *Folder) readUndo() (undo journal, err error) {
	data, err := f.top.ReadFile(undoName)
	if errors.Is(err, fs.ErrNotExist) {
		return undo, errNoPull
	}
	if err == nil {
		err = json.Unmarshal(data, &undo)
	}
	if err == nil {
		err = undo.checkPaths()
	}
	if err != nil {
		return undo, fmt.Errorf("%s cannot be read; remove it: %w", undoName, err)
	}
	return undo, nil
}

// dropUndo removes the record of how the last pull is undone.
func (f *Folder) dropUndo() error {
	f.callBeforeChange()
	if err := f.top.Remove(undoName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", undoName, err)
	}
	return nil
}

// planUndo plans to undo the last pull. Files that were changed since stay as they are, together with the files at their earlier paths:
// the state keeps their entries.
func (f *Folder) planUndo() (*Pull, error) {
	undo, err := f.readUndo()
	if err != nil {
		return nil, err
	}
	p := &Pull{journal: undo}
	changed := map[string]bool{}
	for _, s := range undo.Steps {
		can, err := f.canMake(s)
		if err != nil {
			return nil, err
		}
		if !can {
			changed[s.Path] = true
			stays := Result{Outcome: Conflicted, Path: s.Path, Reason: "it was changed since the pull, and stays as it is"}
			p.Results = append(p.Results, stays)
		}
	}
	if undo.State != nil && f.State != nil {
		keepEntries(undo.State, f.State, changed)
	}
	p.journal.Steps = slices.DeleteFunc(undo.Steps, func(s step) bool { return changed[s.Path] })
	for _, s := range p.journal.Steps {
		outcome := Updated
		switch {
		case s.New == "":
			outcome = Removed
		case s.Old == "":
			outcome = Created
		}
		p.Results = append(p.Results, Result{Outcome: outcome, Path: s.Path})
	}
	slices.SortStableFunc(p.Results, func(a, b Result) int { return strings.Compare(a.Path, b.Path) })
	return p, nil
}

// canMake reports whether make would make a step or has made it.
func (f *Folder) canMake(s step) (bool, error) {
	data, exists, err := f.current(s)
	if err != nil {
		return false, err
	}
	if !exists {
		return s.Old == "" || s.New == "", nil
	}
	return hasHash(s.Path, data, s.Old) || hashOf(data) == s.New, nil
}

// hasHash reports whether the data of a file has a hash, those of a text with LF in the place of CRLF included.
func hasHash(at string, data []byte, hash string) bool {
	return hashOf(data) == hash || isText(at) && hasCRLF(data) && hashOf(toLF(data)) == hash
}

// keepEntries replaces the entries of the state before a pull by those after it for the files at the given paths, and adds the paths of
// all files that have to stay with them: one that was moved is at one path only.
func keepEntries(before, after *State, changed map[string]bool) {
	kept := map[string]bool{} // keys
	for grows := true; grows; {
		grows = false
		for _, e := range slices.Concat(before.Entries, after.Entries) {
			paths := []string{e.Path}
			if e.LocalPath != "" {
				paths = append(paths, e.LocalPath)
			}
			isChanged := func(at string) bool { return changed[at] }
			if kept[e.Key()] == slices.ContainsFunc(paths, isChanged) {
				continue
			}
			kept[e.Key()], grows = true, true
			for _, at := range paths {
				changed[at] = true
			}
		}
	}
	if len(kept) == 0 {
		return
	}
	isKept := func(e Entry) bool { return kept[e.Key()] }
	before.Entries = slices.DeleteFunc(before.Entries, isKept)
	for _, e := range after.Entries {
		if isKept(e) {
			before.Entries = append(before.Entries, e)
		}
	}
}

// undo undoes the last pull as planned, and returns the files that were left alone because they were changed meanwhile.
func (f *Folder) undo(p *Pull) (left []string, err error) {
	for _, s := range p.journal.Steps {
		if s.New == "" {
			continue
		}
		data, err := f.top.ReadFile(path.Join(baseName, s.New))
		if err == nil && hashOf(data) != s.New {
			err = errors.New("its bytes are damaged")
		}
		if err != nil {
			return nil, fmt.Errorf("nothing was undone: the text that %s had before the pull cannot be read: %w", s.Path, err)
		}
	}
	return f.apply(p.journal, nil)
}
