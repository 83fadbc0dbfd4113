package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// replaceSecretCommand holds the flags of `wsd secret replace`.
type replaceSecretCommand struct {
	options       auth.SecretOptions
	yes, generate bool
}

func newSecretCmd(ctx context.Context, cfg *config) *cobra.Command {
	r := &replaceSecretCommand{}
	replace := &cobra.Command{
		Use: "replace", Short: "Make other secrets those of the data", Args: noArgs,
		Long: `Make the secrets in WSD_SECRET and WSD_ENCRYPTION_KEY those of the data, where they are others than before. It lists the
consequences first, and asks.

First start every node with the new secrets in WSD_SECRET and WSD_ENCRYPTION_KEY and the present ones in WSD_OLD_SECRET and
WSD_OLD_ENCRYPTION_KEY, then run this command with the same settings, while the nodes serve. The old secrets remain accepted:
old addresses of links and downloads work. wsd secret replace --finish ends that; then the old secrets can be removed from the
settings. A node that does not have both secrets is named, and nothing is changed. The command waits until every serving node has
read the change, up to a minute, and names those that it waits for.

--leaked is for a secret that others know: the old one is accepted no longer, and old addresses of links end at once.`,
		Example: `  WSD_OLD_ENCRYPTION_KEY=$OLD WSD_ENCRYPTION_KEY=$NEW wsd secret replace
  wsd secret replace --finish
  wsd secret replace --generate --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(ctx, cmd, cfg) },
	}
	f := replace.Flags()
	f.BoolVar(&r.yes, "yes", false, "do not ask")
	f.BoolVar(&r.generate, "generate", false, "make a new secret in the data directory, in place of WSD_SECRET")
	f.BoolVar(&r.options.Finish, "finish", false, "accept the old secrets no longer, if nothing is sealed with them")
	f.BoolVar(&r.options.Leaked, "leaked", false, "accept the old secrets no longer at all")
	f.BoolVar(&r.options.Force, "force", false, "regardless of serving nodes that lack a secret, and of values that are lost")
	replace.MarkFlagsMutuallyExclusive("finish", "leaked")
	replace.MarkFlagsMutuallyExclusive("finish", "generate")
	secret := &cobra.Command{
		Use: "secret", Short: "Replace the secrets of the server", Args: noArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	secret.AddCommand(replace)
	return secret
}

func (r *replaceSecretCommand) run(ctx context.Context, cmd *cobra.Command, cfg *config) error {
	return cfg.withExistingStore(ctx, cmd, func(s *store.Store) error {
		settings, err := r.settings(cfg)
		if err != nil {
			return err
		}
		r.options.Wait.Report = func(nodes []string) {
			fmt.Fprintln(cmd.ErrOrStderr(), "Waiting until these nodes have read the change:", strings.Join(nodes, ", "))
		}
		change, err := auth.PlanSecretChange(ctx, s, settings, r.options)
		if err != nil {
			return err
		}
		if change.IsEmpty() {
			r.printNothing(cmd, change)
		} else if err := r.replace(ctx, cmd, &change); err != nil {
			return err
		}
		return r.updateFiles(settings)
	})
}

// updateFiles makes the files of the data directory those of the secrets of the data.
func (r *replaceSecretCommand) updateFiles(settings auth.SecretSettings) error {
	if r.generate {
		if err := settings.AdoptNewSecret(); err != nil {
			return err
		}
	}
	if r.options.Finish || r.options.Leaked {
		return settings.RemoveOldSecret()
	}
	return nil
}

// printNothing says that there is nothing to change.
func (r *replaceSecretCommand) printNothing(cmd *cobra.Command, change auth.SecretChange) {
	w := cmd.OutOrStdout()
	if r.options.Finish {
		fmt.Fprintln(w, "No old secret is accepted: there is nothing to finish.")
		return
	}
	fmt.Fprintln(w, "The data was written with these secrets: there is nothing to replace.")
	for _, line := range change.Report().Lines() {
		fmt.Fprintln(w, line)
	}
}

// settings returns the configured settings of the secrets, with a random new secret if --generate is set. It returns an error
// if --generate is set and the secret is not that of a data directory.
func (r *replaceSecretCommand) settings(cfg *config) (auth.SecretSettings, error) {
	settings := cfg.secretSettings()
	if !r.generate {
		return settings, nil
	}
	if settings.Secret != "" || settings.External {
		return settings, errors.New("--generate is for the secret in a data directory; put a new one into WSD_SECRET")
	}
	return settings.WithNewSecret()
}

// replace prints the consequences, asks for confirmation, and makes the change. It returns an error if the change needs --force.
func (r *replaceSecretCommand) replace(ctx context.Context, cmd *cobra.Command, change *auth.SecretChange) error {
	texts, err := change.Consequences(ctx)
	if err != nil {
		return err
	}
	obstacles, err := change.Obstacles(ctx)
	if err != nil {
		return err
	}
	for _, text := range append(texts, obstacles...) {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
	if len(obstacles) > 0 && !r.options.Force {
		return errors.New("nothing was changed; --force changes the secrets regardless of that")
	}
	if !r.yes {
		if err := confirm(ctx, cmd, "Replace them?", errors.New("nothing was changed: with --yes they are replaced")); err != nil {
			return err
		}
	}
	if err := change.Apply(ctx); err != nil {
		return err
	}
	if r.options.Finish {
		fmt.Fprintln(cmd.OutOrStdout(), "Finished. The old secrets can be removed from the settings of every node.")
	} else {
		fmt.Fprintln(cmd.OutOrStdout(), "Replaced. Every node needs the new secrets.")
	}
	return r.printLate(ctx, cmd, change)
}

// printLate names the nodes that lack a secret after the change.
func (r *replaceSecretCommand) printLate(ctx context.Context, cmd *cobra.Command, change *auth.SecretChange) error {
	late, err := change.Obstacles(ctx)
	for _, text := range late {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
	return err
}
