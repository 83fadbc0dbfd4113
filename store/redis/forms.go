package redis

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"
)

// databaseSchema is the form of the whole database that this program knows.
const databaseSchema = 1

// SchemaKey has the form of the database. It and SecretsKey are the keys without a
// tag.
func SchemaKey() Key { return Named(StringKind, "schema") }

// forms compares the form of the data with what this program knows: it refuses
// what a newer one wrote, and says where the data is of an older one, which is
// read as it is and written anew bit by bit.
func (c *Conn) forms(ctx context.Context) Check {
	FailBefore("schema.read")
	schema, err := c.Client.Get(ctx, c.Name(SchemaKey())).Int()
	FailAfter("schema.read")
	switch {
	case errors.Is(err, goredis.Nil):
		return ok("forms", "empty database")
	case err != nil:
		return failed("forms", err, "is this another program's database?")
	case schema > databaseSchema:
		return refuse("forms", fmt.Sprintf("the data has form %d, this program knows %d", schema, databaseSchema), "use a newer wsd")
	case schema < databaseSchema:
		return warn("forms", fmt.Sprintf("the data has form %d, this program writes %d", schema, databaseSchema), "there is no way back to the wsd that wrote it: keep a backup")
	}
	return ok("forms", fmt.Sprintf("form %d", schema))
}
