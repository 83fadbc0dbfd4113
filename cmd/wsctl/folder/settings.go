package folder

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/server/text/content"
)

// settingsName is the path of the file with the settings of pages that their texts do not have, beside wsctl.yaml.
const settingsName = "wsctl.pages.yaml"

// settingsHeader is the first line of wsctl.pages.yaml.
const settingsHeader = "# Settings of pages that their texts do not have, by path. A pull writes them, and a push sends them.\n"

// pageSettings are the settings of a page in wsctl.pages.yaml.
type pageSettings struct {
	Slug          string `yaml:"slug,omitempty"` // "" for the one that its path suggests
	Icon          string `yaml:"icon,omitempty"`
	Emoji         string `yaml:"emoji,omitempty"`
	Description   string `yaml:"description,omitempty"`
	Hidden        bool   `yaml:"hidden,omitempty"`
	NoIndex       bool   `yaml:"noIndex,omitempty"`
	NoRobotsIndex bool   `yaml:"noRobotsIndex,omitempty"`
}

// settingsFile is wsctl.pages.yaml.
type settingsFile struct {
	Version int                     `yaml:"version"`
	Pages   map[string]pageSettings `yaml:"pages"` // by path
}

// settingsOf returns the settings of a page of a space.
func settingsOf(p api.ExportedPage) pageSettings {
	s := pageSettings{p.Slug, p.Icon, p.Emoji, p.Description, p.Hidden, p.NoIndex, p.NoRobotsIndex}
	if p.Slug == slugOf(p.Path) {
		s.Slug = ""
	}
	return s
}

// localSettings is the wsctl.pages.yaml of a folder.
type localSettings struct {
	exists  bool // without the file, the settings are those of the space
	data    []byte
	pages   map[string]pageSettings // by path
	unknown []string                // paths that are those of no page, sorted
}

// readSettings reads wsctl.pages.yaml. differences are those of the folder from its state.
func (f *Folder) readSettings(differences []Difference) (s localSettings, err error) {
	s.data, s.exists, err = f.current(step{Path: settingsName, IsSettings: true})
	if err != nil || !s.exists {
		return s, err
	}
	var file settingsFile
	decoder := yaml.NewDecoder(bytes.NewReader(s.data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return s, app.Usagef("%s cannot be read: %v", settingsName, err)
	}
	if file.Version != 1 {
		return s, app.Usagef("%s: version must be 1, not %d", settingsName, file.Version)
	}
	s.pages = f.renameSettings(file.Pages)
	known := map[string]bool{}
	for _, d := range differences {
		known[d.File.Path], known[d.Entry.Path] = true, true
	}
	for _, at := range slices.Sorted(maps.Keys(s.pages)) {
		if !known[at] {
			s.unknown = append(s.unknown, at)
		}
	}
	return s, nil
}

// renameSettings returns settings with the paths of now in the place of those from before a move that was pushed.
func (f *Folder) renameSettings(settings map[string]pageSettings) map[string]pageSettings {
	if f.State == nil || len(f.State.Moved) == 0 {
		return settings
	}
	renamed := map[string]pageSettings{}
	for at, s := range settings {
		now, isMoved := f.State.Moved[at]
		if _, isNamed := settings[now]; isMoved && !isNamed && !f.exists(at) {
			at = now
		}
		renamed[at] = s
	}
	return renamed
}

// path returns the path by which the settings of a file are named: its own, or the one before a move that was not pushed.
func (s localSettings) path(d Difference) string {
	if _, isNamed := s.pages[d.Path()]; !isNamed && d.Kind == Moved {
		return d.Entry.Path
	}
	return d.Path()
}

// of returns the settings of a page, which are base in the state. A page that is not named has none, unless a path is that of no page: it
// may be an earlier one of the page.
func (s localSettings) of(d Difference, base pageSettings) pageSettings {
	own, isNamed := s.pages[s.path(d)]
	if !s.exists || !isNamed && len(s.unknown) > 0 {
		return base
	}
	return own
}

// formatSettings returns the text of wsctl.pages.yaml, nil if no page has settings.
func formatSettings(settings map[string]pageSettings) ([]byte, error) {
	maps.DeleteFunc(settings, func(_ string, s pageSettings) bool { return s == pageSettings{} })
	if len(settings) == 0 {
		return nil, nil
	}
	data, err := yaml.Marshal(settingsFile{1, settings})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", settingsName, err)
	}
	return append([]byte(settingsHeader), data...), nil
}

