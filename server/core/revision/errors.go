package revision

import "docspace.dev/wsd/client/api"

// Within puts the path of an operation before the fields of its error.
func Within(path string, err error) error {
	wrong, ok := api.AsError(err)
	if !ok || len(wrong.Fields) == 0 {
		return err
	}
	fields := make([]api.FieldError, len(wrong.Fields))
	for i, f := range wrong.Fields {
		fields[i] = api.FieldError{Path: path + "." + f.Path, Message: f.Message}
	}
	return api.Invalid(fields...).WithCause(err)
}
