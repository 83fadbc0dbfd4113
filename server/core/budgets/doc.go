// Package budgets defines the limits of wsd in one table: what a request, a user, an organization and a node may use. It also
// provides the limiters that share memory fairly between tenants. It contains the numbers and their configuration; the packages
// that apply a limit define the errors.
package budgets
