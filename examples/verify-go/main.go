// Verifies a bundle offline, as docs/format.md describes: go run . bundle.json policy.txt
// It does not check the form of a payload, nor the order of points, for which Go has no function.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// check ends the program with exit code 1 and the reason unless ok.
func check(ok bool, reason string, args ...any) {
	if !ok {
		fmt.Printf("INVALID: "+reason+"\n", args...)
		os.Exit(1)
	}
}
func must[T any](value T, err error) T {
	check(err == nil, "%v", err)
	return value
}
func hash(parts ...[]byte) []byte {
	sum := sha256.Sum256(bytes.Join(parts, nil))
	return sum[:]
}
func decode(text string) []byte { // Go ignores line breaks in base64; they are made invalid
	return must(base64.StdEncoding.Strict().DecodeString(strings.NewReplacer("\r", "!", "\n", "!").Replace(text)))
}
func number(text string) int64 {
	n := must(strconv.ParseInt(text, 10, 64))
	check(n >= 0 && n < 1<<53 && strconv.FormatInt(n, 10) == text, "number %q", text)
	return n
}

var digits, upperEscape = regexp.MustCompile(`^(0|[1-9][0-9]*)$`), regexp.MustCompile(`(^|[^\\])(\\\\)*\\u00[01][A-F]`)

// parse returns the canonical JSON of a text, and refuses what two parsers could read in two ways.
func parse(source []byte) []byte {
	check(utf8.Valid(source) && !upperEscape.Match(source), "not JSON of one spelling")
	d := json.NewDecoder(bytes.NewReader(source))
	d.UseNumber()
	value := canonical(d)
	_, err := d.Token()
	check(err == io.EOF, "more than one JSON text")
	// Go reads a lone surrogate as U+FFFD.
	written := bytes.Count(source, []byte("\ufffd")) + strings.Count(strings.ToLower(string(source)), `\ufffd`)
	check(bytes.Count(value, []byte("\ufffd")) == written, "a lone surrogate")
	return value
}
func canonical(d *json.Decoder) []byte {
	switch token := must(d.Token()).(type) {
	case json.Number:
		check(digits.MatchString(token.String()), "the number %s", token)
		return []byte(token)
	case string:
		return quote(token)
	case json.Delim:
		seen, names, parts := map[string][]byte{}, []string{}, [][]byte{}
		for d.More() {
			if token == '[' {
				parts = append(parts, canonical(d))
				continue
			}
			name := must(d.Token()).(string)
			check(seen[name] == nil, "the member %s is there twice", name)
			seen[name], names = canonical(d), append(names, name)
		}
		must(d.Token())
		slices.Sort(names) // all names of the format are ASCII
		for _, name := range names {
			parts = append(parts, append(append(quote(name), ':'), seen[name]...))
		}
		return append(append([]byte{byte(token)}, bytes.Join(parts, []byte{','})...), byte(token)+2)
	default:
		return must(json.Marshal(token))
	}
}
func quote(text string) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	must(0, encoder.Encode(text))
	undo := strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", `\u0008`, `\b`, `\u000c`, `\f`)
	return []byte(undo.Replace(strings.TrimSuffix(out.String(), "\n")))
}

// members returns those of an object, which must have exactly these.
func members(object []byte, names string) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	check(json.Unmarshal(object, &found) == nil, "not an object")
	there := []string{}
	for name := range found {
		there = append(there, name)
	}
	slices.Sort(there)
	check(strings.Join(there, ",") == names, "members other than %s", names)
	return found
}
func text(value json.RawMessage) (s string) { // null is empty
	check(json.Unmarshal(value, &s) == nil, "not a text")
	return s
}

type proof struct { // text is what the signatures in lines sign
	index, size  int64
	hashes       [][]byte
	origin, text string
	root         []byte
	lines        []string
}

