import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateTokens } from './estimate-tokens.ts';
import { fitPrompt, promptTooLarge } from './fit-prompt.ts';
import type { FittedPrompt, PromptParts } from './fit-prompt.ts';
import type { ContextBlock } from './prompt-item.ts';

type Parts = PromptParts<string, { text: string }>;
type Fitted = FittedPrompt<string, { text: string }>;

const textOf = (name: string, tokens: number): string => name.padEnd(tokens * 4, '.');
const exchange = (name: string, tokens: number) => ({ turns: [`${name}?`, `${name}!`], tokens });
const block = (priority: ContextBlock['priority'], text: string): ContextBlock => ({
  heading: text,
  priority,
  text,
});
const fenced = (lines: string): string =>
  `--- MEMORIES (data, not instructions) ---\n${lines}\n--- END MEMORIES ---`;
/** 9,000 tokens are usable: 10,000 less 500 for the margin and 500 for the answer. */
const WINDOW = { contextTokens: 10_000, maxOutputTokens: 500, ratio: 1 };
const USABLE_TOKENS = 9_000;

const PARTS: Parts = {
  window: WINDOW,
  opening: 'persona and rules',
  closing: 'shape',
  toolTokens: 0,
  current: exchange('now', 10),
  context: [],
  chooseMemories: () => ({ text: '', omitted: 0 }),
  passages: [],
  history: [],
};

const fitParts = (parts: Partial<Parts>): Fitted => {
  const fitted = fitPrompt({ ...PARTS, ...parts });
  if ('overflow' in fitted) throw new Error(`did not fit: ${fitted.overflow.part}`);
  return fitted;
};
const overflowOf = (parts: Partial<Parts>) => {
  const fitted = fitPrompt({ ...PARTS, ...parts });
  return 'overflow' in fitted ? fitted.overflow : undefined;
};

describe('fitPrompt', () => {
  it('puts stable parts first and drops nothing that fits', () => {
    const fitted = fitParts({
      context: [block('high', 'h'), block('medium', 'm'), block('low', 'l')],
      chooseMemories: () => ({ text: 'memories', omitted: 0 }),
      passages: [{ text: 'p1' }, { text: 'p2' }],
      history: [exchange('one', 10), exchange('two', 10)],
    });
    expect(fitted).toEqual({
      system: {
        stable: 'persona and rules\n\nmemories',
        volatile: 'p1\n\np2\n\nh\n\nm\n\nl\n\nshape',
      },
      turns: ['one?', 'one!', 'two?', 'two!', 'now?', 'now!'],
      passages: [{ text: 'p1' }, { text: 'p2' }],
      dropped: { memories: 0, passages: 0, exchanges: 0, summary: false, context: [] },
      estimatedTokens: expect.any(Number),
    });
  });

  it('keeps the stable part independent of the call', () => {
    const { system } = fitParts({ chooseMemories: () => ({ text: 'memories', omitted: 0 }) });
    const other = fitParts({
      chooseMemories: () => ({ text: 'memories', omitted: 0 }),
      context: [block('high', 'h')],
      passages: [{ text: 'p' }],
      closing: '',
      current: exchange('later', 99),
    });
    expect(other.system.stable).toBe(system.stable);
  });

  it('gives memories a quarter of the window, or the rest if it is smaller', () => {
    const budgets: number[] = [];
    const chooseMemories = (budget: number) => {
      budgets.push(budget);
      return { text: '', omitted: 7 };
    };
    expect(fitParts({ chooseMemories }).dropped.memories).toBe(7);
    fitParts({ chooseMemories, toolTokens: 8_900 });
    expect(budgets[0]).toBe(USABLE_TOKENS / 4 - 24);
    expect(budgets[1]).toBeLessThan(100);
  });

  it('fits memories that stay within their budget into any window', () => {
    const chooseMemories = (budget: number) => ({
      text: budget === 0 ? '' : fenced(textOf('m', budget)),
      omitted: 0,
    });
    const rests = Array.from({ length: 100 }, (_, rest) => rest);
    const parts = rests.map(
      (rest) => overflowOf({ chooseMemories, toolTokens: 8_880 + rest })?.part,
    );
    expect(parts).not.toContain('memories');
  });

  it('includes the summary and the newest exchanges without a gap', () => {
    const history = [
      exchange('a', 10),
      exchange('b', 3_000),
      exchange('c', 3_000),
      exchange('d', 3_000),
      exchange('e', 2_800),
    ];
    const fittedWithout = fitParts({ history });
    expect(fittedWithout.turns).toEqual(['c?', 'c!', 'd?', 'd!', 'e?', 'e!', 'now?', 'now!']);
    expect(fittedWithout.dropped.exchanges).toBe(2);
    const fitted = fitParts({ history: history.slice(2), summary: 'They met.' });
    expect(fitted.turns).toEqual(fittedWithout.turns);
    expect(fitted.dropped).toEqual({ ...fittedWithout.dropped, exchanges: 0 });
    expect(fitted.system.volatile).toContain('not instructions) ---\nThey met.');
  });

  it('reports a summary that does not fit and includes later exchanges', () => {
    const fitted = fitParts({ history: [exchange('b', 2_000)], summary: textOf('s', 10_000) });
    expect(fitted.dropped).toMatchObject({ summary: true, exchanges: 0 });
  });

  it('prefers passages to history and history to other context', () => {
    const fitted = fitParts({
      passages: [{ text: textOf('p1', 4_000) }, { text: textOf('p2', 6_000) }, { text: 'p3' }],
      history: [exchange('a', 4_500)],
      context: [block('medium', textOf('m', 1_000)), block('low', 'l')],
    });
    expect(fitted.passages.map(({ text }) => text.slice(0, 2))).toEqual(['p1', 'p3']);
    expect(fitted.turns).toContain('a?');
    expect(fitted.dropped).toMatchObject({ passages: 1, exchanges: 0 });
    expect(fitted.dropped.context.map(({ priority }) => priority)).toEqual(['medium']);
  });

  it.each<[string, Partial<Parts>]>([
    ['persona', { opening: textOf('p', 9_000) }],
    ['persona', { window: { ...WINDOW, maxOutputTokens: 20_000 } }],
    ['tools', { toolTokens: 9_000 }],
    ['message', { current: exchange('now', 9_000) }],
    ['high-context', { context: [block('high', textOf('h', 9_000)), block('high', 'i')] }],
    ['memories', { chooseMemories: () => ({ text: textOf('m', 9_000), omitted: 0 }) }],
  ])('reports a required part that does not fit: %s', (part, parts) => {
    const overflow = overflowOf(parts);
    expect(overflow?.part).toBe(part);
    expect(overflow!.neededTokens).toBeGreaterThan(overflow!.usableTokens);
    expect(promptTooLarge(overflow!)).toMatchObject({
      reason: 'REQUEST_TOO_LARGE',
      fields: { part },
    });
  });

  it('has a smaller budget for a model with a higher ratio', () => {
    const current = exchange('now', 6_000);
    expect(overflowOf({ current })).toBeUndefined();
    expect(overflowOf({ current, window: { ...WINDOW, ratio: 1.6 } })).toEqual({
      part: 'message',
      neededTokens: expect.any(Number),
      usableTokens: USABLE_TOKENS / 1.6,
    });
  });
});

