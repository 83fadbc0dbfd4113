// Package folder keeps a folder of Markdown and a space of a server the same: it reads folders, compares them with what they
// were last pulled from or pushed to, merges what has changed on the server into their files, and sends what has changed in
// them as a change request.
//
// A folder is linked to its space by wsctl.yaml, which its author commits together with wsctl.pages.yaml, the settings of pages
// that no text has. The directory .wsctl beside it holds what is known of the space: state.json, the texts that the folder is
// based on, and the journal of an unfinished pull. All of it can be read from the server again, but for undo.json and the texts
// that it names, by which the last pull is undone.
package folder
