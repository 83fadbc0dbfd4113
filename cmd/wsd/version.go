package main

import (
	"cmp"
	"runtime/debug"
)

// released is the version of a release: `make release` sets it.
var released string

// version is that of the release, else what the build recorded of the module.
func version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		recorded = info.Main.Version
	}
	return cmp.Or(released, recorded, "dev")
}

// build is the commit that the binary was built from, "" where the build did not record it.
func build() string {
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
