import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createTemplateParser } from './json-text.ts';
import { asObject } from './json-value.ts';

const findContent = (value: Record<string, unknown>) => {
  const delta = asObject(value.delta);
  return typeof delta?.content === 'string' ? { object: delta, key: 'content' } : undefined;
};

const frame = (content: string, more = ''): string =>
  `{"id":"x","content":"decoy","delta":{"role":"a","content":${JSON.stringify(content)}}${more}}`;
const plain = (content: string): string =>
  `{"id":"x","delta":{"content":${JSON.stringify(content)}},"n":1.0}`;

describe('createTemplateParser', () => {
  it('returns what JSON.parse returns, for any texts in any order', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }).map(plain),
        fc.string({ unit: 'binary' }).map((text) => plain(text)),
        fc.string().map((text) => frame(text)),
        fc.json(),
        fc.string(),
        fc.string().map((raw) => `{"id":"x","delta":{"content":"${raw}"},"n":1.0}`),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(texts, (list) => {
        const parse = createTemplateParser(findContent);
        for (const text of list) expect(parse(text)).toEqual(parsed(text));
      }),
      { numRuns: 500 },
    );
  });

  it('compares instead of parsing once it has a template', () => {
    const parse = createTemplateParser(findContent);
    parse(plain('one'));
    const second = parse(plain('two'));
    expect(parse(plain('three'))).toBe(second);
  });

  it('does not confuse members of the same name', () => {
    const parse = createTemplateParser(findContent);
    for (const word of ['decoy', 'b', 'decoy']) {
      expect(parse(frame(word))).toEqual(JSON.parse(frame(word)));
    }
  });

  it('creates no template from a text that equals its probe', () => {
    const parse = createTemplateParser(findContent);
    const withDecoy = (decoy: string): string =>
      `{"content":"${decoy}","delta":{"content":"witan probe"}}`;
    parse(withDecoy('witan probe'));
    expect(parse(withDecoy('evil'))).toEqual(JSON.parse(withDecoy('evil')));
  });

  it('does not retain a frame in memory through its extracted text', () => {
    const parse = createTemplateParser(findContent);
    const pad = 'p'.repeat(FRAME_LENGTH);
    const contents: unknown[] = [];
    const before = heapUsed();
    for (let number = 0; number < FRAMES; number += 1) {
      const text = `{"delta":{"content":"more than thirteen ${number}"},"pad":"${pad}"}`;
      contents.push(asObject(parse(Buffer.from(text).toString('latin1'))?.delta)?.content);
    }
    expect(contents).toHaveLength(FRAMES);
    expect(heapUsed() - before).toBeLessThan((FRAMES * FRAME_LENGTH) / 4);
  });

  it('does not accept raw control characters in strings', () => {
    const parse = createTemplateParser(findContent);
    parse(plain('one'));
    expect(parse('{"id":"x","delta":{"content":"a\tb"},"n":1.0}')).toBeUndefined();
  });
});

const FRAME_LENGTH = 500_000;
const FRAMES = 60;

const heapUsed = (): number => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
};

const parsed = (text: string): unknown => {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
};
