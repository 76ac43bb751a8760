import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it.each([0, '', true, null])(
    'returns a result that is neither undefined nor false: %p',
    async (result) => {
      const results = [undefined, false, result, 'unused'];
      expect(await eventually(() => results.shift())).toBe(result);
      expect(results).toEqual(['unused']);
    },
  );

  it('rejects with the error of the check', async () => {
    const check = async (): Promise<undefined> => {
      throw new Error('The check failed.');
    };
    await expect(eventually(check)).rejects.toThrow('The check failed.');
  });
});
