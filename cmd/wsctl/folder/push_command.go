package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/server/text/dialects"
)

const pushHelp = `Send this folder's changes to its space, as one change request.

The folder is compared with what it was last pulled from or pushed to, and only what differs is sent. A page stays the
same page when its file is renamed or moved: comments and history go along. If the space changed the same sentence
meanwhile, nothing is sent: pull, decide in the file, push again. The next push updates the same change request until
it is merged or archived; if the space is in conflict with that, it is not merged before a pull.

The first push links the folder to a space. A link to a file that was moved stays as it is, unless --fix-links is given.

With --check [PATH...], nothing is sent and no server is asked: it lists by file and line what a push would refuse or
lose, such as links that lead nowhere, and as notes what stays text.`

// pushOptions are the flags of push.
type pushOptions struct {
	PushOptions

	check, dryRun, merge, yes, exitCode, newRequest, fixLinks bool
	message, space, take                                      string
	ask                                                       []string // as given; ids from push on
}

// PushCommand returns the command push.
func PushCommand(a *app.App) *cobra.Command {
	var o pushOptions
	cmd := &cobra.Command{
		Use: "push [DIR]", Short: "Send a folder's changes to its space, as one change request", Long: pushHelp,
		Example: "  wsctl push\n  wsctl push --space skylark-handbook --dry-run\n  wsctl push --check docs\n" +
			"  wsctl push --merge --message \"Release 2.4\" --no-input",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.check {
				return nil
			}
			return cobra.MaximumNArgs(1)(cmd, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			if o.check {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completeDirectories(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.check {
				return check(a, cmd, args)
			}
			return push(a, cmd, args, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.check, "check", false, "only check all files, or those at the given paths, without a server: exit code 7 for errors")
	f.BoolVar(&o.Delete, "delete", false, "also delete pages and files that the folder no longer has")
	f.StringArrayVar(&o.Only, "only-path", nil, "send only paths that match `pattern`, as in 'station/**' (repeatable)")
	f.StringVarP(&o.message, "message", app.FlagShorthand("message"), "", "`subject` of the change request")
	f.StringSliceVar(&o.ask, "ask", nil, "ask these `people` to review the change request, which opens it: names, e-mail addresses or ids")
	f.BoolVar(&o.fixLinks, "fix-links", false, "also change the links of the folder's files to those that were moved")
	f.BoolVar(&o.newRequest, "new-request", false, "make another change request, and leave the folder's own as it is")
	f.BoolVar(&o.merge, "merge", false, "merge the change request, if the rules of the space allow it")
	f.StringVar(&o.space, "space", "", "link the folder to this `space` (first push)")
	f.StringVar(&o.take, "take", "", "`side` where both differ and no common text is known: folder or space")
	f.BoolVar(&o.dryRun, "dry-run", false, "only list what would be sent")
	f.BoolVar(&o.exitCode, "exit-code", false, "with --dry-run: exit code 7 if something would be sent")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	app.CompleteWords(cmd, "take", []string{string(TakeFolder), string(TakeSpace)})
	return cmd
}

func completeDirectories(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func push(a *app.App, cmd *cobra.Command, args []string, o pushOptions) error {
	side, err := parseSide(o.take)
	if err != nil {
		return err
	}
	if o.exitCode && !o.dryRun {
		return app.Usagef("--exit-code goes with --dry-run")
	}
	if o.merge && len(o.ask) > 0 {
		return app.Usagef("--ask and --merge exclude each other: what is merged needs no review")
	}
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	s, err := pushSession(a, cmd, dir, o.space)
	if err != nil {
		return err
	}
	defer s.close()
	names := resolve.New(a, cmd)
	for i, name := range o.ask {
		if o.ask[i], err = names.Find("user", name); err != nil {
			return err
		}
	}
	return s.push(o, side)
}

// pushSession opens the folder at dir, and links it if it is not linked yet.
func pushSession(a *app.App, cmd *cobra.Command, dir, space string) (*session, error) {
	_, _, err := FindConfig(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		if reason := directoryReason(dir); reason != "" {
			return nil, app.Usagef("%s", reason)
		}
		return openSession(a, cmd, dir)
	}
	if space == "" {
		return nil, app.Usagef("%s is linked to no space", dir).WithHint("wsctl push %s --space SPACE", dir)
	}
	if !isDirectory(dir) {
		return nil, app.Usagef("%s is no directory", dir)
	}
	id, _, _, err := findTarget(a, cmd, space)
	if err != nil {
		return nil, err
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	return link(a, cmd, dir, id, findRoot(at))
}

func (s *session) push(o pushOptions, take Side) error {
	request, err := s.prepare(o, take)
	if err != nil {
		return err
	}
	scan, differences, err := s.differences(o)
	if err != nil {
		return err
	}
	p, err := s.folder.PlanPush(differences, o.PushOptions)
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return s.refusal(refused)
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(differences, addsPage) {
		for _, o := range s.folder.unreadOrder(scan, dialects.FindSummary(slices.Collect(maps.Keys(scan.Files)))) {
			p.Notes = append(p.Notes, o.path+": "+o.message())
		}
	}
	if err := s.reportPlan(p); err != nil {
		return err
	}
	if p.IsEmpty() {
		return s.endEmpty(request, o)
	}
	if err := s.checkSpace(scan); err != nil {
		return err
	}
	if o.dryRun {
		s.app.Infof("dry run: nothing was sent")
		if o.exitCode {
			return app.ErrDiffers
		}
		return nil
	}
	if err := s.confirm(p, request, o.yes); err != nil {
		return err
	}
	return s.sendAll(p, request, o)
}

// differences returns the files of the folder and what differs from its state, after the links to moved files are fixed if that is
// wanted.
func (s *session) differences(o pushOptions) (scan Scan, differences []Difference, err error) {
	if scan, err = s.folder.Scan(s.app.Now()); err != nil {
		return scan, nil, err
	}
	for _, skipped := range scan.Skipped {
		s.app.Infof("not sent: %s", skipped)
	}
	differences, ambiguous, err := s.folder.Compare(scan)
	if err != nil {
		return scan, nil, err
	}
	for _, at := range ambiguous {
		s.app.Infof("%s could be several pages that are missing; it becomes a new one", at)
	}
	isFixed := o.fixLinks && !o.dryRun
	links, err := s.folder.fixLinks(scan, differences, isFixed)
	if err != nil {
		return scan, nil, err
	}
	s.reportLinks(links, o)
	if len(links) == 0 || !isFixed {
		return scan, differences, nil
	}
	if scan, err = s.folder.Scan(s.app.Now()); err != nil {
		return scan, nil, err
	}
	differences, _, err = s.folder.Compare(scan)
	return scan, differences, err
}

// addsPage reports whether a difference is a new page or another path of a page.
func addsPage(d Difference) bool { return isText(d.File.Path) && (d.Kind == Added || d.Kind == Moved) }

// refusal prints why files cannot be sent, and returns the error of the push.
func (s *session) refusal(e *RefusedError) error {
	if len(e.Refusals) == 1 {
		return &app.ConflictError{Message: "not pushed: " + e.Refusals[0].String()}
	}
	for _, refusal := range e.Refusals {
		s.app.Infof("  %s", app.SanitizeLine(refusal.String()))
	}
	return &app.ConflictError{Message: "not pushed: " + app.Pluralize(len(e.Refusals), "file") + " cannot be sent"}
}

// checkSpace returns an error if the space has changed the same sentences since the revision that the folder is based on.
func (s *session) checkSpace(scan Scan) error {
	if s.folder.State.Request != nil { // the entries are those of the request: its merge decides
		return nil
	}
	head, err := s.newest()
	if err != nil || head.ID == s.folder.State.Revision {
		return err
	}
	if paths, err := s.followBuilds(); err != nil || len(paths) > 0 {
		return buildsError(paths, err)
	}
	x, err := s.export(0, "")
	if err != nil {
		return err
	}
	p, err := s.folder.PlanPull(s.ctx(), x, scan, Labels{}, "")
	if err != nil {
		return err
	}
	p.useLocalLines()
	conflicts := p.Conflicts()
	switch {
	case len(conflicts) > 0:
	case len(p.AddedTwice) > 0:
		return &app.ConflictError{
			Message: "not pushed: new here and in the space: " + strings.Join(p.AddedTwice, ", "), Hint: "wsctl pull",
		}
	default:
		return nil
	}
	return &app.ConflictError{
		Message: "not pushed: the same was changed here and in the space: " + describeResults(conflicts), Hint: pullHint,
	}
}

// reportPlan prints what a push sends.
func (s *session) reportPlan(p *Push) error {
	if p.Changes == nil {
		p.Changes = []Change{}
	}
	for _, note := range p.Notes {
		s.app.Infof("note: %s", note)
	}
	if s.app.Format() != app.FormatAuto || !s.app.OutTerminal {
		printer, err := s.app.Printer(app.ParseColumns("kind,path,id,was"))
		if err != nil {
			return err
		}
		if err := app.PrintItems(printer, p.Changes); err != nil {
			return err
		}
	} else {
		for _, c := range p.Changes {
			line := fmt.Sprintf("  %s %s", markOf(string(c.Kind)), app.SanitizeLine(c.Path))
			if c.Was != "" {
				line += "  was " + app.SanitizeLine(c.Was) + "; the same page"
			}
			if err := s.app.PrintText(line); err != nil {
				return err
			}
		}
	}
	if n := len(p.Stays); n > 0 {
		s.app.Infof("only in the space: %s, which --delete removes", app.Pluralize(n, "file"))
	}
	return nil
}

func (s *session) endEmpty(request *api.ChangeRequest, o pushOptions) error {
	if request != nil && s.folder.State.Request.Unfinished && !o.dryRun {
		if request.Pushing != nil {
			if err := s.finish(request); err != nil {
				return err
			}
		}
		s.folder.State.Request.Unfinished, s.folder.State.Creation, s.folder.State.Commit = false, nil, s.git.Commit
	}
	if !o.dryRun {
		s.folder.noteTimes(s.folder.State.Entries)
		if err := s.folder.saveState(); err != nil {
			return err
		}
		if err := s.folder.writeConfig(s.folder.State.Title); err != nil {
			return err
		}
	}
	if request != nil {
		s.app.Donef(o.dryRun, "Nothing to push: the folder has what #%d has", request.Number)
		switch {
		case o.dryRun:
			return nil
		case o.merge:
			return s.merge(request)
		}
		return s.requestReview(request, o.ask)
	}
	if len(o.ask) > 0 {
		return app.Usagef("nobody was asked: the folder has nothing to push and no change request")
	}
	head, err := s.newest()
	if err != nil {
		return err
	}
	if head.ID != s.folder.State.Revision {
		s.app.Donef(o.dryRun, "Nothing to push; %s is at revision %d by now: wsctl pull", s.folder.State.Title, head.Number)
		return nil
	}
	s.app.Donef(o.dryRun, "Nothing to push: the folder has what %s has", s.folder.State.Title)
	return nil
}

// confirm asks before the first push and before deletions, at a terminal.
func (s *session) confirm(p *Push, request *api.ChangeRequest, yes bool) error {
	deletes := slices.ContainsFunc(p.Changes, func(c Change) bool { return c.Kind == Deleted })
	_, _, err := FindConfig(s.dir)
	first := errors.Is(err, fs.ErrNotExist)
	if yes || !first && !deletes || !s.app.CanPrompt() {
		return nil
	}
	what := "Open a change request in " + s.folder.State.Title
	if request != nil {
		what = fmt.Sprintf("Update #%d", request.Number)
	}
	_, _ = fmt.Fprintf(s.app.Err, "%s with %s? [y/N] ", what, app.Pluralize(len(p.Changes), "change")) // the answer is read in any case
	answer, err := s.app.ReadLine(s.ctx())
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return app.Usagef("not pushed: declined")
	}
	return nil
}

// sendAll sends a push and merges it if that is wanted.
func (s *session) sendAll(p *Push, request *api.ChangeRequest, o pushOptions) error {
	updated := request != nil
	request, err := s.begin(request, s.subject(o.message))
	if err != nil {
		return err
	}
	s.folder.State.Request = &Request{Number: request.Number, Revision: request.Revision, Unfinished: true}
	if err := errors.Join(s.folder.dropUndo(), s.folder.saveState()); err != nil {
		return err
	}
	ids := map[string]string{}
	if err := s.send(p, request, ids); err != nil {
		return err
	}
	if request.Pushing != nil {
		if err := s.finish(request); err != nil {
			return err
		}
	}
	if err := s.record(p, request, ids); err != nil {
		return err
	}
	verb, next := "Made", ""
	if updated {
		verb = "Updated"
		if subject := s.subject(o.message); o.message != "" && subject != request.Subject {
			s.app.Infof("#%d keeps its subject; wsctl change-requests update %d --space %s --subject changes it", request.Number,
				request.Number, s.space())
		}
	}
	if !o.merge {
		next = "; the space is unchanged"
	}
	s.app.Donef(false, "%s #%d “%s” in %s, %s: %s%s", verb, request.Number, request.Subject, s.folder.State.Title, request.Status,
		app.Pluralize(len(p.Changes), "change"), next)
	if o.merge {
		return s.merge(request)
	}
	return s.requestReview(request, o.ask)
}

// requestReview asks users to review the change request of the folder, which opens it.
func (s *session) requestReview(request *api.ChangeRequest, users []string) error {
	if len(users) == 0 {
		return nil
	}
	result, err := s.client.ChangeRequests.RequestReview(s.ctx(), api.RequestReviewInput{
		ChangeRequestRef: s.ref(request.Number), Body: api.ReviewRequest{Users: users},
	})
	if err != nil {
		return err
	}
	var names []string
	for _, r := range result.Users {
		names = append(names, r.User.DisplayName)
	}
	s.app.Donef(false, "Asked %s to review #%d", strings.Join(names, ", "), request.Number)
	return nil
}

// merge merges the change request of the folder and brings the folder to the space. Broken links are reported, and stop the merge only if
// the rules of the space say so.
func (s *session) merge(request *api.ChangeRequest) error {
	if err := s.reportBrokenLinks(request); err != nil {
		return err
	}
	result, err := s.client.ChangeRequests.Merge(s.ctx(), api.MergeInput{ChangeRequestRef: s.ref(request.Number)})
	if err != nil {
		wrong, ok := api.AsError(err)
		if ok && wrong.Reason == api.ReasonState {
			changes, err := s.client.ChangeRequests.GetChanges(s.ctx(), api.ChangeRequestChangesInput{
				ChangeRequestRef: s.ref(request.Number),
			})
			if err == nil && len(changes.Changes) == 0 {
				return s.archive(request)
			}
		}
		if ok && wrong.Code/100 == 4 {
			return &app.ConflictError{
				Message: fmt.Sprintf("#%d “%s” is not merged: %s", request.Number, request.Subject, wrong.Message),
				Hint:    "the change request stays; the next push updates it",
			}
		}
		return err
	}
	if n := len(result.Conflicts); n > 0 {
		return &app.ConflictError{
			Message: fmt.Sprintf("#%d “%s” is not merged: %s with the space", request.Number, request.Subject,
				app.Pluralize(n, "conflict")),
			Hint: "wsctl pull",
		}
	}
	s.app.Donef(false, "Merged #%d", request.Number)
	s.folder.State.Request = nil
	return s.pull(false, "")
}

// reportBrokenLinks says which links the merge of a change request breaks.
func (s *session) reportBrokenLinks(request *api.ChangeRequest) error {
	merge, err := s.client.ChangeRequests.GetMergeability(s.ctx(), s.ref(request.Number))
	if err != nil {
		return err
	}
	for _, g := range merge.Rules {
		if g.Rule == api.GateLinks && g.State == api.GateAdvice {
			s.app.Infof("note: #%d: %s wsctl push --check lists them", request.Number, app.SanitizeLine(g.Message))
		}
	}
	return nil
}

// archive archives the change request of the folder, which changes nothing any more.
func (s *session) archive(request *api.ChangeRequest) error {
	_, err := s.client.ChangeRequests.Update(s.ctx(), api.UpdateChangeRequestInput{
		ChangeRequestRef: s.ref(request.Number), Body: api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)},
	})
	if err != nil {
		return err
	}
	s.app.Donef(false, "Archived #%d, which changes nothing any more", request.Number)
	s.folder.State.Request = nil
	return s.pull(false, "")
}
