package wireshark

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Selection is what a display filter selects of a capture: the numbers of the
// frames, or what tshark says of a filter that it does not take.
type Selection struct {
	Frames   []int
	Rejected string
}

// Select returns what the tshark on PATH selects with each filter. One process
// has a Lua listener for each: it would take a second for every -Y. dir is a
// folder for the script.
func Select(path, dir string, filters []string) ([]Selection, error) {
	script := filepath.Join(dir, "select.lua")
	if err := os.WriteFile(script, listeners(filters), 0o600); err != nil {
		return nil, err
	}
	cmd := Command("-q", "-X", "lua_script:"+script, "-r", path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("tshark: %w: %s", err, stderr.Bytes())
	}
	all := make([]Selection, len(filters))
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		cells := strings.SplitN(lines.Text(), "\t", 3)
		i, err := strconv.Atoi(cells[0])
		if len(cells) < 3 || err != nil {
			continue // the rest of a message
		}
		switch s := &all[i-1]; cells[1] {
		case "frame":
			n, err := strconv.Atoi(cells[2])
			if err != nil {
				return nil, fmt.Errorf("tshark: %q is no frame number", cells[2])
			}
			s.Frames = append(s.Frames, n)
		case "rejected":
			s.Rejected = cells[2]
		}
	}
	return all, lines.Err()
}

// listeners returns the script.
func listeners(filters []string) []byte {
	var b bytes.Buffer
	b.WriteString("local filters = {\n")
	for _, f := range filters {
		fmt.Fprintf(&b, "[===[%s]===],\n", f)
	}
	b.WriteString(`}
for i, f in ipairs(filters) do
	local ok, l = pcall(Listener.new, "frame", f)
	if ok then
		function l.packet(pinfo) print(i, "frame", pinfo.number) end
	else
		print(i, "rejected", l)
	end
end
`)
	return b.Bytes()
}

// SelectOne returns the numbers of the frames that tshark -Y selects.
func SelectOne(path, filter string) ([]int, error) {
	out, err := Command("-r", path, "-Y", filter, "-T", "fields", "-e", "frame.number").Output()
	if err != nil {
		return nil, fmt.Errorf("tshark -Y %s: %w", filter, err)
	}
	var frames []int
	for _, word := range strings.Fields(string(out)) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("tshark: %q is no frame number", word)
		}
		frames = append(frames, n)
	}
	return frames, nil
}
