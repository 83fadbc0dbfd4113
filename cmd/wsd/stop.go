package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"golang.org/x/term"
)

// defaultPause is how long wsd goes on answering after it was asked to stop: as long as proxies take to notice.
const defaultPause = 5 * time.Second

// pause is the time of --drain-time. Who stops wsd on a terminal waits for it, and no proxy does.
func (c *config) pause(stderr io.Writer) (time.Duration, error) {
	if c.drainTime == "" {
		if file, ok := stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			return 0, nil
		}
		return defaultPause, nil
	}
	d, err := time.ParseDuration(c.drainTime)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("--drain-time (WSD_DRAIN_TIME): %q is not a time such as 5s or 0s", c.drainTime)
	}
	return d, nil
}

// lineTo writes lines of the log that are said at every level: that wsd serves and where, and why it does not.
func lineTo(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }
