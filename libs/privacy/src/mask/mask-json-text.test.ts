import { describe, expect, it } from '@jest/globals';
import { detectStructured } from '../detect-structured.ts';
import { joinDetectors } from '../detect.ts';
import { createRestorer } from '../restore/create-restorer.ts';
import type { Span } from '../span.ts';
import { createMasker } from './create-masker.ts';
import type { Masker } from './create-masker.ts';
import type { JsonRole } from './find-in-json.ts';

const MAIL = 'ann.lee@example.org';
const CARD = '4111111111111111';
const IBAN = 'DE89370400440532013000';
const SSN = '536-90-4399';
/** Assembled at runtime, so that secret scanners do not report it. */
const TOKEN = ['sk', 'proj', 'Q8xZ3kvL9wT2nRbY5mHc7PdJ4sGf6UaE'].join('-');
const PERSONS = /Ann Lee|John Smith|Grace/g;

const detect = joinDetectors(
  {
    findStructured: detectStructured,
    findNames: (text) =>
      [...text.matchAll(PERSONS)].map(({ 0: name, index }): Span => ({
        start: index,
        end: index + name.length,
        category: 'PERSON',
      })),
  },
  { terms: [{ text: 'falcon', category: 'ORG' }] },
);
const openMasker = (): Masker => createMasker({ key: new Uint8Array(32).fill(7), detect });

const maskedIn = (text: string): string[] => {
  const masker = openMasker();
  const masked = masker.maskJsonText(text);
  expect(() => JSON.parse(masked) as unknown).not.toThrow();
  expect(createRestorer(masker.table).restoreJsonText(masked)).toBe(text);
  return [...masked.matchAll(/\[\[([A-Z_]+)_[A-Z2-7]{6}(?:_\d+)?\]\]/g)].map(([, kind]) => kind!);
};

describe('keys of a JSON text', () => {
  it.each([
    [{ [MAIL]: 'paid', [IBAN]: 1, [TOKEN]: 1 }, ['EMAIL', 'IBAN', 'SECRET']],
    [{ [MAIL]: 'paid', [`ssn ${SSN}`]: 1 }, ['EMAIL', 'NATIONAL_ID']],
    [{ rows: [{ [MAIL]: { [CARD]: MAIL } }] }, ['EMAIL', 'CREDIT_CARD', 'EMAIL']],
    [{ ssns: { '536904399': 'x' } }, ['NATIONAL_ID']],
    [{ Falcon: 1 }, ['ORG']],
  ])('are masked if they contain structured data: %j', (value, kinds) => {
    const text = JSON.stringify(value);
    expect(maskedIn(text)).toEqual(kinds);
    expect(maskedIn(JSON.stringify({ arguments: text }))).toEqual(kinds);
    expect(maskedIn(JSON.stringify(value, null, 2))).toEqual(kinds);
  });

  it('are not searched for names, because they are not prose', () => {
    expect(maskedIn('{"Grace":1,"John Smith":2}')).toEqual([]);
  });

  it('remain distinct if they are two spellings of one value', () => {
    expect(maskedIn(`{"${MAIL}":1,"${MAIL.toUpperCase()}":2}`)).toEqual(['EMAIL', 'EMAIL']);
  });
});

describe('numbers of a JSON text', () => {
  it.each([
    [`[${CARD}]`, ['CREDIT_CARD']],
    [`[{"id":1,"number":${CARD}}]`, ['CREDIT_CARD']],
    [`{"cards":[${CARD},4111111111111112]}`, ['CREDIT_CARD', 'CREDIT_CARD']],
    ['{"accounts":[{"no":12345678}]}', ['BANK_ACCOUNT']],
    ['{"account":{"number":"12345678"}}', ['BANK_ACCOUNT']],
    ['{"ssns":[536904399]}', ['NATIONAL_ID']],
    ['{"phone":{"value":"555 0100 22"}}', ['PHONE']],
    ['{"personnummer":199001011234}', ['NATIONAL_ID']],
  ])('are masked by check digit or parent key: %s', (text, kinds) => {
    expect(maskedIn(text)).toEqual(kinds);
    expect(maskedIn(JSON.stringify([text]))).toEqual(kinds);
  });

  it.each([
    ['times', { createdAt: 1_726_060_062_403, ts: 1_766_008_688, at: [1_764_688_462_822_123] }],
    ['ids', { id: 4_111_111_111_111_111, order: 5_105_105_105_105_100, userId: 123_456_789_012 }],
    ['counts', { accounts: 15_000_000, cards: 123_456, total: 987_654_321, calls: 1_000_000_000 }],
    ['amounts', { price: 4_111_111_111_111.11, balance: 1_234_567_890, rate: 4.1e15 }],
    [
      'amounts under a key with a cue',
      { account_balance: 12_345_678, taxTotal: 1_234_567, cardLimit: 5_000_000 },
    ],
    ['numbers of contacts', { reach: 2_125_550_187, contact: { total: 2_125_550_187 } }],
  ])('are not masked if they are %s', (_name, value) => {
    expect(maskedIn(JSON.stringify(value))).toEqual([]);
  });

  it('are restored as numbers, or as quoted keys', () => {
    const masker = openMasker();
    const masked = masker.maskJsonText(`{"number":${CARD}}`);
    const name = /\[\[\w+\]\]/.exec(masked)![0];
    const { createRestoreStream, restoreJsonText } = createRestorer(masker.table);
    const answer = `{"card":"${name}","by":{"${name}" : 1,"${name}":[2]},"text":"of ${name}"}`;
    const expected = `{"card":${CARD},"by":{"${CARD}" : 1,"${CARD}":[2]},"text":"of ${CARD}"}`;
    expect(restoreJsonText(answer)).toBe(expected);
    const stream = createRestoreStream({ insideJson: true });
    expect([...answer].map((char) => stream.push(char)).join('') + stream.end()).toBe(expected);
  });
});

