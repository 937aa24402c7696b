package binlog

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"txweave/checker/certificate/commits"
)

// What a replica says and hears (dev.mysql.com/doc/dev/mysql-server, COM_BINLOG_DUMP; mariadb.com/kb, the same).
const (
	commandDump   = 0x12
	nonBlocking   = 1 // the server ends where the log does
	withStatement = 2 // MariaDB: with the events that hold the statements
	packetEnd     = 0xfe
	packetError   = 0xff
	packetHeader  = 4
	packetWhole   = 1<<24 - 1 // a packet of this size goes on in the next one
)

// dump has the server send its log from file:position to its end, and has it read. The server ends the connection then.
func dump(ctx context.Context, s commits.Connection, from string, read func(io.Reader) error) error {
	version, err := s.Read(ctx, "SELECT VERSION()")
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	at := strings.LastIndexByte(from, ':')
	position, err := strconv.ParseUint(from[at+1:], 10, 32)
	wire := s.Wire()
	switch {
	case at < 0 || err != nil:
		return fmt.Errorf("%s: it has no place %q", source, from)
	case wire == nil:
		return &commits.UnreadableError{Source: source,
			Why: "it is not read over a connection that is encrypted or compressed"}
	}
	settings := []string{"SET @master_binlog_checksum = @@GLOBAL.binlog_checksum",
		"SET @source_binlog_checksum = @@GLOBAL.binlog_checksum"} // MySQL since 8.0.26
	flags := uint16(nonBlocking)
	if strings.Contains(version.Cell(0, 0).S, "MariaDB") {
		settings, flags = append(settings, "SET @mariadb_slave_capability = 4"), nonBlocking|withStatement
	}
	if err := s.Must(ctx, settings...); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	defer context.AfterFunc(ctx, func() { _ = wire.SetDeadline(time.Unix(1, 0)) })()
	request := binary.LittleEndian.AppendUint32([]byte{commandDump}, uint32(position))
	request = binary.LittleEndian.AppendUint16(request, flags)
	request = append(binary.LittleEndian.AppendUint32(request, 0), from[:at]...) // the number of no replica
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(request)))          // and the packet's number, 0
	if _, err := wire.Write(append(head, request...)); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	err = read(&packets{in: bufio.NewReaderSize(wire, 1<<16)})
	var refused *commits.UnreadableError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refused):
		err = refused
	case err != nil:
		err = fmt.Errorf("%s: %w", source, err)
	}
	return err
}

// packets are the events that a server sends, one after the other.
type packets struct {
	in   io.Reader
	left int  // of the packet that is being read
	more bool // the event goes on in the next one
}

// Read returns io.EOF where the log ends.
func (p *packets) Read(b []byte) (int, error) {
	for p.left == 0 {
		if err := p.next(); err != nil {
			return 0, err
		}
	}
	n, err := p.in.Read(b[:min(len(b), p.left)])
	p.left -= n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF // the connection ended
	}
	return n, err
}

// next begins a packet.
func (p *packets) next() error {
	var head [packetHeader]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return fmt.Errorf("the connection ended: %w", err)
	}
	p.left = int(head[0]) | int(head[1])<<8 | int(head[2])<<16
	goesOn := p.more
	if p.more = p.left == packetWhole; goesOn || p.left == 0 {
		return nil
	}
	var kind [1]byte
	if _, err := io.ReadFull(p.in, kind[:]); err != nil {
		return fmt.Errorf("the connection ended: %w", err)
	}
	p.left--
	switch kind[0] {
	case packetEnd:
		return io.EOF
	case packetError: // its number, #, its state, and what it says
		text := make([]byte, p.left)
		if _, err := io.ReadFull(p.in, text); err != nil {
			return fmt.Errorf("the connection ended: %w", err)
		}
		const number, state = 2, 6
		return &commits.UnreadableError{Source: source, Why: string(text[min(len(text), number+state):])}
	}
	return nil
}
