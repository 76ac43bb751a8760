import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { HoldPanelResponseSchema, invalidRequest, unavailable } from '@witan/contracts';
import type { PanelCall } from '../consult-panel.ts';
import { createAskPanel } from './hold-panel.ts';

type Panels = Parameters<typeof createAskPanel>[0];

const PANEL_REQUEST = { owner: 'sim_1', key: 'sim_1:1:scn_1', issues: [], levers: [] } as object;
const CALLER = {
  workspaceId: 'ws_1',
  requestId: 'req_1',
  signal: new AbortController().signal,
};

const createFakePanels = (outcomes: readonly (Error | number | object)[]) => {
  const requests: object[] = [];
  const holdPanel = async (request: object) => {
    requests.push(request);
    const outcome = outcomes[Math.min(requests.length, outcomes.length) - 1]!;
    if (outcome instanceof Error) throw outcome;
    const response = typeof outcome === 'number' ? { convergenceScore: outcome } : outcome;
    return create(HoldPanelResponseSchema, response);
  };
  const ask = createAskPanel({ holdPanel } as unknown as Panels, 60_000);
  return {
    requests,
    ask: (more: Partial<PanelCall> = {}) => ask({ ...PANEL_REQUEST, ...more } as PanelCall, CALLER),
  };
};

const unavailableOnce = unavailable('The service stops; the debate goes on elsewhere.');

describe('createAskPanel', () => {
  it('retries with the same key if the process of the panel stops', async () => {
    const { ask, requests } = createFakePanels([unavailableOnce, unavailableOnce, 0.7]);
    expect(await ask()).toMatchObject({ convergenceScore: 0.7 });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1);
  });

  it('returns the reason if there is no decision, and the absent agents', async () => {
    const failed = { failure: 'Nobody answered.', absentAgents: ['Ann', 'Bob'] };
    expect(await createFakePanels([failed]).ask()).toMatchObject({ ...failed, proposals: [] });
    expect(await createFakePanels([0.7]).ask()).not.toHaveProperty('failure');
  });

  it('includes the spread of the levers in the convergence', async () => {
    const bounds = { description: '', min: -10, max: 10, defaultValue: 0 };
    const levers = [{ name: 'priceChange' as const, ...bounds }];
    const decisions = [-2, 0, 10].map((priceChange) => ({ levers: { priceChange } }));
    const panel = { decisions, convergenceScore: 1 };
    expect(await createFakePanels([panel]).ask({ levers })).toMatchObject({
      convergenceScore: 0.6333,
    });
  });

  it('stops retrying when the agents service stays unavailable', async () => {
    const { ask, requests } = createFakePanels([unavailableOnce]);
    await expect(ask()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    expect(requests).toHaveLength(4);
  });

  it('does not retry a rejected request', async () => {
    const { ask, requests } = createFakePanels([invalidRequest('levers', {})]);
    await expect(ask()).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    expect(requests).toHaveLength(1);
  });
});
