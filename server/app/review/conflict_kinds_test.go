package review_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// conflictKinds lists all kinds of conflicts.
var conflictKinds = []string{
	"attribute", "cycle", "deleted", "file", "inserted", "moved", "order", "reusable-content", "slug", "text", "variable",
}

// conflictSpace is a space about a weather station with two change requests: one that is merged, and one that then has
// conflicts of every kind.
type conflictSpace struct {
	w                  *servertest.World
	space              string
	pages              map[string]string
	note               string
	files              []string
	mergedRequest      api.ChangeRequest
	conflictingRequest api.ChangeRequest
}

const (
	welcomeText = "# Welcome\n\nThe station measures wind, rain and light. It needs no cable.\n\n" +
		"The two talk by radio over up to 1000 m in the open. The gateway stores the last 400 days itself. Nothing leaves your house.\n"
	powerText = "# Power\n\nA cell lasts two winters.\n\n## Before you climb\n\nOpen the hatch with a coin.\n\nKeep the seal dry.\n\n" +
		"## Afterwards\n\nClose the hatch.\n\nWait for the green light.\n\nWrite the date on the cell.\n"
)

func (s *conflictSpace) pageID(title string) string { return s.pages[title] }

// edit changes the content of a change request as the user who.
func (s *conflictSpace) edit(who string, r api.ChangeRequest, changes ...api.ContentChange) api.ContentResult {
	s.w.T.Helper()
	return s.w.Edit(who, r, changes...)
}

func newConflictSpace(w *servertest.World) *conflictSpace {
	w.T.Helper()
	s := &conflictSpace{w: w, space: w.NewSpace().ID, pages: map[string]string{}}
	start := w.CreateRequest("editor", s.space, "First pages")
	titles := []string{
		"Welcome", "Power", "Quick start", "Status lights", "Guide", "Mast", "Reference", "Frost", "Salt", "Dust", "Gateway", "Cable",
		"Old notes", "Lists",
	}
	for _, title := range titles {
		text := "# " + title + "\n\nAbout it. More about it.\n"
		switch title {
		case "Welcome":
			text = welcomeText
		case "Power":
			text = powerText
		}
		s.pages[title] = s.edit("editor", start, servertest.Insert(title, "", text)).Changes[0].Page.ID
	}
	s.edit("editor", start, servertest.Insert("First day", s.pageID("Quick start"), "# First day\n\nUnpack it.\n"),
		s.putPicture("mast.png", "first"), s.putPicture("gateway.png", "first"))
	s.note = s.edit("editor", start, servertest.InsertReusable("Warning", "Mind the edge. It is sharp.\n"),
		servertest.SetVariables("", "product", "Skylark")).Changes[0].ReusableContent.ID
	w.Merge("reviewer", start)
	return s
}

// putPicture returns the operation that imports a file of the source, or its next version.
func (s *conflictSpace) putPicture(name, says string) api.ContentChange {
	return api.ContentChange{Operation: api.InsertFiles, SourceName: "pictures", Files: []api.FileInsert{
		{Name: name, Path: name, ContentType: "image/png", Base64: base64.StdEncoding.EncodeToString([]byte("picture: " + says))},
	}}
}

func forPage(page string, change api.ContentChange) api.ContentChange {
	change.Operation, change.Page = api.UpdatePage, page
	return change
}

