import { describe, expect, it } from '@jest/globals';
import { createCharTable } from './char-table.ts';
import { markKeys } from './keys.ts';
import { EDGE_TOKENS, hashWord, tokenize } from './tokenize.ts';

const table = createCharTable();

const hasKey = (text: string, word: string, key: string): boolean => {
  const tokens = tokenize(text, [], table);
  markKeys(text, tokens, table);
  for (let index = EDGE_TOKENS; index < tokens.count; index++)
    if (text.slice(tokens.start[index], tokens.end[index]) === word)
      return tokens.key[index] === (key === '' ? 0 : hashWord(key, table));
  return false;
};

describe('markKeys', () => {
  it.each([
    ['{"name": "Ann Lee", "city": "Ulm"}', 'Lee', 'name'],
    ['{"name": "Ann Lee", "city": "Ulm"}', 'Ulm', 'city'],
    ['{"customerName": "Ann"}', 'Ann', 'name'],
    ['{"full_name": "Ann"}', 'Ann', 'name'],
    ['Patient: Ann', 'Ann', 'patient'],
    ['user=Ann status=200', 'Ann', 'user'],
    ['"address": "1 Oak St, Ulm"', 'Ulm', 'address'],
    ['Patient: Bob\nAnn', 'Ann', ''],
    ['Patient: Bob, Ann', 'Ann', ''],
  ])('finds in %j for the value %s the key %j', (text, word, key) => {
    expect(hasKey(text, word, key)).toBe(true);
  });

  it('uses the header of a CSV column, also after a quoted comma', () => {
    const text = 'id,address,owner_name\n7,"1 Oak St, Bonn",Ann';
    expect(hasKey(text, 'Ann', 'name')).toBe(true);
    expect(hasKey(text, 'Bonn', 'address')).toBe(true);
  });

  it('does not treat an ordinary first line as a header', () => {
    expect(hasKey('Dear all, so, yes, fine.\nAnn', 'Ann', '')).toBe(true);
  });
});
