package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// folderHistory is a history of clones of one space that edit, pull and push in random order. Every sentence is a line of its own,
// so that what becomes of it can be followed.
type folderHistory struct {
	t         *testing.T
	user      client
	random    *rand.Rand
	dirs      []string
	log       []string
	added     map[string]bool
	deleted   map[string]bool // by an edit; those of a conflict may be there or not
	disputed  map[string]bool // were in a conflict, which was decided for both sides
	decided   int             // files with conflicts
	renamed   map[int]bool    // clones with names of pages that the space does not have
	edits     map[string]int  // edits of a page that were not published, by path of the file
	moved     map[string]bool // pages that were renamed and not published, by path of the file
	shortened map[string]bool // pages of which a sentence was deleted and not published, by path of the file

	direct       person // calls the server for the same user
	space        string
	repositories map[int]bool     // clones that are git repositories
	deleting     map[int]bool     // clones whose push deletes what they do not have
	suggested    map[int][]string // sentences of applied suggestions and those that they replaced, by number of the change request
	comments     []folderComment
	pictures     []string // contents
	suggestions  int      // applied and merged ones
	builds       int

	refusedBuilds int // that sent nothing because of a conflict or an older commit
}

// TestClonesLoseNoSentenceCampaign lets two to five clones of a space, some of them git repositories, add and delete sentences, pages
// and pictures, rename pages, push, merge, pull, decide conflicts and lose their state in random order. Builds push commits, and
// reviewers apply suggestions, archive change requests and comment. In the end all clones have the same files, every sentence that
// nobody deleted is there once, no deleted one is back, and every comment is at its sentence.
func TestClonesLoseNoSentenceCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	histories, seed := storetest.LongCampaign(t, "folders", 4, 500)
	user := newFolderUser(t)
	decided, suggestions, builds, refused, comments := 0, 0, 0, 0, 0
	for i := range histories {
		f := runFolderHistory(t, user, seed+uint64(i))
		if t.Failed() {
			return
		}
		decided, suggestions = decided+f.decided, suggestions+f.suggestions
		builds, refused, comments = builds+f.builds, refused+f.refusedBuilds, comments+len(f.comments)
	}
	t.Logf("%d conflicts were decided, %d suggestions applied, %d of %d builds refused; %d comments kept their place",
		decided, suggestions, refused, builds, comments)
	const enough = 20 // histories that have everything, whatever their seeds are
	if decided+comments+builds == 0 || histories >= enough && (decided == 0 || suggestions == 0 || comments == 0 || builds == refused) {
		t.Error("no history had a conflict, a suggestion, a comment or a build that was not refused")
	}
}

// newFolderUser starts a server and returns the admin of its organization.
func newFolderUser(t *testing.T) client {
	t.Helper()
	h := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0")
	token, _ := h.createOrganization(t)
	n := h.mustServe(t)
	return client{path: binary(t, "wsctl"), url: n.url, token: token, home: t.TempDir()}
}

// newFolderHistory returns a history without clones.
func newFolderHistory(t *testing.T, user client, seed uint64) *folderHistory {
	t.Helper()
	return &folderHistory{
		t: t, user: user, random: rand.New(rand.NewPCG(seed, 0)),
		added: map[string]bool{}, deleted: map[string]bool{}, disputed: map[string]bool{},
		renamed: map[int]bool{}, edits: map[string]int{}, moved: map[string]bool{}, shortened: map[string]bool{},
		repositories: map[int]bool{}, deleting: map[int]bool{}, suggested: map[int][]string{},
		direct: person{user.url, user.token, &http.Client{Timeout: time.Minute}},
	}
}

// runFolderHistory runs a history.
func runFolderHistory(t *testing.T, user client, seed uint64) *folderHistory {
	t.Helper()
	f := newFolderHistory(t, user, seed)
	space := user.runWord(t.Context(), t, "spaces", "create", "--title", fmt.Sprintf("Space %d", seed), "-o", "name")
	f.space = space
	first := f.clone(space)
	for page := range 3 {
		for range 4 {
			f.append(first, fmt.Sprintf("page-%d.md", page))
		}
	}
	f.publish(0)
	for range f.random.IntN(4) + 1 {
		f.clone(space)
	}
	for i := range f.dirs {
		if f.random.IntN(2) == 0 {
			f.makeRepository(i)
		}
	}
	for range 30 {
		f.step()
	}
	for range 2 {
		for i := range f.dirs {
			f.publish(i)
		}
	}
	for i := range f.dirs {
		f.pullAll(i)
	}
	f.check()
	if t.Failed() {
		t.Logf("seed %d:\n%s", seed, strings.Join(f.log, "\n"))
	}
	return f
}

