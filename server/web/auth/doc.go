// Package auth identifies callers and describes permissions. It parses credentials and checks their secrets, defines
// the Need of an operation, limits requests per principal, verifies tokens of site visitors, encrypts stored secrets,
// and signs addresses that are valid without a token. It finds the secrets of a node in its settings and its data
// directory, and replaces those of the data.
//
// Package rest applies it to requests. Package auth does not depend on the state of a request.
package auth
