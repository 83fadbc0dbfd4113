package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/server/text/content"
)

const pullHelp = `Bring a folder to what its space has, and keep what was changed in the folder.

A folder is linked to a space by its first pull, or by its first push. Later pulls merge: a file that was changed on
one side only gets that side, and texts that were changed on both sides are merged sentence by sentence. What both
sides changed is marked in the file, as git does; edit the file, then push. Nothing that was not pulled or pushed
before is overwritten.

A folder with an open change request of its own is brought to the newest content of the request.

With --undo, the files are what they were before the last pull, unless the folder was pushed since. Files that were
changed since stay as they are. No server is asked.`

// pullOptions are the flags of pull.
type pullOptions struct {
	dryRun, undo bool
	take         string
}

// PullCommand returns the command pull. spaces completes the name of a space.
func PullCommand(a *app.App, spaces cobra.CompletionFunc) *cobra.Command {
	var o pullOptions
	cmd := &cobra.Command{
		Use: "pull [SPACE|REQUEST] [DIR]", Short: "Bring a folder to what its space or change request has", Long: pullHelp,
		Example: "  wsctl pull skylark-handbook\n  wsctl pull operations-runbook#2 review/\n  wsctl pull --dry-run",
		Args:    cobra.MaximumNArgs(2), ValidArgsFunction: thenDirectories(spaces),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.undo {
				return undoPull(a, args, o.dryRun)
			}
			return pull(a, cmd, args, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would be done")
	f.StringVar(&o.take, "take", "", "`side` of what both sides changed: folder or space (default: mark it in the files)")
	f.BoolVar(&o.undo, "undo", false, "undo the last pull: wsctl pull --undo [DIR]")
	cmd.MarkFlagsMutuallyExclusive("undo", "take")
	app.CompleteWords(cmd, "take", []string{string(TakeFolder), string(TakeSpace)})
	return cmd
}

// thenDirectories returns a completion of a first argument, followed by a directory.
func thenDirectories(first cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		return first(cmd, args, word)
	}
}

// parseSide parses the value of --take.
func parseSide(text string) (Side, error) {
	switch side := Side(text); side {
	case "", TakeFolder, TakeSpace:
		return side, nil
	}
	return "", app.Usagef("--take is %s or %s, not %q", TakeFolder, TakeSpace, text)
}

func pull(a *app.App, cmd *cobra.Command, args []string, o pullOptions) error {
	side, err := parseSide(o.take)
	if err != nil {
		return err
	}
	s, err := pullSession(a, cmd, args)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.restore(); err != nil {
		return err
	}
	s.folder.forgetTexts(s.unknown)
	return s.pull(o.dryRun, side)
}

// pullSession opens the folder that the arguments of pull name, and links a new one.
func pullSession(a *app.App, cmd *cobra.Command, args []string) (*session, error) {
	if len(args) == 0 {
		return openSession(a, cmd, ".")
	}
	if len(args) == 1 {
		if _, _, err := FindConfig(args[0]); err == nil && isDirectory(args[0]) {
			if reason := directoryReason(args[0]); reason != "" {
				return nil, app.Usagef("%s", reason)
			}
			return openSession(a, cmd, args[0])
		}
	}
	space, number, title, err := findTarget(a, cmd, args[0])
	if err != nil {
		return nil, err
	}
	dir := content.Slug(title)
	if number > 0 {
		dir += fmt.Sprintf("-%d", number)
	}
	if len(args) > 1 {
		dir = args[1]
	}
	s, err := openOrLink(a, cmd, dir, space)
	if err != nil || number == 0 {
		return s, err
	}
	if s.folder.State == nil {
		s.folder.State = &State{Space: space}
	}
	if known := s.folder.State.Request; known == nil || known.Number != number {
		s.folder.State.Request = &Request{Number: number, Pulled: true}
	}
	return s, nil
}

func openOrLink(a *app.App, cmd *cobra.Command, dir, space string) (*session, error) {
	config, at, err := FindConfig(dir)
	here, _ := filepath.Abs(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && at != here:
		entries, err := os.ReadDir(dir)
		if err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return !isUnfinishedData(e.Name()) }) {
			return nil, app.Usagef("%s is not empty, and linked to no space", dir).
				WithHint("wsctl push %s --space %s  to send what it has; or another directory", dir, space)
		}
		return link(a, cmd, dir, space, "")
	case err != nil:
		return nil, err
	case config.Space != space:
		return nil, app.Usagef("%s is linked to another space", dir).WithHint("pull into another directory")
	}
	return openSession(a, cmd, dir)
}

// isUnfinishedData reports whether a name is that of something that a first pull which was interrupted has left in a directory.
func isUnfinishedData(name string) bool { return name == dataName || isTemporary(name) }

