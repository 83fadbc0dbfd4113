package storetest

import (
	"context"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// Fixture is an organization with one resource of every kind.
type Fixture struct {
	Org, Collection, Space, Comment string         // ids
	Text                            objects.Object // reachable from the head
	Garbage                         objects.Object // unreachable
}

// NewFixture creates an organization with one resource of every kind.
func NewFixture(t *testing.T, s *store.Store) Fixture {
	t.Helper()
	org := s.NewID("o_")
	e := Fixture{
		Org: org, Comment: s.NewID("c_"),
		Collection: s.NewID(txn.HomePrefix("l_", org)), Space: s.NewID(txn.HomePrefix("s_", org)),
		Text: objects.NewBlob([]byte("some text")), Garbage: objects.NewBlob([]byte("abandoned")),
	}
	content := s.Content(e.Space)
	content.Stage(e.Text)
	pages := content.BuildMap(map[string]objects.Entry{"p_1": {Value: []byte(`{}`), Refs: []string{e.Text.Hash}}})
	revision := content.Stage(objects.NewNode([]string{pages}, []byte(`{"type":"initial"}`)))
	if err := s.PutObjects(t.Context(), e.Space, []objects.Object{e.Garbage}); err != nil {
		t.Fatal(err)
	}
	Update(t, s, org, func(tx *store.Tx) error {
		tx.Objects(e.Space, content.Staged()...)
		tx.SetHead(org, e.Space, store.Head{Revision: revision, Pages: pages, MovedAt: time.UnixMilli(1)})
		return e.write(tx)
	})
	if err := s.Deliver(t.Context(), org, nil); err != nil { // removes the second copy of data that tests damage
		t.Fatal(err)
	}
	return e
}

// write writes the records of a fixture.
func (e Fixture) write(tx *store.Tx) error {
	organization, err := tx.Organization(e.Org)
	if err != nil {
		return err
	}
	organization.Fields = api.OrganizationFields{ID: e.Org, Title: "Estate"}
	if _, err := tx.PutOrganization(organization); err != nil {
		return err
	}
	collection, err := tx.Collection(e.Org, e.Collection)
	if err != nil {
		return err
	}
	collection.Fields = api.CollectionFields{ID: e.Collection, Organization: e.Org}
	if err := tx.MoveCollection(&collection, "", txn.Position{}); err != nil {
		return err
	}
	if _, err := tx.PutCollection(collection); err != nil {
		return err
	}
	return e.writeSpace(tx)
}

func (e Fixture) writeSpace(tx *store.Tx) error {
	space, err := tx.Space(e.Org, e.Space)
	if err != nil {
		return err
	}
	space.Fields = api.SpaceFields{ID: e.Space, Organization: e.Org}
	if err := tx.MoveSpace(&space, e.Collection, txn.Position{}); err != nil {
		return err
	}
	if _, err := tx.PutSpace(space); err != nil {
		return err
	}
	comment, err := tx.Comment(e.Org, e.Comment)
	if err != nil {
		return err
	}
	comment.Fields = api.CommentFields{ID: e.Comment, Status: api.CommentOpen}
	comment.Private = store.CommentPrivate{Author: "u_1", Target: e.Space, Space: e.Space}
	_, err = tx.PutComment(e.Org, comment, "")
	return err
}

// AddPage adds a page to the content of a space and moves its head.
func AddPage(tx *store.Tx, content *objects.Content, org string, head store.Head, name string) error {
	text := content.Stage(objects.NewBlob([]byte("text of " + name)))
	set := map[string]objects.Entry{"p_" + name: {Value: []byte(name), Refs: []string{text}}}
	pages, err := content.Apply(context.WithoutCancel(tx.Context()), head.Pages, set, nil)
	if err != nil {
		return err
	}
	revision := content.Stage(objects.NewNode([]string{pages}, []byte(name)))
	tx.Objects(content.Space(), content.Staged(revision)...)
	tx.SetHead(org, content.Space(), store.Head{Revision: revision, Pages: pages, MovedAt: time.UnixMilli(1)})
	return nil
}
