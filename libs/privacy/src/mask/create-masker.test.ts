import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createRestorer } from '../restore/create-restorer.ts';
import type { Category, Span } from '../span.ts';
import { createMasker } from './create-masker.ts';
import type { Masker } from './create-masker.ts';
import type { JsonRole } from './find-in-json.ts';
import { JsonDepthError } from './json-strings.ts';

const KEY = new Uint8Array(32).fill(7);

const FAKE_PATTERN =
  /(?<EMAIL>\w+@x\.io)|(?<PERSON>ann\s+lee|O"Brien)|(?<PHONE>(?<=phone: )\+?[\d ]+)/gi;

function detect(text: string): Span[] {
  return [...text.matchAll(FAKE_PATTERN)].map((found) => {
    const groups = Object.entries(found.groups ?? {});
    const [category] = groups.find(([, value]) => value !== undefined) ?? [];
    const start = found.index;
    return { start, end: start + found[0].length, category: category as Category };
  });
}

const openMasker = (key = KEY): Masker => createMasker({ key, detect });

const toBase32 = (bytes: Uint8Array): string =>
  [...bytes]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .match(/.{5}/g)!
    .map((bits) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(Number.parseInt(bits, 2)))
    .join('');

const EMAIL = openMasker().mask('ann@x.io');
const PERSON = openMasker().mask('Ann Lee');

describe('mask', () => {
  it('writes a category and six characters of a keyed hash', () => {
    expect(EMAIL).toMatch(/^\[\[EMAIL_[A-Z2-7]{6}\]\]$/);
    expect(openMasker().mask('to ann@x.io!')).toBe(`to ${EMAIL}!`);
    expect(openMasker(new Uint8Array(32).fill(8)).mask('ann@x.io')).not.toBe(EMAIL);
  });

  it('gives the same names with another implementation of SHA-256', () => {
    const values = [
      'ann@x.io',
      'Ann Lee',
      'phone: +44 20 7946',
      `O"Brien, ${'ë'.repeat(300)}@x.io`,
    ];
    for (const key of [KEY, new Uint8Array(16).fill(1), new Uint8Array(100).fill(2)]) {
      const sha256 = (data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest();
      const masker = createMasker({ key, detect, sha256 });
      const names = values.map((value) => masker.mask(value));
      expect(names).toEqual(values.map((value) => openMasker(key).mask(value)));
      const [name] = masker.table.names();
      const mac = createHmac('sha256', key).update('EMAIL\0ann@x.io').digest();
      expect(name).toBe(`EMAIL_${toBase32(mac).slice(0, 6)}`);
    }
  });

  it('gives a value the same name in every request', () => {
    const masker = openMasker();
    masker.mask('bob@x.io and Ann Lee');
    expect(masker.mask('ann@x.io ann@x.io')).toBe(`${EMAIL} ${EMAIL}`);
  });

  it('numbers further spellings of a value and restores each exactly', () => {
    const masker = openMasker();
    const text = 'ANN  LEE, Ann Lee, ANN  LEE, ann lee';
    const other = (number: number): string => PERSON.replace(']]', `_${number}]]`);
    const masked = masker.mask(text);
    expect(masked).toBe(`${PERSON}, ${other(2)}, ${PERSON}, ${other(3)}`);
    expect(createRestorer(masker.table).restore(masked)).toBe(text);
  });

  it('masks a value together with the brackets around it', () => {
    const masker = openMasker();
    const masked = masker.mask('[ann@x.io], [[ann@x.io]], [ann@x.io');
    const name = EMAIL.slice(2, -2);
    expect(masked).toBe(`[[${name}]], [[${name}_2]], [[[${name}_3]]`);
    const changed = masked.replaceAll(/\[\[(\w+)\]\]/g, '$1');
    expect(createRestorer(masker.table).restore(changed)).toBe(
      '[ann@x.io], [[ann@x.io]], [ann@x.io',
    );
  });

  it('counts values and occurrences by sorted category, without escaped lookalikes', () => {
    const masker = openMasker();
    masker.mask('Ann Lee: ann@x.io, bob@x.io, ann@x.io');
    masker.maskJsonText('["ann@x.io","[[EMAIL_AAAAAA]]"]');
    expect(Object.entries(masker.counts())).toEqual([
      ['EMAIL', { values: 2, occurrences: 4 }],
      ['PERSON', { values: 1, occurrences: 1 }],
    ]);
  });

  it('returns a text unchanged if there is nothing to mask', () => {
    const text = 'phone_number and [[links]] in \ud800';
    expect(openMasker().mask(text)).toBe(text);
    expect(openMasker().counts()).toEqual({});
  });

  it.each(['[[EMAIL_AAAAAA]]', '[[PERSON_K7Q2MX]]', '[[LITERAL_AAAAAA]]', '[[email_aaaaaa]]'])(
    'escapes the unknown placeholder %s',
    (text) => {
      const masker = openMasker();
      const masked = masker.mask(`see ${text}.`);
      expect(masked).toMatch(/^see \[\[LITERAL_[A-Z2-7]{6}\]\]\.$/);
      expect(createRestorer(masker.table).restore(masked)).toBe(`see ${text}.`);
    },
  );

  it('escapes a bare name that is in the table, before and after its value', () => {
    const bare = EMAIL.slice(2, -2);
    for (const texts of [
      [`${bare} ann@x.io`],
      [bare, 'ann@x.io'],
      ['ann@x.io', bare.toLowerCase()],
    ]) {
      const masker = openMasker();
      const masked = texts.map((text) => masker.mask(text));
      expect(masked.map(createRestorer(masker.table).restore)).toEqual(texts);
    }
  });

  it('throws the errors of the detector', () => {
    const masker = createMasker({
      key: KEY,
      detect: () => {
        throw new Error('broken');
      },
    });
    expect(() => masker.mask('x')).toThrow('broken');
    expect(() => masker.maskJsonText('{"a":["x"]}')).toThrow('broken');
  });

  it.each([
    [
      'overlap',
      [
        [0, 3],
        [2, 4],
      ],
    ],
    [
      'are not in order',
      [
        [2, 4],
        [0, 1],
      ],
    ],
    ['end after the text', [[0, 99]]],
    ['are empty', [[1, 1]]],
  ])('rejects spans that %s', (_name, spans) => {
    const wrong = spans.map(([start = 0, end = 0]) => ({ start, end, category: 'PHONE' as const }));
    expect(() => createMasker({ key: KEY, detect: () => wrong }).mask('abcdef')).toThrow('spans');
  });

  it('rejects a short key', () => {
    expect(() => openMasker(new Uint8Array(8))).toThrow(RangeError);
  });
});

describe('maskJsonText', () => {
  it('leaves every other byte unchanged', () => {
    const text =
      '{ "b" :1.0,\n "ann@x.io": "to ann@x.io", "a":[1e400, -0, "Ann Lee\\u0021", true ] }';
    const masker = openMasker();
    const masked = masker.maskJsonText(text);
    expect(masked).toBe(
      `{ "b" :1.0,\n "${EMAIL}": "to ${EMAIL}", "a":[1e400, -0, "${PERSON}\\u0021", true ] }`,
    );
    expect(createRestorer(masker.table).restoreJsonText(masked)).toBe(text);
  });

  it('uses the key of a string as a cue', () => {
    const masker = openMasker();
    const masked = masker.maskJsonText('{"homePhone":["555 0100"],"total":"555 0100"}');
    expect(masked).toMatch(/^\{"homePhone":\["\[\[PHONE_\w{6}\]\]"\],"total":"555 0100"\}$/);
  });

  it('masks only numbers whose key names personal data', () => {
    const text = '{"phone":5550100,"amount":5550100,"rows":[{"phone": 5550101 }]}';
    const masker = openMasker();
    const masked = masker.maskJsonText(text);
    expect(JSON.parse(masked)).toEqual({
      phone: expect.stringMatching(/^\[\[PHONE_\w{6}\]\]$/),
      amount: 5_550_100,
      rows: [{ phone: expect.stringMatching(/^\[\[PHONE_\w{6}\]\]$/) }],
    });
    expect(createRestorer(masker.table).restoreJsonText(masked)).toBe(text);
  });

  it('masks the leaves of JSON within a JSON string', () => {
    const inner = '{"ann@x.io": "Ann Lee", "phone": 5550100, "who": "O\\"Brien"}';
    const text = JSON.stringify({ arguments: inner });
    const masker = openMasker();
    const masked = masker.maskJsonText(text);
    const { arguments: maskedInner } = JSON.parse(masked) as { arguments: string };
    expect(JSON.parse(maskedInner)).toEqual({
      [EMAIL]: PERSON,
      phone: expect.stringMatching(/^\[\[PHONE_/),
      who: expect.stringMatching(/^\[\[PERSON_/),
    });
    expect(createRestorer(masker.table).restoreJsonText(masked)).toBe(text);
  });

  it('leaves unread strings unchanged, even if they contain placeholders', () => {
    const text = JSON.stringify({ thinking: `ann@x.io ${EMAIL}`, text: 'ann@x.io' });
    const roleOf = (path: readonly unknown[]): JsonRole =>
      path[0] === 'thinking' ? 'unread' : 'text';
    const masked = openMasker().maskJsonText(text, { roleOf });
    expect(JSON.parse(masked)).toEqual({ thinking: `ann@x.io ${EMAIL}`, text: EMAIL });
  });

  it('passes the path of each leaf and key', () => {
    const paths: string[] = [];
    const roleOf = (path: readonly unknown[]): JsonRole => {
      paths.push(path.join('.'));
      return 'text';
    };
    openMasker().maskJsonText('{"a":[1,{"b":"x","c":[]}],"d":"y"}', { roleOf });
    expect(paths).toEqual(['a', 'a.0', 'a.1.b', 'a.1.b', 'a.1.c', 'd', 'd']);
  });

  it.each([
    ['prose', 'mail ann@x.io'],
    ['truncated JSON', '{"a":"ann@x.io'],
  ])('masks %s as plain text', (_name, text) => {
    expect(openMasker().maskJsonText(text)).toBe(text.replace('ann@x.io', EMAIL));
  });

  it('rejects deeply nested JSON, because escapes would hide values in plain text', () => {
    const text = `${'['.repeat(5000)}"ann\\u0040x.io"${']'.repeat(5000)}`;
    expect(() => openMasker().maskJsonText(text)).toThrow(JsonDepthError);
    expect(() => openMasker().maskJsonText(JSON.stringify([text]))).toThrow(JsonDepthError);
  });

  it('masks a leaf with hundreds of thousands of values', () => {
    const text = JSON.stringify(['ann@x.io '.repeat(200_000)]);
    expect(openMasker().maskJsonText(text).split(EMAIL)).toHaveLength(200_001);
  });

  it('escapes restored values in JSON, but not in prose', () => {
    const masker = openMasker();
    const name = masker.mask('O"Brien');
    const { restore, restoreJsonText } = createRestorer(masker.table);
    expect(restore(name)).toBe('O"Brien');
    expect(restoreJsonText(`{"to":"${name}"}`)).toBe('{"to":"O\\"Brien"}');
  });
});
