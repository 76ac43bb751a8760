import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { isStrict, setIgnoredFieldsHeader } from './route.ts';

const requestWithPrefer = (prefer: string | undefined): Request =>
  ({ get: (name: string) => (name === 'prefer' ? prefer : undefined) }) as Request;

describe('a strict request', () => {
  it.each([
    'handling=strict',
    'Handling=Strict',
    'handling="strict"',
    'respond-async, handling=strict; x=1',
    'handling = strict',
  ])('is recognized by Prefer: "%s"', (prefer) => {
    expect(isStrict(requestWithPrefer(prefer))).toBe(true);
  });

  it.each([undefined, '', 'handling=lenient', 'x-handling=strict', 'handling=strictly'])(
    'is not recognized by Prefer: "%s"',
    (prefer) => {
      expect(isStrict(requestWithPrefer(prefer))).toBe(false);
    },
  );
});

describe('the header that names ignored fields', () => {
  const note = (paths: string[]): Map<string, string> => {
    const headers = new Map<string, string>();
    const setHeader = (name: string, value: string): unknown => headers.set(name, value);
    setIgnoredFieldsHeader({ setHeader } as unknown as Response, paths);
    return headers;
  };
  const readHeader = (paths: string[]): string | undefined =>
    note(paths).get('x-service-ignored-fields');

  it('is absent if there are none', () => {
    expect(note([]).size).toBe(0);
  });

  it.each<[string, string[], string]>([
    ['paths', ['x', 'router.full.y'], 'x, router.full.y'],
    ['a comma', ['a,b'], 'a%2Cb'],
    ['a line break', ['a\r\nset-cookie: x'], 'a%0D%0Aset-cookie:%20x'],
    ['wide characters', ['größe💠'], 'gr%C3%B6%C3%9Fe%F0%9F%92%A0'],
    ['a lone surrogate', ['\ud800'], '%EF%BF%BD'],
    ['a very long name', ['n'.repeat(1000)], `${'n'.repeat(128)}...`],
  ])('encodes %s', (_name, paths, text) => {
    expect(readHeader(paths)).toBe(text);
  });

  it('ends in ... if there are more than it lists', () => {
    const text = readHeader(Array.from({ length: 31 }, (_, index) => `f${index}`));
    expect(text).toMatch(/^f0, .*, f29, \.\.\.$/);
  });
});
