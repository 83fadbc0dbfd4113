package app

import (
	"cmp"
	"runtime/debug"
)

// released is the release version; `make release` sets it at link time.
var released string

// Version returns the release version, or else the module version recorded by the build, or else dev.
func Version() string {
	recorded := ""
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		recorded = info.Main.Version
	}
	return cmp.Or(released, recorded, "dev")
}
