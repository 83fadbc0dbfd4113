package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
)

// domainCommand holds the flags of `wsd domain`.
type domainCommand struct {
	org string
	all bool
}

// newDomainCmd returns the commands for e-mail domains. They are for networks without DNS, and for domains that were added
// before a proof was required.
func newDomainCmd(ctx context.Context, cfg *config) *cobra.Command {
	d := &domainCommand{}
	cmd := &cobra.Command{
		Use: "domain", Short: "Show which e-mail domains organizations have, and trust them", Args: noArgs,
		Long: `Show which e-mail domains organizations have, and trust them.

Who has a verified e-mail address of a domain may join the organization whose domain it is. The admins of the organization
prove that by a TXT record (wsctl email-domains list), which wsd looks for once a day. Where there is no such DNS, whoever
runs the server can say instead that a domain is an organization's.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&d.org, "org", "", "id or title of an organization")
	trust := d.newTrustCmd(ctx, cfg, "trust", "Let domains count without a proof", true)
	trust.Example = "  wsd domain trust --org Docs example.com\n  wsd domain trust --all"
	trust.Flags().BoolVar(&d.all, "all", false, "every domain of the organization, or of all organizations")
	distrust := d.newTrustCmd(ctx, cfg, "distrust", "Let domains count only where they are proven", false)
	distrust.Example = "  wsd domain distrust --org Docs example.com"
	cmd.AddCommand(d.newListCmd(ctx, cfg), trust, distrust)
	return cmd
}

func (d *domainCommand) newListCmd(ctx context.Context, cfg *config) *cobra.Command {
	var f format
	list := &cobra.Command{
		Use: "list", Short: "List the domains of an organization, or of all", Args: noArgs,
		Example: "  wsd domain list\n  wsd domain list --org Docs -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				all, err := orgs.Accounts{Store: s}.ListDomains(ctx, d.org)
				if err != nil {
					return err
				}
				return writeDomains(cmd, all, f)
			})
		},
	}
	addFormatFlag(list, &f)
	return list
}

func writeDomains(cmd *cobra.Command, all []orgs.ListedDomain, f format) error {
	if f == formatJSON {
		return writeJSON(cmd.OutOrStdout(), append([]orgs.ListedDomain{}, all...))
	}
	if len(all) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no organization has an e-mail domain")
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, d := range all {
		fmt.Fprintf(w, "%s\t%q\t%s\t%s\t%s\n", d.Organization, d.Title, d.Domain, d.State(), d.Problem)
	}
	return w.Flush()
}

// newTrustCmd returns the trust or the distrust command.
func (d *domainCommand) newTrustCmd(ctx context.Context, cfg *config, use, short string, trusted bool) *cobra.Command {
	return &cobra.Command{
		Use: use + " DOMAIN...", Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				if err := d.checkArgs(args); err != nil {
					return err
				}
				selected, err := orgs.Accounts{Store: s}.SelectDomains(ctx, d.org, args...)
				if err != nil {
					return err
				}
				for _, org := range selected {
					if err := orgs.SetDomainTrust(ctx, s, org.Organization, trusted, org.Domains...); err != nil {
						return err
					}
					for _, name := range org.Domains {
						fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s is %sed\n", org.Organization, name, use)
					}
				}
				return nil
			})
		},
	}
}

// checkArgs returns an error unless either --all is set or an organization and domains are given.
func (d *domainCommand) checkArgs(args []string) error {
	switch {
	case d.all && len(args) > 0:
		return errors.New("either --all or domains")
	case !d.all && len(args) == 0:
		return errors.New("which domains?")
	case !d.all && d.org == "":
		return errors.New("whose domains? --org")
	}
	return nil
}
