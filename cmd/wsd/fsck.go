package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/repair"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
)

// fsckCommand holds the flags of `wsd fsck`.
type fsckCommand struct {
	options fsck.Options
	yes     bool
	output  string
}

func newFsckCmd(ctx context.Context, cfg *config) *cobra.Command {
	f := &fsckCommand{}
	cmd := &cobra.Command{
		Use: "fsck", Short: "Check every invariant of the stored data", Args: noArgs,
		Long: `wsd fsck checks every invariant of the stored data, and says of content that cannot be read which page, file and
revision it is and who wrote it. It may run beside a serving wsd.

With --repair it derives again what is derived, and mends content: what is missing goes back to its last readable
state, all else stays as it is, and what is readable of it elsewhere is kept as a draft change request. A hostname
or an e-mail address that several have is left to the one that has it longest; the output names them. Where
something that people wrote is lost, it asks first; without a terminal it takes --yes.

With WSD_SECRET and WSD_ENCRYPTION_KEY of the server it also opens every sealed value and compares every link with them.`,
		Example: "  wsd fsck\n  wsd fsck --repair",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return f.run(ctx, cmd, s, cfg.secretSettings()) })
		},
	}
	cmd.Flags().BoolVar(&f.options.Repair, "repair", false, "derive again what is derived, and mend content that cannot be read")
	cmd.Flags().BoolVar(&f.options.GC, "gc", false, "remove objects that nothing refers to")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --repair: give up what cannot be read, without asking")
	cmd.Flags().StringVarP(&f.output, "output", "o", "text", "text or json")
	return cmd
}

var errNotClean = errors.New("the data is not clean")

func (f *fsckCommand) run(ctx context.Context, cmd *cobra.Command, s *store.Store, secrets auth.SecretSettings) error {
	var confirm repair.ConfirmFunc
	if !f.yes {
		confirm = func(damages []repair.Damage, lost int) error { return confirmLoss(ctx, cmd, damages, lost) }
	}
	found, err := repair.Check(ctx, s, f.options, confirm)
	if err != nil {
		return err
	}
	sealed, err := auth.InspectSecrets(ctx, s, secrets)
	if err != nil {
		return err
	}
	found.Findings, found.Notes = append(found.Findings, sealed.Findings...), append(found.Notes, sealed.Lines()...)
	if err := f.print(cmd.OutOrStdout(), found); err != nil {
		return err
	}
	if !found.Clean() {
		return errNotClean
	}
	return nil
}

// confirmLoss lists unreadable content and asks for confirmation that it is lost. It returns an error if the answer is no or
// there is no terminal.
func confirmLoss(ctx context.Context, cmd *cobra.Command, damages []repair.Damage, lost int) error {
	w := cmd.ErrOrStderr()
	for _, d := range damages {
		fmt.Fprintln(w, d)
	}
	refusal := api.Errorf(http.StatusConflict, api.ReasonState, "%d things that people wrote cannot be read any more; nothing was changed",
		lost)
	question := fmt.Sprintf("Give up the %d things that are lost, and go on with the rest?", lost)
	err := confirm(ctx, cmd, question, refusal.WithHint("Look at the list; with --yes they are given up."))
	if errors.Is(err, errDeclined) {
		return refusal
	}
	return err
}

func (f *fsckCommand) print(w io.Writer, r repair.Result) error {
	if f.output == "json" {
		return writeJSON(w, map[string]any{
			"organizations": r.Organizations, "records": r.Records, "objects": r.Objects,
			"removed": r.Removed, "findings": findingLines(r.Report), "damages": r.Damages, "drafts": r.Drafts,
			"notes": append([]string{}, r.Notes...),
		})
	}
	for _, line := range r.Lines() {
		fmt.Fprintln(w, line)
	}
	_, err := fmt.Fprintf(w, "%d organizations, %d records, %d objects; %d findings\n",
		r.Organizations, r.Records, r.Objects, len(r.Findings))
	return err
}

// findingLines returns the findings as one line each.
func findingLines(r fsck.Report) []string {
	lines := make([]string, len(r.Findings))
	for i, f := range r.Findings {
		lines[i] = f.String()
	}
	return lines
}
