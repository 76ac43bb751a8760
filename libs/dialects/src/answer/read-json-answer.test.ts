import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_ANSWER_BYTES, readJsonAnswer } from './read-json-answer.ts';
import { MAX_ANSWER_DEPTH } from './parse-lenient-object.ts';

const readComplete = (text: string) => readJsonAnswer(text, { isCut: false });
const cut = (text: string) => readJsonAnswer(text, { isCut: true });
const errorOf = (answer: ReturnType<typeof readComplete>) =>
  'error' in answer ? answer.error.kind : undefined;

const nested = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;

const objects = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3, depthSize: 'xsmall' }), { maxKeys: 4 })
  .map((object) => JSON.parse(JSON.stringify(object)) as Record<string, unknown>)
  .filter((object) => !JSON.stringify(object).includes('__proto__'));
const indents = fc.constantFrom(0, 2);
const PROSE = ['', 'Sure, here it is: ', '> it\'s {fine}, "ok" { and } so on\n\n'];
const PUNCTUATION = Array.from('{}[]",:\'“”‘#/*\\ntua1 \n');
const ENDINGS = ['', '\nHope that helps! {x} "', '\n\n{"not": "this"}'];

describe('readJsonAnswer', () => {
  it.each<[string, string, unknown]>([
    ['an object', '{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['a fence with a language', '```json\n{"a":1}\n```', { a: 1 }],
    ['a fence on one line', '```{"a":1}```', { a: 1 }],
    ['a fence of tildes', '~~~\n{"a":1}\n~~~', { a: 1 }],
    ['a fence within prose', 'Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
    ['a fence inside a text', '{"a":"```js\\n{\\"b\\":1}\\n```"}', { a: '```js\n{"b":1}\n```' }],
    ['prose with braces before it', 'For {name} in {{x}}: {"a":1}', { a: 1 }],
    ['a set before it', 'Of {"x", "y"} I take {"a":1}', { a: 1 }],
    ['the first of two', '{"a":1}\n{"b":2}', { a: 1 }],
    ['braces and quotes in texts', 'So {"a":"} \\" {","b":1} ok', { a: '} " {', b: 1 }],
    ['trailing commas', '{"a":[1,2,],"b":{"c":1,},}', { a: [1, 2], b: { c: 1 } }],
    ['single quotes', "{'a':'x \"y\" z'}", { a: 'x "y" z' }],
    ['an apostrophe in single quotes', "{'a':'it's fine','b':1}", { a: "it's fine", b: 1 }],
    ['an escaped apostrophe', String.raw`{'a':'it\'s'}`, { a: "it's" }],
    [
      'smart quotes',
      '{\u201ca\u201d: \u201csays \u2018hi\u2019, "x"\u201d}',
      { a: 'says ‘hi’, "x"' },
    ],
    ['low smart quotes', '{\u201ea\u201c: \u201ab\u2018}', { a: 'b' }],
    ['smart quotes in straight ones', '{"a":"\u201cb\u201d",}', { a: '\u201cb\u201d' }],
    ['unquoted keys', '{a: 1, $b_c: 2, d-e: 3, über: 4}', { a: 1, $b_c: 2, 'd-e': 3, über: 4 }],
    ['Python literals', '{"a":True,"b":False,"c":None}', { a: true, b: false, c: null }],
    ['NaN and Infinity', '{"a":NaN,"b":-Infinity}', { a: null, b: null }],
    ['raw newlines in texts', '{"a":"one\ntwo\tthree"}', { a: 'one\ntwo\tthree' }],
    ['comments', '{ // one {\n"a":1, /* two } */ # three\n}', { a: 1 }],
    ['comments', '{"a":"http://x#y /* z */",}', { a: 'http://x#y /* z */' }],
    ['escapes in a broken object', String.raw`{"a":"\u0041\n\ud83d\ude00\/",}`, { a: 'A\n😀/' }],
    ['brackets that were not closed', '{"a":[1,{"b":2', { a: [1, { b: 2 }] }],
    ['a fence after open brackets', '```json\n{"a":[1,\n```', { a: [1] }],
    ['duplicate members', '{"a":1,"a":2,}', { a: 2 }],
    ['a number that is too large', '{"a":1e999}', { a: null }],
    ['negative zero', '{"a":-0}', { a: 0 }],
    ['special numbers in a broken object', '{"a":-0,}', { a: 0 }],
    ['numbers of all forms', '{"a":[-0.5,1e3,2E-2,0],}', { a: [-0.5, 1000, 0.02, 0] }],
  ])('reads %s', (_name, text, object) => {
    expect(readComplete(text)).toEqual({ object });
  });

  it.each<[string, string, string]>([
    ['nothing', ' \n', 'empty'],
    ['an empty fence', '```json\n```', 'empty'],
    ['prose', 'I cannot do that {sorry}.', 'no-object'],
    ['a lone brace', 'so {', 'no-object'],
    ['a list', '[{"a":1}]', 'not-an-object'],
    ['a fenced list within prose', 'Here:\n```\n[ {"a":1} ]\n```', 'not-an-object'],
    ['a broken list', '["x", {"a":1}, {"b"', 'not-an-object'],
    ['a text', '"{}"', 'not-an-object'],
    ['a number', '42', 'not-an-object'],
    ['an open text', '{"a":"b', 'malformed'],
    ['a key without value', '{"a":1,"b":', 'malformed'],
    ['a key without colon', '{"a":1,"b"', 'malformed'],
    ['half a word', '{"a":tru', 'malformed'],
    ['a missing comma', '{"a":1 "b":2}', 'malformed'],
    ['two commas', '{"a":[1,,2]}', 'malformed'],
    ['brackets that do not match', '{"a":[1}', 'malformed'],
    ['words without quotes', '{"a":hello}', 'malformed'],
    ['an invalid escape', String.raw`{"a":"\x41"}`, 'malformed'],
    ['an incomplete unicode escape', String.raw`{"a":"\u12g4",}`, 'malformed'],
    ['a number with a leading zero', '{"a":01}', 'malformed'],
    ['a broken object around a good one', '{"a":b,"c":{"d":1}}', 'malformed'],
  ])('returns an error for %s', (_name, text, kind) => {
    expect(errorOf(readComplete(text))).toBe(kind);
  });

  it('reports the position of an error without quoting the answer', () => {
    expect(readComplete('Well:\n{"a": 1,\n "b" 2}')).toEqual({
      error: {
        kind: 'malformed',
        problem: 'a key and its colon were expected',
        line: 3,
        column: 6,
      },
    });
  });

  it.each([
    ['open brackets', '{"a":[1,2'],
    ['a whole object within one that is not', '{"a":{"b":1},"c'],
    ['a whole object within a list', '[1, {"a":1}, {"b'],
    ['single quotes', "{'a':'}','b':{'c':1},"],
    ['nothing', ''],
    ['prose', 'Let me think'],
    ['a comment', '{"a":1 /* so }'],
    ['an example before it', 'Such as {"a":"yes"}. So it is {"a":"n'],
    ['its first key', 'Such as {"a":"yes"}. So it is {"a'],
    ['two examples before it', '{"a":1} or {"a":2}, {x}: {"a":'],
  ])('never accepts a truncated answer as complete: %s', (_name, text) => {
    expect(errorOf(cut(text))).toBe('cut-off');
  });

  it('accepts an object that was complete before the answer was cut off', () => {
    expect(cut('{"a":{}}\n\nIn other wor')).toEqual({ object: { a: {} } });
  });

  it('drops __proto__ at every level, in every spelling', () => {
    const text = String.raw`{"__proto__":{"x":1},"a":[{"\u005f_proto__":1,"b":2}]`;
    for (const end of ['}', ',}']) {
      const answer = readComplete(text + end);
      expect(JSON.stringify(answer)).toBe('{"object":{"a":[{"b":2}]}}');
    }
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('accepts nesting up to the limit, with and without repair', () => {
    for (const end of ['', ' so']) {
      expect(errorOf(readComplete(nested(MAX_ANSWER_DEPTH) + end))).toBeUndefined();
      expect(errorOf(readComplete(nested(MAX_ANSWER_DEPTH + 1) + end))).toBe('too-deep');
      expect(errorOf(cut(nested(MAX_ANSWER_DEPTH + 1) + end))).toBe('too-deep');
    }
    const lists = 100_000;
    expect(errorOf(readComplete(`{"a":${'['.repeat(lists)}${']'.repeat(lists)}}`))).toBe(
      'too-deep',
    );
    expect(errorOf(readComplete(`{"a":${'['.repeat(lists)}`))).toBe('too-deep');
  });

  it('accepts one mebibyte of UTF-8 and refuses one byte more', () => {
    const ofBytes = (bytes: number): string => `{"a":"é${'x'.repeat(bytes - 10)}"}`;
    expect(errorOf(readComplete(ofBytes(MAX_ANSWER_BYTES)))).toBeUndefined();
    expect(errorOf(readComplete(ofBytes(MAX_ANSWER_BYTES + 1)))).toBe('too-large');
    expect(errorOf(readComplete(' '.repeat(MAX_ANSWER_BYTES + 1)))).toBe('too-large');
  });

  it.each([
    '{',
    '{"',
    "{'",
    "{'a':'",
    "' ",
    '{a',
    '{a ',
    '{"a":',
    '{/*',
    '{//',
    '{#',
    '{#\n1',
    '[ ',
    '{ ',
    '`',
    '\\',
    '{"a":"\\',
    '"\u201d ',
    '"},{"a":',
    '{"a",',
    '/**/',
  ])('runs in linear time with many repetitions of %j', (piece) => {
    const text = piece.repeat(LONG_LENGTH);
    for (const before of ['', 'x', '{"a":1,', "{'a':'", '{"a":[']) {
      const body = (before + text).slice(0, LONG_LENGTH);
      expect(errorOf(cut(body))).toMatch(/cut-off|too-deep/);
    }
  });
});

const LONG_LENGTH = 2 ** 17;

describe('readJsonAnswer with arbitrary JSON', () => {
  it('returns what JSON.parse returns, alone or within prose', () => {
    fc.assert(
      fc.property(
        objects,
        indents,
        fc.constantFrom(...PROSE),
        fc.constantFrom(...ENDINGS),
        (object, indent, before, after) => {
          const text = before + JSON.stringify(object, null, indent) + after;
          for (const isCut of [true, false]) {
            const answer = readJsonAnswer(text, { isCut });
            expect(JSON.stringify(answer)).toBe(JSON.stringify({ object }));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('never accepts a prefix of an answer as complete', () => {
    const values = fc.oneof(objects, fc.array(objects, { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(values, indents, fc.constantFrom(...PROSE), (value, indent, before) => {
        const opening = Array.isArray(value) ? '' : before;
        const text = opening + JSON.stringify(value, null, indent);
        const lengths = Array.from({ length: text.length }, (_, length) => length);
        expect(lengths.filter((length) => 'object' in cut(text.slice(0, length)))).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  it('is idempotent and never invents a key', () => {
    const broken = fc
      .tuple(
        objects,
        fc.array(fc.tuple(fc.nat(), fc.constantFrom('', ...PUNCTUATION)), {
          maxLength: 4,
        }),
      )
      .map(([object, edits]) => {
        let text = JSON.stringify(object);
        for (const [index, char] of edits) {
          const offset = index % (text.length + 1);
          text = text.slice(0, offset) + char + text.slice(offset + (char === '' ? 1 : 0));
        }
        return text;
      });
    fc.assert(
      fc.property(broken, fc.boolean(), (text, isCut) => {
        const answer = readJsonAnswer(text, { isCut });
        if ('error' in answer) return;
        expect(readJsonAnswer(JSON.stringify(answer.object), { isCut })).toEqual(answer);
        const letters = new Set(text + unescaped(text));
        const keys = keysOf(answer.object);
        expect([...keys.join('')].filter((letter) => !letters.has(letter))).toEqual([]);
        expect(keys.length).toBeLessThanOrEqual(text.split(':').length - 1);
      }),
      { numRuns: 500 },
    );
  });

  it('does not throw for text that is not JSON', () => {
    const noise = fc.string({ unit: fc.constantFrom('True', '0', 'e', '-', ...PUNCTUATION) });
    fc.assert(
      fc.property(noise, fc.boolean(), (text, isCut) => {
        const answer = readJsonAnswer(text, { isCut });
        expect('object' in answer || typeof answer.error.kind === 'string').toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

const keysOf = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const ownKeys = Array.isArray(value) ? [] : Object.keys(value);
  return [...ownKeys, ...Object.values(value).flatMap(keysOf)];
};

const unescaped = (text: string): string =>
  text.replaceAll(/\\(u[0-9a-fA-F]{4}|[bfnrt])/g, (escape) => JSON.parse(`"${escape}"`) as string);
