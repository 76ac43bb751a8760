import { describe, expect, it } from '@jest/globals';
import { listTargets, parseProvidersFile } from './parse-providers-file.ts';
import type { ListedProvider } from './parse-providers-file.ts';

const ENV = { AZURE_KEY: 'key-1', BLANK: ' ', BROKEN: 'a\nb' };
const AZURE = { name: 'azure', baseUrl: 'https://a.example/openai/v1', keyVariable: 'AZURE_KEY' };

const parse = (text: string): { providers: ListedProvider[]; errors: string[] } => {
  const errors: string[] = [];
  const addError = (error: string): void => void errors.push(error);
  return { providers: parseProvidersFile(text, { env: ENV, taken: ['openai'], addError }), errors };
};

const parseEntries = (...entries: unknown[]) => parse(JSON.stringify(entries));

describe('the providers file', () => {
  it('has entries with defaults', () => {
    expect(parseEntries(AZURE)).toEqual({
      providers: [
        {
          name: 'azure',
          dialects: ['chat-completions'],
          baseUrl: 'https://a.example/openai/v1',
          apiKey: 'key-1',
          keyHeader: 'authorization',
          models: [],
          adaptation: { outputLimit: undefined, unsupported: [] },
        },
      ],
      errors: [],
    });
  });

  it('has targets for each model, with weights, in the order of the entries', () => {
    const first = { ...AZURE, models: ['a', 'b'], weights: { a: 3 } };
    const { providers } = parseEntries(first, { ...AZURE, name: 'other', models: ['a'] });
    expect([...listTargets(providers)]).toEqual([
      [
        'a',
        [
          { provider: 'azure', model: 'a', weight: 3 },
          { provider: 'other', model: 'a', weight: 0 },
        ],
      ],
      ['b', [{ provider: 'azure', model: 'b', weight: 0 }]],
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a member that there is not', { ...AZURE, url: 'x' }, '[0].url is no member; there are name'],
    ['no name', { ...AZURE, name: undefined }, '[0].name must be 1 to 32'],
    ['a reserved name', { ...AZURE, name: 'local' }, '[0].name "local" is reserved'],
    ['a name of the environment', { ...AZURE, name: 'openai' }, 'configured by the environment'],
    ['a relative URL', { ...AZURE, baseUrl: 'a.example' }, '[0].baseUrl must be an absolute URL'],
    ['credentials in the URL', { ...AZURE, baseUrl: 'https://u:p@a.example' }, 'no credentials'],
    [
      'a fragment',
      { ...AZURE, baseUrl: 'https://a.example#x' },
      '[0].baseUrl must have no fragment',
    ],
    [
      'no version for the messages dialect',
      { ...AZURE, dialects: ['messages'], baseUrl: 'https://a.example' },
      '[0].baseUrl must end in the version',
    ],
    ['an unknown dialect', { ...AZURE, dialects: ['grpc'] }, '[0].dialects[0] must be one of'],
    ['no dialect', { ...AZURE, dialects: [] }, '[0].dialects must hold at least one'],
    ['a dialect twice', { ...AZURE, dialects: ['messages', 'messages'] }, '[0].dialects[1] is in'],
    ['an unset key', { ...AZURE, keyVariable: 'NONE' }, '[0].keyVariable names NONE, which is not'],
    [
      'a blank key',
      { ...AZURE, keyVariable: 'BLANK' },
      '[0].keyVariable names BLANK, which is not',
    ],
    [
      'a broken key',
      { ...AZURE, keyVariable: 'BROKEN' },
      '[0].keyVariable names BROKEN, which has',
    ],
    ['an invalid variable', { ...AZURE, keyVariable: 'A-B' }, '[0].keyVariable must be the name'],
    ['an unknown header', { ...AZURE, keyHeader: 'cookie' }, '[0].keyHeader must be one of'],
    ['models that are no list', { ...AZURE, models: 'a' }, '[0].models must be a list of texts'],
    ['a blank model', { ...AZURE, models: [' '] }, '[0].models[0] must be a text'],
    ['a weight without a model', { ...AZURE, weights: { a: 1 } }, '[0].weights.a is not in models'],
    [
      'a negative weight',
      { ...AZURE, models: ['a'], weights: { a: -1 } },
      '[0].weights.a must be a whole number from 0 to 1000',
    ],
    ['an unknown limit', { ...AZURE, outputLimit: 'n' }, '[0].outputLimit must be one of'],
    ['a needed member', { ...AZURE, unsupported: ['messages'] }, '[0].unsupported[0] must be'],
    ['an output limit of responses', { ...AZURE, unsupported: ['max_output_tokens'] }, 'must be'],
    ['an entry that is no object', 'azure', '[0] must be an object'],
  ])('is refused with an error that names entry and member: %s', (_name, entry, expected) => {
    const { providers, errors } = parseEntries(entry);
    expect(providers).toEqual([]);
    expect(errors).toEqual([expect.stringContaining(expected)]);
  });

  it('reports all errors of all entries, and the name of an entry that is there twice', () => {
    const { errors } = parseEntries(AZURE, { ...AZURE, keyHeader: 'x' }, { name: 'x', a: 1 });
    expect(errors).toEqual([
      expect.stringContaining('[1].keyHeader'),
      '[1].name "azure" is configured by [0] too',
      expect.stringContaining('[2].a'),
      expect.stringContaining('[2].baseUrl'),
    ]);
  });

  it.each(['', '{', '{}', 'null'])('must hold a list: %j', (text) => {
    expect(parse(text)).toEqual({ providers: [], errors: [expect.any(String)] });
  });

  it('never repeats a key', () => {
    const { errors } = parseEntries({ ...AZURE, keyVariable: 'BROKEN', name: 1 });
    expect(errors.join()).not.toContain(ENV.BROKEN);
  });
});
