package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/store"
)

// newUserCmd returns the commands for accounts.
func newUserCmd(ctx context.Context, cfg *config) *cobra.Command {
	user := &cobra.Command{
		Use: "user", Short: "Show, disable and end the accounts of the server", Args: noArgs,
		Long: `Show, disable and end the accounts of the server.

A user is named by id or by e-mail address. A verified address belongs to one account. An unverified one, which an
organization wrote into an invite, names an account if no other has it.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	user.AddCommand(newUserListCmd(ctx, cfg), newUserShowCmd(ctx, cfg), newUserDisableCmd(ctx, cfg), newUserEnableCmd(ctx, cfg),
		newUserEndCmd(ctx, cfg))
	return user
}

func newUserListCmd(ctx context.Context, cfg *config) *cobra.Command {
	var org string
	var f format
	list := &cobra.Command{
		Use: "list", Short: "List all accounts, or the members of an organization", Args: noArgs,
		Long: `List all accounts, or the members of an organization.

All accounts are found by a walk over the keys of the store, and printed as they are found, in no particular order.`,
		Example: "  wsd user list\n  wsd user list --org Docs\n  wsd user list -o json | jq '.[] | select(.tokens > 0)'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error { return listUsers(ctx, cmd, s, org, f) })
		},
	}
	list.Flags().StringVar(&org, "org", "", "id or title of an organization, whose members are listed")
	addFormatFlag(list, &f)
	return list
}

func listUsers(ctx context.Context, cmd *cobra.Command, s *store.Store, org string, f format) error {
	out := listWriter[operator.User]{
		out: cmd.OutOrStdout(), format: f,
		columns: []string{"USER", "NAME", "E-MAIL", "ADDRESS", "STATE", "TOKENS"}, cells: userCells,
	}
	var err error
	if org == "" {
		err = operator.Service{Store: s}.ListUsers(ctx, out.write)
	} else {
		out.columns = append(out.columns, "ROLE", "JOINED", "LAST SEEN")
		err = operator.Service{Store: s}.ListMembers(ctx, org, out.write)
	}
	if err != nil {
		return err
	}
	return out.close(cmd.ErrOrStderr(), "there is no user")
}

// userCells returns an account as a row of a table, with its membership if it has one.
func userCells(u operator.User) []string {
	cells := []string{
		u.ID, cell(u.DisplayName), cell(u.Email), cell(string(u.AddressState)), string(u.State), strconv.FormatInt(u.Tokens, 10),
	}
	if m := u.Membership; m != nil {
		cells = append(cells, m.Role, timeCell(m.JoinedAt, "-"), timeCell(m.LastSeenAt, "never"))
	}
	return cells
}

func newUserShowCmd(ctx context.Context, cfg *config) *cobra.Command {
	var f format
	show := &cobra.Command{
		Use: "show USER", Short: "Show an account with its organizations, identities and tokens", Args: exactArgs("USER"),
		Example: "  wsd user show you@example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				maxAge, err := cfg.parseTokenMaxAge()
				if err != nil {
					return err
				}
				u, err := operator.Service{Store: s, TokenMaxAge: maxAge}.ShowUser(ctx, args[0])
				if err != nil {
					return err
				}
				if f == formatJSON {
					return writeJSON(cmd.OutOrStdout(), u)
				}
				return writeUser(cmd.OutOrStdout(), u)
			})
		},
	}
	addFormatFlag(show, &f)
	return show
}

// writeUser writes an account as text.
func writeUser(out io.Writer, u operator.UserDetails) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "user\t%s\nname\t%s\n", u.ID, cell(u.DisplayName))
	switch {
	case u.AddressFrom != "":
		fmt.Fprintf(w, "e-mail\t%s, %s: written by %s\n", cell(u.Email), u.AddressState, u.AddressFrom)
	case u.Email != "":
		fmt.Fprintf(w, "e-mail\t%s, %s\n", cell(u.Email), u.AddressState)
	default:
		fmt.Fprintln(w, "e-mail\tnone")
	}
	switch {
	case !u.EndedAt.IsZero():
		fmt.Fprintf(w, "state\t%s since %s\n", u.State, timeCell(u.EndedAt, "-"))
	case !u.DisabledAt.IsZero():
		fmt.Fprintf(w, "state\t%s since %s\n", u.State, timeCell(u.DisabledAt, "-"))
	default:
		fmt.Fprintf(w, "state\t%s\n", u.State)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	organizations := listWriter[operator.Membership]{out: out, columns: []string{
		"\nORGANIZATION", "TITLE", "ROLE", "JOINED", "LAST SEEN", "",
	}, format: formatText, cells: membershipCells}
	tokens := listWriter[operator.Token]{out: out, columns: append([]string{}, tokenColumns...), format: formatText, cells: tokenCells}
	tokens.columns[0] = "\n" + tokens.columns[0]
	if err := organizations.write(u.Organizations); err != nil {
		return err
	}
	if err := organizations.close(out, "\nin no organization"); err != nil {
		return err
	}
	if len(u.Identities) > 0 {
		identities := listWriter[operator.Identity]{out: out, columns: []string{
			"\nORGANIZATION", "PROVIDER", "ISSUER", "SUBJECT", "LINKED", "IDENTITY",
		}, format: formatText, cells: identityCells}
		if err := identities.write(u.Identities); err != nil {
			return err
		}
		if err := identities.close(out, ""); err != nil {
			return err
		}
	}
	if err := tokens.write(u.TokenList); err != nil {
		return err
	}
	if err := tokens.close(out, "\nno tokens"); err != nil {
		return err
	}
	if len(u.Made) > 0 {
		fmt.Fprintln(out)
	}
	writeMade(out, "made in", u.Made)
	return nil
}

// identityCells returns an identity as a row of a table.
func identityCells(i operator.Identity) []string {
	return []string{i.Organization, i.Provider, cell(i.Issuer), cell(i.Subject), timeCell(i.LinkedAt, "-"), i.ID}
}

// membershipCells returns a membership as a row of a table.
func membershipCells(m operator.Membership) []string {
	note := ""
	switch {
	case m.InTrash:
		note = "in the trash"
	case m.OnlyAdmin:
		note = "the only admin"
	}
	return []string{m.Organization, cell(m.Title), m.Role, timeCell(m.JoinedAt, "-"), timeCell(m.LastSeenAt, "never"), note}
}
