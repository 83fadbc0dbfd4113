package app

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// DefaultURL is the address that wsd listens on by default.
const DefaultURL = "http://127.0.0.1:8080"

// defaultProfile is the name of the profile that is used if none is configured.
const defaultProfile = "default"

// ConfigFile is the content of the configuration file.
type ConfigFile struct {
	Version  int                `yaml:"version" mapstructure:"version"`
	Profile  string             `yaml:"profile,omitempty" mapstructure:"profile"` // name of the active profile
	Profiles map[string]Profile `yaml:"profiles,omitempty" mapstructure:"profiles"`
}

// Profile is a server with its default organization, space and access mode.
type Profile struct {
	URL          string `yaml:"url,omitempty" mapstructure:"url"`
	Organization string `yaml:"org,omitempty" mapstructure:"org"`
	Space        string `yaml:"space,omitempty" mapstructure:"space"`
	ReadOnly     bool   `yaml:"read_only,omitempty" mapstructure:"read_only"`
	TokenStore   string `yaml:"token_store,omitempty" mapstructure:"token_store"` // keyring or file

	// OnlyOrganization is the only organization of the user, as far as it is known for this address and token.
	OnlyOrganization string `yaml:"only_org,omitempty" mapstructure:"only_org"`
}

// Sources lists the inputs that settings are resolved from. Flags maps the name of a setting to the value of its
// flag, if the flag was set.
type Sources struct {
	Dir    string // directory of the configuration file; see ConfigDir
	Getenv func(string) string
	Flags  map[string]string

	NewProfile bool // the profile may be missing because the command creates it
}

// Setting is the value of a setting and its origin, such as a flag or a profile.
type Setting struct{ Value, Origin string }

// Settings is the resolved configuration of a command.
type Settings struct {
	Profile  Setting
	URL      Setting
	Org      Setting
	Space    Setting
	ReadOnly Setting // true or false

	File     ConfigFile
	Path     string // path of the configuration file, which may not exist
	tokens   *TokenStore
	envToken string // token from the environment

	usedOnly bool // whether OnlyOrganization returned an organization
}

// completeProfiles completes the name of a profile.
func (a *App) completeProfiles(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	settings, err := a.SettingsForNewProfile(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names := slices.Sorted(maps.Keys(settings.File.Profiles))
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, word) })
	return names, cobra.ShellCompDirectiveNoFileComp
}

// SettingNames returns the settings of a profile by their names in the file and in config get and config set.
func SettingNames() []string { return []string{"url", "org", "space", "read_only"} }

// ConfigDir returns the configuration directory: WSCTL_CONFIG_DIR, or wsctl in the XDG configuration directory, or
// ~/.config/wsctl.
func ConfigDir(env func(string) string) string {
	if dir := env("WSCTL_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := env("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "wsctl")
	}
	return filepath.Join(env("HOME"), ".config", "wsctl")
}

// ConfigPath returns the path of the configuration file in dir.
func ConfigPath(dir string) string { return filepath.Join(dir, "config.yaml") }

// LoadSettings reads the configuration file, if it exists, and resolves every setting.
func LoadSettings(sources Sources, keyring Keyring) (*Settings, error) {
	s := &Settings{Path: ConfigPath(sources.Dir), envToken: sources.Getenv("WSCTL_TOKEN")}
	v, err := s.read()
	if err != nil {
		return nil, err
	}
	s.tokens = &TokenStore{dir: sources.Dir, keyring: keyring}
	return s, s.resolve(v, sources)
}

// read reads the configuration file, if it exists.
func (s *Settings) read() (*viper.Viper, error) {
	v := viper.New()
	v.SetConfigFile(s.Path)
	if err := v.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %w", s.Path, err)
	}
	s.File = ConfigFile{}
	if err := v.Unmarshal(&s.File); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", s.Path, err)
	}
	return v, nil
}

