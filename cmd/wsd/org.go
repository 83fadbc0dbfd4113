package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/store"
)

// newOrgCmd returns the commands for organizations.
func newOrgCmd(ctx context.Context, cfg *config) *cobra.Command {
	org := &cobra.Command{
		Use: "org", Short: "Show and create the organizations of the server", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	org.AddCommand(newOrgListCmd(ctx, cfg), newOrgShowCmd(ctx, cfg), newOrgCreateCmd(ctx, cfg))
	return org
}

func newOrgListCmd(ctx context.Context, cfg *config) *cobra.Command {
	var f format
	list := &cobra.Command{
		Use: "list", Short: "List all organizations, those in the trash included", Args: noArgs,
		Example: "  wsd org list\n  wsd org list -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				out := listWriter[operator.Organization]{
					out: cmd.OutOrStdout(), format: f,
					columns: []string{"ORGANIZATION", "TITLE", "STATE", "MEMBERS", "ADMINS", "STORED", "CREATED"}, cells: organizationCells,
				}
				if err := (operator.Service{Store: s}).ListOrganizations(ctx, out.write); err != nil {
					return err
				}
				return out.close(cmd.ErrOrStderr(), "there is no organization")
			})
		},
	}
	addFormatFlag(list, &f)
	return list
}

// organizationCells returns an organization as a row of a table.
func organizationCells(o operator.Organization) []string {
	return []string{
		o.ID, cell(o.Title), string(o.State), strconv.FormatInt(o.Members, 10), strconv.FormatInt(o.Admins, 10),
		budgets.Bytes.Format(o.Bytes), timeCell(o.CreatedAt, "-"),
	}
}

func newOrgShowCmd(ctx context.Context, cfg *config) *cobra.Command {
	var f format
	show := &cobra.Command{
		Use: "show ORGANIZATION", Short: "Show an organization with its admins", Args: exactArgs("ORGANIZATION"),
		Long:    "Show an organization, given by its id or title, with its admins. `wsd user list --org` lists all members.",
		Example: "  wsd org show Docs",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				o, err := operator.Service{Store: s}.ShowOrganization(ctx, args[0])
				if err != nil {
					return err
				}
				if f == formatJSON {
					return writeJSON(cmd.OutOrStdout(), o)
				}
				return writeOrganization(cmd.OutOrStdout(), o)
			})
		},
	}
	addFormatFlag(show, &f)
	return show
}

// writeOrganization writes an organization as text.
func writeOrganization(out io.Writer, o operator.OrganizationDetails) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "organization\t%s\ntitle\t%s\nstate\t%s\ncreated\t%s\nmembers\t%d, %d of them admins\n",
		o.ID, cell(o.Title), o.State, timeCell(o.CreatedAt, "-"), o.Members, o.Admins)
	fmt.Fprintf(w, "hostname\t%s\ndomains\t%s\n", cell(o.Hostname), cell(strings.Join(o.EmailDomains, ",")))
	for _, limit := range o.Limits {
		name, use, _ := strings.Cut(limit.String(), " ")
		fmt.Fprintf(w, "%s\t%s\n", name, strings.TrimSpace(use))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	admins := listWriter[operator.User]{out: out, format: formatText, columns: []string{
		"\nADMIN", "NAME", "E-MAIL", "ADDRESS", "STATE", "TOKENS", "ROLE", "JOINED", "LAST SEEN",
	}, cells: userCells}
	if err := admins.write(o.AdminUsers); err != nil {
		return err
	}
	return admins.close(out, "\nno admin")
}

func newOrgCreateCmd(ctx context.Context, cfg *config) *cobra.Command {
	var admin string
	var f format
	create := &cobra.Command{
		Use: "create TITLE", Short: "Create an organization with its first admin", Args: exactArgs("TITLE"),
		Long: `Create an organization with its first admin, whose account must be there. It does not count towards the organizations
that a user may make.`,
		Example: "  wsd org create Docs --admin you@example.com",
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				created, err := operator.Service{Store: s}.CreateOrganization(ctx, args[0], admin)
				if err != nil {
					return err
				}
				if f == formatJSON {
					return writeJSON(cmd.OutOrStdout(), created)
				}
				fmt.Fprintln(cmd.OutOrStdout(), created.ID)
				return nil
			})
		},
	}
	create.Flags().StringVar(&admin, "admin", "", "id or e-mail address of its admin")
	_ = create.MarkFlagRequired("admin") // the flag is defined above
	addFormatFlag(create, &f)
	return create
}
