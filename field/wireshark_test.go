package field_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/testdata"
	"github.com/ibwire/ibwire/testdata/wireshark"
)

// testdata/wireshark/README.md has the commands.
var (
	update        = flag.Bool("update", false, "write the golden files anew")
	oracle        = flag.String("oracle", "", "with -update: `script` to ask instead of the tshark on PATH")
	oracleVersion = flag.String("oracle-version", "4.4.5", "the version that -oracle speaks for")
	full          = flag.Bool("full", false, "compare all generated frames, and write the report")
)

// sources returns the captures of this module, in the form that both can read.
func sources(t *testing.T) []wireshark.Source {
	t.Helper()
	paths := append(testdata.Glob(t, "*.pcap"), testdata.Glob(t, "*.erf")...)
	local, err := filepath.Glob("testdata/*.pcap")
	require.NoError(t, err)
	return open(t, append(paths, local...))
}

func open(t *testing.T, paths []string) []wireshark.Source {
	t.Helper()
	dir := t.TempDir()
	var all []wireshark.Source
	for _, path := range paths {
		s, err := wireshark.Open(path, dir)
		require.NoError(t, err, path)
		all = append(all, s)
	}
	return all
}

// Every field is what the golden files say that Wireshark shows.
func TestGolden(t *testing.T) {
	dir := testdata.Path(t, "golden")
	if *update {
		updateGolden(t, dir)
	}
	versions := goldenVersions(t, dir)
	require.Subset(t, versions, []string{"4.0.17", "4.4.5"})
	for _, version := range versions {
		c := wireshark.NewComparison(version)
		for _, s := range sources(t) {
			require.NoError(t, c.File(s, wireshark.Golden(wireshark.GoldenPath(dir, s.Name, version), version)))
		}
		requireExplained(t, c, wireshark.Captures)
	}
}

func updateGolden(t *testing.T, dir string) {
	t.Helper()
	dissect, version := wireshark.Dissector(wireshark.Tshark), *oracleVersion
	if *oracle != "" {
		dissect = wireshark.Oracle(*oracle)
	} else {
		var err error
		version, err = wireshark.TsharkVersion()
		require.NoError(t, err)
	}
	for _, s := range sources(t) {
		golden := wireshark.GoldenPath(dir, s.Name, version)
		require.NoError(t, wireshark.WriteGolden(golden, s.Name, s.Theirs, version, dissect))
	}
}

// goldenVersions returns the versions that there are golden files of.
func goldenVersions(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	require.NoError(t, err)
	var versions []string
	for _, file := range files {
		versions = append(versions, regexp.MustCompile(`\d+\.\d+\.\d+`).FindString(filepath.Base(file)))
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}

// requireExplained demands that the table of known differences explains all that
// was found, and that nothing in it is superfluous.
func requireExplained(t *testing.T, c *wireshark.Comparison, in wireshark.Input) {
	t.Helper()
	t.Logf("Wireshark %s: %d frames, %d fields", c.Version, c.Frames, c.Fields)
	if !c.Known {
		t.Skipf("%d differences from Wireshark %s, which is not in the table:\n%s", c.Unexplained, c.Version, strings.Join(c.Samples, "\n"))
	}
	require.Zero(t, c.Unexplained, "differences that no rule explains:\n%s", strings.Join(c.Samples, "\n"))
	require.Empty(t, c.Unused(in), "rules that explain nothing")
}

// live returns a comparison with the tshark on PATH.
func live(t *testing.T) *wireshark.Comparison {
	t.Helper()
	if testing.Short() {
		t.Skip("tshark takes seconds")
	}
	version, err := wireshark.TsharkVersion()
	if errors.Is(err, wireshark.ErrNoTshark) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return wireshark.NewComparison(version)
}

// compare compares captures with tshark. Of a damaged file both read what is in
// front of the damage.
func compare(t *testing.T, c *wireshark.Comparison, sources []wireshark.Source) {
	t.Helper()
	for _, s := range sources {
		err := c.File(s, wireshark.Tshark)
		var damage *wireshark.DamageError
		if !errors.As(err, &damage) {
			require.NoError(t, err)
		}
	}
}

// Every field and every line of the tree is that of the tshark on PATH: in the
// captures of this module, in those outside it, and in generated ones.
func TestTshark(t *testing.T) {
	c := live(t)
	in := wireshark.Captures | wireshark.Generated
	compare(t, c, sources(t))
	for i, carrier := range wireshark.Carriers {
		compare(t, c, generate(t, carrier, uint64(i), 29))
	}
	t.Run("shared", func(t *testing.T) {
		compare(t, c, shared(t, true))
		in |= wireshark.Shared
	})
	requireExplained(t, c, in)
}

// shared returns the captures outside this module that both sides can read: of
// those with InfiniBand or of those without.
func shared(t *testing.T, infiniBand bool) []wireshark.Source {
	t.Helper()
	paths := append(testdata.Shared(t, "captures/*"), testdata.Shared(t, "cases/*.pcap")...)
	paths = slices.DeleteFunc(paths, theirsAlone.MatchString)
	return slices.DeleteFunc(open(t, paths), func(s wireshark.Source) bool { return s.InfiniBand != infiniBand })
}

// theirsAlone are files that only one side, or none, takes for a capture.
var theirsAlone = regexp.MustCompile(`README|legacy|err-eof\.bin|\.erf\.(bz2|xz)$`)

// generate writes a capture of generated frames.
func generate(t *testing.T, c wireshark.Carrier, seed uint64, step int) []wireshark.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("%s, seed %d.pcap", c.Name, seed))
	require.NoError(t, wireshark.Generate(path, c, seed, step))
	return open(t, []string{path})
}

// rounds are the rounds of generated frames of the full run.
const rounds = 16

// The full run: a million frames, and all captures.
func TestTsharkFull(t *testing.T) {
	if !*full {
		t.Skip("takes minutes: -full")
	}
	c := live(t)
	compare(t, c, sources(t))
	in := wireshark.Captures | wireshark.Generated
	t.Run("shared", func(t *testing.T) {
		compare(t, c, shared(t, true))
		compare(t, c, shared(t, false))
		in |= wireshark.Shared | wireshark.Others
	})
	var mu sync.Mutex
	t.Run("generated", func(t *testing.T) {
		for seed := range uint64(rounds) {
			for _, carrier := range wireshark.Carriers {
				t.Run(fmt.Sprint(carrier.Name, seed), func(t *testing.T) {
					t.Parallel()
					part := wireshark.NewComparison(c.Version)
					compare(t, part, generate(t, carrier, seed, 1))
					mu.Lock()
					defer mu.Unlock()
					c.Add(part)
				})
			}
		}
	})
	head := fmt.Sprintf("# The full comparison\n\n"+
		"Written by `go test ./field -run TestTsharkFull -full -timeout 30m`. Of the frames %d are\n"+
		"generated, with seeds 0 to %d; the others are in captures.\n\n", rounds*len(wireshark.Carriers)*wireshark.PerRound, rounds-1)
	require.NoError(t, os.WriteFile(testdata.Path(t, "wireshark/report.md"), []byte(head+c.Report()), 0o644))
	requireExplained(t, c, in)
}
