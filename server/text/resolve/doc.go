// Package resolve finds what the destinations of links and images in the pages of a space refer to: pages, files, and content
// elsewhere that is named by its id.
//
// It is pure: the same pages and files give the same targets on the server and in wsctl.
package resolve
