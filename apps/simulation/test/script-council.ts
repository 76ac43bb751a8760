import type { MessageInitShape } from '@bufbuild/protobuf';
import { conflict } from '@witan/contracts';
import type { HoldPanelRequest, HoldPanelResponseSchema } from '@witan/contracts';
import { PanelService } from '@witan/contracts/services';
import {
  createDispatcher,
  createInProcessTransport,
  createLog,
  implement,
} from '@witan/service-kit';
import type { Transport } from '@witan/service-kit';

export type PanelResponse = MessageInitShape<typeof HoldPanelResponseSchema>;
type Script = (request: HoldPanelRequest) => PanelResponse | Promise<PanelResponse>;

export type ScriptedCouncil = {
  transport: Transport;
  panels: HoldPanelRequest[];
  requests: HoldPanelRequest[];
  deleted: string[];
  script: (script: Script) => void;
  setUnavailable: (isDown: boolean) => void;
};

export const decisionOf = (
  levers: Readonly<Record<string, number>>,
  { agentId = 'agt_ann', confidence = 0.8 } = {},
): PanelResponse => ({
  panelId: 'dbt_1',
  decisions: [
    {
      agentId,
      agentName: 'Ann',
      levers: { ...levers },
      confidence,
      rationale: 'Because.',
      stances: [],
      proofIds: ['pf_1'],
    },
  ],
  convergenceScore: 0.75,
  absentAgents: ['Bob'],
  usage: { promptTokens: 100, completionTokens: 20, totalTokens: 120 },
  proofIds: ['pf_1'],
  staysLocal: false,
});

/**
 * Creates a fake agents service. As in the real one, calls with the same owner and key get the same
 * panel.
 */
export const scriptCouncil = (): ScriptedCouncil => {
  const panelsById = new Map<string, { content: string; answer: Promise<PanelResponse> }>();
  const council = {
    panels: [] as HoldPanelRequest[],
    requests: [] as HoldPanelRequest[],
    deleted: [] as string[],
  };
  let script: Script = () => decisionOf({ marketingPct: 12 });
  let isDown = false;
  const implementation = implement(PanelService, {
    holdPanel: async (request) => {
      council.requests.push(request);
      const { owner, key, question, briefing, levers, maxRounds, staysLocal } = request;
      const panelId = `${owner} ${key}`;
      const content = JSON.stringify([question, briefing, levers, maxRounds, staysLocal]);
      const panel = panelsById.get(panelId);
      if (panel && panel.content !== content) {
        throw conflict('Asked something else.', { code: 'panel_key_reused' });
      }
      if (panel) return await panel.answer;
      council.panels.push(request);
      const answer = (async () => await script(request))();
      panelsById.set(panelId, { content, answer });
      return await answer;
    },
    deletePanels: async ({ owner }) => {
      council.deleted.push(owner);
      for (const panelId of panelsById.keys())
        if (panelId.startsWith(`${owner} `)) panelsById.delete(panelId);
      return {};
    },
  });
  const dispatcher = createDispatcher({
    implementations: [implementation],
    callers: { simulation: { PanelService: ['HoldPanel', 'DeletePanels'] } },
    log: createLog({ service: 'agents', level: 'silent' }),
  });
  const transport = createInProcessTransport({
    caller: 'simulation',
    dispatcher: () => (isDown ? undefined : dispatcher),
  });
  return {
    ...council,
    transport,
    script: (next) => {
      script = next;
    },
    setUnavailable: (next) => {
      isDown = next;
    },
  };
};
