import { COUNCIL } from '@witan/agents/council';
import type { Home } from './home.ts';
import type { Seed } from './seed.ts';

/** Creates the council of the seeded workspace once, so that a deleted agent is not recreated. */
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
    // An interrupted start may have created some agents.
    if (response.ok || response.status === CONFLICT_STATUS) continue;
    throw new Error(`The adviser ${persona.name} could not be made: ${await response.text()}`);
  }
  await home.write('secrets/council.json', JSON.stringify([...seeded, workspaceId]));
};

const CONFLICT_STATUS = 409;
