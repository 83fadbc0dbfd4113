// Command bare is the baseline of the benchmarks of wsctl: a cobra program without any command.
package main

import (
	"os"

	"github.com/spf13/cobra"
)

func main() {
	if (&cobra.Command{Use: "bare", Version: "0", Run: func(*cobra.Command, []string) {}}).Execute() != nil {
		os.Exit(1)
	}
}
