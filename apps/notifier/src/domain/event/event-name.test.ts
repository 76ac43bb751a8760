import { describe, expect, it } from '@jest/globals';
import { EVENT_TYPES } from '@witan/contracts';
import { parseEventNames } from './event-name.ts';

describe('a subscription', () => {
  it('may name every event that services publish, and the test', () => {
    const names = [...Object.keys(EVENT_TYPES), 'webhook.test'];
    expect(parseEventNames(names)).toEqual(names);
  });

  it('contains each name once, in the order given', () => {
    const names = ['webhook.test', 'debate.synthesized', 'webhook.test'];
    expect(parseEventNames(names)).toEqual(['webhook.test', 'debate.synthesized']);
  });

  it.each([
    ['nothing', []],
    ['an unknown name', ['debate.synthesized', 'debate.started']],
    ['a name in another case', ['Webhook.Test']],
    ['a member of every object', ['constructor']],
  ])('of %s is refused', (_name, names) => {
    expect(() => parseEventNames(names)).toThrow(
      expect.objectContaining({ reason: 'INVALID_REQUEST', fields: { param: 'events' } }),
    );
  });
});
