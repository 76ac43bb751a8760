import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('waiting', () => {
  it.each([0, '', true, null])(
    'ends with what is neither undefined nor false: %p',
    async (found) => {
      const looks = [undefined, false, found, 'too late'];
      expect(await eventually(() => looks.shift())).toBe(found);
      expect(looks).toEqual(['too late']);
    },
  );

  it('passes on what looking throws', async () => {
    const look = async (): Promise<undefined> => {
      throw new Error('The eye is closed.');
    };
    await expect(eventually(look)).rejects.toThrow('The eye is closed.');
  });
});
