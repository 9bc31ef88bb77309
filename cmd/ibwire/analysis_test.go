package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ibwire/ibwire/flow"
	"github.com/ibwire/ibwire/testdata"
)

// csvRows returns rows of CSV by their headers.
func csvRows(t *testing.T, text string) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	rows := []map[string]string{}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, c := range cells {
			row[all[0][i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}

// objects returns the objects of lines of JSON, with numbers as they are written.
func objects(t *testing.T, text string) []map[string]any {
	t.Helper()
	rows := []map[string]any{}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		var row map[string]any
		err := d.Decode(&row)
		if err == io.EOF {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

// analyses are the commands that follow flows.
var analyses = []string{"stats", "flows", "messages", "events"}

func goBackN(t *testing.T) string { return testdata.Shared(t, "cases/psn_gap_go_back_n.pcap")[0] }

// What the text of the case says: one gap, of one packet that the network has
// lost; two retransmissions, after a NAK; one message of 1280 bytes in five
// packets, acknowledged after 8 microseconds.
func TestFlowsCase(t *testing.T) {
	rows := csvRows(t, good(t, "flows", goBackN(t)))
	require.Len(t, rows, 2)
	for name, want := range map[string][2]string{
		"flow_id": {"1", "2"}, "encapsulation": {"RRoCE", "RRoCE"}, "transport": {"RC", "RC"},
		"src": {"192.0.2.1", "192.0.2.2"}, "dst": {"192.0.2.2", "192.0.2.1"},
		"src_qp": {"0x000011", "0x000022"}, "dest_qp": {"0x000022", "0x000011"},
		"peer_id": {"2", "1"}, "pairing": {"proven", "proven"},
		"first_packet": {"1", "4"}, "last_packet": {"8", "9"},
		"start_time": {"1700000000.000000000", "1700000000.000003000"}, "end_time": {"1700000000.000007000", "1700000000.000008000"},
		"duration_s": {"0.000007000", "0.000005000"},
		"packets":    {"7", "2"}, "bytes": {"2214", "124"}, "payload_bytes": {"1792", "0"}, "mtu_bytes": {"256", "256"},
		"requests": {"7", "0"}, "unchecked": {"0", "2"},
		"gaps": {"1", "0"}, "missing": {"1", "0"}, "lost": {"1", "0"}, "capture_missed": {"0", "0"}, "unresolved": {"0", "0"},
		"retransmissions": {"2", "0"}, "runs_nak": {"1", "0"}, "runs_timeout": {"0", "0"},
		"naks": {"0", "1"}, "nak_psn_sequence_error": {"0", "1"}, "nak_invalid_request": {"0", "0"}, "acks": {"0", "1"},
		"messages_complete": {"1", "0"}, "message_bytes": {"1280", "0"},
		"ack_samples": {"1", "0"}, "ack_median_us": {"8.000", ""}, "ack_max_us": {"8.000", ""}, "read_first_samples": {"0", "0"}, "atomic_p99_us": {"", ""},
	} {
		require.Equal(t, want, [2]string{rows[0][name], rows[1][name]}, name)
	}
}

// The pair is proven by the ACK that ends the message, and not before.
func TestMessagesCase(t *testing.T) {
	const header = "flow_id,encapsulation,transport,src,dst,src_qp,dest_qp,pairing,operation,status,nak,psn,last_psn,first_packet,last_packet," +
		"packets,responses,bytes,length,va,r_key,imm,inv_key,start_time,end_time,ack_time,duration_us,latency_us\n"
	require.Equal(t, header+"1,RRoCE,RC,192.0.2.1,192.0.2.2,0x000011,0x000022,uncertain,RDMA WRITE,complete,,500,504,1,6,"+
		"5,0,1280,1280,0x0000000000001000,0x00000007,,,1700000000.000000000,1700000000.000005000,1700000000.000008000,5.000,8.000\n",
		good(t, "messages", goBackN(t)))
	require.Equal(t, `{"flow_id":1,"encapsulation":"RRoCE","transport":"RC","src":"192.0.2.1","dst":"192.0.2.2","src_qp":17,"dest_qp":34,"pairing":"uncertain",`+
		`"operation":"RDMA WRITE","status":"complete","nak":null,"psn":500,"last_psn":504,"first_packet":1,"last_packet":6,`+
		`"packets":5,"responses":0,"bytes":1280,"length":1280,"va":4096,"r_key":7,"imm":null,"inv_key":null,`+
		`"start_time":1700000000.000000000,"end_time":1700000000.000005000,"ack_time":1700000000.000008000,"duration_us":5.000,"latency_us":8.000}`+"\n",
		good(t, "messages", "-T", "ndjson", goBackN(t)))
}

// The forms of a table say the same, with the same names.
func TestRowFormats(t *testing.T) {
	for _, command := range []string{"flows", "messages", "events"} {
		for _, path := range append(testdata.Shared(t, "cases/*.pcap"), testdata.Shared(t, "captures/*-0*")...) {
			table := csvRows(t, good(t, command, path))
			lines := objects(t, good(t, command, "-T", "ndjson", path))
			require.Len(t, lines, len(table), path)
			var array []json.RawMessage
			require.NoError(t, json.Unmarshal([]byte(good(t, command, "-T", "json", path)), &array))
			require.Len(t, array, len(table), path)
			for i, object := range lines {
				require.Equal(t, object, objects(t, string(array[i]))[0])
				require.Len(t, object, len(table[i]))
				for name, cell := range table[i] {
					requireSame(t, cell, object[name], name)
				}
			}
		}
	}
}

// requireSame requires that a cell of CSV and a value of JSON are the same.
func requireSame(t *testing.T, cell string, value any, name string) {
	t.Helper()
	switch v := value.(type) {
	case nil:
		require.Empty(t, cell, name)
	case string:
		require.Equal(t, cell, v, name)
	case bool:
		require.Equal(t, cell, map[bool]string{true: "1", false: "0"}[v], name)
	case json.Number:
		if strings.HasPrefix(cell, "0x") {
			n, err := strconv.ParseUint(cell, 0, 64)
			require.NoError(t, err)
			cell = strconv.FormatUint(n, 10)
		}
		require.Equal(t, cell, v.String(), name)
	default:
		require.Fail(t, "what is it", "%s: %v", name, value)
	}
}

// Packets are numbered through all files, of which the second has 70, and the time
// may go back between them.
func TestRowsOfSeveralFiles(t *testing.T) {
	huawei := testdata.Shared(t, "captures/rocev2-huawei-send-001-070.pcap")[0]
	out, errs, status := command(t, nil, "flows", goBackN(t), huawei, goBackN(t))
	require.Equal(t, exitOK, status)
	require.Len(t, lines(errs), 1, "the second file is of 2019")
	rows := csvRows(t, out)
	require.Len(t, rows, 4)
	require.Equal(t, "88", rows[1]["last_packet"]) // 9 + 70 + 9
	require.Equal(t, "14", rows[0]["packets"])
	one := csvRows(t, good(t, "flows", huawei))
	n, err := strconv.Atoi(one[0]["first_packet"])
	require.NoError(t, err)
	require.Equal(t, strconv.Itoa(9+n), rows[2]["first_packet"])
	// -Y leaves packets out of the table, and not of the count.
	rows = csvRows(t, good(t, "flows", "-Y", "infiniband.bth.opcode == 0x11", huawei, goBackN(t)))
	require.Equal(t, "79", rows[len(rows)-1]["last_packet"])
	require.Equal(t, "2", rows[len(rows)-1]["packets"])
}

func TestRowsFilter(t *testing.T) {
	require.Len(t, csvRows(t, good(t, "messages", "-Y", "ip.src == 192.0.2.2", goBackN(t))), 0)
	rows := csvRows(t, good(t, "messages", "-Y", "ip.src == 192.0.2.1", goBackN(t)))
	require.Equal(t, "", rows[0]["latency_us"])
	require.Equal(t, "unpaired", rows[0]["pairing"])
	require.Equal(t, "complete", rows[0]["status"])
	rows = csvRows(t, good(t, "messages", "-c", "3", goBackN(t)))
	require.Equal(t, "broken", rows[0]["status"], "one packet is missing")
}

// Where the clock has gone back nobody knows how long anything took.
func TestRowsOfClockGoneBack(t *testing.T) {
	header, all := packetsOf(t, goBackN(t))
	for _, n := range []int{8, 9} { // the last of the sender, the ACK
		binary.LittleEndian.PutUint32(all[n-1], 1_699_999_999)
	}
	path := fileOf(t, header, all...)
	message, flows := csvRows(t, good(t, "messages", path))[0], csvRows(t, good(t, "flows", path))
	require.Equal(t, "complete", message["status"])
	require.Equal(t, "1699999999.000008000", message["ack_time"])
	require.Equal(t, "1699999999.000007000", flows[0]["end_time"])
	for _, empty := range []string{message["latency_us"], flows[0]["duration_s"], flows[1]["duration_s"]} {
		require.Empty(t, empty)
	}
	require.Contains(t, good(t, "messages", "-T", "json", path), `"duration_us":5.000,"latency_us":null}`)
}

func TestAnalysisUsage(t *testing.T) {
	for args, want := range map[string]string{
		"flows":                                    "expected \"<file> ...\"",
		"messages":                                 "expected \"<file> ...\"",
		"stats":                                    "expected \"<file> ...\"",
		"flows -T text f":                          "must be one of",
		"flows -c 0 f":                             "ibwire: flows: -c 0: want 1 or more\n",
		"messages -Y infiniband.bt f":              "no field is named",
		"stats -Y infiniband.bt f":                 "no field is named",
		"events --kind nak,naks f":                 "ibwire: events: --kind naks: want one of gap, gap_closed, out_of_order, duplicate, ",
		"events -Y infiniband.bt f":                "no field is named",
		"stats --top 0 f":                          "ibwire: stats: --top 0: want 1 to 10000; 'ibwire flows' writes all\n",
		"stats --sort src f":                       "ibwire: stats: --sort src: want a column with numbers; 'ibwire flows --help' lists them\n",
		"stats --flow 1 f":                         "ibwire: stats: --flow 1: want the number of a flow, 1 or more, and --plot\n",
		"stats --flow 0 --plot a f":                "ibwire: stats: --flow 0: want the number of a flow, 1 or more, and --plot\n",
		"stats --plot no/such/a.svg f":             "no/such/",
		"flows --pair 1,2 f":                       "--pair 1,2: want two queue pairs",
		"flows --pair 1,2=::1,3 f":                 "want two queue pairs",
		"stats --pair ::1,2=1.2.3.4,3 f":           "want two queue pairs",
		"flows --pair 1,2=70000,3 f":               "want two queue pairs",
		"flows --pair 1,2=1,0x1000000 f":           "want two queue pairs",
		"stats --pair 1,0x2=1,2 f":                 "ibwire: --pair 1,0x2=1,2: want two queue pairs; this is one\n",
		"messages --pair 1,2=3,4 --pair 3,5=1,2 f": "ibwire: --pair 3,5=1,2: 1,0x2 is connected with 3,0x4 by another --pair\n",
	} {
		out, errs, status := command(t, nil, strings.Fields(args)...)
		require.Equal(t, exitError, status, args)
		require.Empty(t, out, args)
		require.Contains(t, errs, want, args)
	}
}

// What is read before the damage is analysed.
func TestAnalysisUnreadable(t *testing.T) {
	data, err := os.ReadFile(goBackN(t))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "cut.pcap")
	require.NoError(t, os.WriteFile(path, data[:len(data)-1], 0o600)) // without the last ACK
	for _, name := range analyses {
		out, errs, status := command(t, nil, name, path)
		require.Equal(t, exitError, status)
		require.Contains(t, errs, path+": packet 9 at byte ")
		require.NotEmpty(t, out)
	}
	out, _, _ := command(t, nil, "stats", path)
	require.Contains(t, out, "8 packets, ")
	require.Contains(t, out, "; as far as it could be read\n")
	out, _, _ = command(t, nil, "messages", path)
	require.Regexp(t, `,complete,.*,,5\.000,\n$`, out, "and not acknowledged")
}

// An interrupt ends the reading of a pipe with all that there is. The last packet,
// an ACK, comes again and again: when that has been taken, so have been the others.
func TestInterruptOfAnalysis(t *testing.T) {
	program := build(t)
	data := readFile(t, goBackN(t))
	const last, much = 16 + 62, 3 << 20 // bytes: more than pipe and reader hold
	data = append(data, bytes.Repeat(data[len(data)-last:], much/last)...)
	picture := filepath.Join(t.TempDir(), "a.svg")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"stats", "-", "--plot", picture}, "Capture: complete: every PSN is there, or was sent again, or came late\n"},
		{[]string{"flows", "-"}, "1,RRoCE,RC,192.0.2.1,"},
		{[]string{"messages", "-T", "json", "-"}, "\n]\n"},
		{[]string{"events", "--kind", "retransmission", "-"}, "retransmission,0,502,504,3,2,"},
	} {
		p := exec.CommandContext(soon(t), program, c.args...)
		in, err := p.StdinPipe()
		require.NoError(t, err)
		var out bytes.Buffer
		p.Stdout = &out
		require.NoError(t, p.Start())
		_, err = in.Write(data)
		require.NoError(t, err)
		require.NoError(t, p.Process.Signal(syscall.SIGINT))
		require.Error(t, p.Wait())
		require.Equal(t, exitInterrupted, p.ProcessState.ExitCode())
		require.Contains(t, out.String(), c.want)
	}
	require.FileExists(t, picture)
}

// The columns are documented where they are shown, and in the README.
func TestColumnsAreDocumented(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	help := map[string]string{}
	for _, command := range analyses {
		help[command] = good(t, command, "--help")
		require.Contains(t, help[command], "The exit status is 2 if something could not be read to its end, and 130 if", command)
	}
	check := func(command, name, text string) {
		require.Regexp(t, `\n +`+name+` +\S`, help[command])
		require.NotEmpty(t, text, name)
		require.True(t, strings.Contains(string(readme), "`"+name+"`"), name)
	}
	for _, c := range flowColumns {
		check("flows", c.name, c.help)
	}
	for _, c := range messageColumns {
		check("messages", c.name, c.help)
	}
	for _, c := range eventColumns {
		check("events", c.name, c.help)
	}
	for k, text := range eventKinds {
		check("events", kindName(flow.EventKind(k)), text)
	}
}
