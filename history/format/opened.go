package format

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"txweave/internal/input"
)

// Stdin is the path of standard input.
const Stdin = input.Stdin

// Opened is a file that is being read: once, from its beginning to its end, so that it may be a pipe.
type Opened struct {
	*bufio.Reader
	Path string
	file *input.Reader
	size int64 // in bytes; 0 where it is not known, and of what is compressed
	zstd *zstd.Decoder
}

// The first bytes of compressed files.
var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// Open opens a file, or standard input, which is read until ctx ends. What is compressed by gzip or zstd is
// decompressed, whatever its name.
func Open(ctx context.Context, path string) (*Opened, error) {
	f, err := input.Open(ctx, path)
	if err != nil {
		return nil, named(plainError(err), path)
	}
	in := &Opened{Path: path, file: f}
	if err := in.decompress(); err != nil {
		in.Close()
		return nil, named(&Error{Msg: err.Error()}, path)
	}
	return in, nil
}

func (in *Opened) decompress() error {
	in.Reader = bufio.NewReaderSize(in.file, headSize)
	magic, err := in.Peek(len(zstdMagic))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return plainError(err)
	case bytes.HasPrefix(magic, gzipMagic):
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return err
		}
		in.Reader = bufio.NewReaderSize(z, headSize)
	case bytes.Equal(magic, zstdMagic):
		if in.zstd, err = zstd.NewReader(in.Reader, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxZstdWindow)); err != nil {
			return err
		}
		in.Reader = bufio.NewReaderSize(in.zstd, headSize)
	default:
		in.size = in.file.Size
	}
	if mark, _ := in.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, err = in.Discard(len(byteOrderMark))
	} else {
		err = nil // what cannot be read is said by who reads it
	}
	return err
}

// maxZstdWindow bounds what a compressed file may make its reader hold.
const maxZstdWindow = 1 << 30

// Head returns the beginning of the file, which stays to be read.
func (in *Opened) Head() ([]byte, error) {
	head, err := in.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	return head, nil
}

// Close closes the file.
func (in *Opened) Close() {
	if in.zstd != nil {
		in.zstd.Close()
	}
	in.file.Close()
}
