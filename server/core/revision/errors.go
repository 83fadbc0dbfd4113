package revision

import "docspace.dev/wsd/client/api"

// PrefixFields prepends a path to the fields of an invalid-field error. Other errors are returned unchanged.
func PrefixFields(path string, err error) error {
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