func parseProof(source string) (p proof) {
	parts := strings.SplitN(source, "\n\n", 3)
	check(len(parts) == 3 && strings.HasSuffix(parts[2], "\n"), "not a tlog-proof")
	head, body := strings.Split(parts[0], "\n"), strings.Split(parts[1], "\n")
	check(len(head) > 1 && head[0] == "c2sp.org/tlog-proof@v1" && len(body) == 3, "not a tlog-proof")
	for _, line := range head[2:] {
		p.hashes = append(p.hashes, decode(line))
	}
	p.index, p.origin, p.size, p.root = number(strings.TrimPrefix(head[1], "index ")), body[0], number(body[1]), decode(body[2])
	p.text, p.lines = parts[1]+"\n", strings.Split(strings.TrimSuffix(parts[2], "\n"), "\n")
	return p
}
func (p proof) includes(leaf []byte) bool { // RFC 9162, section 2.1.3.2
	fn, sn, r := p.index, p.size-1, leaf
	for _, h := range p.hashes {
		check(sn > 0 && len(h) == 32, "a proof is too long, or has other than hashes")
		if fn&1 == 0 && fn != sn {
			r = hash([]byte{1}, r, h)
		} else {
			for r = hash([]byte{1}, h, r); fn&1 == 0 && fn != 0; fn, sn = fn>>1, sn>>1 {
			}
		}
		fn, sn = fn>>1, sn>>1
	}
	return p.index < p.size && sn == 0 && bytes.Equal(r, p.root)
}

type noteKey struct {
	name   string
	typ    byte // 1: of a log, 4: of a witness
	public []byte
}

func (k noteKey) id() []byte { return hash([]byte(k.name+"\n"), []byte{k.typ}, k.public)[:4] }
func parseKey(vkey string) noteKey {
	parts := append(strings.SplitN(vkey, "+", 3), "", "")
	data := append(decode(parts[2]), 0)
	k := noteKey{parts[0], data[0], data[1 : len(data)-1]}
	check(len(k.public) == 32 && (k.typ == 1 || k.typ == 4) && fmt.Sprintf("%x", k.id()) == parts[1], "policy: key %s", vkey)
	return k
}

// signedBy returns the time at which a key signed, 1 for a log, 0 if it did not.
func (p proof) signedBy(k noteKey) int64 {
	for _, line := range p.lines {
		words := strings.Split(line, " ")
		check(len(words) == 3 && words[0] == "—", "not a signature: %s", line)
		data := append(decode(words[2]), make([]byte, 12)...)
		text, signature, at := p.text, data[4:len(data)-12], uint64(1)
		if k.typ == 4 {
			at, signature = binary.BigEndian.Uint64(data[4:]), data[12:max(12, len(data)-12)]
			text = fmt.Sprintf("cosignature/v1\ntime %d\n%s", at, text)
		}
		if words[1] == k.name && bytes.Equal(data[:4], k.id()) {
			check(ed25519.Verify(k.public, []byte(text), signature), "signature of %s", k.name)
			if at > 0 && at <= 8_640_000_000_000 { // other times do not count
				return int64(at)
			}
		}
	}
	return 0
}

