package main

import (
	"encoding/json"

	"github.com/ibwire/ibwire/check"
)

// jsonReport writes one object: an array of findings, a line each, and then how
// much there was.
type jsonReport struct {
	findings int
}

type jsonFinding struct {
	File     string `json:"file"`
	Packet   int64  `json:"packet"`
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Text     string `json:"text"`
	Count    int64  `json:"count"`
}

type jsonTotal struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Count    int64  `json:"count"`
}

type jsonCounts struct {
	Packets    int64            `json:"packets"`
	InfiniBand int64            `json:"infiniband"`
	ICRC       map[string]int64 `json:"icrc"`
	VCRC       map[string]int64 `json:"vcrc"`
}

func (*jsonReport) begin(dst []byte) []byte { return append(dst, `{"findings":[`...) }

func (j *jsonReport) finding(dst []byte, file string, f *check.Finding) []byte {
	if j.findings++; j.findings > 1 {
		dst = append(dst, ',')
	}
	return appendJSON(append(dst, '\n'), jsonFinding{file, f.Packet, f.Severity.String(), f.Code, f.Text, f.Count})
}

func (j *jsonReport) summary(dst []byte, totals []total, counts check.Counts) []byte {
	list := []jsonTotal{}
	for _, t := range totals {
		list = append(list, jsonTotal{t.Code, t.Severity.String(), t.count})
	}
	dst = appendJSON(append(dst, "],\n\"summary\":"...), list)
	c := jsonCounts{counts.Packets, counts.InfiniBand, crcCounts(counts.ICRC[:]), crcCounts(counts.VCRC[:])}
	return append(appendJSON(append(dst, ",\n\"counts\":"...), c), "}\n"...)
}

func crcCounts(counts []int64) map[string]int64 {
	m := map[string]int64{}
	for _, s := range crcStatuses {
		m[s.word] = counts[s.Status]
	}
	return m
}

// appendJSON appends v, which has nothing in it that JSON cannot hold.
func appendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(dst, b...)
}
