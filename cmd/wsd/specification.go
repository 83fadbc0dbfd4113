package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/specprocess"
)

// readSpecificationName is the name of the command that wsd starts to read a specification.
const readSpecificationName = "read-specification"

// newSpecReader returns the Reader that starts this program again for each specification.
func newSpecReader(limits *budgets.Budgets) (*specprocess.Command, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("path of this program, to read specifications: %w", err)
	}
	return &specprocess.Command{
		Path: path, Args: []string{readSpecificationName},
		Limits: specprocess.Limits{CPU: time.Duration(limits.SpecCPU), Memory: limits.SpecMemory},
	}, nil
}

// newReadSpecificationCmd returns the command of newSpecReader. It is hidden, because only wsd runs it.
func newReadSpecificationCmd() *cobra.Command {
	return &cobra.Command{
		Use: readSpecificationName + " SECONDS BYTES", Short: "Read a specification for a wsd that serves", Hidden: true,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			seconds, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("%q is not a number of seconds", args[0])
			}
			bytes, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is not a number of bytes", args[1])
			}
			return specprocess.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), specprocess.Limits{
				CPU: time.Duration(seconds) * time.Second, Memory: bytes,
			})
		},
	}
}
