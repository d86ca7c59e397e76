package lsp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"

	"github.com/sourcegraph/jsonrpc2"
)

// mostBytes is the largest message that is read: no model comes near.
const mostBytes = 64 << 20

// frames is a stream of messages with their lengths. A message that is no request is answered by an error,
// where other streams end.
type frames struct {
	jsonrpc2.ObjectStream
	in *bufio.Reader
}

func newFrames(pipe io.ReadWriteCloser) *frames {
	return &frames{jsonrpc2.NewBufferedStream(pipe, jsonrpc2.VSCodeObjectCodec{}), bufio.NewReader(pipe)}
}

// ReadObject implements jsonrpc2.ObjectStream.
func (f *frames) ReadObject(v any) error {
	for {
		raw, err := f.read()
		if err != nil {
			return err
		}
		wrong := json.Unmarshal(raw, v)
		if wrong == nil {
			return nil
		}
		code := codeParse
		if json.Valid(raw) {
			code = codeInvalid
		}
		if err := f.WriteObject(map[string]any{"jsonrpc": "2.0", "id": nil,
			"error": map[string]any{"code": code, "message": wrong.Error()}}); err != nil {
			return err
		}
	}
}

// read reads one message.
func (f *frames) read() ([]byte, error) {
	head, err := textproto.NewReader(f.in).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil || n < 0 || n > mostBytes {
		return nil, fmt.Errorf("lsp: a message with the length %q", head.Get("Content-Length"))
	}
	raw := make([]byte, n)
	_, err = io.ReadFull(f.in, raw)
	return raw, err
}
