package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// Config returns the commands that show the settings in effect and change those of a profile.
func Config(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show and change the settings", Args: cobra.ArbitraryArgs, RunE: app.RunGroup,
		Long: "Show and change the settings. A flag wins over the environment, that over the profile, that over the default.",
	}
	cmd.AddCommand(configListCommand(a), configGetCommand(a), configSetCommand(a), configPathCommand(a))
	return cmd
}

// settingInfo is a row of config list.
type settingInfo struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin,omitempty"`
}

func configListCommand(a *app.App) *cobra.Command {
	var showOrigin bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the settings in force",
		Example: "  wsctl config list --show-origin\n  wsctl --profile work config list -o json",
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, err := a.Settings(cmd)
			if err != nil {
				return err
			}
			columns := "name,value"
			if showOrigin {
				columns += ",origin"
			}
			printer, err := a.Printer(app.ParseColumns(columns))
			if err != nil {
				return err
			}
			return app.PrintItems(printer, settingInfos(settings, showOrigin))
		},
	}
	cmd.Flags().BoolVar(&showOrigin, "show-origin", false, "also say where each value comes from")
	return cmd
}

func settingInfos(settings *app.Settings, showOrigin bool) []settingInfo {
	var infos []settingInfo
	values := settings.All()
	for _, name := range settingNames() {
		info := settingInfo{Name: name, Value: values[name].Value}
		if showOrigin {
			info.Origin = values[name].Origin
		}
		infos = append(infos, info)
	}
	return infos
}

func settingNames() []string { return append([]string{"profile"}, app.SettingNames()...) }

func configGetCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show one setting", Example: "  wsctl config get url\n  wsctl config get org",
		Args: app.ExactArgs("NAME"), ValidArgs: settingNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(settingNames(), args[0]) {
				return app.Usagef("there is no setting %q", args[0]).WithHint("there are %s", strings.Join(settingNames(), ", "))
			}
			settings, err := a.Settings(cmd)
			if err != nil {
				return err
			}
			return a.PrintText(settings.All()[args[0]].Value)
		},
	}
}

func configSetCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "set NAME VALUE", Short: "Keep a setting in the profile; an empty value removes it",
		Example: "  wsctl config set org $ORG\n  wsctl config set profile work\n  wsctl --profile prod config set read_only true",
		Args:    app.ExactArgs("NAME", "VALUE"), ValidArgs: settingNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			settings, err := a.SettingsForNewProfile(cmd)
			if err != nil {
				return err
			}
			if args[0] == "url" { // which may remove a token
				unlock, err := settings.Lock(cmd.Context())
				if err != nil {
					return err
				}
				defer unlock()
			}
			had := settings.HasStoredToken()
			if err := settings.Set(args[0], args[1]); err != nil {
				return app.Usagef("%v", err)
			}
			if had && !settings.HasStoredToken() {
				a.Infof("the token of profile %s was for another server and is forgotten", settings.Profile.Value)
			}
			a.Infof("%s is kept in %s", args[0], settings.Path)
			return nil
		},
	}
}

func configPathCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "path", Short: "Show where the configuration file is", Example: "  wsctl config path\n  cat \"$(wsctl config path)\"",
		Args: app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.PrintText(app.ConfigPath(app.ConfigDir(a.Getenv)))
		},
	}
}