// newConflictingRequests creates two change requests that change the same items, and merges the first one.
func newConflictingRequests(w *servertest.World) *conflictSpace {
	w.T.Helper()
	s := newConflictSpace(w)
	s.mergedRequest = w.CreateRequest("creator", s.space, "Author says A")
	s.conflictingRequest = w.CreateRequest("editor", s.space, "Author says B")
	w.Clock.Advance(time.Hour)
	files := servertest.Do(w, "editor", api.ListContentFiles, api.ListFilesInput{Space: s.space}).Items
	for _, f := range files {
		s.files = append(s.files, f.ID)
	}
	for _, side := range []struct {
		user     string
		request  api.ChangeRequest
		days, at string
	}{{"creator", s.mergedRequest, "500", "A"}, {"editor", s.conflictingRequest, "365", "B"}} {
		s.changeSameItems(side.user, side.request, side.days, side.at)
		w.Clock.Advance(time.Hour)
	}
	s.edit("creator", s.mergedRequest, servertest.DeletePage(s.pageID("Quick start")),
		servertest.Update(s.pageID("Status lights"), "# Status lights\n\nAbout it. Red is bad.\n"),
		servertest.MovePage(s.pageID("Cable"), s.pageID("Gateway"), 0),
		api.ContentChange{Operation: api.DeleteReusableContent, ReusableContent: s.note},
		servertest.Update(s.pageID("Lists"), "# Lists\n\nAbout it.\n"), servertest.DeletePage(s.pageID("Old notes")),
		s.putPicture("gateway.png", "second"))
	s.edit("editor", s.conflictingRequest, servertest.Update(s.pageID("Quick start"),
		"# Quick start\n\nAbout it. More about it. It takes one hour.\n"),
		servertest.DeletePage(s.pageID("Status lights")),
		servertest.MovePage(s.pageID("Gateway"), s.pageID("Cable"), 0),
		api.ContentChange{
			Operation: api.UpdateReusableContent, ReusableContent: s.note, Document: &api.Document{
				Markdown: api.Some("Mind the edge. It is very sharp.\n"),
			},
		},
		servertest.Update(s.pageID("Lists"), "# Lists\n\nAbout it. Less about it.\n"), servertest.Insert("Newer notes",
			s.pageID("Old notes"), "# Newer notes\n\nKept.\n"))
	s.removeFile("editor", s.conflictingRequest, "gateway.png", files)
	w.Clock.Advance(time.Hour)
	w.Merge("reviewer", s.mergedRequest)
	w.Clock.Advance(time.Hour)
	return s
}

func (s *conflictSpace) removeFile(who string, r api.ChangeRequest, name string, files []api.File) {
	for _, f := range files {
		if f.Name == name {
			s.edit(who, r, api.ContentChange{Operation: api.DeleteFiles, FileIDs: []string{f.ID}})
		}
	}
}

// changeSameItems changes the items that the other side changes as well.
func (s *conflictSpace) changeSameItems(who string, r api.ChangeRequest, days, letter string) {
	welcome, power := s.pageID("Welcome"), s.pageID("Power")
	text := strings.Replace(welcomeText, "400 days", days+" days", 1)
	text = strings.Replace(text, "Nothing leaves", map[string]string{"A": "Little leaves", "B": "Nothing at all leaves"}[letter], 1)
	where := map[string][2]string{"A": {"Guide", "Reference"}, "B": {"Reference", "Guide"}}[letter]
	cell := powerText
	switch letter {
	case "A":
		cell = strings.Replace(cell, "Keep the seal dry.\n\n", "", 1)
		cell = strings.Replace(cell, "Write the date on the cell.\n", "", 1)
		cell = strings.Replace(cell, "A cell lasts", "Write the date on the cell.\n\nA cell lasts", 1)
	case "B":
		cell = strings.Replace(cell, "Keep the seal dry.", "Keep the seal dry and clean.", 1)
		cell = strings.Replace(cell, "Write the date on the cell.\n", "", 1)
		cell = strings.Replace(cell, "Close the hatch.\n", "Write the date on the cell.\n\nClose the hatch.\n", 1)
	}
	cell = strings.Replace(cell, "Wait for the green light.\n", "Wait for the green light.\n\nCall "+letter+" when it stays red.\n", 1)
	s.edit(who, r,
		servertest.Update(welcome, text), servertest.Update(power, cell),
		forPage(welcome, api.ContentChange{
			Description: api.Some("What it is, by " + letter), Emoji: api.Some(map[string]string{"A": "🌦", "B": "🌧"}[letter]),
		}),
		forPage(s.pageID("Guide"), api.ContentChange{
			Layout: api.Some(pageLayout(letter)),
			Cover:  api.Some(api.PageCover{Ref: api.ContentRef{Kind: api.RefFile, File: s.files[map[string]int{"A": 0, "B": 1}[letter]]}}),
		}),
		servertest.MovePage(s.pageID("Mast"), s.pageID(where[0]), 0),
		servertest.Insert("Install", "", "# Install\n\nBy "+letter+".\n"),
		servertest.SetVariables("", "product", "Skylark "+letter), servertest.SetVariables(power, "cells", days),
		s.putPicture("mast.png", "by "+letter),
		servertest.MovePage(s.pageID("Dust"), "", map[string]int{"A": 0, "B": 3}[letter]),
	)
}

