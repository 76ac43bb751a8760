import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import type { CallRequest } from './call-request.ts';
import { DIALECT_NAMES, dialectOf, readStreamError } from './dialects.ts';
import { toPython } from './sdk-snippets.ts';
import { LANGUAGES, toSnippet } from './snippets.ts';
import type { Language } from './snippets.ts';

/** Characters that shells, TypeScript and Python could take for their own. */
const HARD = 'It\'s "quoted" $HOME `id` \\n {0} ${x} %s 日本\nnew line\t\u2028 🎈';

const REQUEST: CallRequest = {
  model: 'service-auto',
  system: 'Be brief.',
  user: HARD,
  isStreamed: false,
  maxTokens: 50,
  temperature: 0.5,
};

const ALL = DIALECT_NAMES.flatMap((dialect) =>
  (Object.keys(LANGUAGES) as Language[]).map((language) => [dialect, language] as const),
);

describe('toSnippet', () => {
  it.each(ALL)('reads the key of %s in %s from the environment', (dialect, language) => {
    const code = toSnippet(language, { dialect, request: REQUEST, baseUrl: 'https://w.example' });
    expect(code).toMatch(/\$WITAN_API_KEY|env\.WITAN_API_KEY|environ\["WITAN_API_KEY"\]/);
    expect(code).not.toMatch(/sk-/);
  });

  it.each(DIALECT_NAMES)('quotes every character of a body of %s for a shell', (dialect) => {
    const code = toSnippet('curl', { dialect, request: REQUEST, baseUrl: 'https://w.example' });
    // The shell passes the arguments to a program that prints them, instead of curl.
    const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${code}`;
    const env = { ...process.env, WITAN_API_KEY: 'key' };
    const passed = execFileSync('/bin/sh', ['-c', script], { env }).toString().split('\0');
    expect(passed).toContain(`https://w.example${dialectOf(dialect).path}`);
    expect(passed).toContain('Authorization: Bearer key');
    expect(JSON.parse(passed[passed.indexOf('--data') + 1]!)).toEqual(
      dialectOf(dialect).toBody(REQUEST),
    );
  });
});

describe('toPython', () => {
  it('writes literals of Python', () => {
    expect(toPython({ a: [true, false, null, 1.5], b: {}, c: 'x"' })).toBe(
      '{\n    "a": [\n        True,\n        False,\n        None,\n        1.5,\n    ],\n' +
        '    "b": {},\n    "c": "x\\"",\n}',
    );
  });
});

describe('the table of dialects', () => {
  it.each(DIALECT_NAMES)('of %s omits what is not set', (dialect) => {
    const { temperature: _temperature, ...unset } = REQUEST;
    const body = dialectOf(dialect).toBody({
      ...unset,
      system: '',
      maxTokens: undefined,
      temperature: undefined,
    });
    expect(JSON.stringify(body)).not.toMatch(/temperature|stream|"system"|Be brief/);
  });

  it.each([
    ['an error member', { error: { message: 'Cut.' } }],
    ['a failed response', { type: 'response.failed', response: { error: { message: 'Cut.' } } }],
    ['an error event of responses', { type: 'error', message: 'Cut.' }],
  ])('reads the error of a stream from %s', (_form, event) => {
    expect(readStreamError(event)).toBe('Cut.');
  });

  it('reads no error from the parts of an answer', () => {
    expect(
      readStreamError({ type: 'response.completed', response: { error: null } }),
    ).toBeUndefined();
    expect(readStreamError({ choices: [{ delta: { content: 'a' } }] })).toBeUndefined();
  });
});