func isDirectory(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// findTarget returns the space, and the number of the change request or 0, that a name stands for.
func findTarget(a *app.App, cmd *cobra.Command, name string) (space string, number int, title string, err error) {
	names := resolve.New(a, cmd)
	spaceName := name
	if before, after, ok := strings.Cut(name, "#"); ok && before != "" {
		if _, err := fmt.Sscanf(after, "%d", &number); err != nil || number <= 0 {
			return "", 0, "", app.Usagef("%q names no change request: it is SPACE#NUMBER", name)
		}
		spaceName = before
	}
	if space, err = names.Find("space", spaceName); err != nil {
		return "", 0, "", err
	}
	c, err := a.Client(cmd)
	if err != nil {
		return "", 0, "", err
	}
	found, err := c.Spaces.Get(cmd.Context(), api.GetSpaceInput{Space: space})
	return space, number, found.Title, err
}

// pull pulls the newest content of the change request of the folder, or of its space.
func (s *session) pull(dryRun bool, take Side) error {
	number, labels, err := s.pullTarget(dryRun)
	if err != nil {
		return err
	}
	x, err := s.export(number, "")
	if err != nil {
		return err
	}
	if number == 0 && s.folder.State != nil && s.folder.State.Revision != x.Revision {
		if _, err := s.followBuilds(); err != nil {
			return err
		}
	}
	if err := s.pullExport(x, number, labels, dryRun, take); err != nil {
		return err
	}
	if s.isBehind {
		return &app.ConflictError{
			Message: fmt.Sprintf("#%d has the changes of others, and is in conflict with the space, too", number), Hint: "wsctl pull",
		}
	}
	return nil
}

// pullTarget returns the number of the change request to pull, 0 for the space, and the labels of conflicts. The request is brought
// to the newest content of its space first.
func (s *session) pullTarget(dryRun bool) (number int, labels Labels, err error) {
	labels = Labels{Ours: oursLabel, Theirs: spaceLabel}
	if s.folder.State != nil {
		labels.Base = baseLabel(s.folder.State)
	}
	request, err := s.request()
	if err != nil {
		return 0, labels, err
	}
	if !isOpen(request) {
		if request != nil {
			s.app.Infof("#%d is %s: the folder is brought to the space", request.Number, request.Status)
			if request.Status == api.StatusArchived { // what was pushed to it are changes of the folder again
				if err := s.adopt(s.folder.State.Revision); err != nil {
					return 0, labels, err
				}
			}
			s.folder.State.Request = nil
		}
		return 0, labels, nil
	}
	known := s.folder.State.Request
	if known.IsMerged {
		if request.Revision == known.Revision {
			s.merged = known
			return 0, labels, nil
		}
		if err := s.adopt(known.Revision); err != nil { // what others have changed in the request since is merged first
			return 0, labels, err
		}
		s.folder.State.Request = &Request{Number: known.Number, Revision: known.Revision}
	}
	isUpdated := request.Outdated && !s.folder.State.Request.Pulled && request.Pushing == nil
	if s.isOutdated = isUpdated && dryRun; isUpdated && !dryRun {
		result, err := s.client.ChangeRequests.Pull(s.ctx(), api.PullInput{ChangeRequestRef: s.ref(request.Number)})
		if err != nil {
			return 0, labels, err
		}
		if len(result.Conflicts) > 0 && request.Revision == known.Revision {
			return 0, labels, s.mergeSpace(request)
		}
		s.isBehind = len(result.Conflicts) > 0
	}
	labels.Theirs = fmt.Sprintf("#%d", request.Number)
	return request.Number, labels, nil
}

// mergeSpace prepares the pull of the space into the files of a folder whose change request is in conflict with it: the files become
// changes of the revision that the request is based on.
func (s *session) mergeSpace(request *api.ChangeRequest) error {
	known := *s.folder.State.Request
	known.IsMerged = true
	if err := s.adopt(cmp.Or(request.RevisionMergedAncestor, request.RevisionInitial)); err != nil {
		return err
	}
	s.merged = &known
	return nil
}

// pullExport merges an export into the folder and reports what was done.
func (s *session) pullExport(x *Export, number int, labels Labels, dryRun bool, take Side) error {
	if state := s.folder.State; state != nil && state.Request != nil && state.Request.Unfinished && number > 0 {
		x.keepSummary(state)
	}
	scan, err := s.folder.Scan(s.app.Now())
	if err != nil {
		return err
	}
	p, err := s.folder.PlanPull(s.ctx(), x, scan, labels, take)
	if err != nil {
		return err
	}
	s.setBase(p.State(), x, number)
	if dryRun {
		p.useLocalLines()
	} else {
		if err := s.folder.makeData(); err != nil {
			return err
		}
		if err := s.folder.writeConfig(x.Title); err != nil {
			return err
		}
		left, err := s.folder.Apply(p)
		if err != nil {
			return err
		}
		for _, at := range left {
			p.Results = append(p.Results, Result{Outcome: Conflicted, Path: at, Reason: "it was changed while it was pulled; pull again"})
		}
	}
	return s.reportPull(p, x, dryRun)
}

// setBase completes the state after a pull of a change request: its space's revision is the one that the request is based on.
func (s *session) setBase(state *State, x *Export, number int) {
	if s.folder.State != nil {
		state.Commit, state.Moved = s.folder.State.Commit, s.folder.State.Moved
	}
	if number == 0 {
		state.Request = s.merged
		return
	}
	state.Request = &Request{Number: number, Revision: x.Revision}
	if old := s.folder.State; old != nil && old.Request != nil {
		state.Request.Pulled, state.Request.Unfinished = old.Request.Pulled, old.Request.Unfinished
	} else {
		state.Request.Pulled = true
	}
	if r, err := s.client.ChangeRequests.Get(s.ctx(), s.ref(number)); err == nil {
		state.Revision = r.RevisionInitial
		if r.RevisionMergedAncestor != "" {
			state.Revision = r.RevisionMergedAncestor
		}
	}
}

// printResults prints what was done to each file.
func printResults(a *app.App, results []Result) error {
	printer, err := a.Printer(app.ParseColumns("outcome,path,was,line,reason"))
	if err != nil {
		return err
	}
	if results == nil {
		results = []Result{}
	}
	if a.Format() != app.FormatAuto || !a.OutTerminal {
		return app.PrintItems(printer, results)
	}
	if len(results) == 0 {
		return nil
	}
	return a.PrintText(strings.TrimSuffix(formatResults(results), "\n"))
}

// reportPull prints what a pull did.
func (s *session) reportPull(p *Pull, x *Export, dryRun bool) error {
	if err := printResults(s.app, p.Results); err != nil {
		return err
	}
	for _, note := range x.Notes {
		s.app.Infof("note: %s", note)
	}
	if s.isOutdated {
		s.app.Infof("the space was changed since #%d was based on it; a pull merges that into #%d first, which this does not show",
			x.ChangeRequest, x.ChangeRequest)
	}
	where := fmt.Sprintf("%s, revision %d", x.Title, x.Number)
	if x.ChangeRequest > 0 {
		where = fmt.Sprintf("#%d of %s", x.ChangeRequest, x.Title)
	}
	conflicts := p.Conflicts()
	switch {
	case len(conflicts) > 0:
		return conflictsError(conflicts, dryRun)
	case len(p.Results) == 0:
		s.app.Donef(dryRun, "Nothing to pull: the folder has what %s has", where)
	case dryRun:
		s.app.Infof("dry run: nothing was changed; %s would be pulled", where)
	default:
		s.app.Donef(false, "Pulled %s: %s", where, countResults(p.Results))
	}
	return nil
}

// maxShownConflicts limits how many conflicts are named in a message.
const maxShownConflicts = 3

// conflictsError returns the error of a pull with conflicts, which says how they are decided.
func conflictsError(conflicts []Result, dryRun bool) error {
	var hints []string
	isMarked, isUndecided := false, false
	for _, c := range conflicts {
		isMarked = isMarked || c.Line > 0
		isUndecided = isUndecided || c.IsUndecided
	}
	switch {
	case dryRun:
		hints = append(hints, pullHint)
	case isMarked:
		hints = append(hints, "edit the files, then: wsctl push; or undo the pull: wsctl pull --undo")
	}
	if isUndecided && !dryRun {
		hints = append(hints, "decide them: wsctl pull --take folder|space")
	}
	return &app.ConflictError{
		Message: app.Pluralize(len(conflicts), "conflict") + ": " + describeResults(conflicts),
		Hint:    strings.Join(hints, "; "),
	}
}

// pullHint says what becomes of conflicts that were found without changing a file.
const pullHint = "wsctl pull merges the rest and marks these places in the files"

// describeResults names the first of some results.
func describeResults(results []Result) string {
	var shown []string
	for _, r := range results[:min(len(results), maxShownConflicts)] {
		shown = append(shown, describeResult(r))
	}
	if more := len(results) - maxShownConflicts; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return strings.Join(shown, ", ")
}

func describeResult(r Result) string {
	if r.Line > 0 {
		return fmt.Sprintf("%s:%d", r.Path, r.Line)
	}
	return r.Path + ": " + r.Reason
}

// marks are the signs of outcomes and kinds in tables for people.
func markOf(what string) string {
	switch what {
	case string(Created):
		return "+"
	case string(Removed):
		return "-"
	case string(Renamed):
		return ">"
	case string(Conflicted):
		return "!"
	}
	return "~"
}

func formatResults(results []Result) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "  %s %s", markOf(string(r.Outcome)), app.SanitizeLine(r.Path))
		switch {
		case r.Was != "":
			fmt.Fprintf(&b, "  was %s", app.SanitizeLine(r.Was))
		case r.Line > 0:
			fmt.Fprintf(&b, ":%d  changed on both sides", r.Line)
		case r.Reason != "":
			fmt.Fprintf(&b, "  %s", app.SanitizeLine(r.Reason))
		case r.Outcome == Merged:
			b.WriteString("  merged")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func countResults(results []Result) string {
	counts := map[Outcome]int{}
	for _, r := range results {
		counts[r.Outcome]++
	}
	var parts []string
	for _, outcome := range []Outcome{Created, Updated, Merged, Renamed, Removed} {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	return strings.Join(parts, ", ")
}
