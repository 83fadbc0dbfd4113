// Package config finds out what wsctl shall talk to and as whom: flags, environment, profile, defaults, in this
// order. It owns the configuration file and the stored tokens; nothing else reads viper.
package app

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// DefaultURL is where a wsd listens unless told otherwise.
const DefaultURL = "http://127.0.0.1:8080"

// defaultProfile is the profile of those who have one server.
const defaultProfile = "default"

// File is the configuration file.
type File struct {
	Version  int                `yaml:"version" mapstructure:"version"`
	Profile  string             `yaml:"profile,omitempty" mapstructure:"profile"` // the one in use
	Profiles map[string]Profile `yaml:"profiles,omitempty" mapstructure:"profiles"`
}

// Profile is one server with what is usual there.
type Profile struct {
	URL          string `yaml:"url,omitempty" mapstructure:"url"`
	Organization string `yaml:"org,omitempty" mapstructure:"org"`
	Space        string `yaml:"space,omitempty" mapstructure:"space"`
	ReadOnly     bool   `yaml:"read_only,omitempty" mapstructure:"read_only"`
	TokenStore   string `yaml:"token_store,omitempty" mapstructure:"token_store"` // keyring or file
}

// Sources is where settings come from. Flags holds the flags that were given, by the name of their setting.
type Sources struct {
	Dir   string // of the configuration file; see Dir
	Env   func(string) string
	Flags map[string]string

	NewProfile bool // the profile need not exist: the command makes it
}

// Setting is a setting and where it comes from.
type Setting struct{ Text, Origin string }

// Settings is what a command works with.
type Settings struct {
	Profile  Setting
	URL      Setting
	Org      Setting
	Space    Setting
	ReadOnly Setting // true or false

	File  File
	Path  string // of the file, which need not exist
	store *Store
	env   string // the token of the environment
}

// Names are the settings that a profile has, as they are called in the file, by config get and config set.
func Names() []string { return []string{"url", "org", "space", "read_only"} }

// Dir returns the directory of the configuration: WSCTL_CONFIG_DIR, or wsctl in the XDG directory, or in
// ~/.config.
func Dir(env func(string) string) string {
	if dir := env("WSCTL_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := env("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "wsctl")
	}
	return filepath.Join(env("HOME"), ".config", "wsctl")
}

// Path returns the configuration file in a directory.
func Path(dir string) string { return filepath.Join(dir, "config.yaml") }

// Load reads the file, if there is one, and settles every setting.
func Load(sources Sources, keyring Keyring) (*Settings, error) {
	path := Path(sources.Dir)
	v := viper.New()
	v.SetConfigFile(path)
	if err := v.ReadInConfig(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	s := &Settings{Path: path, env: sources.Env("WSCTL_TOKEN")}
	if err := v.Unmarshal(&s.File); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	s.store = &Store{dir: sources.Dir, keyring: keyring}
	return s, s.settle(v, sources)
}

// settle applies the precedence. Every layer says where its value comes from.
func (s *Settings) settle(v *viper.Viper, sources Sources) error {
	layer := func(key, env, fromFile, fileOrigin, fallback string) Setting {
		v.SetDefault(key, fallback)
		origin := "default"
		if fromFile != "" {
			v.Set(key, fromFile)
			origin = fileOrigin
		}
		if text := sources.Env(env); text != "" {
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
	profile, known := s.File.Profiles[s.Profile.Text]
	if !known && !sources.NewProfile && s.Profile.Text != defaultProfile {
		return fmt.Errorf("there is no profile %q (from %s) in %s; wsctl --profile %s auth login makes it",
			s.Profile.Text, s.Profile.Origin, s.Path, s.Profile.Text)
	}
	origin := "profile " + s.Profile.Text
	s.URL = layer("url", "WSCTL_URL", profile.URL, origin, DefaultURL)
	there := profile
	if s.isElsewhere(profile) { // ids of one server mean nothing on another
		there.Organization, there.Space = "", ""
	}
	s.Org = layer("org", "WSCTL_ORG", there.Organization, origin, "")
	s.Space = layer("space", "WSCTL_SPACE", there.Space, origin, "")
	s.ReadOnly = Setting{strconv.FormatBool(profile.ReadOnly), origin}
	return nil
}

// isElsewhere reports whether the server in use is another one than a profile is for. A profile that names none holds for
// every one.
func (s *Settings) isElsewhere(p Profile) bool {
	return p.URL != "" && origin(p.URL) != origin(s.URL.Text)
}

// Withheld says, for whoever was refused for want of a token, that the profile has one which was not sent, and why: it
// belongs to another server. It is "" where that is not so.
func (s *Settings) Withheld() string {
	p := s.File.Profiles[s.Profile.Text]
	if s.env != "" || p.TokenStore == "" || origin(p.URL) == origin(s.URL.Text) {
		return ""
	}
	return fmt.Sprintf("the token of profile %s is for %s and was not sent to %s (from %s); set WSCTL_TOKEN, or log in there with a profile of its own",
		s.Profile.Text, origin(p.URL), origin(s.URL.Text), s.URL.Origin)
}

// IsReadOnly reports whether the profile refuses writes.
func (s *Settings) IsReadOnly() bool { return s.ReadOnly.Text == "true" }

// All returns every setting by name, for config list.
func (s *Settings) All() map[string]Setting {
	return map[string]Setting{
		"profile": s.Profile, "url": s.URL, "org": s.Org, "space": s.Space, "read_only": s.ReadOnly,
	}
}

// CheckURL reports what is wrong with the address of a server.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("the address of a server is like %s, not %q", DefaultURL, text)
	}
	return nil
}

// profileName is what a profile may be called: lower case, because the file's reader folds case.
var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// Set changes a setting of the profile in use, or the profile in use itself, and saves the file. An empty value
// removes the setting.
func (s *Settings) Set(name, value string) error {
	if name == "profile" {
		if _, ok := s.File.Profiles[value]; !ok {
			return fmt.Errorf("there is no profile %q", value)
		}
		s.File.Profile = value
		return s.save()
	}
	p := s.File.Profiles[s.Profile.Text]
	switch name {
	case "url":
		if err := CheckURL(value); err != nil && value != "" {
			return err
		}
		if origin(p.URL) != origin(value) {
			p.TokenStore = "" // the token was for the other server
		}
		p.URL = value
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
	return s.put(p)
}

func (s *Settings) put(p Profile) error {
	name := s.Profile.Text
	if !profileName.MatchString(name) {
		return fmt.Errorf("a profile is named with lower-case letters, digits, - and _, not %q", name)
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
	return writeFile(s.Path, data)
}

// writeFile replaces a file that only its owner may read, in one step.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".wsctl-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
