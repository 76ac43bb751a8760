import { expect } from '@jest/globals';
import type { Lane } from './lanes.ts';
import type { Bench } from './open-bench.ts';
import type { DialectName } from './test-client.ts';

/** Members of the body that a provider of each dialect must get; undefined: not there. */
export type Golden = Readonly<Record<DialectName, Readonly<Record<string, unknown>>>>;

/**
 * Holds what the provider got of the last call: of its own dialect the very bytes that the client
 * sent, of another one what `golden` says, whichever client it was.
 */
export const expectSent = (bench: Bench, { vendor, crossed }: Lane, golden: Golden): void => {
  const { body, parsed } = bench.lastRequest();
  if (!crossed) {
    expect(body.toString()).toBe(bench.lastCall().sent);
    return;
  }
  const wanted = golden[vendor.dialect];
  const got = parsed as Record<string, unknown>;
  expect(got['model']).toBe(vendor.model);
  const members = Object.keys(wanted).map((name) => [name, got[name]]);
  expect(Object.fromEntries(members)).toEqual(wanted);
};
