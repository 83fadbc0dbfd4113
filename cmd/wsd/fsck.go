package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/repair"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
)

// fsckCommand is a run of `wsd fsck`.
type fsckCommand struct {
	options fsck.Options
	yes     bool
	output  string
}

func newFsckCmd(ctx context.Context, cfg *config) *cobra.Command {
	f := &fsckCommand{}
	cmd := &cobra.Command{
		Use: "fsck", Short: "Check every invariant of the stored data", Args: cobra.NoArgs,
		Long: `wsd fsck checks every invariant of the stored data, and says of content that cannot be read which page, file and
revision it is and who wrote it. It may run beside a serving wsd.

With --repair it derives again what is derived, and mends content: what is missing goes back to its last readable
state, all else stays as it is, and what is readable of it elsewhere is kept as a draft change request. Where
something that people wrote is lost, it asks first; without a terminal it takes --yes.`,
		Example: "  wsd fsck\n  wsd fsck --repair",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return f.run(ctx, cmd, s) })
		},
	}
	cmd.Flags().BoolVar(&f.options.Repair, "repair", false, "derive again what is derived, and mend content that cannot be read")
	cmd.Flags().BoolVar(&f.options.GC, "gc", false, "remove objects that nothing refers to")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "with --repair: give up what cannot be read, without asking")
	cmd.Flags().StringVarP(&f.output, "output", "o", "text", "text or json")
	return cmd
}

var errNotClean = errors.New("the data is not clean")

// fsckResult is the outcome of a run.
type fsckResult struct {
	fsck.Report

	damages []repair.Damage
	drafts  []string // ids of the change requests that the repair created
}

func (f *fsckCommand) run(ctx context.Context, cmd *cobra.Command, s *store.Store) error {
	found, err := f.check(ctx, cmd, s)
	if err != nil {
		return err
	}
	if err := f.print(cmd.OutOrStdout(), found); err != nil {
		return err
	}
	if !found.Clean() {
		return errNotClean
	}
	return nil
}

// check checks all data and, with --repair, repairs it and checks it again.
func (f *fsckCommand) check(ctx context.Context, cmd *cobra.Command, s *store.Store) (c fsckResult, err error) {
	if c.Report, err = fsck.Run(ctx, s, f.options); err != nil || len(c.Unreadable) == 0 {
		return c, err
	}
	repair, err := repair.New(ctx, s, nil, c.Unreadable)
	if err != nil {
		return c, err
	}
	c.damages = repair.Damages()
	if !f.options.Repair {
		return c, nil
	}
	if n := repair.LostCount(); n > 0 && !f.yes {
		if err := confirmLoss(ctx, cmd, c.damages, n); err != nil {
			return c, err
		}
	}
	if c.drafts, err = repair.Apply(ctx); err != nil {
		return c, err
	}
	c.Report, err = fsck.Run(ctx, s, f.options)
	return c, err
}

// confirmLoss lists unreadable content and asks whether it may be given up. It returns an error if the answer is no
// or there is no terminal.
func confirmLoss(ctx context.Context, cmd *cobra.Command, damages []repair.Damage, lost int) error {
	w := cmd.ErrOrStderr()
	for _, d := range damages {
		fmt.Fprintln(w, d)
	}
	refusal := api.Errorf(http.StatusConflict, api.ReasonState, "%d things that people wrote cannot be read any more; nothing was changed", lost)
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return refusal.WithHint("Look at the list; with --yes they are given up.")
	}
	fmt.Fprintf(w, "Give up the %d things that are lost, and go on with the rest? [y/N] ", lost)
	answers := make(chan string, 1)
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n')
		answers <- answer
	}()
	var answer string
	select {
	case answer = <-answers:
	case <-ctx.Done(): // interrupted
		fmt.Fprintln(w)
	}
	if !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return refusal
	}
	return nil
}

func (f *fsckCommand) print(w io.Writer, c fsckResult) error {
	if f.output == "json" {
		return json.NewEncoder(w).Encode(map[string]any{
			"organizations": c.Organizations, "records": c.Records, "objects": c.Objects,
			"removed": c.Removed, "findings": findingLines(c.Report), "damages": c.damages, "drafts": c.drafts,
			"notes": append([]string{}, c.Notes...),
		})
	}
	for _, finding := range c.Findings {
		fmt.Fprintln(w, finding)
	}
	for _, d := range c.damages {
		fmt.Fprintln(w, d)
	}
	for _, note := range c.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	for _, id := range c.drafts {
		fmt.Fprintf(w, "what is readable elsewhere is in the draft change request %s\n", id)
	}
	_, err := fmt.Fprintf(w, "%d organizations, %d records, %d objects; %d findings\n", c.Organizations, c.Records, c.Objects, len(c.Findings))
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