describe('roles of a JSON text', () => {
  const mask = (value: object, roles: Record<string, JsonRole>) => {
    const masker = openMasker();
    const text = JSON.stringify(value);
    const roleOf = (path: readonly unknown[]): JsonRole => roles[path.join('.')] ?? 'text';
    const masked = masker.maskJsonText(text, { roleOf });
    return { masker, masked, value: JSON.parse(masked) as Record<string, string> };
  };

  it('leave keys, numbers and fixed strings unmasked, and count their values', () => {
    const body = {
      [MAIL]: 5,
      ssn: 536_904_399,
      enum: `${MAIL} ${CARD}`,
      signature: MAIL,
      who: 'Grace',
    };
    const roles = { enum: 'fixed', signature: 'unread', who: 'fixed' } as const;
    const { masker, value } = mask(body, roles);
    expect(value).toEqual(body);
    expect(masker.unmasked()).toBe(3);
    expect(masker.counts()).toEqual({});
  });

  it.each([
    ['Grace', 'Ask Grace.'],
    ['john_smith', 'I am John Smith.'],
    ['john', 'I am John Smith.'],
    ['JohnSmith-2', 'I am John Smith.'],
  ])('mask the participant name %s beside %s', (name, content) => {
    const { masker, value } = mask({ name, content }, { name: 'name' });
    expect(value.name).toMatch(/^person_[a-z2-7]{6}(?:_\d)?$/);
    const { restore } = createRestorer(masker.table);
    expect(restore(`From ${value.name}: ${value.content}`)).toBe(`From ${name}: ${content}`);
    expect(masker.counts()).toMatchObject({ PERSON: { occurrences: 2 } });
  });

  it('use one placeholder for a participant name and the same name in a text', () => {
    const { value } = mask({ name: 'Grace', content: 'Grace' }, { name: 'name' });
    expect(`[[${value.name!.toUpperCase()}]]`).toBe(value.content);
  });

  it.each([
    ['Alice', 'Ask Grace.'],
    ['alice_smith', 'I am John Smith.'],
    ['assistant-2', 'Nobody is named.'],
  ])('do not mask the participant name %s beside %s', (name, content) => {
    expect(mask({ name, content }, { name: 'name' }).value.name).toBe(name);
  });

  it.each([
    [MAIL, /^email_[a-z2-7]{6}$/],
    [`user_${SSN}`, /^national_id_[a-z2-7]{6}$/],
    ['falcon_bot', /^org_[a-z2-7]{6}$/],
  ])('mask personal data in the participant name %s', (name, form) => {
    const { masker, value } = mask({ name }, { name: 'name' });
    expect(value.name).toMatch(form);
    expect(createRestorer(masker.table).restore(value.name!)).toBe(name);
  });

  it.each([
    ['ann.walker@x.com.pdf', /^\[\[EMAIL_\w{6}\]\]\.pdf$/],
    [`${SSN}.PNG`, /^\[\[NATIONAL_ID_\w{6}\]\]\.PNG$/],
    ['Ann Lee CV.docx', /^\[\[PERSON_\w{6}\]\] CV\.docx$/],
    ['ann.walker@x.com', /^\[\[EMAIL_\w{6}\]\]\.com$/],
    ['report.pdf', /^report\.pdf$/],
  ])('retain the extension of the file name %s', (file, form) => {
    const { masker, value } = mask({ file }, { file: 'filename' });
    expect(value.file).toMatch(form);
    expect(createRestorer(masker.table).restore(value.file!)).toBe(file);
  });
});
