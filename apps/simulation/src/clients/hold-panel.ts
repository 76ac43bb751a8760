import type { HoldPanelResponse } from '@witan/contracts';
import type { PanelService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { PanelOwner } from '../domain/simulation/purge-panels.ts';
import type { Verdict } from '../domain/simulation/simulation.ts';
import type { AskPanel } from '../domain/turn/consult-council.ts';

type Panels = Client<typeof PanelService>;

/** More rounds move numbers little, and cost as much as the first ones. */
const ROUNDS_MAX = 2;

/** Has the agents service hold panels; they go on there, whoever waits for them. */
export const createAskPanel =
  (panels: Panels, timeoutMs: number): AskPanel =>
  async ({ issues, levers, ...panel }, { workspaceId, requestId, signal }) => {
    const request = {
      ...panel,
      issues: [...issues],
      levers: [...levers],
      maxRounds: ROUNDS_MAX,
    };
    return toVerdict(
      await panels.holdPanel(request, { workspaceId, requestId, signal, timeoutMs }),
    );
  };

const toVerdict = ({ decisions, usage, ...held }: HoldPanelResponse): Verdict => ({
  proposals: decisions.map(({ agentId, agentName, levers, confidence, rationale }) => ({
    agentId,
    agentName: agentName.toWellFormed(),
    levers: { ...levers },
    confidence,
    rationale: rationale.toWellFormed(),
  })),
  convergenceScore: held.convergenceScore,
  absentAgents: held.absentAgents.map((name) => name.toWellFormed()),
  usage: {
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    totalTokens: usage?.totalTokens ?? 0,
  },
  proofIds: [...held.proofIds],
});

const DELETE_TIMEOUT_MS = 10_000;

/** Has the agents service forget all panels of an owner. */
export const createDeletePanels =
  (panels: Panels) =>
  async ({ owner, workspaceId }: PanelOwner): Promise<void> => {
    await panels.deletePanels({ owner }, { workspaceId, timeoutMs: DELETE_TIMEOUT_MS });
  };
