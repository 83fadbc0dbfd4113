package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// session is a command in a folder: the folder, and the server that its space is on.
type session struct {
	app    *app.App
	cmd    *cobra.Command
	client *client.Client
	folder *Folder
	dir    string // of wsctl.yaml
	git    gitState

	isOutdated bool // the request of the folder lacks changes of its space, and a dry run does not bring it up

	merged   *Request // the request whose changes a pull of the space merges into the files, nil for none
	isBehind bool     // the folder lacks changes of its request, which is in conflict with its space
	unknown  []string // paths of the entries whose files have a text of no known revision
}

func (s *session) ctx() context.Context { return s.cmd.Context() }

func (s *session) space() string { return s.folder.Config.Space }

func (s *session) close() {
	if s.folder != nil {
		s.folder.Close()
	}
}

// openSession opens the folder that dir is in. It returns a usage error if it is linked to no space.
func openSession(a *app.App, cmd *cobra.Command, dir string) (*session, error) {
	config, at, err := FindConfig(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, app.Usagef("%s is linked to no space: it has no %s", dir, configName).
			WithHint("wsctl pull SPACE %s, or wsctl push %s --space SPACE", dir, dir)
	}
	if err != nil {
		return nil, err
	}
	s := &session{app: a, cmd: cmd, dir: at}
	if err := s.connect(config); err != nil {
		return nil, err
	}
	if s.folder, err = Open(at, config); err != nil {
		return nil, err
	}
	s.git = readGit(s.ctx(), at)
	s.folder.isAutoCRLF = s.git.AutoCRLF
	return s, nil
}

// connect makes the client of a folder. The token is that of the configured server: the folder does not decide where it is sent.
func (s *session) connect(config Config) error {
	settings, err := s.app.Settings(s.cmd)
	if err != nil {
		return err
	}
	if !sameServer(settings.URL.Value, config.Server) {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden,
			"%s names the server %s, and the token is for %s (from %s); nothing was sent",
			configName, config.Server, settings.URL.Value, settings.URL.Origin).
			WithHint("choose a profile of that server with --profile, or --url %s", config.Server)
	}
	if given := settings.Space.Value; given != "" && settings.Space.Origin != "" {
		id, err := resolve.New(s.app, s.cmd).Find("space", given)
		if err != nil {
			return err
		}
		if id != config.Space {
			return app.Usagef("this folder is linked to the space %s, and %s (from %s) is another one", config.Space, given,
				settings.Space.Origin)
		}
	}
	s.client, err = s.app.Client(s.cmd)
	return err
}

func sameServer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// makeDirectory makes a directory for documentation, which others may read, unless it exists.
func makeDirectory(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // documentation
		return fmt.Errorf("create %s: %w", dir, err)
	}
	return nil
}

