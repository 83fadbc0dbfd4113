package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/store"
)

// endCommand holds the flags of `wsd user end`.
type endCommand struct {
	options     operator.EndOptions
	yes, dryRun bool
	output      format
}

func newUserEndCmd(ctx context.Context, cfg *config) *cobra.Command {
	e := &endCommand{}
	end := &cobra.Command{
		Use: "end USER", Short: "End an account for good", Args: exactArgs("USER"),
		Long: `End an account for good: its memberships, tokens, open invites, read marks and saved queries are removed, and its open screens
end within 15 seconds. What the user wrote stays, under the name of the user or, with --anonymize, under "Former member".
Every organization of the user gets an event.

Share links, integrations, installations and specifications that the user made work without the account and stay. The plan
lists them; who has opened a share link keeps its address. Admins of the organization remove them.

Where the user is the only admin of an organization this is refused, unless --hand-over names who becomes admin there.

The e-mail address stays taken, so that nobody else gets an account with it, until --free-address. --anonymize keeps it,
too, but shows it to the operator only. Both can be given later: the command can be repeated for an account that has ended,
and after a failure.`,
		Example: "  wsd user end you@example.com\n  wsd user end you@example.com --anonymize --free-address --yes\n" +
			"  wsd user end you@example.com --hand-over ada@example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return e.run(ctx, cmd, s, args[0]) })
		},
	}
	f := end.Flags()
	f.BoolVar(&e.options.Anonymize, "anonymize", false, `show what the user wrote under "Former member"`)
	f.StringVar(&e.options.HandOver, "hand-over", "", "id or e-mail address of the user who becomes admin where there is no other")
	f.BoolVar(&e.options.FreeAddress, "free-address", false, "let another account have the e-mail address")
	f.BoolVar(&e.dryRun, "dry-run", false, "print what would be done")
	f.BoolVar(&e.yes, "yes", false, "do not ask")
	addFormatFlag(end, &e.output)
	return end
}

func (e *endCommand) run(ctx context.Context, cmd *cobra.Command, s *store.Store, user string) error {
	service := operator.Service{Store: s}
	plan, err := service.PlanEnd(ctx, user, e.options)
	if err != nil {
		return err
	}
	switch {
	case e.dryRun && e.output == formatJSON:
		return writeJSON(cmd.OutOrStdout(), plan)
	case e.dryRun:
		writeEndPlan(cmd.OutOrStdout(), plan, e.options)
		return nil
	case !e.yes:
		writeEndPlan(cmd.ErrOrStderr(), plan, e.options)
		if err := confirm(ctx, cmd, "End the account?", errors.New("nothing was changed: with --yes the account is ended")); err != nil {
			return err
		}
	}
	if err := service.End(ctx, plan); err != nil {
		return fmt.Errorf("the account is not ended completely, run the command again: %w", err)
	}
	if e.output == formatJSON {
		return writeJSON(cmd.OutOrStdout(), plan)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s has ended\n", plan.User)
	return nil
}

// writeMade writes what a user made that works without the account, a line for each thing and organization. All lines begin with
// the given words.
func writeMade(w io.Writer, words string, made []operator.MadeThings) {
	for _, in := range made {
		for _, kind := range in.Things {
			for _, thing := range kind.Named {
				fmt.Fprintf(w, "%s %s %q: %s %s", words, in.Organization, in.Title, kind.Kind, thing.ID)
				if thing.Title != "" {
					fmt.Fprintf(w, " %s", cell(thing.Title))
				}
				fmt.Fprintln(w)
			}
		}
	}
}

// writeEndPlan writes what the end of an account removes.
func writeEndPlan(w io.Writer, plan operator.EndPlan, o operator.EndOptions) {
	fmt.Fprintf(w, "%s %s %s\n", plan.User, cell(plan.DisplayName), cell(plan.Email))
	for _, m := range plan.Memberships {
		fmt.Fprintf(w, "ends: membership in %s %q, %s\n", m.Organization, m.Title, m.Role)
	}
	for _, m := range plan.HandOver {
		fmt.Fprintf(w, "new admin of %s %q: %s\n", m.Organization, m.Title, plan.Successor)
	}
	fmt.Fprintf(w, "removed: tokens %d, open invites and invite links %d, read marks and saved queries\n", plan.Tokens, plan.Invites)
	if o.Anonymize {
		fmt.Fprintln(w, `texts stay, under "Former member"`)
	} else {
		fmt.Fprintf(w, "texts stay, under the name %s\n", cell(plan.DisplayName))
	}
	writeMade(w, "stays in", plan.Stays)
	switch {
	case plan.Email == "":
	case o.FreeAddress:
		fmt.Fprintf(w, "another account can have the address %s\n", cell(plan.Email))
	default:
		fmt.Fprintf(w, "the address %s stays taken\n", cell(plan.Email))
	}
	fmt.Fprintln(w, "it cannot be undone")
}
