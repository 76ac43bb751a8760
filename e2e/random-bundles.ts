import { createRandom } from '@witan/testing/create-random';
import type { Random } from '@witan/testing/create-random';
import { createHttpClient, PING } from './http-client.ts';
import type { Fixture } from './open-fixture.ts';
import { openKeys } from './open-keys.ts';

const WORKSPACES = 12;
const IN_FLIGHT = 8;

/**
 * Makes calls in random workspaces, so that trees and epochs have random sizes, and returns their
 * bundles. Every second one has a random digit or letter changed.
 */
export const makeRandomBundles = async (
  { system }: Fixture,
  { count, seed }: { count: number; seed: number },
): Promise<string[]> => {
  const random = createRandom(seed);
  await using keys = await openKeys(system);
  const clients = await Promise.all(
    Array.from({ length: WORKSPACES }, async () => {
      const key = await keys.makeKey();
      return { ...createHttpClient(key), apiKey: key.apiKey };
    }),
  );
  const bundles: string[] = [];
  const work = Array.from({ length: IN_FLIGHT }, async () => {
    while (bundles.length < count) {
      const client = clients[random.integer(0, WORKSPACES - 1)]!;
      const { headers } = await client.complete(PING);
      const id = headers.get('x-service-proof');
      const prefer = { authorization: `Bearer ${client.apiKey}`, prefer: 'wait=20' };
      const { status, text } = await client.send(`/v1/proofs/${id}/bundle`, { headers: prefer });
      if (status !== 200) throw new Error(`The bundle of ${id} has status ${status}: ${text}`);
      bundles.push(bundles.length % 2 === 0 ? text : changeOne(text, random));
    }
  });
  await Promise.all(work);
  return bundles.slice(0, count);
};

const CLASSES = ['0123456789', 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** Replaces a digit by another, or a letter by another of its case: Go's JSON ignores the case. */
const changeOne = (text: string, random: Random): string => {
  for (;;) {
    const at = random.integer(0, text.length - 1);
    const old = text[at]!;
    const others = CLASSES.find((one) => one.includes(old))?.replace(old, '');
    if (others === undefined) continue;
    return text.slice(0, at) + others[random.integer(0, others.length - 1)] + text.slice(at + 1);
  }
};
