package wireshark

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
)

// Oracle returns the Dissector of a script that takes a capture and writes, for
// each frame, a line of JSON: {"frame":1,"fields":[{"field":"erf.rlen",
// "value":"46","offset":0,"length":0,"label":"Record length: 46"}, ...]}. Values
// are as in a display filter.
func Oracle(script string) Dissector {
	return func(path string, each func(int, []Item) error) error {
		var stderr bytes.Buffer
		cmd := exec.Command(script, path)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s %s: %w: %s", script, path, err, stderr.Bytes())
		}
		known := names{}
		for line := range bytes.Lines(out) {
			var frame struct {
				Frame  int
				Fields []struct {
					Field, Value   string
					Offset, Length int
				}
			}
			if err := json.Unmarshal(line, &frame); err != nil {
				return fmt.Errorf("%s %s: %w", script, path, err)
			}
			var items []Item
			for _, f := range frame.Fields {
				if name := known.compared([]byte(f.Field)); name != "" {
					items = append(items, Item{Name: name, Text: unquote(f.Value), Offset: f.Offset, Length: f.Length})
				}
			}
			if err := each(frame.Frame, items); err != nil {
				return err
			}
		}
		return nil
	}
}

// unquote returns the text of a value of a display filter.
func unquote(value string) string {
	if s, err := strconv.Unquote(value); err == nil {
		return s
	}
	return value
}
