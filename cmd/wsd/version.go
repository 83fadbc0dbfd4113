package main

import (
	"cmp"
	"runtime/debug"
)

// released is the version of a release, set by `make release`.
var released string

// version returns the version of the release or, in other builds, the module version from the build information.
func version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		recorded = info.Main.Version
	}
	return cmp.Or(released, recorded, "dev")
}

// buildRevision returns the commit of the binary, or "" if the build did not record it.
func buildRevision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changed
}
