// Command validate reads an OpenAPI document with libopenapi, and fails if it has an error. It prints the number of operations.
package main

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/pb33f/libopenapi"
	"github.com/pb33f/libopenapi/datamodel"
)

func main() {
	log.SetFlags(0)
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var logged bytes.Buffer // some errors are logged only
	config := datamodel.NewDocumentConfiguration()
	config.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelWarn}))
	document, err := libopenapi.NewDocumentWithConfiguration(data, config)
	if err != nil {
		log.Fatal(err)
	}
	model, err := document.BuildV3Model()
	if err != nil || logged.Len() > 0 {
		log.Fatalf("%v\n%s", err, &logged)
	}
	operations := 0
	for _, path := range model.Model.Paths.PathItems.FromOldest() {
		operations += path.GetOperations().Len()
	}
	fmt.Printf("%d operations\n", operations)
}
