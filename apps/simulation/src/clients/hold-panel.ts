import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError } from '@witan/contracts';
import type { HoldPanelResponse } from '@witan/contracts';
import type { PanelService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { PanelOwner } from '../domain/simulation/purge-panels.ts';
import type { Verdict } from '../domain/simulation/simulation.ts';
import type { AskPanel } from '../domain/turn/consult-council.ts';

type Panels = Client<typeof PanelService>;

/** More rounds move numbers little, and cost as much as the first ones. */
const ROUNDS_MAX = 2;

/** A process that tells of a panel may stop; so long until the next is asked, in milliseconds. */
const ASK_AGAIN_MS = [50, 250, 1_000];

/**
 * Has the agents service hold panels; they go on there, whoever waits for them and whoever tells of
 * them: the same key is the same panel.
 */
export const createAskPanel =
  (panels: Panels, timeoutMs: number): AskPanel =>
  async ({ issues, levers, ...panel }, { workspaceId, requestId, signal }) => {
    const request = {
      ...panel,
      issues: [...issues],
      levers: [...levers],
      maxRounds: ROUNDS_MAX,
    };
    const options = { workspaceId, requestId, signal, timeoutMs };
    for (const waitMs of ASK_AGAIN_MS) {
      try {
        return toVerdict(await panels.holdPanel(request, options));
      } catch (error) {
        if (!isServiceError(error) || error.reason !== 'UNAVAILABLE') throw error;
        await pause(waitMs, undefined, { signal });
      }
    }
    return toVerdict(await panels.holdPanel(request, options));
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
  ...(held.failure === '' ? {} : { failure: held.failure }),
  ...(held.staysLocal === undefined ? {} : { staysLocal: held.staysLocal }),
});

const DELETE_TIMEOUT_MS = 10_000;

/** Has the agents service forget all panels of an owner. */
export const createDeletePanels =
  (panels: Panels) =>
  async ({ owner, workspaceId }: PanelOwner): Promise<void> => {
    await panels.deletePanels({ owner }, { workspaceId, timeoutMs: DELETE_TIMEOUT_MS });
  };
