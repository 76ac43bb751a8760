const MAX_PATTERN_CHARACTERS = 2_000;
const MAX_SAMPLE_CHARACTERS = 4_000;
const MAX_GROUP_DEPTH = 32;

// Candidates for a class such as [^a-z], the most ordinary first.
const ORDINARY = Array.from("a0A -_.,:/@#b1B!?+*=~'(x");

const CLASS_SAMPLES: Readonly<Record<string, string>> = {
  d: '0',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
};

type Reader = { readonly pattern: string; readonly repeats: number; at: number; depth: number };

/**
 * Returns a text that matches the regular expression `pattern`: always the first alternative, and
 * `repeats` repetitions of each open-ended one, at least its minimum. Undefined for unsupported
 * patterns: back references, syntax errors, more than 2,000 characters. Look-arounds are ignored.
 *
 * The text is built without running the pattern, so a hostile pattern cannot block the event loop.
 */
export function samplePattern(pattern: string, repeats: number): string | undefined {
  if (pattern.length > MAX_PATTERN_CHARACTERS) return undefined;
  const reader: Reader = { pattern, repeats, at: 0, depth: 0 };
  const sample = sampleAlternatives(reader);
  return reader.at === pattern.length ? sample : undefined;
}

function sampleAlternatives(reader: Reader): string | undefined {
  let chosen = sampleSequence(reader);
  while (reader.pattern[reader.at] === '|') {
    reader.at += 1;
    const next = sampleSequence(reader);
    chosen ??= next;
  }
  return chosen;
}

function sampleSequence(reader: Reader): string | undefined {
  let text: string | undefined = '';
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern[reader.at] ?? '')) {
    const atom = sampleAtom(reader);
    const count = readQuantifier(reader);
    if (count > 0 && (atom === undefined || text === undefined)) text = undefined;
    else if ((text?.length ?? 0) + (atom?.length ?? 0) * count > MAX_SAMPLE_CHARACTERS) {
      text = undefined;
    } else if (text !== undefined && atom !== undefined) text += atom.repeat(count);
  }
  return text;
}

function sampleAtom(reader: Reader): string | undefined {
  const character = String.fromCodePoint(reader.pattern.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  switch (character) {
    case '^':
    case '$':
      return '';
    case '.':
      return 'a';
    case '(':
      return sampleGroup(reader);
    case '[':
      return sampleClass(reader);
    case '\\':
      return sampleEscape(reader);
    case '*':
    case '+':
    case '?':
      return undefined;
    default:
      return character;
  }
}

function sampleGroup(reader: Reader): string | undefined {
  const opening = /^\?(?:[:=!]|<[=!]|<[\p{L}_$][\p{L}\p{N}_$]*>)/u.exec(
    reader.pattern.slice(reader.at),
  )?.[0];
  reader.at += opening?.length ?? 0;
  reader.depth += 1;
  const inner = reader.depth > MAX_GROUP_DEPTH ? undefined : sampleAlternatives(reader);
  reader.depth -= 1;
  if (reader.pattern[reader.at] !== ')') return undefined;
  reader.at += 1;
  return opening !== undefined && /[=!]$/u.test(opening) ? '' : inner;
}

function sampleEscape(reader: Reader): string | undefined {
  const rest = reader.pattern.slice(reader.at);
  const property = /^[pP]\{[^}]*\}/u.exec(rest)?.[0];
  const code = /^(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2}))/iu.exec(rest);
  reader.at += property?.length ?? code?.[0].length ?? 1;
  if (property !== undefined) return sampleProperty(property);
  if (code !== null) return toCharacter(code[1] ?? code[2] ?? code[3] ?? '');
  const name = rest[0] ?? '';
  if (name === 'b' || name === 'B') return '';
  if (name === '' || /[1-9kc]/u.test(name)) return undefined;
  return name === '0' ? '\0' : (CLASS_SAMPLES[name] ?? name);
}

function sampleProperty(property: string): string {
  if (property.startsWith('P')) return '-';
  if (/\{(?:N|Nd|Number)/u.test(property)) return '0';
  return /\{(?:Lu|Uppercase)/u.test(property) ? 'A' : 'a';
}

function toCharacter(hexadecimal: string): string | undefined {
  const code = Number.parseInt(hexadecimal, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function sampleClass(reader: Reader): string | undefined {
  const isNegated = reader.pattern[reader.at] === '^';
  if (isNegated) reader.at += 1;
  const ranges: [string, string][] = [];
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== ']') {
    const first = readClassMember(reader);
    const isRange =
      reader.pattern[reader.at] === '-' && (reader.pattern[reader.at + 1] ?? ']') !== ']';
    if (isRange) reader.at += 1;
    const last = isRange ? readClassMember(reader) : first;
    if (first === undefined || last === undefined) return undefined;
    ranges.push([first, last]);
  }
  reader.at += 1;
  if (!isNegated) return ranges[0]?.[0];
  const shorthand = ranges.map(([one]) => one);
  return ORDINARY.find(
    (character) =>
      !ranges.some(([low, high]) => character >= low && character <= high) &&
      !shorthand.some((one) => isSameKind(one, character)),
  );
}

function readClassMember(reader: Reader): string | undefined {
  const character = String.fromCodePoint(reader.pattern.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  return character === '\\' ? sampleEscape(reader) : character;
}

// Returns whether one of \d, \w and \s matches both characters: a sample of [^\d] must not be a
// digit.
function isSameKind(member: string, candidate: string): boolean {
  const kinds = [/^\d$/u, /^\w$/u, /^\s$/u];
  return kinds.some((kind) => kind.test(member) && kind.test(candidate));
}

function readQuantifier(reader: Reader): number {
  const rest = reader.pattern.slice(reader.at);
  const found = /^(?:([*+?])|\{(\d{1,6})(,?)(\d{0,6})\})\??/u.exec(rest);
  if (found === null) return 1;
  reader.at += found[0].length;
  const [, sign, low, comma, high] = found;
  if (sign === '?') return 0;
  if (sign !== undefined) return Math.max(reader.repeats, sign === '+' ? 1 : 0);
  const minimum = Number(low);
  if (comma === '') return minimum;
  const maximum = high === '' ? Number.POSITIVE_INFINITY : Number(high);
  return Math.min(maximum, Math.max(minimum, reader.repeats));
}
