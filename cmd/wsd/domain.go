package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

// newDomainCmd returns the commands for e-mail domains. They serve networks without DNS, and domains from before
// proof was required.
func newDomainCmd(ctx context.Context, cfg *config) *cobra.Command {
	d := &domainCommand{}
	cmd := &cobra.Command{
		Use: "domain", Short: "Show which e-mail domains organizations have, and trust them", Args: cobra.NoArgs,
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
	var format string
	list := &cobra.Command{
		Use: "list", Short: "List the domains of an organization, or of all", Args: cobra.NoArgs,
		Example: "  wsd domain list\n  wsd domain list --org Docs -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				all, err := d.listDomains(ctx, s)
				if err != nil {
					return err
				}
				return writeDomains(cmd, all, format)
			})
		},
	}
	list.Flags().StringVarP(&format, "output", "o", "text", "text or json")
	return list
}

// listDomains returns the domains of the organization in --org, or of all organizations.
func (d *domainCommand) listDomains(ctx context.Context, s *store.Store) ([]orgs.ListedDomain, error) {
	id := ""
	if d.org != "" {
		var err error
		if id, err = (orgs.Accounts{Store: s}).FindOrganization(ctx, d.org); err != nil {
			return nil, err
		}
	}
	return orgs.ListDomains(ctx, s, id)
}

func writeDomains(cmd *cobra.Command, all []orgs.ListedDomain, format string) error {
	if format == "json" {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(append([]orgs.ListedDomain{}, all...))
	}
	if len(all) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "no organization has an e-mail domain")
		return nil
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	for _, d := range all {
		state := "not proven"
		switch {
		case d.Proven:
			state = "proven"
		case d.Trusted:
			state = "trusted"
		}
		fmt.Fprintf(w, "%s\t%q\t%s\t%s\t%s\n", d.Organization, d.Title, d.Domain, state, d.Problem)
	}
	return w.Flush()
}

// newTrustCmd returns the trust or the distrust command.
func (d *domainCommand) newTrustCmd(ctx context.Context, cfg *config, use, short string, trusted bool) *cobra.Command {
	return &cobra.Command{
		Use: use + " DOMAIN...", Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
				selected, err := d.selectDomains(ctx, s, args)
				if err != nil {
					return err
				}
				for _, org := range selected {
					if err := orgs.SetDomainTrust(ctx, s, org.id, trusted, org.domains...); err != nil {
						return err
					}
					for _, name := range org.domains {
						fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s is %sed\n", org.id, name, use)
					}
				}
				return nil
			})
		},
	}
}

// organizationDomains holds domains of one organization.
type organizationDomains struct {
	id      string
	domains []string
}

// selectDomains returns the domains that the arguments and flags select, grouped by organization.
func (d *domainCommand) selectDomains(ctx context.Context, s *store.Store, args []string) (all []organizationDomains, err error) {
	switch {
	case d.all && len(args) > 0:
		return nil, errors.New("either --all or domains")
	case !d.all && len(args) == 0:
		return nil, errors.New("which domains?")
	case !d.all && d.org == "":
		return nil, errors.New("whose domains? --org")
	case !d.all:
		id, err := orgs.Accounts{Store: s}.FindOrganization(ctx, d.org)
		for i := range args {
			args[i] = strings.ToLower(args[i])
		}
		return []organizationDomains{{id, args}}, err
	}
	listed, err := d.listDomains(ctx, s)
	for _, l := range listed {
		if len(all) == 0 || all[len(all)-1].id != l.Organization {
			all = append(all, organizationDomains{id: l.Organization})
		}
		last := &all[len(all)-1]
		last.domains = append(last.domains, l.Domain)
	}
	return all, err
}
