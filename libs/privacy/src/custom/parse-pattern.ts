export class PatternError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} at character ${offset + 1}`);
    this.name = 'PatternError';
    this.offset = offset;
  }
}

/** Inclusive range of UTF-16 code units. */
export type UnitRange = readonly [from: number, to: number];

export type PatternNode =
  | { kind: 'set'; ranges: readonly UnitRange[]; negated: boolean }
  | { kind: 'sequence' | 'choice'; items: readonly PatternNode[] }
  | { kind: 'repeat'; item: PatternNode; min: number; max: number };

type ParsedPattern = { node: PatternNode; startsWord: boolean; endsWord: boolean };

const PATTERN_LENGTH_MAX = 500;
const REPEAT_MAX = 100;
const DEPTH_MAX = 20;

const DIGIT: readonly UnitRange[] = [[48, 57]];
const WORD: readonly UnitRange[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const SPACE: readonly UnitRange[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x3000, 0x3000],
];
const LINE_END: readonly UnitRange[] = [
  [10, 10],
  [13, 13],
];
const CONTROL: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9 };
const SHORTHAND: Readonly<Record<string, readonly UnitRange[]>> = { d: DIGIT, w: WORD, s: SPACE };

/**
 * Parses the pattern language of workspaces: literals, escapes such as `\n` and `\x41`, `.`,
 * classes, `\d \w \s` and their negations, groups, `|`, `?`, `*`, `+`, `{m,n}` up to 100, and `\b`
 * at the ends. All of it can be matched in linear time. Throws {@link PatternError} for anything
 * else, and for patterns that are too long or nested too deeply.
 */
export function parsePattern(pattern: string): ParsedPattern {
  if (pattern.length > PATTERN_LENGTH_MAX)
    throw new PatternError(`longer than ${PATTERN_LENGTH_MAX} characters`, PATTERN_LENGTH_MAX);
  const startsWord = pattern.startsWith('\\b');
  const endsWord = /(?:^|[^\\])(?:\\\\)*\\b$/.test(pattern) && pattern.length > 2;
  const body = { from: startsWord ? 2 : 0, to: endsWord ? pattern.length - 2 : pattern.length };
  const reader = { text: pattern.slice(0, body.to), offset: body.from };
  const node = parseChoice(reader, 0);
  if (reader.offset < reader.text.length) throw new PatternError('unmatched )', reader.offset);
  return { node, startsWord, endsWord };
}

type Reader = { text: string; offset: number };

function parseChoice(reader: Reader, depth: number): PatternNode {
  if (depth > DEPTH_MAX) throw new PatternError('groups nested too deeply', reader.offset);
  const items = [parseSequence(reader, depth)];
  while (reader.text[reader.offset] === '|') {
    reader.offset += 1;
    items.push(parseSequence(reader, depth));
  }
  return items.length === 1 ? (items[0] as PatternNode) : { kind: 'choice', items };
}

function parseSequence(reader: Reader, depth: number): PatternNode {
  const items: PatternNode[] = [];
  for (;;) {
    const next = reader.text[reader.offset];
    if (next === undefined || next === '|' || next === ')') return { kind: 'sequence', items };
    items.push(parseRepeats(reader, parseAtom(reader, depth)));
  }
}

function parseAtom(reader: Reader, depth: number): PatternNode {
  const { text, offset } = reader;
  const char = text.charAt(offset);
  reader.offset += 1;
  switch (char) {
    case '(':
      return parseGroup(reader, depth);
    case '[':
      return parseClass(reader);
    case '.':
      return { kind: 'set', ranges: LINE_END, negated: true };
    case '\\':
      return parseEscape(reader);
    case '^':
    case '$':
      throw new PatternError(`the anchor ${char} is not supported`, offset);
    case '?':
    case '*':
    case '+':
    case '{':
      throw new PatternError(`${char} repeats nothing`, offset);
    default:
      return unitNode(char.charCodeAt(0));
  }
}

function parseGroup(reader: Reader, depth: number): PatternNode {
  const open = reader.offset - 1;
  if (reader.text[reader.offset] === '?') {
    if (reader.text[reader.offset + 1] !== ':')
      throw new PatternError('only ( and (?: open a group; look-around is not supported', open);
    reader.offset += 2;
  }
  const node = parseChoice(reader, depth + 1);
  if (reader.text[reader.offset] !== ')') throw new PatternError('( is never closed', open);
  reader.offset += 1;
  return node;
}

function parseRepeats(reader: Reader, atom: PatternNode): PatternNode {
  const repeat = /(?:[?*+]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})/y;
  repeat.lastIndex = reader.offset;
  const found = repeat.exec(reader.text);
  if (found === null) return atom;
  const index = reader.offset;
  reader.offset = repeat.lastIndex;
  if (/[?*+{]/.test(reader.text.charAt(reader.offset)))
    throw new PatternError(
      'a repeat of a repeat, lazy or possessive, is not supported',
      reader.offset,
    );
  const { min, max } = boundsOf(found);
  if (max < min) throw new PatternError('a repeat whose end is before its start', index);
  if (min > REPEAT_MAX || (max !== Infinity && max > REPEAT_MAX))
    throw new PatternError(`a repeat of more than ${REPEAT_MAX}`, index);
  return { kind: 'repeat', item: atom, min, max };
}

function boundsOf([match, min, comma, max]: RegExpExecArray): { min: number; max: number } {
  if (match === '?') return { min: 0, max: 1 };
  if (match === '*') return { min: 0, max: Infinity };
  if (match === '+') return { min: 1, max: Infinity };
  if (comma === undefined) return { min: Number(min), max: Number(min) };
  return { min: Number(min), max: max === '' ? Infinity : Number(max) };
}

function parseEscape(reader: Reader): PatternNode {
  const char = reader.text[reader.offset];
  if (char === undefined) throw new PatternError('\\ escapes nothing', reader.offset - 1);
  const ranges = SHORTHAND[char.toLowerCase()];
  if (ranges !== undefined) {
    reader.offset += 1;
    return { kind: 'set', ranges, negated: char !== char.toLowerCase() };
  }
  return unitNode(parseEscapedUnit(reader));
}

function parseEscapedUnit(reader: Reader): number {
  const { text, offset } = reader;
  const char = text.charAt(offset);
  reader.offset += 1;
  const control = CONTROL[char];
  if (control !== undefined) return control;
  const hex = /u([\da-fA-F]{4})|x([\da-fA-F]{2})/y;
  hex.lastIndex = offset;
  const found = hex.exec(text);
  if (found !== null) {
    reader.offset = hex.lastIndex;
    return Number.parseInt(found[1] ?? found[2] ?? '', 16);
  }
  if (char === 'b') throw new PatternError('\\b stands only at the ends of a pattern', offset - 1);
  if (/[\dA-Za-z]/.test(char)) throw new PatternError(`\\${char} is not supported`, offset - 1);
  return char.charCodeAt(0);
}

function parseClass(reader: Reader): PatternNode {
  const open = reader.offset - 1;
  const negated = reader.text[reader.offset] === '^';
  if (negated) reader.offset += 1;
  const ranges: UnitRange[] = [];
  for (let isFirst = true; ; isFirst = false) {
    const char = reader.text[reader.offset];
    if (char === undefined) throw new PatternError('[ is never closed', open);
    if (char === ']' && !isFirst) break;
    ranges.push(...parseMember(reader));
  }
  reader.offset += 1;
  return { kind: 'set', ranges, negated };
}

function parseMember(reader: Reader): readonly UnitRange[] {
  const shorthand = /\\([dws])/y;
  shorthand.lastIndex = reader.offset;
  const found = shorthand.exec(reader.text);
  if (found !== null) {
    reader.offset = shorthand.lastIndex;
    return SHORTHAND[found[1] as string] as readonly UnitRange[];
  }
  const index = reader.offset;
  const from = parseMemberUnit(reader);
  const isRange = reader.text[reader.offset] === '-' && reader.text[reader.offset + 1] !== ']';
  if (!isRange) return [[from, from]];
  reader.offset += 1;
  const to = parseMemberUnit(reader);
  if (to < from) throw new PatternError('a range whose end is before its start', index);
  return [[from, to]];
}

function parseMemberUnit(reader: Reader): number {
  const char = reader.text.charAt(reader.offset);
  if (char === '') throw new PatternError('[ is never closed', reader.offset);
  reader.offset += 1;
  if (char !== '\\') return char.charCodeAt(0);
  if (/[dwsDWS]/.test(reader.text.charAt(reader.offset)))
    throw new PatternError('a class cannot stand here', reader.offset - 1);
  return parseEscapedUnit(reader);
}

function unitNode(unit: number): PatternNode {
  return { kind: 'set', ranges: [[unit, unit]], negated: false };
}
