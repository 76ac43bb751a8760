import { describe, expect, it } from '@jest/globals';
import { findRepeatedMember } from './find-repeated-member.ts';

const NAMES = ['model', 'max_tokens'];

describe('findRepeatedMember', () => {
  it.each([
    ['a name that stands twice', '{"model":"a","x":1,"model":"b"}', 'model'],
    ['a second name', '{"model":"a","max_tokens":1,"max_tokens":2}', 'max_tokens'],
    ['a name behind an escape', '{"model":"a","mod\\u0065l":"b"}', 'model'],
  ])('finds %s', (_name, source, expected) => {
    expect(findRepeatedMember(source, NAMES)).toBe(expected);
  });

  it.each([
    ['single members', '{"model":"a","max_tokens":1}'],
    ['the name in nested objects', '{"model":"a","x":{"model":"b"},"y":[{"model":"c"}]}'],
    ['the name as a text', '{"model":"model","x":["model"],"y":"\\"model\\""}'],
    ['other names that stand twice', '{"user":1,"user":2,"model":"a"}'],
    ['an escaped letter elsewhere', '{"model":"a","x":"\\u0061"}'],
  ])('passes %s', (_name, source) => {
    expect(findRepeatedMember(source, NAMES)).toBeUndefined();
  });
});
