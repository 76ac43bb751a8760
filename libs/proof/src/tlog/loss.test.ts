import { expect, it } from '@jest/globals';
import { lossEntry, parseLoss } from './loss.ts';

it('states a loss of epochs, in an entry after them', () => {
  const loss = { first: 656, last: 659 };
  expect(lossEntry(loss)).toBe('witan-loss/v1\n656\n659\n');
  expect(parseLoss(lossEntry(loss), 660)).toEqual(loss);
});

it.each([
  ['of epochs that come later', 'witan-loss/v1\n656\n660\n', 660],
  ['of none', 'witan-loss/v1\n3\n2\n', 660],
  ['with a leading zero', 'witan-loss/v1\n03\n4\n', 660],
  ['without a last line feed', 'witan-loss/v1\n3\n4', 660],
  ['of another form', 'witan-epoch/v1\n3\n4\n', 660],
])('is not one %s', (_name, entry, n) => {
  expect(parseLoss(entry, n)).toBeUndefined();
});
