import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createExpectDocumented } from './expect-documented.ts';
import type { ExpectDocumented } from './expect-documented.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer } from './http-client.ts';
import { openKeys } from './open-keys.ts';
import type { Keys } from './open-keys.ts';
import { openFixture, TRANSPORTS } from './open-fixture.ts';
import type { Fixture } from './open-fixture.ts';

const WORKSPACE = '/v1/workspace';
/** Name of a customer, which no other workspace may see. */
const NAME = 'Anna Canary-Lindqvist';
const TERM = { text: NAME, category: 'PERSON' };
const PATTERN = { pattern: '\\bACME-\\d{4,8}\\b', category: 'SECRET' };
const SETTINGS = { categories: ['PERSON', 'ORG', 'SECRET'], terms: [TERM], patterns: [PATTERN] };
const DISABLED_BY_DEFAULT = ['LOCATION', 'ORG'];

type Member = {
  put: (body: object) => Promise<Answer>;
  /** Replaces the workspace's privacy settings; returns the stored ones. */
  putPrivacy: (privacy: object) => Promise<unknown>;
  get: () => Promise<object>;
};

describe.each(TRANSPORTS)('privacy settings of a workspace, services over %s', (transport) => {
  let fixture: Fixture;
  let keys: Keys;
  let expectDocumented: ExpectDocumented;
  /** All masking categories that the OpenAPI document lists. */
  let categories: string[];
  let defaults: object;

  beforeAll(async () => {
    fixture = await openFixture({ transport });
    keys = await openKeys(fixture.system);
    expectDocumented = await createExpectDocumented(fixture.client);
    categories = await readCategories(fixture);
    const isDefault = (category: string): boolean => !DISABLED_BY_DEFAULT.includes(category);
    defaults = { categories: categories.filter(isDefault), terms: [], patterns: [] };
  });
  afterAll(async () => {
    await keys[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const createMember = async (): Promise<Member> => {
    const client = createHttpClient(await keys.makeKey());
    const send = async (method: 'GET' | 'PUT', body?: object): Promise<Answer> => {
      const answer = await client.send(WORKSPACE, { method, body });
      expectDocumented(answer, `${method} ${WORKSPACE}`);
      return answer;
    };
    const put = (body: object): Promise<Answer> => send('PUT', body);
    const toWorkspace = ({ json }: Answer): { privacy?: unknown } =>
      (json as { workspace: object }).workspace;
    return {
      put,
      putPrivacy: async (privacy) => toWorkspace(await put({ privacy })).privacy,
      get: async () => toWorkspace(await send('GET')),
    };
  };

  it('are the defaults until they are set, then complete', async () => {
    const member = await createMember();
    expect(await member.get()).toMatchObject({ privacy: defaults });
    const reversedSettings = { ...SETTINGS, categories: SETTINGS.categories.toReversed() };
    expect(await member.putPrivacy(reversedSettings)).toEqual(SETTINGS);
    expect(await member.get()).toMatchObject({ privacy: SETTINGS });
    expect(await (await createMember()).get()).toMatchObject({ privacy: defaults });
  });

  it('are replaced as a whole: missing members get their defaults', async () => {
    const member = await createMember();
    await member.putPrivacy(SETTINGS);
    expect(await member.putPrivacy({ terms: [TERM] })).toEqual({ ...defaults, terms: [TERM] });
    const noCategories = { ...defaults, categories: [] };
    expect(await member.putPrivacy({ categories: [] })).toEqual(noCategories);
    expect(await member.putPrivacy({})).toEqual(defaults);
  });

  it('are independent of the other settings', async () => {
    const member = await createMember();
    const full = { targets: [{ provider: 'openai', model: 'gpt-full' }] };
    await member.put({ router: { full }, privacy: SETTINGS });
    await member.put({ name: 'Renamed' });
    await member.put({ aliases: { fast: full } });
    expect(await member.get()).toMatchObject({ privacy: SETTINGS, router: { full } });
    await member.putPrivacy({});
    expect(await member.get()).toMatchObject({ router: { full }, aliases: { fast: full } });
  });

  it('can be sent back as returned, and name unknown members', async () => {
    const member = await createMember();
    await member.putPrivacy(SETTINGS);
    const returnedBody = await member.get();
    const answer = await member.put(returnedBody);
    expect(answer.json).toEqual({ workspace: returnedBody });
    expect(answer.headers.get('x-service-ignored-fields')).toBeNull();
    const settingsWithUnknownMember = { ...SETTINGS, terms: [{ ...TERM, note: 'x' }] };
    const ignored = await member.put({ privacy: settingsWithUnknownMember });
    expect(ignored.json).toEqual({ workspace: returnedBody });
    expect(ignored.headers.get('x-service-ignored-fields')).toBe('privacy.terms[0].note');
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'privacy'],
    ['an unknown category', { categories: ['NICKNAME'] }, 'privacy.categories[0]'],
    ['a category twice', { categories: ['IP', 'IP'] }, 'privacy.categories'],
    [
      'a term of an unknown category',
      { terms: [TERM, { text: 'Bea', category: 'X' }] },
      'privacy.terms[1].category',
    ],
    ['a term without a category', { terms: [{ text: 'Bea' }] }, 'privacy.terms[0].category'],
    ['a term twice', { terms: [TERM, TERM] }, 'privacy.terms[1].text'],
    ['a blank term', { terms: [{ ...TERM, text: ' ' }] }, 'privacy.terms[0].text'],
    ['1,001 terms', { terms: Array.from({ length: 1_001 }, () => TERM) }, 'privacy.terms'],
    [
      'a pattern with unsupported syntax',
      { patterns: [PATTERN, { ...PATTERN, pattern: '(?<=a)b' }] },
      'privacy.patterns[1].pattern',
    ],
    [
      'a pattern that matches the empty text',
      { patterns: [{ ...PATTERN, pattern: 'a*' }] },
      'privacy.patterns[0].pattern',
    ],
  ])('refuse %s with its path, and change nothing', async (_name, privacy, param) => {
    const member = await createMember();
    await member.putPrivacy(SETTINGS);
    const before = await member.get();
    const answer = await member.put({ name: 'Renamed', aliases: {}, privacy });
    expect([answer.status, answer.json]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'invalid_request', param }) },
    ]);
    expect(answer.text).not.toContain(NAME);
    expect(await member.get()).toEqual(before);
  });

  it('accept the maximum size', async () => {
    const member = await createMember();
    // Returns a unique term of 50 UTF-16 units, most of them in characters of four UTF-8 bytes.
    // 1,000 terms reach the limit of 50,000 units.
    const text = (index: number): string => `${index}`.padStart(4, '0') + '𝒜'.repeat(23);
    const terms = Array.from({ length: 1_000 }, (_, index) => ({ ...TERM, text: text(index) }));
    // Returns a unique pattern of twenty literals, each of which counts as one branch. Fifty
    // patterns reach the limit of 1,000 branches.
    const pattern = (index: number): string => `${index}`.padStart(20, 'x');
    const patterns = Array.from({ length: 50 }, (_, i) => ({ ...PATTERN, pattern: pattern(i) }));
    const privacy = { categories: [...categories], terms, patterns };
    expect(await member.putPrivacy(privacy)).toEqual(privacy);
    expect(await member.get()).toMatchObject({ privacy });
  });

  it('write no term to a log', async () => {
    const member = await createMember();
    await member.putPrivacy(SETTINGS);
    await member.put({ privacy: { ...SETTINGS, terms: [TERM, TERM] } });
    await member.put({ privacy: { ...SETTINGS, terms: [{ ...TERM, category: NAME }] } });
    expect(fixture.system.logLines.length).toBeGreaterThan(0);
    expect(fixture.system.logLines.join('\n')).not.toContain(NAME);
  });
});

const readCategories = async ({ client }: Fixture): Promise<string[]> => {
  const { json } = await client.send('/v1/openapi.json', { headers: {} });
  const body = 'paths|/v1/workspace|put|requestBody|content|application/json|schema';
  const items = `${body}|properties|privacy|properties|categories|items|enum`.split('|');
  return items.reduce<unknown>((at, key) => resolveRef(json, at)[key], json) as string[];
};

type Node = Record<string, unknown>;

/** Returns the object `at`; if it is a `$ref`, the object in `document` to which it refers. */
const resolveRef = (document: unknown, at: unknown): Node => {
  const { $ref } = at as { $ref?: string };
  if ($ref === undefined) return at as Node;
  const position = $ref.slice('#/'.length).split('/');
  return position.reduce<unknown>((one, key) => (one as Node)[key], document) as Node;
};
