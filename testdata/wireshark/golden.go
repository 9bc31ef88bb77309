package wireshark

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A golden file is lines of JSON, compressed with gzip. The first line is a
// header, and each of the others a frame: its number, and its items as
// [field, value, offset, length] in Wireshark's order.
type (
	header struct {
		Wireshark string `json:"wireshark"` // the version
		Capture   string `json:"capture"`
	}
	goldenFrame struct {
		Frame  int          `json:"frame"`
		Fields []goldenItem `json:"fields"`
	}
	goldenItem Item
)

// MarshalJSON implements json.Marshaler.
func (i goldenItem) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{i.Name, i.Text, i.Offset, i.Length})
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *goldenItem) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&i.Name, &i.Text, &i.Offset, &i.Length})
}

// GoldenPath returns the path of the golden file of a capture in folder dir.
func GoldenPath(dir, capture, version string) string {
	return filepath.Join(dir, filepath.Base(capture)+"."+version+".jsonl.gz")
}

// WriteGolden writes what a dissector of some version shows of the capture in
// file, under the capture's name.
func WriteGolden(golden, capture, file, version string, dissect Dissector) error {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	if err := e.Encode(header{version, filepath.Base(capture)}); err != nil {
		return err
	}
	err := dissect(file, func(number int, items []Item) error {
		f := goldenFrame{Frame: number}
		for _, i := range items {
			f.Fields = append(f.Fields, goldenItem(i))
		}
		return e.Encode(f)
	})
	if err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(golden, b.Bytes(), 0o644)
}

// Golden returns the Dissector that reads a golden file of the given version.
// It does not look at the capture.
func Golden(golden, version string) Dissector {
	return func(_ string, each func(int, []Item) error) error {
		f, err := os.Open(golden)
		if err != nil {
			return err
		}
		defer f.Close()
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return fmt.Errorf("%s: %w", golden, err)
		}
		d := json.NewDecoder(z)
		var h header
		if err := d.Decode(&h); err != nil || h.Wireshark != version {
			return fmt.Errorf("%s: made by Wireshark %q instead of %s (%v)", golden, h.Wireshark, version, err)
		}
		return goldenFrames(d, golden, each)
	}
}

func goldenFrames(d *json.Decoder, golden string, each func(int, []Item) error) error {
	for {
		var f goldenFrame
		if err := d.Decode(&f); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", golden, err)
		}
		items := make([]Item, len(f.Fields))
		for i, item := range f.Fields {
			items[i] = Item(item)
		}
		if err := each(f.Frame, items); err != nil {
			return err
		}
	}
}
