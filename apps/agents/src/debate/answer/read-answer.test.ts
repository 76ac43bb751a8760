import { describe, expect, it } from '@jest/globals';
import { isEmptyAnswer, readAnswer } from './read-answer.ts';

const ISSUES = [
  { id: 'i1', proposition: 'We should open a second shop.', weight: 1 },
  { id: 'i2', proposition: 'We can pay for it.', weight: 1 },
];
const LEVERS = [{ name: 'price', description: '', min: -0.1, max: 0.1, defaultValue: 0 }];
const form = { issues: ISSUES, levers: [] };

const read = (answer: unknown, more: Partial<typeof form> | { levers: typeof LEVERS } = {}) =>
  readAnswer(typeof answer === 'string' ? answer : JSON.stringify(answer), {
    isCut: false,
    form: { ...form, ...more },
  });

const whole = {
  content: 'Open it.',
  conclusion: 'We should open it now.',
  stances: [
    { issue: 'i2', stance: -0.5, confidence: 0.9 },
    { issue: 'i1', stance: 1, confidence: 0.4 },
  ],
  keyPoints: [{ id: 'p1', text: 'Rents fell.' }],
  changedMind: false,
  changeReason: null,
  wouldChangeMind: 'Rents that rise.',
};

describe('readAnswer', () => {
  it('returns stances in the order of the issues', () => {
    expect(read(whole)).toEqual({
      problem: undefined,
      answer: {
        content: 'Open it.',
        position: 'We should open it now.',
        stances: [
          { issueId: 'i1', stance: 1, confidence: 0.4 },
          { issueId: 'i2', stance: -0.5, confidence: 0.9 },
        ],
        keyPoints: [{ id: 'p1', text: 'Rents fell.' }],
        changeReason: '',
        wouldChangeMind: 'Rents that rise.',
        levers: {},
      },
    });
  });

  it.each<[string, unknown, number | undefined]>([
    ['in words', 'rather against', -0.5],
    ['rounded to the nearest level', 0.6, 0.5],
    ['from text', '-1', -1],
    ['without negative zero', -0.1, 0],
    ['only from -1 to 1', 2, undefined],
    ['unless it is not a number', 'yes', undefined],
    ['unless it is null', null, undefined],
  ])('reads a stance %s', (_what, stance, level) => {
    const { answer } = read({ ...whole, stances: [{ issue: 'i1', stance, confidence: 2 }] });
    expect(answer.stances).toEqual(
      level === undefined ? [] : [{ issueId: 'i1', stance: level, confidence: 1 }],
    );
    expect(Object.is(answer.stances[0]?.stance, -0)).toBe(false);
  });

  it.each([
    ['a job', 'Financial Officer', 'No. I am clearly against it.'],
    ['a mood', 'calm', 'No. I am clearly against it.'],
    ['a statement', 'The rent is too high for us.', 'The rent is too high for us.'],
  ])(
    'returns the opening of the content for a conclusion that is %s',
    (_what, stated, position) => {
      const content = 'No. I am clearly against it. Rents rise.';
      expect(read({ ...whole, content, conclusion: stated }).answer.position).toBe(position);
      const older = { ...whole, content, conclusion: undefined, position: stated };
      expect(read(older).answer.position).toBe(position);
    },
  );

  it('returns the issue that a key point names, if there is such an issue', () => {
    const keyPoints = [
      { issue: 'i2', point: 'It pays for itself.' },
      { issue: 'i9', point: 'Rents fell.' },
    ];
    expect(read({ ...whole, keyPoints }).answer.keyPoints).toEqual([
      { id: 'p1', text: 'It pays for itself.', issueId: 'i2' },
      { id: 'p2', text: 'Rents fell.' },
    ]);
  });

  it('reads stances from an object and ignores unknown issues', () => {
    const { answer } = read({ ...whole, stances: { i1: 1, i9: -1 } });
    expect(answer.stances).toEqual([{ issueId: 'i1', stance: 1, confidence: 0.5 }]);
  });

  it('treats text that is not JSON as prose without a stance', () => {
    const { answer, problem } = read('I would open it.');
    expect(answer).toMatchObject({ content: 'I would open it.', stances: [], keyPoints: [] });
    expect(problem).toBe('it held no JSON object');
  });

  it.each<[string, string, boolean]>([
    ['nothing', '', true],
    ['only white space', ' \n\t', true],
    ['JSON truncated before its content', '{"cont', true],
    ['JSON truncated at the start of its content', '{"content":"', true],
    ['JSON of another shape', '{"answer":{"text":"Open it."}}', false],
    ['truncated JSON of another shape', '{"answer":{"text":"Open', true],
    ['JSON of another shape in a fence', '```json\n{"answer":"Open it"', true],
    ['a list', '["Open it."]', false],
    ['an empty object', '{}', false],
  ])('returns an empty answer for %s', (_what, raw, isCut) => {
    const { answer, problem } = readAnswer(raw, { isCut, form });
    expect([answer.content, isEmptyAnswer(answer), typeof problem]).toEqual(['', true, 'string']);
  });

  it.each([
    ['in its content', '{"content":"Open it, be'],
    ['after its content', '{"content":"Open it, be","position":"For it.","stan'],
    ['with content that is not the first member', '{"position":"For","content":"Open it, be'],
    ['within a fence', '```json\n{ "content": "Open it, be'],
    ['after prose', 'My answer: {"content":"Open it, be'],
  ])('returns only the text of the content if the answer is truncated %s', (_what, raw) => {
    const { answer, problem } = readAnswer(raw, { isCut: true, form });
    expect(answer).toMatchObject({ content: 'Open it, be', stances: [], keyPoints: [] });
    expect(problem).toMatch(/cut off/);
    expect(isEmptyAnswer(answer)).toBe(false);
  });

  it('uses the key points as content if there is no other text', () => {
    const { answer } = read({ stances: whole.stances, keyPoints: ['Rents fell.', 'Demand grew.'] });
    expect(answer.content).toBe('Rents fell. Demand grew.');
  });

  it('accepts lever values without text', () => {
    const { answer } = read({ levers: { price: 0.1 } }, { levers: LEVERS });
    expect([answer.content, isEmptyAnswer(answer)]).toEqual(['', false]);
  });

  it('reports a truncated answer as incomplete even if its JSON can be closed', () => {
    const raw = '{"content":"Open it.","stances":[{"issue":"i1","stance":1}';
    expect(readAnswer(raw, { isCut: true, form }).problem).toMatch(/cut off/);
  });

  it('reports missing stances and levers, and uses the position as content', () => {
    const { answer, problem } = read({ position: 'For it.' }, { levers: LEVERS });
    expect(answer.content).toBe('For it.');
    expect(problem).toBe(
      'these are missing: "content", "stances" on the issues that were named, "levers"',
    );
  });

  it('clamps levers to their bounds and sets missing ones to their default', () => {
    const duplicateLevers = [...LEVERS, { ...LEVERS[0]!, name: 'staff', defaultValue: 0.05 }];
    expect(
      read({ ...whole, levers: { price: 3 } }, { levers: duplicateLevers }).answer.levers,
    ).toEqual({
      price: 0.1,
      staff: 0.05,
    });
    expect(
      read({ ...whole, levers: { price: 'NaN' } }, { levers: duplicateLevers }).problem,
    ).toMatch(/levers/);
  });

  it('keeps every lever of an answer that names none of them', () => {
    const { answer, problem } = read({ ...whole, levers: {} }, { levers: LEVERS });
    expect([answer.levers, problem]).toEqual([{ price: LEVERS[0]!.defaultValue }, undefined]);
  });

  it.each([null, '', 'null', 'None.', 'N/A', '-', 'no change'])(
    'treats the change reason %j as none',
    (changeReason) => {
      expect(read({ ...whole, changeReason }).answer.changeReason).toBe('');
    },
  );

  it('removes NUL and unpaired surrogates, also where it truncates', () => {
    const oddText = `\0\ud800${'x'.repeat(30)}👍`;
    const long = oddText.repeat(2_000);
    const answerObject = {
      content: long,
      position: long,
      stances: [{ issue: 'i1', stance: 1 }],
      keyPoints: Array.from({ length: 3 }, (_one, index) => ({
        id: oddText.repeat(index + 1),
        text: 'x'.repeat(index) + long,
      })),
      changeReason: long,
      wouldChangeMind: long,
    };
    for (const raw of [JSON.stringify(answerObject), long]) {
      const { answer } = read(raw);
      const texts = [
        answer.content,
        answer.position,
        answer.changeReason,
        answer.wouldChangeMind,
        ...answer.keyPoints.flatMap(({ id, text }) => [id, text]),
      ];
      for (const text of texts) {
        expect([text.isWellFormed(), text.includes('\0')]).toEqual([true, false]);
      }
      expect(answer.content.length).toBeLessThanOrEqual(32_000);
    }
  });

  it('limits the length of a position in a script without spaces', () => {
    const { answer } = read({ ...whole, conclusion: '', content: '値上げは危険だ。'.repeat(500) });
    expect(answer.position).toHaveLength(602);
    expect(answer.content).toHaveLength(4_000);
  });

  it('limits the words of a position, the number of points and their length', () => {
    const { answer } = read({
      ...whole,
      conclusion: 'word '.repeat(100),
      keyPoints: [...Array.from({ length: 7 }, () => ({ id: 'same', text: 'x'.repeat(900) })), 3],
    });
    expect(answer.position.split(' ')).toHaveLength(61);
    expect(answer.keyPoints).toHaveLength(5);
    expect(new Set(answer.keyPoints.map(({ id }) => id)).size).toBe(5);
    expect(answer.keyPoints[0]!.text).toHaveLength(400);
  });

  const long = `${'We wait. '.repeat(20)}Then we`;
  it.each<[string, string, string]>([
    ['at its last sentence', long.padEnd(220, ' go'), 'We wait. '.repeat(20).trim()],
    ['with an ellipsis, if it is one sentence', 'x'.repeat(220), `${'x'.repeat(220)} …`],
    ['not, if it is whole', `${'x'.repeat(219)}.`, `${'x'.repeat(219)}.`],
    ['not, if it is longer', `${long} ${long}`, `${long} ${long}`],
  ])('ends a text that has the length of its limit in the schema: %s', (_how, text, end) => {
    expect(read({ ...whole, keyPoints: [text] }).answer.keyPoints[0]!.text).toBe(end);
  });

  it('ignores key points that only announce a list', () => {
    const keyPoints = ['It is bad for several reasons: ', 'Rents fell.'];
    expect(read({ ...whole, keyPoints }).answer.keyPoints.map(({ text }) => text)).toEqual([
      'Rents fell.',
    ]);
  });
});
