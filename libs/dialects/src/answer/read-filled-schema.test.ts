import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { isCutOff, readJsonAnswer } from './read-json-answer.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    content: { type: 'string', description: 'your answer' },
    stances: {
      type: 'object',
      properties: { i1: { type: 'object', properties: { stance: { type: 'number' } } } },
    },
    keyPoints: { type: 'array', items: { type: 'string' } },
    verdict: { description: 'yes or no' },
  },
  required: ['content'],
};

const read = (answer: unknown) =>
  readJsonAnswer(JSON.stringify(answer), { isCut: false, schema: SCHEMA });

describe('an answer that is written into its schema', () => {
  it.each<[string, object, object]>([
    ['no copy', { content: 'Yes.', more: 1 }, { content: 'Yes.', more: 1 }],
    ['a member that looks like a schema', { verdict: { value: 1 } }, { verdict: { value: 1 } }],
    [
      'values in the place of schemas',
      { type: 'object', properties: { content: 'Yes.', stances: { i1: { stance: 1 } } } },
      { content: 'Yes.', stances: { i1: { stance: 1 } } },
    ],
    [
      'values in the place of descriptions',
      { properties: { content: { type: 'string', description: 'Yes.' }, verdict: { value: 0 } } },
      { content: 'Yes.', verdict: 0 },
    ],
    [
      'a copy at each level',
      { properties: { stances: { type: 'object', properties: { i1: { stance: { value: 1 } } } } } },
      { stances: { i1: { stance: 1 } } },
    ],
    [
      'members beside it',
      { type: 'object', properties: { content: 'Yes.' }, stances: { i1: { stance: 0 } } },
      { content: 'Yes.', stances: { i1: { stance: 0 } } },
    ],
    [
      'members without a value, which are left out',
      { properties: { content: 'Yes.', verdict: { description: 'yes or no' } } },
      { content: 'Yes.' },
    ],
  ])('is read: %s', (_name, answer, object) => {
    expect(read(answer)).toEqual({ object });
  });

  it('is an error without any value, and without the schema it is the answer', () => {
    expect(read(SCHEMA)).toEqual({ error: { kind: 'schema-echo' } });
    expect(readJsonAnswer(JSON.stringify(SCHEMA), { isCut: false })).toEqual({ object: SCHEMA });
  });
});

type Recorded = { kind: string; wantsJson: boolean; finishReason: string; answer: string };
const recorded = readFileSync(
  new URL('../../../testing/data/real-models-answers.ndjson', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

/** Schema of an answer of a council, with the members that all recorded debates have. */
const COUNCIL = {
  type: 'object',
  properties: {
    content: { type: 'string', description: 'your answer to the person, as you would say it' },
    stances: { type: 'object', properties: {} },
  },
};

describe('recorded answers of small models', () => {
  const answers = recorded.filter(
    ({ kind, finishReason }) => kind.startsWith('panel/debate') && finishReason === 'stop',
  );

  it.each(answers.map(({ answer }, index) => [index, answer] as const))(
    'number %i to a council has its content at the top level',
    (_index, answer) => {
      const result = readJsonAnswer(answer, { isCut: false, schema: COUNCIL });
      expect(result).toMatchObject({ object: { content: expect.any(String) } });
    },
  );

  it('that repeats the schema of a market is an error, not an answer', () => {
    const echo = recorded.find(
      ({ kind, answer }) => kind === 'market' && answer.includes('"type":"object"'),
    )!;
    const { properties } = JSON.parse(echo.answer) as { properties: object };
    const result = readJsonAnswer(echo.answer, {
      isCut: isCutOff(echo.finishReason),
      schema: { type: 'object', properties },
    });
    expect(result).toEqual({ error: { kind: 'schema-echo' } });
  });
});
