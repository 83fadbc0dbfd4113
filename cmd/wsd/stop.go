package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"golang.org/x/term"
)

// defaultDrainTime is the time for which wsd keeps serving after the signal to stop, so that proxies can detect that it is not
// ready.
const defaultDrainTime = 5 * time.Second

// parseDrainTime returns the value of --drain-time. The default is 0 if stderr is a terminal, as no proxy is
// involved.
func (c *config) parseDrainTime(stderr io.Writer) (time.Duration, error) {
	if c.drainTime == "" {
		if file, ok := stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return 0, nil
		}
		return defaultDrainTime, nil
	}
	d, err := time.ParseDuration(c.drainTime)
	if err != nil || d < 0 {
		return 0, settingError("WSD_DRAIN_TIME", fmt.Errorf("%q is not a time such as 5s or 0s", c.drainTime))
	}
	return d, nil
}

// newJSONLogger returns a logger for lines that are written whatever the log level is.
func newJSONLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }
