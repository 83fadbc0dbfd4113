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
