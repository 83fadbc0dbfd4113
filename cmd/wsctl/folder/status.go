package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// StatusLine is a line of the status of a folder: how it differs from what it was last pulled from or pushed to.
type StatusLine struct {
	Name, Message string
	IsConflict    bool // it has to be decided
}

// Status returns the status of the folder that the working directory is in, without asking the server. It returns no lines outside
// of folders.
func Status(a *app.App) (lines []StatusLine, err error) {
	config, at, err := FindConfig(".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := Open(at, config)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.State == nil {
		return []StatusLine{{Name: "folder", Message: fmt.Sprintf("%s of %s, not pulled or pushed yet", config.root(), config.Space)}}, nil
	}
	based := fmt.Sprintf("%s of %s, based on revision %d", config.root(), f.State.Title, f.State.Number)
	lines = append(lines, StatusLine{Name: "folder", Message: based})
	if r := f.State.Request; r != nil {
		line := fmt.Sprintf("#%d", r.Number)
		if r.Unfinished {
			line += ", push unfinished: wsctl push goes on"
		}
		lines = append(lines, StatusLine{Name: "request", Message: line})
	}
	scan, err := f.Scan(a.Now())
	if err != nil {
		return nil, err
	}
	differences, _, err := f.Compare(scan)
	if err != nil {
		return nil, err
	}
	for _, d := range differences {
		switch {
		case d.Entry.IsUndecided:
			lines = append(lines, StatusLine{"both", "! " + d.Path() + " was changed here and in the space", true})
		case f.undecidedLine(d) > 0:
			lines = append(lines, StatusLine{"both", fmt.Sprintf("! %s:%d is not decided yet", d.Path(), f.undecidedLine(d)), true})
		case d.Kind == Moved:
			lines = append(lines, StatusLine{Name: "here", Message: "> " + d.Path() + " was " + d.Entry.Path})
		case d.Kind != Same:
			lines = append(lines, StatusLine{Name: "here", Message: markOf(string(d.Kind)) + " " + d.Path()})
		}
	}
	settings, err := f.changedSettings(differences)
	if len(settings) > 0 {
		changed := fmt.Sprintf("%s %s has other settings of %s", markOf(string(Modified)), settingsName, strings.Join(settings, ", "))
		lines = append(lines, StatusLine{Name: "here", Message: changed})
	}
	return lines, err
}

// undecidedLine returns the line of the first conflict in a changed text, 0 if there is none.
func (f *Folder) undecidedLine(d Difference) int {
	if d.Kind == Same || d.Kind == Deleted || !isText(d.File.Path) || d.File.SHA256 == d.Entry.SHA256 {
		return 0
	}
	text, err := f.Read(d.File.Path)
	if err != nil {
		return 0
	}
	return undecidedLine(text)
}

// Newest returns what the server has that the folder that the working directory is in was not brought to: newer revisions of its
// space, and a change request that is merged or archived.
func Newest(a *app.App, cmd *cobra.Command) (lines []StatusLine, err error) {
	s, err := openSession(a, cmd, ".")
	if err != nil {
		return nil, err
	}
	defer s.close()
	if s.folder.State == nil {
		return nil, nil
	}
	head, err := s.newest()
	if err != nil {
		return nil, err
	}
	if head.ID != s.folder.State.Revision {
		lines = append(lines, StatusLine{Name: "space", Message: fmt.Sprintf("is at revision %d: wsctl pull", head.Number)})
	}
	r, err := s.request()
	if r != nil && !isOpen(r) {
		lines = append(lines, StatusLine{Name: "request", Message: fmt.Sprintf("#%d is %s: wsctl pull", r.Number, r.Status)})
	}
	return lines, err
}
