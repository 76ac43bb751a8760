import { expect } from '@jest/globals';
import type { Lane } from './lanes.ts';
import type { Bench } from './open-bench.ts';
import type { DialectName } from './test-client.ts';

/** Members that the egress in each dialect must have; undefined: must be absent. */
export type Golden = Readonly<Record<DialectName, Readonly<Record<string, unknown>>>>;

/**
 * Checks the provider's last request: within a dialect it equals the client's bytes, across
 * dialects it has the members of `golden`.
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