func pageLayout(letter string) api.PageLayout {
	layout := api.DefaultLayout()
	layout.Width, layout.Outline = "wide", letter == "A"
	return layout
}

// TestConflictKindsAreDescribed checks that every kind of conflict has a complete description without internal identifiers. The
// golden files of the commands and of the screen are made from the golden file of this test.
func TestConflictKindsAreDescribed(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		s := newConflictingRequests(w)
		list := getConflicts(w, servertest.Ref(s.conflictingRequest))
		var kinds []string
		for _, c := range list.Conflicts {
			kinds = append(kinds, c.Kind)
		}
		slices.Sort(kinds)
		servertest.Equal(t, "kinds", conflictKinds, slices.Compact(kinds))
		got := maskIDs(t, list, w.Clock.Now())
		compareGolden(t, "conflicts.json", got)
		checkNoIDs(t, got)
	})
}

// storyTime is the end time of the story in the golden file.
var storyTime = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)

var idPattern = regexp.MustCompile(`\b([a-z]{1,4})_[0-9a-z]{8,}`)

// maskIDs returns the JSON of an answer with ids and times replaced, so that it is the same in every run.
func maskIDs(t *testing.T, answer api.ConflictList, now time.Time) []byte {
	t.Helper()
	for i := range answer.Conflicts {
		for _, side := range []*api.ConflictSide{&answer.Conflicts[i].Ours, &answer.Conflicts[i].Theirs} {
			if side.At != nil {
				side.At = new(api.At(storyTime.Add(side.At.Sub(now))))
			}
		}
	}
	data, err := json.MarshalIndent(answer, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	return idPattern.ReplaceAllFunc(data, func(id []byte) []byte {
		if seen[string(id)] == "" {
			seen[string(id)] = fmt.Sprintf("%s_%020d", idPattern.FindSubmatch(id)[1], len(seen)+1)
		}
		return []byte(seen[string(id)])
	})
}

// compareGolden compares an answer with a golden file.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	servertest.Equal(t, path, string(want), string(got))
}

// internalTextPattern matches text that belongs in records only: ids, hashes and JSON.
var internalTextPattern = regexp.MustCompile(`\b[a-z]{1,4}_[0-9a-z]{8,}|[0-9a-z]{32,}|\{"`)

// checkNoIDs fails the test if a member for display contains internal text.
func checkNoIDs(t *testing.T, answer []byte) {
	t.Helper()
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		t.Fatal(err)
	}
	visitTexts(value, "", func(path, text string) {
		if internalTextPattern.MatchString(text) {
			t.Errorf("%s: %s", path, text)
		}
	})
}

// visitTexts visits all texts of an answer except the ids.
func visitTexts(value any, path string, visit func(path, text string)) {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if !slices.Contains([]string{"id", "page", "block", "reusableContent", "revision", "spaceRevision"}, name) {
				visitTexts(member, path+"."+name, visit)
			}
		}
	case []any:
		for i, item := range v {
			visitTexts(item, fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case string:
		visit(path, v)
	}
}
