// Package specprocess reads OpenAPI specifications in a process of its own. The library that resolves their references
// cannot be canceled, and there are documents with which it uses any amount of time, memory or stack. The process is
// killed at its limits, and the server goes on.
package specprocess