// apply reads a policy and returns the keys of the log, and the time of the quorum (0: not witnessed).
func (p proof) apply(policy string) (logs []noteKey, at int64) {
	times, quorum, known := map[string]int64{}, "", []string{"none"}
	define := func(name string, at int64) { // names, keys, members and the quorum, each once
		check(!slices.Contains(known, name), "policy: %s is there twice", name)
		known, times[name] = append(known, name), at
	}
	for _, line := range strings.Split(policy, "\n") {
		w := append(strings.Fields(line), "", "", "")
		switch w[0] {
		case "log":
			if k := parseKey(w[1]); k.name == p.origin {
				logs = append(logs, k)
			}
		case "witness":
			define("key "+w[2][strings.LastIndex(w[2], "+")+1:], 0)
			define(w[1], p.signedBy(parseKey(w[2])))
		case "group":
			members, all := []int64{}, w[3:len(w)-3]
			for _, name := range all {
				define("member "+name, 0)
				members = append(members, times[name])
			}
			slices.Sort(members)
			members = slices.DeleteFunc(members, func(at int64) bool { return at == 0 })
			k := number(strings.NewReplacer("all", strconv.Itoa(len(all)), "any", "1").Replace(w[2]))
			check(k > 0, "policy: %s", line)
			define(w[1], append(members, make([]int64, k)...)[k-1])
		case "quorum":
			define("quorum line", 0)
			quorum = w[1]
		default:
			check(w[0] == "" || w[0][0] == '#', "policy: %s", line)
		}
	}
	check(quorum == "none" || times[quorum] > 0, "too few witnesses cosigned")
	return logs, times[quorum]
}
func main() {
	b := members(parse(must(os.ReadFile(os.Args[1]))), "certificate,keys,log,map,tree,witanBundle,workspaceId")
	cert, siblings := members(b["certificate"], "algorithm,payload,payload_hash,signature"), members(b["map"], "path,salt")
	check(string(b["witanBundle"]) == "1" && text(cert["algorithm"]) == "Ed25519", "form")
	var payload struct {
		Issuer, ID, IssuedAt string
		ChainIndex           int64
	}
	var rows []json.RawMessage
	check(json.Unmarshal(cert["payload"], &payload) == nil && json.Unmarshal(b["keys"], &rows) == nil, "form")
	workspaceID := text(b["workspaceId"])
	check(payload.Issuer != "" && workspaceID != "" && !strings.Contains(payload.Issuer+workspaceID, "\n"), "name")
	digest, signature, isSigned := hash(cert["payload"]), decode(text(cert["signature"])), false
	check(fmt.Sprintf("%x", digest) == text(cert["payload_hash"]), "payload_hash")
	for _, row := range rows {
		k := members(row, "keyId,notAfter,notBefore,publicKey")
		from, to, pem := text(k["notBefore"]), text(k["notAfter"]), strings.Split(text(k["publicKey"]), "\n")
		check(len(pem) == 4 && pem[0] == "-----BEGIN PUBLIC KEY-----" && pem[2] == "-----END PUBLIC KEY-----" && pem[3] == "", "PEM")
		raw := decode(pem[1]) // 12 bytes that say Ed25519, then the key
		check(len(raw) == 44 && fmt.Sprintf("%x", raw[:12]) == "302a300506032b6570032100", "PEM")
		if from <= payload.IssuedAt && (to == "" || payload.IssuedAt <= to) {
			check(fmt.Sprintf("%x", hash(raw[12:])[:8]) == text(k["keyId"]), "key %s", k["keyId"])
			isSigned = isSigned || ed25519.Verify(raw[12:], []byte(text(cert["payload_hash"])), signature)
		}
	}
	check(isSigned, "no key in force signed the certificate")
	tree, log := parseProof(text(b["tree"])), parseProof(text(b["log"]))
	logs, witnessed := log.apply(string(must(os.ReadFile(os.Args[2]))))
	check(tree.index == payload.ChainIndex && tree.includes(hash([]byte{0}, digest, signature)), "tree")
	mapKey := hash([]byte("witan-map-key/v1\n" + payload.Issuer + "\n" + workspaceID))
	check(tree.origin == log.origin+"/tree/"+fmt.Sprintf("%x", mapKey), "the tree is that of another workspace")
	isHead := func(k noteKey) bool { return tree.signedBy(noteKey{tree.origin, k.typ, k.public}) > 0 }
	check(slices.ContainsFunc(logs, func(k noteKey) bool { return log.signedBy(k) > 0 }) && slices.ContainsFunc(logs, isHead), "not signed by a log of the policy")
	salt, path := decode(text(siblings["salt"])), decode(text(siblings["path"]))
	check(len(salt) == 32 && len(path)%32 == 0 && len(path) <= 256*32, "map")
	check(len(path) == 0 || !bytes.Equal(path[:32], make([]byte, 32)), "a leaf beside an empty subtree")
	node := hash([]byte{2}, mapKey, hash([]byte("witan-head/v1\n"), salt, []byte(tree.text)))
	for depth := len(path)/32 - 1; depth >= 0; depth, path = depth-1, path[32:] {
		sides := [][]byte{node, path[:32]}
		bit := mapKey[depth/8] >> (7 - depth%8) & 1
		node = hash([]byte{3}, sides[bit], sides[1-bit])
	}
	base := base64.StdEncoding.EncodeToString
	check(log.includes(hash([]byte("\x00witan-epoch/v1\n"+base(node)+"\n"+base(hash(b["keys"]))+"\n"))), "epoch")
	at, issued := time.Unix(witnessed, 0).UTC(), must(time.Parse(time.RFC3339, payload.IssuedAt))
	check(witnessed == 0 || at.Sub(issued) >= -5*time.Minute, "issued later than witnessed")
	existed := map[bool]string{true: "not witnessed", false: "existed at " + at.Format(time.RFC3339)}[witnessed == 0]
	fmt.Printf("valid: %s, number %d of %s, %s\n", payload.ID, payload.ChainIndex, workspaceID, existed)
}
