// Package specs answers for OpenAPI specifications: their versions, the jobs that fetch them and bring new ones into
// spaces, and the pages that are made of them.
//
// The server mounts its operations and runs its jobs. Pages is the pages.Computer of computed pages. It may import
// access, auth, budgets, fetch, pages, reading, rest, revision, spec, view and the store: what a specification says is read by
// spec, which is pure.
package specs
