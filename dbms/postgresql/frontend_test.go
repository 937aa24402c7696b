package postgresql

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"txweave/exec"
)

// A row that is longer than what is kept of a whole result is refused by its header.
func TestLongRow(t *testing.T) {
	header := binary.BigEndian.AppendUint32([]byte{'D'}, exec.MaxResult+5)
	_, err := frontend(bytes.NewReader(header), io.Discard).Receive()
	var long *pgproto3.ExceededMaxBodyLenErr
	if !errors.As(err, &long) {
		t.Errorf("it is read: %v", err)
	}
}
