import { describe, expect, it } from '@jest/globals';
import { AGENT } from '../../../test/script-turn.ts';
import { findPresent } from './council-member.ts';

const CONFIGURED_AGENTS = ['agt_ann', 'agt_vault'].map((id) => ({ id, name: id }));

const findPresentIds = async (model: string, isSensitive: boolean) => {
  const found = [
    { ...AGENT, id: 'agt_ann', model: 'gpt-5' },
    { ...AGENT, id: 'agt_vault', model },
  ];
  const agents = { findByIds: async () => found };
  const { excluded, ...rest } = await findPresent(
    'ws_a',
    { agents: CONFIGURED_AGENTS, isSensitive },
    { agents },
  );
  const ids = rest.agents.map(({ id }) => id);
  return { ids, excluded: excluded.map(({ id }) => id), isSensitive: rest.isSensitive };
};

describe('findPresent', () => {
  it.each([
    ['of a local-only debate', 'service-sensitive', true],
    ['of a local-only debate whose member is no longer local-only', 'gpt-5', true],
    ['of a debate that is not local-only', 'gpt-5', false],
  ])('returns all members %s', async (_name, model, isSensitive) => {
    const ids = ['agt_ann', 'agt_vault'];
    expect(await findPresentIds(model, isSensitive)).toEqual({ ids, excluded: [], isSensitive });
  });

  it('excludes an agent that became local-only after the start', async () => {
    const expected = { ids: ['agt_ann'], excluded: ['agt_vault'], isSensitive: false };
    for (const model of ['service-sensitive', 'gpt-5+sensitive', 'Service_Sensitive']) {
      expect(await findPresentIds(model, false)).toEqual(expected);
    }
  });
});
