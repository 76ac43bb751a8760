import { expect } from '@jest/globals';
import type { Lane } from './lanes.ts';
import type { Bench } from './open-bench.ts';
import type { DialectName } from './test-client.ts';

/**
 * For each provider dialect, members that the request to the provider must have; a member that is
 * undefined must be absent.
 */
export type Golden = Readonly<Record<DialectName, Readonly<Record<string, unknown>>>>;

/**
 * Checks the provider's last request: if client and provider share a dialect, it has the client's
 * bytes; otherwise it has the members of `golden`.
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
