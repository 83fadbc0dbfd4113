package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/server/text/content"
)

const exportHelp = `Write a space, a change request or all spaces of the organization as folders of Markdown, as pull writes them,
with a manifest of ids and hashes. Nothing that is there is overwritten. A folder that is to be edited and sent back
is made with wsctl pull.

With --history, the revisions, change requests, reviews and comments of each space are written as JSON lines, to
` + historyName + ` in its folder, or beside its archive.`

// exportOptions are the flags of export.
type exportOptions struct{ all, archive, history bool }

// ExportCommand returns the command export. spaces completes the name of a space.
func ExportCommand(a *app.App, spaces cobra.CompletionFunc) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use: "export [SPACE|REQUEST] DIR", Short: "Write spaces as folders of Markdown", Long: exportHelp,
		Example: "  wsctl export skylark-handbook handbook/\n  wsctl export skylark-handbook handbook.zip --zip\n" +
			"  wsctl export --all backup/ --history",
		Args: cobra.RangeArgs(1, 2), ValidArgsFunction: thenDirectories(spaces),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.all && len(args) != 1:
				return app.Usagef("--all takes DIR alone")
			case !o.all && len(args) != 2:
				return app.Usagef("SPACE and DIR are needed, or --all and DIR")
			case o.all:
				return exportAll(a, cmd, args[0], o)
			}
			return exportOne(a, cmd, args[0], args[1], o)
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "all spaces that you can read, each in a directory of its own")
	cmd.Flags().BoolVar(&o.archive, "zip", false, "write zip archives instead of folders")
	cmd.Flags().BoolVar(&o.history, "history", false, "also write revisions, change requests, reviews and comments, as JSON lines")
	return cmd
}

func exportOne(a *app.App, cmd *cobra.Command, name, to string, o exportOptions) error {
	space, number, title, err := findTarget(a, cmd, name)
	if err != nil {
		return err
	}
	if number > 0 && o.history {
		return app.Usagef("--history is that of a space: %s names a change request", name)
	}
	c, err := a.Client(cmd)
	if err != nil {
		return err
	}
	s := &session{app: a, cmd: cmd, client: c, folder: &Folder{Config: Config{Space: space}}}
	counts, err := s.exportTo(number, to, o)
	if err != nil {
		return err
	}
	a.Donef(false, "Exported %s to %s: %s", title, to, counts.describe(o))
	return nil
}

// exportCounts are the numbers of what was exported.
type exportCounts struct {
	files   int
	history historyCounts
}

// describe returns the counts for people.
func (c exportCounts) describe(o exportOptions) string {
	files := app.Pluralize(c.files, "file")
	if o.history {
		return files + ", " + c.history.String()
	}
	return files
}

// exportTo writes an export to a directory or an archive, and its history into the directory or beside the archive.
func (s *session) exportTo(number int, to string, o exportOptions) (counts exportCounts, err error) {
	history := filepath.Join(to, historyName)
	if o.archive {
		history = strings.TrimSuffix(to, ".zip") + ".history.jsonl"
		counts.files, err = s.exportArchive(number, to)
	} else {
		counts.files, err = s.exportFolder(number, to)
	}
	if err != nil || !o.history {
		return counts, err
	}
	counts.history, err = s.exportHistory(history)
	return counts, err
}

func (s *session) exportFolder(number int, to string) (files int, err error) {
	x, err := s.export(number, "")
	if err != nil {
		return 0, err
	}
	return len(x.Entries), x.writeTo(to)
}

func (s *session) exportArchive(number int, to string) (int, error) {
	a, err := s.download(number, "")
	if err != nil {
		return 0, err
	}
	x, err := ReadExport(a)
	if err != nil {
		return 0, err
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // documentation
	if errors.Is(err, fs.ErrExist) {
		return 0, app.Usagef("%s exists; nothing is overwritten", to)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", to, err)
	}
	_, err = file.WriteString(a.Data())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return 0, fmt.Errorf("write %s: %w", to, err)
	}
	return len(x.Entries), nil
}

// writeTo writes the files and the manifest of an export to a directory that is empty or does not exist.
func (x *Export) writeTo(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return app.Usagef("%s is not empty; nothing is overwritten", dir)
	}
	if err := makeDirectory(dir); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("open %s: %w", dir, err)
	}
	defer func() { _ = root.Close() }() // only read from
	f := &Folder{}
	for _, e := range x.Entries {
		if e.SHA256 == "" {
			continue
		}
		data, err := x.Data(e)
		if err != nil {
			return err
		}
		if err := f.write(root, e.Path, data); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(x.ExportManifest, "", "  ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return f.write(root, api.ManifestName, append(data, '\n'))
}

// exportAll exports all spaces of the organization.
func exportAll(a *app.App, cmd *cobra.Command, dir string, o exportOptions) error {
	organization, err := resolve.New(a, cmd).Organization()
	if err != nil {
		return err
	}
	c, err := a.Client(cmd)
	if err != nil {
		return err
	}
	if err := makeDirectory(dir); err != nil {
		return err
	}
	taken := map[string]bool{}
	spaces, counts := 0, exportCounts{}
	in := api.ListSpacesInput{Organization: organization, ListOptions: api.ListOptions{Limit: api.Some(100)}}
	for {
		list, err := c.Spaces.List(cmd.Context(), in)
		if err != nil {
			return err
		}
		for _, space := range list.Items {
			name := content.Slug(space.Title)
			if name == "" || taken[name] {
				name = strings.Trim(name+"-"+space.ID, "-")
			}
			taken[name] = true
			if o.archive {
				name += ".zip"
			}
			s := &session{app: a, cmd: cmd, client: c, folder: &Folder{Config: Config{Space: space.ID}}}
			n, err := s.exportTo(0, filepath.Join(dir, name), o)
			if err != nil {
				return fmt.Errorf("%s: %w", space.Title, err)
			}
			spaces++
			counts = exportCounts{counts.files + n.files, counts.history.plus(n.history)}
		}
		if list.Next == nil {
			break
		}
		in.Page = list.Next.Page
	}
	a.Donef(false, "Exported %s to %s: %s", app.Pluralize(spaces, "space"), dir, counts.describe(o))
	return nil
}