// mergeSettings merges the settings of a page: what one side has changed since base is that of the other. conflicts are the names of
// those that both have changed; they are those of the folder.
func mergeSettings(base, ours, theirs pageSettings) (merged pageSettings, conflicts []string) {
	merged = ours
	mergeSetting(&merged.Slug, base.Slug, theirs.Slug, "slug", &conflicts)
	mergeSetting(&merged.Icon, base.Icon, theirs.Icon, "icon", &conflicts)
	mergeSetting(&merged.Emoji, base.Emoji, theirs.Emoji, "emoji", &conflicts)
	mergeSetting(&merged.Description, base.Description, theirs.Description, "description", &conflicts)
	mergeSetting(&merged.Hidden, base.Hidden, theirs.Hidden, "hidden", &conflicts)
	mergeSetting(&merged.NoIndex, base.NoIndex, theirs.NoIndex, "noIndex", &conflicts)
	mergeSetting(&merged.NoRobotsIndex, base.NoRobotsIndex, theirs.NoRobotsIndex, "noRobotsIndex", &conflicts)
	return merged, conflicts
}

// mergeSetting merges one setting into ours.
func mergeSetting[T comparable](ours *T, base, theirs T, name string, conflicts *[]string) {
	switch {
	case theirs == base || theirs == *ours:
	case *ours == base:
		*ours = theirs
	default:
		*conflicts = append(*conflicts, name)
	}
}

// baseSettings returns the settings of a page in the state. A description that its text has, too, is none.
func (f *Folder) baseSettings(p api.ExportedPage, e Entry) pageSettings {
	s := settingsOf(p)
	if s.Description != "" {
		if text, isKnown := f.base(e); isKnown && content.Description(text) == s.Description {
			s.Description = ""
		}
	}
	return s
}

// addSettings plans the change of wsctl.pages.yaml.
func (p *puller) addSettings(differences []Difference) error {
	ours, err := p.folder.readSettings(differences)
	if err != nil {
		return err
	}
	merged, conflicts, err := p.mergedSettings(ours)
	if err != nil {
		return err
	}
	text, err := formatSettings(merged)
	if err != nil {
		return err
	}
	if ours.exists && equalSettings(ours.data, merged) {
		text = ours.data
	}
	s := step{Path: settingsName, IsSettings: true}
	if ours.exists {
		s.Old = hashOf(ours.data)
	}
	outcome := Removed
	if text != nil {
		s.New, outcome = hashOf(text), Updated
		p.pull.texts[s.New] = func() ([]byte, error) { return text, nil }
	}
	switch {
	case len(conflicts) > 0:
		p.report(Result{
			Outcome: Conflicted, Path: settingsName, Reason: "both changed the " + strings.Join(conflicts, ", ") + "; the folder's stays",
		})
	case s.Old == s.New:
	case s.Old == "":
		p.report(Result{Outcome: Created, Path: settingsName})
	default:
		p.report(Result{Outcome: outcome, Path: settingsName})
	}
	if s.Old != s.New {
		p.pull.journal.Steps = append(p.pull.journal.Steps, s)
	}
	return nil
}

// equalSettings reports whether a text of wsctl.pages.yaml has the given settings, in whatever form.
func equalSettings(data []byte, settings map[string]pageSettings) bool {
	var file settingsFile
	return len(settings) > 0 && yaml.Unmarshal(data, &file) == nil && maps.Equal(file.Pages, settings)
}

