package operations

import (
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// findPointers replaces the names in flags of pointers to resources of several kinds by ids, because the id tells the kind. Names
// of pointers to one kind are found with the other names of the command.
func (r *rowCommand) findPointers(names *resolve.Resolver, args []string) error {
	for _, b := range r.body {
		if b.pointer == nil || !b.value.IsSet() || app.HasPointerID(b.value.String()) {
			continue
		}
		subjects := app.PointerSubjects(b.pointer)
		if len(subjects) < 2 {
			continue
		}
		id, err := names.FindAny(subjects, b.value.String(), func(subject string) string { return r.givenID(names, subject, args) })
		if err != nil {
			return err
		}
		if err := b.value.Set(id); err != nil {
			return app.Usagef("--%s %v", b.value.Name, err)
		}
	}
	return nil
}

// givenID returns the id of the resource of a subject that the argument or a flag names, or "".
func (r *rowCommand) givenID(names *resolve.Resolver, subject string, args []string) string {
	text := ""
	switch v := r.path[subject]; {
	case subject == r.argument && len(args) > 0:
		text = args[0]
	case v != nil:
		text = v.String()
	}
	id, err := names.Find(subject, text)
	if err != nil {
		return "" // the command reports it when it finds its names
	}
	return id
}
