// Package submit is the submit screen of a draft review and what sends it: the verdict, the text, the drafts that go and those
// that are held back, what was not read, what moved meanwhile, what sending does; frozen on disk, and then sent once.
//
// Screens of a change request push the page, the app has one Sender and hands it every message. It imports page, components,
// drafts, reading, remote, changes, markdown and text.
package submit