func (f *folderHistory) clone(space string) string {
	dir := filepath.Join(f.t.TempDir(), "docs")
	f.dirs = append(f.dirs, dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		f.t.Fatal(err)
	}
	f.wsctl(len(f.dirs)-1, "pull", space, dir)
	return dir
}

// wsctl runs wsctl in a clone. conflict reports exit code 5; other failures end the test.
func (f *folderHistory) wsctl(i int, args ...string) (conflict bool) {
	f.t.Helper()
	f.log = append(f.log, fmt.Sprintf("clone %d:", i))
	return f.runIn(f.dirs[i], args...)
}

// runIn runs wsctl in a directory, as wsctl does.
func (f *folderHistory) runIn(dir string, args ...string) (conflict bool) {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), f.user.path, args...)
	cmd.Dir = dir
	cmd.Env = append(environment(), "WSCTL_URL="+f.user.url, "WSCTL_TOKEN="+f.user.token, "HOME="+f.user.home,
		"XDG_CONFIG_HOME="+f.user.home)
	out, err := cmd.CombinedOutput()
	f.log = append(f.log, fmt.Sprintf("wsctl %s: %v\n%s", strings.Join(args, " "), err, out))
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 5) {
		f.t.Fatalf("%s", strings.Join(f.log, "\n"))
	}
	return err != nil
}

// step does one random thing in one clone.
func (f *folderHistory) step() {
	i := f.random.IntN(len(f.dirs))
	pages := f.pages(i)
	if len(pages) == 0 {
		return
	}
	page := pages[f.random.IntN(len(pages))]
	switch f.random.IntN(18) {
	case 0, 1, 2:
		f.append(f.dirs[i], page)
	case 3:
		f.remove(i, page)
	case 4:
		f.rename(i, page)
	case 5:
		f.append(f.dirs[i], fmt.Sprintf("new-%d.md", len(f.added)))
	case 6:
		f.commit(i)
		if f.wsctl(i, "push") {
			f.pull(i)
		}
	case 7:
		f.publish(i)
	case 8:
		f.pull(i)
	case 9:
		f.forget(i)
	case 10:
		f.commit(i)
		f.build(i)
	case 11:
		f.build(i)
	case 12:
		f.archive()
	case 13:
		f.suggest()
	case 14:
		f.addPicture(i)
	case 15:
		f.comment()
	case 16:
		f.deletePage(i, page)
	case 17:
		f.buildOnly(i, page)
	}
}

// forget removes the state of a clone, as in a fresh copy of its files. A clone whose pages have other names than in the space keeps
// it: without a state, a page with another name and many other sentences is a new one. So does one that has deleted a sentence: its
// text may be an earlier one of the page, which the page then has had.
func (f *folderHistory) forget(i int) {
	if f.renamed[i] || f.isShortened(i) {
		return
	}
	f.log = append(f.log, fmt.Sprintf("clone %d has no state any more", i))
	if err := os.RemoveAll(filepath.Join(f.dirs[i], ".wsctl")); err != nil {
		f.t.Fatal(err)
	}
}

// publish pushes a clone and merges its change request, and decides conflicts.
func (f *folderHistory) publish(i int) {
	push := []string{"push", "--merge", "--yes"}
	if f.deleting[i] {
		push = append(push, "--delete")
	}
	for range 6 {
		f.commit(i)
		if !f.wsctl(i, push...) {
			f.renamed[i] = false
			f.forgetEdits(i)
			return
		}
		f.pull(i)
	}
	f.t.Errorf("clone %d cannot be pushed", i)
}

