// Package apidoc describes the operations of the contract as an OpenAPI 3.1 document.
package apidoc
