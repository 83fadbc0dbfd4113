// Package overview says in lines what a reviewer wants to know of a change request before the text: what it is for, who
// judges it and how, what stands in the way of a merge, which pages it changes and how much, what happened in it.
//
// The inbox draws its preview with it, the page of a change request itself, and the app what others did meanwhile. It does no
// I/O and knows no page of the screen. It imports changes, markdown, text and client/api.
package overview
