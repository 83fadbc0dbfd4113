package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/folder"
)

// maxClockSkew is the difference between the clocks of wsctl and the server from which on status warns.
const maxClockSkew = time.Minute

// States of a check.
const (
	checkOK     = "ok"
	checkWarned = "warning"
	checkFailed = "failed"
)

// statusCheck is a row of status.
type statusCheck struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Message string `json:"message"`
}

// statusReport runs the checks of status. err is the error of the first check that failed.
type statusReport struct {
	app    *app.App
	checks []statusCheck
	err    error

	isFolder bool // the working directory is in a folder that is linked to a space
}

func (s *statusReport) add(name, state, format string, args ...any) {
	s.checks = append(s.checks, statusCheck{name, state, app.Sanitize(fmt.Sprintf(format, args...))})
}

func (s *statusReport) fail(name string, err error) {
	s.add(name, checkFailed, "%s", s.app.DescribeError(err).Message)
	if s.err == nil {
		s.err = err
	}
}

func statusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Check this folder, the address, the server, its version, the clock and your token",
		Long: "Check the folder that the working directory is in, the address, the server, its version, the clock and your token. The\n" +
			"exit code is that of the first check that failed. -v adds where the settings are from.",
		Example: "  wsctl status\n  wsctl status -v\n  wsctl status -o json",
		Args:    app.ExactArgs(), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			printer, err := a.Printer(app.ParseColumns("name,state,message"))
			if err != nil {
				return err
			}
			settings, err := a.Settings(cmd)
			if err != nil {
				return err
			}
			s := &statusReport{app: a}
			if a.IsVerbose() {
				s.addSettings(settings)
			}
			s.addFolder()
			s.checkServer(cmd, settings)
			s.addSpace(cmd)
			if err := app.PrintItems(printer, s.checks); err != nil {
				return err
			}
			return s.err
		},
	}
}

// addFolder adds how the folder that the working directory is in differs from what it was last pulled from or pushed to.
func (s *statusReport) addFolder() {
	lines, err := folder.Status(s.app)
	if err != nil {
		s.fail("folder", err)
		return
	}
	s.isFolder = len(lines) > 0
	for _, line := range lines {
		result := checkOK
		if line.IsConflict {
			result = checkWarned
		}
		s.add(line.Name, result, "%s", line.Message)
	}
}

// addSpace adds what the space of the folder has that the folder does not have.
func (s *statusReport) addSpace(cmd *cobra.Command) {
	if !s.isFolder || s.err != nil {
		return
	}
	newest, err := folder.Newest(s.app, cmd)
	if err != nil {
		s.fail("space", err)
	}
	for _, line := range newest {
		s.add(line.Name, checkWarned, "%s", line.Message)
	}
}

// addSettings adds where each setting is from.
func (s *statusReport) addSettings(settings *app.Settings) {
	s.add("settings", checkOK, "%s", settings.Path)
	values := settings.All()
	for _, name := range settingNames() {
		if values[name].Value != "" {
			s.add(name, checkOK, "%s (%s)", values[name].Value, values[name].Origin)
		}
	}
}

// checkServer checks what a call needs, in this order, and ends with the first that fails.
func (s *statusReport) checkServer(cmd *cobra.Command, settings *app.Settings) {
	if err := app.CheckURL(settings.URL.Value); err != nil {
		s.fail("address", app.Usagef("%v (from %s)", err, settings.URL.Origin))
		return
	}
	s.add("address", checkOK, "%s (from %s)", settings.URL.Value, settings.URL.Origin)
	start := s.app.Now()
	response, err := s.app.ClientWith(settings.URL.Value, "").Do( // a wrong token would be refused here, too
		cmd.Context(), client.Request{Method: http.MethodGet, Path: api.GetServer.Path})
	took := s.app.Now().Sub(start)
	if err != nil {
		s.fail("server", err)
		return
	}
	var info api.ServerInfo
	if json.Unmarshal(response.Body, &info) != nil || info.Version == "" {
		s.fail("server", fmt.Errorf("%s answers, but it is not wsd", settings.URL.Value))
		return
	}
	s.add("server", checkOK, "wsd answers in %d ms", took.Milliseconds())
	if note := versionNote(info.Version, app.Version()); note != "" {
		s.add("version", checkWarned, "%s", note)
	} else {
		s.add("version", checkOK, "wsd %s, wsctl %s", info.Version, app.Version())
	}
	s.checkClock(response.Header.Get("Date"), start.Add(took/2))
	s.checkToken(cmd, settings)
}

// checkClock compares the clock of wsctl with the date of an answer.
func (s *statusReport) checkClock(date string, now time.Time) {
	there, err := http.ParseTime(date)
	skew := now.Sub(there)
	switch {
	case err != nil:
		s.add("clock", checkWarned, "the server does not say what time it is")
	case skew > maxClockSkew:
		s.add("clock", checkWarned, "the clock here is %s ahead of that of the server", skew.Round(time.Second))
	case skew < -maxClockSkew:
		s.add("clock", checkWarned, "the clock here is %s behind that of the server", (-skew).Round(time.Second))
	default:
		s.add("clock", checkOK, "as that of the server")
	}
}

func (s *statusReport) checkToken(cmd *cobra.Command, settings *app.Settings) {
	token, err := settings.Token()
	if err != nil {
		s.fail("token", err)
		return
	}
	c, err := s.app.Client(cmd)
	if err != nil {
		s.fail("token", err)
		return
	}
	user, err := c.User.Get(cmd.Context(), api.NoInput{})
	if err != nil {
		s.fail("token", err)
		return
	}
	s.add("token", checkOK, "%s, %s (from %s)", user.DisplayName, user.ID, token.Origin)
}

// release matches the versions of releases.
var release = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+$`)

// versionNote says that a release of wsd and one of wsctl differ, or returns "".
func versionNote(wsd, wsctl string) string {
	if wsd == wsctl || !release.MatchString(wsd) || !release.MatchString(wsctl) {
		return ""
	}
	return fmt.Sprintf("wsd %s and wsctl %s are of different versions; wsctl %s knows all of it", wsd, wsctl, wsd)
}
