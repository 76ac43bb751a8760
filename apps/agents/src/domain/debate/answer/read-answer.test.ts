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
  position: 'For it.',
  stances: [
    { issue: 'i2', stance: -0.5, confidence: 0.9 },
    { issue: 'i1', stance: 1, confidence: 0.4 },
  ],
  keyPoints: [{ id: 'p1', text: 'Rents fell.' }],
  changedMind: false,
  changeReason: null,
  wouldChangeMind: 'Rents that rise.',
};

describe('an answer of a debate', () => {
  it('is read, stances in the order of the issues', () => {
    expect(read(whole)).toEqual({
      problem: undefined,
      answer: {
        content: 'Open it.',
        position: 'For it.',
        stances: [
          { issueId: 'i1', stance: 1, confidence: 0.4 },
          { issueId: 'i2', stance: -0.5, confidence: 0.9 },
        ],
        keyPoints: [{ id: 'p1', text: 'Rents fell.' }],
        changedMind: false,
        changeReason: '',
        wouldChangeMind: 'Rents that rise.',
        levers: {},
      },
    });
  });

  it.each<[string, unknown, number | undefined]>([
    ['of the nearest level', 0.6, 0.5],
    ['as a text', '-1', -1],
    ['that is no negative zero', -0.1, 0],
    ['beyond the ends', 2, undefined],
    ['that is no number', 'yes', undefined],
    ['that is null', null, undefined],
  ])('takes a stance %s', (_what, stance, level) => {
    const { answer } = read({ ...whole, stances: [{ issue: 'i1', stance, confidence: 2 }] });
    expect(answer.stances).toEqual(
      level === undefined ? [] : [{ issueId: 'i1', stance: level, confidence: 1 }],
    );
    expect(Object.is(answer.stances[0]?.stance, -0)).toBe(false);
  });

  it('takes stances as an object, and leaves out those on nothing that was asked', () => {
    const { answer } = read({ ...whole, stances: { i1: 1, i9: -1 } });
    expect(answer.stances).toEqual([{ issueId: 'i1', stance: 1, confidence: 0.5 }]);
  });

  it('counts as prose, without a stance, when it is no JSON', () => {
    const { answer, problem } = read('I would open it.');
    expect(answer).toMatchObject({ content: 'I would open it.', stances: [], keyPoints: [] });
    expect(problem).toBe('it held no JSON object');
  });

  it.each<[string, string, boolean]>([
    ['nothing', '', true],
    ['white space', ' \n\t', true],
    ['JSON that is cut before its content', '{"cont', true],
    ['JSON that is cut at the start of its content', '{"content":"', true],
    ['JSON of another shape', '{"answer":{"text":"Open it."}}', false],
    ['JSON of another shape that is cut', '{"answer":{"text":"Open', true],
    ['JSON of another shape in a fence', '```json\n{"answer":"Open it"', true],
    ['a list', '["Open it."]', false],
    ['an object without a member', '{}', false],
  ])('is empty when it is %s', (_what, raw, isCut) => {
    const { answer, problem } = readAnswer(raw, { isCut, form });
    expect([answer.content, isEmptyAnswer(answer), typeof problem]).toEqual(['', true, 'string']);
  });

  it.each([
    ['in its content', '{"content":"Open it, be'],
    ['after its content', '{"content":"Open it, be","position":"For it.","stan'],
    ['and its content is not the first member', '{"position":"For","content":"Open it, be'],
    ['within a fence', '```json\n{ "content": "Open it, be'],
    ['behind prose', 'My answer: {"content":"Open it, be'],
  ])('that is cut off %s shows the text of its content, and no JSON', (_what, raw) => {
    const { answer, problem } = readAnswer(raw, { isCut: true, form });
    expect(answer).toMatchObject({ content: 'Open it, be', stances: [], keyPoints: [] });
    expect(problem).toMatch(/cut off/);
    expect(isEmptyAnswer(answer)).toBe(false);
  });

  it('shows what it argues where it says no more', () => {
    const { answer } = read({ stances: whole.stances, keyPoints: ['Rents fell.', 'Demand grew.'] });
    expect(answer.content).toBe('Rents fell. Demand grew.');
  });

  it('decides a panel without a word', () => {
    const { answer } = read({ levers: { price: 0.1 } }, { levers: LEVERS });
    expect([answer.content, isEmptyAnswer(answer)]).toEqual(['', false]);
  });

  it('never passes for whole when it was cut off', () => {
    const raw = '{"content":"Open it.","stances":[{"issue":"i1","stance":1}';
    expect(readAnswer(raw, { isCut: true, form }).problem).toMatch(/cut off/);
  });

  it('is incomplete without stances and levers; its position replaces its content', () => {
    const { answer, problem } = read({ position: 'For it.' }, { levers: LEVERS });
    expect(answer.content).toBe('For it.');
    expect(problem).toBe(
      'these are missing: "content", "stances" on the issues that were named, "levers"',
    );
  });

  it('keeps levers within their bounds, and those it does not name at their default', () => {
    const two = [...LEVERS, { ...LEVERS[0]!, name: 'staff', defaultValue: 0.05 }];
    expect(read({ ...whole, levers: { price: 3 } }, { levers: two }).answer.levers).toEqual({
      price: 0.1,
      staff: 0.05,
    });
    expect(read({ ...whole, levers: { price: 'NaN' } }, { levers: two }).problem).toMatch(/levers/);
  });

  it.each([null, '', 'null', 'None.', 'N/A', '-', 'no change'])(
    'gives no reason for a change by saying %j',
    (changeReason) => {
      const said = { ...whole, changedMind: true, changeReason };
      expect(read(said).answer).toMatchObject({ changedMind: true, changeReason: '' });
    },
  );

  it('keeps no NUL and no half of a character, wherever it is cut', () => {
    const odd = `\0\ud800${'x'.repeat(30)}👍`;
    const long = odd.repeat(2_000);
    const said = {
      content: long,
      position: long,
      stances: [{ issue: 'i1', stance: 1 }],
      keyPoints: Array.from({ length: 3 }, (_one, at) => ({
        id: odd.repeat(at + 1),
        text: 'x'.repeat(at) + long,
      })),
      changeReason: long,
      wouldChangeMind: long,
    };
    for (const raw of [JSON.stringify(said), long]) {
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

  it('bounds a position in a script without spaces', () => {
    const { answer } = read({ ...whole, position: '', content: '値上げは危険だ。'.repeat(500) });
    expect(answer.position).toHaveLength(602);
    expect(answer.content).toHaveLength(4_000);
  });

  it('bounds what it keeps: words of a position, points, their ids', () => {
    const { answer } = read({
      ...whole,
      position: 'word '.repeat(100),
      keyPoints: [...Array.from({ length: 7 }, () => ({ id: 'same', text: 'x'.repeat(900) })), 3],
    });
    expect(answer.position.split(' ')).toHaveLength(61);
    expect(answer.keyPoints).toHaveLength(5);
    expect(new Set(answer.keyPoints.map(({ id }) => id)).size).toBe(5);
    expect(answer.keyPoints[0]!.text).toHaveLength(400);
  });
});
