import { describe, expect, it } from '@jest/globals';
import { TRAFFIC } from './traffic.ts';

describe.each(Object.entries(TRAFFIC))('traffic in the dialect %s', (_dialect, traffic) => {
  it.each([1_024, 100 * 1_024])('makes requests of exactly %d bytes', (bodyBytes) => {
    const body = traffic.makeRequest({ model: 'a-model', isStreamed: true, bodyBytes });

    expect(Buffer.byteLength(body)).toBe(bodyBytes);
    expect(JSON.parse(body)).toMatchObject({ model: 'a-model', stream: true });
  });

  it('makes plain answers of exactly the requested bytes', () => {
    expect(Buffer.byteLength(traffic.makeAnswer(614))).toBe(614);
  });

  it('makes the requested number of text frames, each in a frame of its own', () => {
    const { opening, texts, closing } = traffic.makeFrames(7);

    expect(texts).toHaveLength(7);
    for (const frame of [...opening, ...texts, ...closing]) {
      expect(frame).toMatch(/^(event: [\w.]+\n)?data: [^\n]+\n\n$/);
    }
  });
});
