import { describe, expect, it } from '@jest/globals';
import { AGENT } from '../../../../test/script-turn.ts';
import { findPresent } from './council-member.ts';

const ASKED = ['agt_ann', 'agt_vault'].map((id) => ({ id, name: id }));

/** Those of a debate's agents who take part when the second one's model is this. */
const present = async (model: string, isSensitive: boolean) => {
  const found = [
    { ...AGENT, id: 'agt_ann', model: 'gpt-5' },
    { ...AGENT, id: 'agt_vault', model },
  ];
  const agents = { findAll: async () => found };
  const { gone, ...rest } = await findPresent('ws_a', { agents: ASKED, isSensitive }, { agents });
  const ids = rest.agents.map(({ id }) => id);
  return { ids, gone: gone.map(({ id }) => id), isSensitive: rest.isSensitive };
};

describe('who takes part in a debate', () => {
  it.each([
    ['all of one that stays on the machine', 'service-sensitive', true],
    ['all when a member stays there no more: its debate does', 'gpt-5', true],
    ['all of one that may leave', 'gpt-5', false],
  ])('is %s', async (_name, model, isSensitive) => {
    const ids = ['agt_ann', 'agt_vault'];
    expect(await present(model, isSensitive)).toEqual({ ids, gone: [], isSensitive });
  });

  it('is nobody who stays on the machine only since it began', async () => {
    const expected = { ids: ['agt_ann'], gone: ['agt_vault'], isSensitive: false };
    for (const model of ['service-sensitive', 'gpt-5+sensitive', 'Service_Sensitive']) {
      expect(await present(model, false)).toEqual(expected);
    }
  });
});