// mergedSettings returns the settings of all pages after a pull by their paths, and what both sides have changed.
func (p *puller) mergedSettings(ours localSettings) (merged map[string]pageSettings, conflicts []string, err error) {
	base := map[string]pageSettings{}
	if p.folder.State != nil {
		for _, page := range p.folder.State.Pages {
			if d, ok := p.local[page.ID]; ok {
				base[page.ID] = p.folder.baseSettings(page, d.Entry)
			}
		}
	}
	pages := map[string]api.ExportedPage{}
	for _, page := range p.export.Pages {
		pages[page.ID] = page
	}
	merged, left := map[string]pageSettings{}, maps.Clone(ours.pages)
	for _, e := range p.pull.journal.State.Entries {
		page, ok := pages[e.Key()]
		if e.Kind != api.ExportPage || !ok {
			continue
		}
		theirs, err := p.exportedSettings(page, e)
		if err != nil {
			return nil, nil, err
		}
		at, d := e.Path, p.local[e.Key()]
		if e.LocalPath != "" {
			at = e.LocalPath
		}
		delete(left, ours.path(d))
		m, both := mergeSettings(base[page.ID], ours.of(d, base[page.ID]), theirs)
		switch {
		case len(both) > 0 && p.take == TakeSpace:
			m = theirs
		case p.take == "":
			for _, name := range both {
				conflicts = append(conflicts, name+" of "+at)
			}
		}
		merged[at] = m
	}
	for at, s := range left { // of files that are new here
		if _, isNew := p.added[at]; isNew {
			merged[at] = s
		}
	}
	maps.DeleteFunc(merged, func(_ string, s pageSettings) bool { return s == pageSettings{} })
	slices.Sort(conflicts)
	return merged, conflicts, nil
}

// exportedSettings returns the settings of a page in the export. A description that its text has, too, is none.
func (p *puller) exportedSettings(page api.ExportedPage, e Entry) (pageSettings, error) {
	s := settingsOf(page)
	if s.Description == "" {
		return s, nil
	}
	text, err := p.export.Data(e.ExportEntry)
	if err != nil {
		return s, err
	}
	if content.Description(text) == s.Description {
		s.Description = ""
	}
	return s, nil
}

// addSettings adds the settings of a page that wsctl.pages.yaml has changed to the operation for it. It reports whether there are any.
func (p *pusher) addSettings(change *api.ContentChange, d Difference) (changed bool) {
	at, id, base := d.File.Path, change.Page, pageSettings{}
	if change.Operation == api.InsertPage {
		id = change.Ref
	} else if before, ok := p.before[id]; ok {
		base = p.folder.baseSettings(before, d.Entry)
	}
	page, want := p.pages.byID[id], p.settings.of(d, base)
	if want == base || page == nil {
		return false
	}
	if !p.isSelected(d) {
		p.push.IsPart = true
		return false
	}
	if want.Slug != base.Slug {
		suggested := want.Slug
		if suggested == "" {
			suggested = slugOf(at)
		}
		change.Slug = api.Some(p.slug(id, suggested))
	}
	setChanged(&change.Icon, &page.Icon, base.Icon, want.Icon)
	setChanged(&change.Emoji, &page.Emoji, base.Emoji, want.Emoji)
	setChanged(&change.Description, &page.Description, base.Description, want.Description)
	setChanged(&change.Hidden, &page.Hidden, base.Hidden, want.Hidden)
	setChanged(&change.NoIndex, &page.NoIndex, base.NoIndex, want.NoIndex)
	setChanged(&change.NoRobotsIndex, &page.NoRobotsIndex, base.NoRobotsIndex, want.NoRobotsIndex)
	return true
}

// changedSettings returns the paths of the pages whose settings wsctl.pages.yaml has changed.
func (f *Folder) changedSettings(differences []Difference) (paths []string, err error) {
	settings, err := f.readSettings(differences)
	if err != nil || !settings.exists {
		return nil, err
	}
	pages := map[string]api.ExportedPage{}
	for _, page := range f.State.Pages {
		pages[page.ID] = page
	}
	for _, d := range differences {
		base := pageSettings{}
		if page, ok := pages[d.Entry.Key()]; ok {
			base = f.baseSettings(page, d.Entry)
		}
		if d.Kind != Deleted && settings.of(d, base) != base {
			paths = append(paths, d.Path())
		}
	}
	return paths, nil
}

// setChanged sets a member of an operation, and the setting of the page, if the setting has changed.
func setChanged[T comparable](member *api.Optional[T], setting *T, base, want T) {
	if want != base {
		*member, *setting = api.Some(want), want
	}
}
