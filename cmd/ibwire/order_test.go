package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that begins before the end of the one before it is in the wrong place.
func TestFileOrder(t *testing.T) {
	header, all := packetsOf(t, goBackN(t))
	dir := t.TempDir()
	file := func(name string, packets ...int) string {
		data := header
		for _, n := range packets {
			data = append(data, all[n-1]...)
		}
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	a, b, one, none := file("a", 1, 2, 3), file("b", 4, 5, 6), file("one", 3), file("none")
	for _, c := range []struct {
		files []string
		want  string // file and the one before it
	}{
		{[]string{a}, ""},
		{[]string{a, b}, ""},
		{[]string{a, one}, ""},
		{[]string{a, none, b}, ""},
		{[]string{b, a}, a + " " + b},
		{[]string{b, none, a}, a + " " + b},
		{[]string{b, one, b}, one + " " + b},
		{[]string{a, a}, a + " " + a},
		{[]string{one, one}, one + " " + one},
		{[]string{"-Y", "infiniband.bth.psn == 0", b, a}, a + " " + b},
	} {
		want := ""
		if name, before, ok := strings.Cut(c.want, " "); ok {
			want = "ibwire: " + name + ": begins before the end of " + before + ": files are to be given once, in the order of their times\n"
		}
		for _, name := range analyses {
			_, errs, status := command(t, nil, append([]string{name}, c.files...)...)
			require.Equal(t, want, errs, c.files)
			require.Equal(t, exitOK, status)
		}
		_, errs, _ := command(t, nil, append([]string{"dissect"}, c.files...)...)
		require.Empty(t, errs, "where order does not matter")
	}
}
