import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@witan/contracts';
import { parseEventNames } from './webhook.ts';

describe('parseEventNames', () => {
  it('accepts every event that services publish, and the test event', () => {
    const names = [...Object.keys(EVENT_TYPES), 'webhook.test'];
    expect(parseEventNames(names)).toEqual(names);
  });

  it('removes duplicates and retains the order', () => {
    const names = ['webhook.test', 'debate.synthesized', 'webhook.test'];
    expect(parseEventNames(names)).toEqual(['webhook.test', 'debate.synthesized']);
  });

  it.each([
    ['an empty list', []],
    ['an unknown name', ['debate.synthesized', 'debate.started']],
    ['a name in another case', ['Webhook.Test']],
    ['an inherited object property', ['constructor']],
  ])('rejects %s', (_name, names) => {
    expect(() => parseEventNames(names)).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: 'events' } }),
    );
  });
});
