import { expect } from '@jest/globals';
import type { Pairing } from './pairings.ts';
import type { ClientSetup } from './open-client-setup.ts';
import type { DialectName } from './test-client.ts';

/**
 * For each provider dialect, members that the request to the provider must have; a member that is
 * undefined must be absent.
 */
export type ExpectedRequests = Readonly<Record<DialectName, Readonly<Record<string, unknown>>>>;

/**
 * Checks the provider's last request: it must have the client's bytes if client and provider share
 * a dialect, otherwise the vendor's model and the members in `expectedRequests`.
 */
export const expectSent = (
  setup: ClientSetup,
  { vendor, crossed }: Pairing,
  expectedRequests: ExpectedRequests,
): void => {
  const { body, parsed } = setup.lastRequest();
  if (!crossed) {
    expect(body.toString()).toBe(setup.lastCall().requestBody);
    return;
  }
  const expectedMembers = expectedRequests[vendor.dialect];
  const request = parsed as Record<string, unknown>;
  expect(request['model']).toBe(vendor.model);
  const members = Object.keys(expectedMembers).map((name) => [name, request[name]]);
  expect(Object.fromEntries(members)).toEqual(expectedMembers);
};