// resolve applies the precedence of flag, environment, profile and default, and records the origin of every value.
func (s *Settings) resolve(v *viper.Viper, sources Sources) error {
	layer := func(key, env, fromFile, fileOrigin, fallback string) Setting {
		v.SetDefault(key, fallback)
		origin := "default"
		if fromFile != "" {
			v.Set(key, fromFile)
			origin = fileOrigin
		}
		if text := sources.Getenv(env); text != "" {
			v.Set(key, text)
			origin = "environment " + env
		}
		if text, given := sources.Flags[key]; given {
			v.Set(key, text)
			origin = "flag --" + key
		}
		return Setting{v.GetString(key), origin}
	}
	s.Profile = layer("profile", "WSCTL_PROFILE", s.File.Profile, s.Path, defaultProfile)
	profile, known := s.File.Profiles[s.Profile.Value]
	if !known && !sources.NewProfile && s.Profile.Value != defaultProfile {
		return fmt.Errorf("there is no profile %q (from %s) in %s; wsctl login --profile %s makes it",
			s.Profile.Value, s.Profile.Origin, s.Path, s.Profile.Value)
	}
	origin := "profile " + s.Profile.Value
	s.URL = layer("url", "WSCTL_URL", profile.URL, origin, DefaultURL)
	there := profile
	if s.belongsToOtherServer(profile) { // ids of one server are not valid on another
		there.Organization, there.Space = "", ""
	}
	s.Org = layer("org", "WSCTL_ORG", there.Organization, origin, "")
	s.Space = layer("space", "WSCTL_SPACE", there.Space, origin, "")
	s.ReadOnly = Setting{strconv.FormatBool(profile.ReadOnly), origin}
	return nil
}

// belongsToOtherServer reports whether p belongs to another server than the one in use. A profile without a URL belongs to any
// server.
func (s *Settings) belongsToOtherServer(p Profile) bool {
	return p.URL != "" && origin(p.URL) != origin(s.URL.Value)
}

// WithheldReason explains why the token of the profile was not sent: it belongs to another server. It returns "" if no
// token was withheld. It is part of the message when a request is refused for lack of a token.
func (s *Settings) WithheldReason() string {
	p := s.File.Profiles[s.Profile.Value]
	if s.envToken != "" || p.TokenStore == "" || origin(p.URL) == origin(s.URL.Value) {
		return ""
	}
	return fmt.Sprintf("the token of profile %s is for %s and was not sent to %s (from %s); set WSCTL_TOKEN, or log in there with a "+
		"profile of its own",
		s.Profile.Value, origin(p.URL), origin(s.URL.Value), s.URL.Origin)
}

// IsReadOnly reports whether writes are refused.
func (s *Settings) IsReadOnly() bool { return s.ReadOnly.Value == "true" }

// All returns every setting by name.
func (s *Settings) All() map[string]Setting {
	return map[string]Setting{
		"profile": s.Profile, "url": s.URL, "org": s.Org, "space": s.Space, "read_only": s.ReadOnly,
	}
}

// CheckURL returns an error if text is not a valid server address.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("the address of a server is like %s, not %q", DefaultURL, text)
	}
	return nil
}

// profileName matches valid names of profiles: lower case, because viper folds case.
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Set changes a setting of the active profile, or selects the active profile, and saves the file. An empty value
// removes the setting.
func (s *Settings) Set(name, value string) error {
	if name == "profile" {
		if _, ok := s.File.Profiles[value]; !ok {
			return fmt.Errorf("there is no profile %q", value)
		}
		s.File.Profile = value
		return s.save()
	}
	p := s.File.Profiles[s.Profile.Value]
	switch name {
	case "url":
		if err := CheckURL(value); err != nil && value != "" {
			return err
		}
		if origin(p.URL) != origin(value) { // the token belongs to the old server
			if _, err := s.forgetToken(p); err != nil {
				return err
			}
			p.TokenStore = ""
		}
		p.URL, p.OnlyOrganization = value, ""
	case "org":
		p.Organization = value
	case "space":
		p.Space = value
	case "read_only":
		readOnly, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("read_only is true or false, not %q", value)
		}
		p.ReadOnly = readOnly
	default:
		return fmt.Errorf("there is no setting %q", name)
	}
	return s.putProfile(p)
}

func checkProfileName(name string) error {
	if !profileName.MatchString(name) {
		return fmt.Errorf("a profile is named with lower-case letters, digits, - and _, not %q", name)
	}
	return nil
}

func (s *Settings) putProfile(p Profile) error {
	name := s.Profile.Value
	if err := checkProfileName(name); err != nil {
		return err
	}
	if s.File.Profiles == nil {
		s.File.Profiles = map[string]Profile{}
	}
	s.File.Profiles[name] = p
	return s.save()
}

func (s *Settings) save() error {
	s.File.Version = 1
	data, err := yaml.Marshal(s.File)
	if err != nil {
		return err
	}
	return WriteFile(s.Path, data)
}

// WriteFile atomically replaces a file that only its owner may read.
func WriteFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".wsctl-*") // created with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is returned
	}
	return err
}