// forgetEdits forgets which pages of a clone were edited and renamed.
func (f *folderHistory) forgetEdits(i int) {
	isHere := func(at string) bool { return strings.HasPrefix(at, f.dirs[i]+string(filepath.Separator)) }
	maps.DeleteFunc(f.edits, func(at string, _ int) bool { return isHere(at) })
	maps.DeleteFunc(f.moved, func(at string, _ bool) bool { return isHere(at) })
	maps.DeleteFunc(f.shortened, func(at string, _ bool) bool { return isHere(at) })
}

// isShortened reports whether a clone has deleted a sentence that is not published.
func (f *folderHistory) isShortened(i int) bool {
	for at := range f.shortened {
		if strings.HasPrefix(at, f.dirs[i]+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// noteEdit notes an edit of a page, and reports whether it may be made: a renamed page with more than one edit would be a new one.
func (f *folderHistory) noteEdit(at string) bool {
	if f.moved[at] && f.edits[at] > 0 {
		return false
	}
	f.edits[at]++
	return true
}

// pullAll pulls until there is nothing to decide.
func (f *folderHistory) pullAll(i int) {
	for range 4 {
		if !f.pull(i) {
			return
		}
	}
}

func (f *folderHistory) pull(i int) (conflict bool) {
	conflict = f.wsctl(i, "pull")
	output := f.log[len(f.log)-1]
	for _, page := range f.pages(i) {
		f.decide(filepath.Join(f.dirs[i], page))
	}
	if conflict && strings.Contains(output, "--take folder|space") && !f.hasMarks(i) {
		f.disputeAll(i, output)
		return f.wsctl(i, "pull", "--take", "folder")
	}
	return conflict
}

// disputeAll notes that the sentences of a clone were in a conflict: a page that was deleted in the space comes back as it is here. Those
// of the pages that the output of a pull names may be in another page by now, which was made in its place.
func (f *folderHistory) disputeAll(i int, output string) {
	for name, text := range f.files(i) {
		isNamed := strings.Contains(output, "conflict\t"+name+"\t")
		for line := range strings.Lines(text) {
			if sentence := strings.TrimSpace(line); f.deleted[sentence] || isNamed && f.added[sentence] {
				f.disputed[sentence] = true
			}
		}
	}
}

// decide takes both sides of the conflicts in a file.
func (f *folderHistory) decide(at string) {
	data, err := os.ReadFile(at)
	if err != nil {
		f.t.Fatal(err)
	}
	if !bytes.Contains(data, []byte("<<<<<<< ")) {
		return
	}
	var out []string
	side := ""
	var ours map[string]bool
	for line := range strings.Lines(string(data)) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			side, ours = "ours", map[string]bool{}
		case strings.HasPrefix(line, "||||||| ") && side == "ours":
			side = "base"
		case strings.HasPrefix(line, "=======") && side != "":
			side = "theirs"
		case strings.HasPrefix(line, ">>>>>>> ") && side == "theirs":
			side = ""
		case side == "":
			out = append(out, line)
		default:
			if strings.TrimSpace(line) != "" {
				f.disputed[strings.TrimSpace(line)] = true
			}
			if side == "base" || side == "theirs" && ours[line] && strings.TrimSpace(line) != "" {
				continue
			}
			ours[line] = true
			out = append(out, line)
		}
	}
	f.log = append(f.log, "decided "+at)
	f.decided++
	if err := os.WriteFile(at, []byte(strings.Join(out, "")), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// append adds a sentence to a page, at its end or after its first paragraph.
func (f *folderHistory) append(dir, page string) {
	at := filepath.Join(dir, page)
	if !f.noteEdit(at) {
		return
	}
	sentence := fmt.Sprintf("Sentence number %d was written here by the clone in %s.", len(f.added), filepath.Base(filepath.Dir(dir)))
	f.added[sentence] = true
	data, err := os.ReadFile(at)
	if err != nil {
		data = []byte("# " + strings.TrimSuffix(filepath.Base(page), ".md") + "\n")
	}
	paragraphs := strings.Split(strings.TrimRight(string(data), "\n"), "\n\n")
	where := f.random.IntN(len(paragraphs)) + 1
	paragraphs = slices.Insert(paragraphs, where, sentence)
	text := strings.Join(paragraphs, "\n\n") + "\n"
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o600)); err != nil {
		f.t.Fatal(err)
	}
	f.log = append(f.log, fmt.Sprintf("%s: %s", at, sentence))
}

// remove deletes a sentence of a page. A clone without a state keeps it: see forget.
func (f *folderHistory) remove(i int, page string) {
	if _, err := os.Lstat(filepath.Join(f.dirs[i], ".wsctl")); err != nil {
		return
	}
	at := filepath.Join(f.dirs[i], page)
	data, err := os.ReadFile(at)
	if err != nil {
		f.t.Fatal(err)
	}
	paragraphs := strings.Split(strings.TrimRight(string(data), "\n"), "\n\n")
	if len(paragraphs) < 3 || !f.noteEdit(at) {
		return
	}
	f.shortened[at] = true
	n := 1 + f.random.IntN(len(paragraphs)-1)
	for line := range strings.Lines(paragraphs[n]) {
		f.deleted[strings.TrimSpace(line)] = true
	}
	f.log = append(f.log, fmt.Sprintf("%s: without %s", at, paragraphs[n]))
	paragraphs = slices.Delete(paragraphs, n, n+1)
	if err := os.WriteFile(at, []byte(strings.Join(paragraphs, "\n\n")+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// rename moves a page to another name, in another directory half of the time, and renames it in SUMMARY.md.
func (f *folderHistory) rename(i int, page string) {
	to := fmt.Sprintf("renamed-%d.md", f.random.IntN(1000))
	if f.random.IntN(2) == 0 {
		to = filepath.Join("part", to)
	}
	old, at := filepath.Join(f.dirs[i], page), filepath.Join(f.dirs[i], to)
	_, taken := os.Stat(at)
	if _, hasState := os.Stat(filepath.Join(f.dirs[i], ".wsctl")); taken == nil || hasState != nil || f.edits[old] > 1 {
		return
	}
	f.edits[at], f.moved[at] = f.edits[old], true
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.Rename(old, at)); err != nil {
		f.t.Fatal(err)
	}
	f.renamed[i] = true
	f.log = append(f.log, fmt.Sprintf("%s is now %s", old, to))
	summary := filepath.Join(f.dirs[i], "SUMMARY.md")
	data, err := os.ReadFile(summary)
	if err != nil {
		return
	}
	data = bytes.ReplaceAll(data, []byte("("+filepath.ToSlash(page)+")"), []byte("("+filepath.ToSlash(to)+")"))
	if err := os.WriteFile(summary, data, 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// pages returns the paths of the pages of a clone.
func (f *folderHistory) pages(i int) (pages []string) {
	for name := range f.files(i) {
		if filepath.Ext(name) == ".md" && name != "SUMMARY.md" {
			pages = append(pages, name)
		}
	}
	slices.Sort(pages)
	return pages
}

func (f *folderHistory) files(i int) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(f.dirs[i], func(at string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".wsctl" || d.Name() == ".git") {
				return filepath.SkipDir
			}
			return err
		}
		name, err := filepath.Rel(f.dirs[i], at)
		if err != nil || name == "wsctl.yaml" {
			return err
		}
		data, err := os.ReadFile(at)
		files[name] = string(data)
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return files
}

// check compares the clones, and what became of each sentence.
func (f *folderHistory) check() {
	f.t.Helper()
	whole := f.files(0)
	for i := range f.dirs {
		other := f.files(i)
		for name, text := range whole {
			if name != "SUMMARY.md" && other[name] != text {
				f.t.Errorf("%s of clone %d is\n%s\nof clone 0\n%s", name, i, other[name], text)
			}
		}
		if len(other) != len(whole) {
			f.t.Errorf("clone %d has %d files, clone 0 %d", i, len(other), len(whole))
		}
	}
	f.endSuggestions()
	f.checkPictures(0)
	f.checkComments()
	var text strings.Builder
	for _, page := range whole {
		text.WriteString(page)
	}
	for sentence := range f.added {
		n := strings.Count(text.String(), sentence)
		switch {
		case f.disputed[sentence] && f.deleted[sentence]:
		case f.deleted[sentence] && n > 0:
			f.t.Errorf("was deleted and is back: %s", sentence)
		case !f.deleted[sentence] && n == 0:
			f.t.Errorf("is lost: %s", sentence)
		case n > 1 && !f.disputed[sentence]:
			f.t.Errorf("is there %d times: %s", n, sentence)
		}
	}
}