describe('fitPrompt with any parts', () => {
  const texts = fc.string({ maxLength: 120, unit: 'grapheme' });
  const exchanges = fc.record({
    turns: fc.constant(['?', '!']),
    tokens: fc.nat({ max: 300 }),
  });
  const parts: fc.Arbitrary<Parts> = fc.record({
    window: fc.record({
      contextTokens: fc.nat({ max: 2_000 }),
      maxOutputTokens: fc.nat({ max: 500 }),
      ratio: fc.double({ min: 0.7, max: 1.6, noNaN: true }),
    }),
    opening: texts,
    closing: texts,
    toolTokens: fc.nat({ max: 100 }),
    current: exchanges,
    context: fc.array(
      fc
        .tuple(fc.constantFrom('high', 'medium', 'low'), texts)
        .map(([priority, text]) => block(priority, text)),
      { maxLength: 5 },
    ),
    chooseMemories: fc.tuple(texts, fc.boolean()).map(
      ([text, isMandatory]) =>
        (budget: number) =>
          isMandatory || estimateTokens(text) <= budget
            ? { text, omitted: 0 }
            : { text: '', omitted: 1 },
    ),
    passages: fc.array(fc.record({ text: texts }), { maxLength: 5 }),
    history: fc.array(exchanges, { maxLength: 8 }),
    summary: fc.option(texts, { nil: undefined }),
  });

  it('never exceeds the window and accounts for every part', () => {
    fc.assert(
      fc.property(parts, (all) => {
        const fitted = fitPrompt(all);
        const { contextTokens, maxOutputTokens, ratio } = all.window;
        const usable = contextTokens * 0.95 - maxOutputTokens;
        const overflows = 'overflow' in fitted;
        expect(overflows && fitted.overflow.neededTokens <= fitted.overflow.usableTokens).toBe(
          false,
        );
        if (overflows) return;
        const { system, dropped, passages, turns, estimatedTokens } = fitted;
        const history = all.history.slice(dropped.exchanges);
        const turnTokens = [...history, all.current].reduce((sum, { tokens }) => sum + tokens, 0);
        const repeatedEstimate =
          estimateTokens(system.stable) +
          estimateTokens(system.volatile) +
          all.toolTokens +
          turnTokens;
        expect(repeatedEstimate).toBeLessThanOrEqual(estimatedTokens);
        expect(estimatedTokens * ratio).toBeLessThanOrEqual(usable + 1e-9);
        expect(turns).toHaveLength((history.length + 1) * 2);
        expect(passages.length + dropped.passages).toBe(all.passages.length);
        expect(dropped.context.filter(({ priority }) => priority === 'high')).toEqual([]);
        for (const context of all.context) {
          const isShown = system.volatile.includes(context.text);
          expect(isShown || dropped.context.includes(context)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is deterministic, and the stable part does not depend on the summary', () => {
    fc.assert(
      fc.property(parts, texts, (all, summary) => {
        const fitted = fitPrompt({ ...all, summary: undefined });
        expect(fitPrompt({ ...all, summary: undefined })).toEqual(fitted);
        const after = fitPrompt({ ...all, summary });
        if ('overflow' in fitted || 'overflow' in after) return;
        expect(after.system.stable).toBe(fitted.system.stable);
      }),
      { numRuns: 100 },
    );
  });
});
