// Package inbox implements the lists of change requests of a space and of an organization, with a summary of each,
// the reason why it concerns the caller, and counts by reason. It also implements read marks and saved queries. Lists
// never compute summaries: a job computes them and stores them with the heads that they belong to. Reviews, threads,
// rules and roles are read on each request.
package inbox