// link makes a folder at dir that is linked to a space. The directory may exist.
func link(a *app.App, cmd *cobra.Command, dir, space, root string) (*session, error) {
	settings, err := a.Settings(cmd)
	if err != nil {
		return nil, err
	}
	if err := makeDirectory(dir); err != nil {
		return nil, err
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &session{app: a, cmd: cmd, dir: at}
	config := Config{Version: 1, Server: strings.TrimRight(settings.URL.Value, "/"), Space: space, Root: root, Name: folderName(at)}
	if s.client, err = a.Client(cmd); err != nil {
		return nil, err
	}
	if s.folder, err = Open(at, config); err != nil {
		return nil, err
	}
	s.git = readGit(s.ctx(), at)
	s.folder.isAutoCRLF = s.git.AutoCRLF
	return s, nil
}

// folderName returns the name of the source of a folder: that of its directory.
func folderName(dir string) string {
	name := api.Shorten(api.CleanLine(filepath.Base(dir)), 100)
	if name == "" || strings.HasPrefix(name, "src_") {
		return "folder"
	}
	return name
}

// findRoot returns the root of the content below dir, relative to it: that of the book or the site whose configuration is there, else
// dir itself.
func findRoot(dir string) string {
	for _, book := range []struct{ file, root string }{
		{"book.toml", "src"}, {"mkdocs.yml", "docs"}, {"docusaurus.config.js", "docs"}, {"docusaurus.config.ts", "docs"},
	} {
		info, err := os.Stat(filepath.Join(dir, book.root))
		if _, missing := os.Stat(filepath.Join(dir, book.file)); missing == nil && err == nil && info.IsDir() {
			return book.root
		}
	}
	return ""
}

// newest returns the id and the number of the newest revision of the space.
func (s *session) newest() (api.HistoryEntry, error) {
	list, err := s.client.Spaces.ListRevisions(s.ctx(), api.SpaceRevisionsInput{
		Space: s.space(), ListOptions: api.ListOptions{Limit: api.Some(1)},
	})
	if err != nil || len(list.Items) == 0 {
		return api.HistoryEntry{}, errors.Join(err, noRevision(len(list.Items)))
	}
	return list.Items[0], nil
}

func noRevision(n int) error {
	if n > 0 {
		return nil
	}
	return errors.New("the space has no revision")
}

// ref returns the change request with a number.
func (s *session) ref(number int) api.ChangeRequestRef {
	return api.ChangeRequestRef{Space: s.space(), ChangeRequest: fmt.Sprint(number)}
}

// download downloads the content of the space, of a change request if number is not 0, or of a revision if it is not "".
func (s *session) download(number int, revision string) (a api.Archive, err error) {
	stop := s.progress("reading")
	defer stop()
	switch {
	case revision != "":
		a, err = s.client.Revisions.Export(s.ctx(), api.ExportRevisionInput{
			RevisionRef: api.RevisionRef{Space: s.space(), Revision: revision},
		})
	case number > 0:
		a, err = s.client.ChangeRequestContent.Export(s.ctx(), api.ChangeRequestExportInput{ChangeRequestRef: s.ref(number)})
	default:
		a, err = s.client.Content.Export(s.ctx(), api.ExportInput{Space: s.space()})
	}
	return a, err
}

// export downloads and opens what download does.
func (s *session) export(number int, revision string) (*Export, error) {
	a, err := s.download(number, revision)
	if err != nil {
		return nil, err
	}
	return ReadExport(a)
}

// progress shows what is being done on a terminal until the returned function is called.
func (s *session) progress(what string) (stop func()) {
	if !s.app.WantsProgress() {
		return func() {}
	}
	_, _ = fmt.Fprintf(s.app.Err, "\r%s…", what)               // optional
	return func() { _, _ = fmt.Fprint(s.app.Err, "\r\x1b[K") } // optional
}

// adopt sets the state of the folder to the content of a revision, without changing a file.
func (s *session) adopt(revision string) error {
	x, err := s.export(0, revision)
	if err != nil {
		return err
	}
	return s.adoptExport(x)
}

func (s *session) adoptExport(x *Export) error {
	if err := s.folder.makeData(); err != nil {
		return err
	}
	entries := x.entries()
	if s.folder.State != nil && !slices.ContainsFunc(s.folder.State.Entries, isSummary) {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { // a SUMMARY.md that was never written here is not deleted here
			return isSummary(e) && !s.folder.exists(e.Path)
		})
	}
	var missing []string
	if s.folder.State != nil {
		missing = s.folder.State.Missing
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return slices.Contains(missing, e.Key()) && !s.folder.exists(e.Path) })
	keepLocalPaths(entries, s.folder.State)
	for _, e := range entries {
		if e.Kind == api.ExportFile {
			continue
		}
		data, err := x.Data(e.ExportEntry)
		if err != nil {
			return err
		}
		if err := s.folder.keepBase(e, data); err != nil {
			return err
		}
	}
	state := &State{
		Space: x.Space, Title: x.Title, Revision: x.Revision, Number: x.Number, Entries: entries, Pages: x.Pages, Missing: missing,
	}
	if s.folder.State != nil {
		state.Commit, state.Moved = s.folder.State.Commit, s.folder.State.Moved
	}
	s.folder.State = state
	return nil
}

// keepLocalPaths gives entries the local paths that they have in a state, nil for none.
func keepLocalPaths(entries []Entry, in *State) {
	if in == nil {
		return
	}
	paths := map[string]string{}
	for _, e := range in.Entries {
		paths[e.Key()] = e.LocalPath
	}
	for i, e := range entries {
		if at := paths[e.Key()]; at != e.Path {
			entries[i].LocalPath = at
		}
	}
}

func isSummary(e Entry) bool { return e.Kind == api.ExportSummary }

// request returns the open change request of the folder, nil if it has none. A request that was archived is no base any more, and one
// that was merged has to be pulled first.
func (s *session) request() (*api.ChangeRequest, error) {
	if s.folder.State == nil || s.folder.State.Request == nil {
		return nil, nil //nolint:nilnil // none
	}
	r, err := s.client.ChangeRequests.Get(s.ctx(), s.ref(s.folder.State.Request.Number))
	if err != nil {
		return nil, err
	}
	return &r, nil
}

func isOpen(r *api.ChangeRequest) bool {
	return r != nil && slices.Contains([]api.ChangeRequestStatus{api.StatusDraft, api.StatusOpen}, r.Status)
}
