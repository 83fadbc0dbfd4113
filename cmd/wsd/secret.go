package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// replaceSecretCommand holds the flags of `wsd secret replace`.
type replaceSecretCommand struct{ yes, generate bool }

func newSecretCmd(ctx context.Context, cfg *config) *cobra.Command {
	r := &replaceSecretCommand{}
	replace := &cobra.Command{
		Use: "replace", Short: "Make other secrets those of the data", Args: noArgs,
		Long: `Make the secrets in WSD_SECRET and WSD_ENCRYPTION_KEY those of the data, where they are others than before. It says first
what is lost by that, and asks. Where the old WSD_ENCRYPTION_KEY is known, put it into WSD_OLD_ENCRYPTION_KEY: what it
sealed is sealed with the new key, and nothing is lost.

Stop the nodes before, or start them again with the new secrets after it: one that has the old ones is not ready any more.`,
		Example: `  WSD_OLD_ENCRYPTION_KEY=$OLD WSD_ENCRYPTION_KEY=$NEW wsd secret replace
  wsd secret replace --generate --yes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(ctx, cmd, cfg) },
	}
	replace.Flags().BoolVar(&r.yes, "yes", false, "do not ask")
	replace.Flags().BoolVar(&r.generate, "generate", false, "make a new secret in the data directory, in place of WSD_SECRET")
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
		change, err := auth.PlanSecretChange(ctx, s, settings)
		if err != nil {
			return err
		}
		if change.IsEmpty() {
			fmt.Fprintln(cmd.OutOrStdout(), "The data was written with these secrets: there is nothing to replace.")
			return nil
		}
		if err := r.replace(ctx, cmd, change); err != nil || !r.generate {
			return err
		}
		return settings.AdoptNewSecret()
	})
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

// replace prints what is lost, asks for confirmation, and replaces the secrets.
func (r *replaceSecretCommand) replace(ctx context.Context, cmd *cobra.Command, change auth.SecretChange) error {
	texts, err := change.Consequences(ctx)
	if err != nil {
		return err
	}
	for _, text := range texts {
		fmt.Fprintln(cmd.ErrOrStderr(), text)
	}
	if !r.yes {
		if err := confirmReplace(cmd); err != nil {
			return err
		}
	}
	if err := change.Apply(ctx); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), "Replaced. Start every node with the new secrets.")
	return nil
}

// confirmReplace asks for confirmation. It returns an error if the answer is no or there is no terminal.
func confirmReplace(cmd *cobra.Command) error {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return errors.New("nothing was changed: with --yes they are replaced")
	}
	fmt.Fprint(cmd.ErrOrStderr(), "Replace them? [y/N] ")
	answer, _ := bufio.NewReader(in).ReadString('\n')
	if !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return errors.New("nothing was changed")
	}
	return nil
}
