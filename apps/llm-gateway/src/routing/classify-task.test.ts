import { describe, expect, it } from '@jest/globals';
import { makeSignals } from '../../test/signals.ts';
import { classifyTask } from './choose-route.ts';

const REQUESTS: readonly (readonly [string, string])[] = [
  ['chat', 'Good morning! How are you?'],
  ['chat', 'Wie spät ist es in Lima?'],
  ['chat', 'Write a birthday poem for my sister.'],
  ['chat', 'What is a code of conduct?'],
  ['chat', 'Import the spices from India, or buy them here?'],
  ['chat', 'Tell me about the SELECT committee.'],
  ['code', 'Write a function that reverses a list.'],
  ['code', 'Please review this Python: it feels slow.'],
  ['code', 'Can you fix the bug in my dockerfile?'],
  ['code', 'What does this do?\n```\nx = 1\n```'],
  ['code', 'It says\nTraceback (most recent call last):\n  File "a.py"'],
  ['code', 'TypeError: x is undefined\n    at main.js:10'],
  ['code', 'import { a } from "b";'],
  ['code', 'const f = (x) => x + 1'],
  ['code', 'SELECT name FROM users WHERE (id = 1);'],
  ['extraction', 'Extract all dates from this letter: 1 May, 2 June.'],
  ['extraction', 'Classify the sentiment of: I love it.'],
  ['extraction', 'Convert this list to JSON: a, b, c'],
  ['extraction', 'Parse this address: Main Street 1.'],
  ['analysis', 'Compare electric and diesel buses for a small town.'],
  ['analysis', 'What are the pros and cons of working at night?'],
  ['analysis', 'Explain why the sky is blue.'],
  ['analysis', 'Summarize this long report about rivers.'],
  ['analysis', 'ANALYSE the market for umbrellas.'],
  ['other', ''],
];

describe('classifyTask', () => {
  it.each(REQUESTS)('classifies as %s: %j', (task, lastUserText) => {
    expect(classifyTask(makeSignals({ lastUserText }))).toBe(task);
  });

  it('reads the last user text, not the first', () => {
    const signals = { openingText: 'Fix the bug in my code.', lastUserText: 'Thank you!' };
    expect(classifyTask(makeSignals(signals))).toBe('chat');
  });

  const CODE = 'Write a function that reverses a list.';
  it.each([
    ['declared tools', { toolCount: 1, lastUserText: CODE }, 'tools'],
    ['an open tool call', { hasOpenToolCalls: true, lastUserText: '' }, 'tools'],
    ['a requested JSON answer, before code', { wantsJson: true, lastUserText: CODE }, 'extraction'],
    ['a requested JSON answer to an empty text', { wantsJson: true, lastUserText: '' }, 'other'],
    ['tools, before a requested JSON answer', { toolCount: 1, wantsJson: true }, 'tools'],
  ] as const)('recognizes %s', (_name, signals, task) => {
    expect(classifyTask(makeSignals(signals))).toBe(task);
  });

  it('prefers extraction to code, and code to analysis', () => {
    const classify = (lastUserText: string) => classifyTask(makeSignals({ lastUserText }));
    expect(classify('Extract the function names of this code and compare them. ```x```')).toBe(
      'extraction',
    );
    expect(classify('Compare these and refactor the code. ```x```')).toBe('code');
  });

  it.each([
    ['of spaces', ' '],
    ['of line ends', '\n'],
    ['of starts of a pattern', 'convert summarize import '],
    ['of stack frames without an end', 'at :'],
    ['of one word', 'a'],
  ])('classifies megabytes %s within a second', (_name, piece) => {
    // Patterns with unbounded gaps would take much longer.
    const lastUserText = piece.repeat(Math.ceil(8_000_000 / piece.length));
    const before = process.threadCpuUsage();
    classifyTask(makeSignals({ lastUserText }));
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it.each([
    ['begins', (ask: string, material: string) => `${ask}\n${material}`],
    ['ends', (ask: string, material: string) => `${material}\n${ask}`],
  ])('finds a request with which a long text %s', (_name, join) => {
    const lastUserText = join('Extract all dates.', 'It rained all day. '.repeat(5_000));
    expect(classifyTask(makeSignals({ lastUserText }))).toBe('extraction');
  });
});
