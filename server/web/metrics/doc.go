// Package metrics counts what a server does and writes the counts in the format of Prometheus. A label is a value of a fixed list: a
// route, a method, a status, a reason of a refusal, a kind of job, the name of a cache, a budget or a check. No label holds a user, an
// organization, an id or a text of a request.
package metrics
