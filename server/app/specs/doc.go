// Package specs implements the operations on OpenAPI specifications: their versions, the jobs that fetch them and add
// new versions to spaces, and the pages generated from them.
//
// Package openapi parses the documents and generates the pages; Pages implements pages.Computer with it.
package specs
