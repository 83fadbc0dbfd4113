// Package auth says who it is: credentials and what a secret opens, what an operation needs of its caller, how many
// requests a principal may make, who visits a site, secrets that are read again, addresses that need no token.
//
// The pipeline of requests (package rest) asks it in this order: whom does the credential name, is there some of the
// minute's allowance left, is the need met. It knows neither requests under way nor resources beyond tokens. It may
// import access, listen and the store.
package auth
