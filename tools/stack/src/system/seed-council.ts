import { COUNCIL } from '@witan/agents/council';
import type { Home } from './home.ts';
import type { Seed } from './seed.ts';

/**
 * Gives the seeded workspace its council, through the public API as anybody would make one; once,
 * so that who deletes an adviser is rid of it.
 */
export const seedCouncil = async (
  home: Home,
  { baseUrl, apiKey, workspaceId }: Seed & { baseUrl: string },
): Promise<void> => {
  const seeded = JSON.parse(await home.secret('council.json', () => '[]')) as string[];
  if (seeded.includes(workspaceId)) return;
  for (const persona of COUNCIL) {
    const response = await fetch(`${baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(persona),
    });
    // A start that was killed in the middle has made some of them.
    if (response.ok || response.status === TAKEN) continue;
    throw new Error(`The adviser ${persona.name} could not be made: ${await response.text()}`);
  }
  await home.write('secrets/council.json', JSON.stringify([...seeded, workspaceId]));
};

const TAKEN = 409;
