//go:build !light

package data

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetSizes refuses a Parquet file with nested columns, since a file of some kilobytes can have them so
// deep that the decoder's names of them fill the memory, and one whose footer or pages say that they hold
// more entries than they do, or pages that would take more than so many bytes: the decoder reserves memory by
// these numbers before it looks at what is there. It panics where a place lies outside the text.
func parquetSizes(text []byte, most int64, rest func()) error {
	end := len(text) - 8 // of the footer, which its length and a mark follow
	if end < 0 || string(text[end+4:]) != "PAR1" {
		return errors.New("is no Parquet file, or is damaged (it does not end with PAR1)")
	}
	size := int64(binary.LittleEndian.Uint32(text[end:]))
	if size > int64(end) {
		return errors.New("is no Parquet file, or is damaged (its footer is longer than the file)")
	}
	var footer format.FileMetaData
	if _, err := counted(text[end-int(size):end], &footer); err != nil {
		return fmt.Errorf("is no Parquet file, or is damaged (%w)", err)
	}
	for i := 1; i < len(footer.Schema); i++ {
		if e := &footer.Schema[i]; !e.Type.Valid {
			return fmt.Errorf("column %s is nested; a table has flat columns", e.Name)
		}
	}
	for _, group := range footer.RowGroups {
		for _, c := range group.Columns {
			at := c.MetaData.DataPageOffset
			if first := c.MetaData.DictionaryPageOffset; first > 0 && first < at {
				at = first
			}
			if err := pageSizes(text[at:at+c.MetaData.TotalCompressedSize], most); err != nil {
				return err
			}
			rest()
		}
	}
	return nil
}

// pageSize is how many bytes a page may have whatever the columns may take: writers end it at about 1 MB, and
// at most with their group of rows, of about 128 MB.
const pageSize = 128 << 20

// pageSizes looks at the headers of a column's pages.
func pageSizes(text []byte, most int64) error {
	for len(text) > 0 {
		var page format.PageHeader
		n, err := counted(text, &page)
		if err != nil {
			return fmt.Errorf("is damaged (%w)", err)
		}
		if int64(page.UncompressedPageSize) > max(most, pageSize) {
			return errTooLarge
		}
		text = text[n:][max(0, page.CompressedPageSize):]
	}
	return nil
}

// counted decodes a value at the start of a text, once every entry that it counts is found to be there, and
// returns how many bytes it has.
func counted(text []byte, to any) (int, error) {
	var nothing struct{} // what has no place in it is gone past
	r := new(thrift.CompactProtocol).NewReaderFromBytes(text)
	if err := thrift.NewDecoder(r).Decode(&nothing); err != nil {
		return 0, err
	}
	n := r.BytesRead()
	return n, thrift.Unmarshal(new(thrift.CompactProtocol), text[:n], to)
}
