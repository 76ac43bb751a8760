import { setTimeout as pause } from 'node:timers/promises';
import { isServiceError } from '@witan/contracts';
import type { HoldPanelResponse } from '@witan/contracts';
import type { PanelService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { PanelOwner } from '../../simulation/simulations.ts';
import type { Verdict } from '../../simulation/simulation.ts';
import type { AskPanel, PanelCall } from '../consult-panel.ts';
import { measureLeverAgreement } from '../measure-lever-agreement.ts';

type Panels = Client<typeof PanelService>;

/**
 * Maximum number of debate rounds of a panel. Further rounds would cost as much as the first ones
 * and hardly change the result.
 */
const ROUNDS_MAX = 2;

/**
 * Delays before retries if the agents service is unavailable, for example because the process that
 * ran the panel stopped.
 */
const RETRY_DELAYS_MS = [50, 250, 1_000];

/**
 * Creates the function that lets a panel decide. Calls with the same owner and key get the same
 * panel, which continues even if the call that started it ends.
 */
export const createAskPanel =
  (panels: Panels, timeoutMs: number): AskPanel =>
  async ({ issues, levers, ...panel }, { workspaceId, requestId, actorId, signal }) => {
    const request = {
      ...panel,
      issues: [...issues],
      levers: [...levers],
      maxRounds: ROUNDS_MAX,
    };
    const options = { workspaceId, requestId, actorId, signal, timeoutMs };
    for (const waitMs of RETRY_DELAYS_MS) {
      try {
        return toVerdict(await panels.holdPanel(request, options), levers);
      } catch (error) {
        if (!isServiceError(error) || error.reason !== 'UNAVAILABLE') throw error;
        await pause(waitMs, undefined, { signal });
      }
    }
    return toVerdict(await panels.holdPanel(request, options), levers);
  };

const toVerdict = (
  { decisions, usage, ...panel }: HoldPanelResponse,
  bounds: PanelCall['levers'],
): Verdict => ({
  proposals: decisions.map(({ agentId, agentName, levers, confidence, rationale }) => ({
    agentId,
    agentName: agentName.toWellFormed(),
    levers: { ...levers },
    confidence,
    rationale: rationale.toWellFormed(),
  })),
  convergenceScore: toConvergence(panel.convergenceScore, decisions, bounds),
  absentAgents: panel.absentAgents.map((name) => name.toWellFormed()),
  usage: {
    promptTokens: usage?.promptTokens ?? 0,
    completionTokens: usage?.completionTokens ?? 0,
    totalTokens: usage?.totalTokens ?? 0,
  },
  proofIds: [...panel.proofIds],
  ...(panel.failure === '' ? {} : { failure: panel.failure }),
  ...(panel.staysLocal === undefined ? {} : { staysLocal: panel.staysLocal }),
});

/**
 * Returns the convergence of a turn: the mean of the agreement on the issues and of that on the
 * levers, because agents that share their stances may still want opposite things.
 */
const toConvergence = (
  issueScore: number,
  decisions: HoldPanelResponse['decisions'],
  levers: PanelCall['levers'],
): number =>
  decisions.length < 2
    ? issueScore
    : Number(((issueScore + measureLeverAgreement(decisions, levers)) / 2).toFixed(4));

const DELETE_TIMEOUT_MS = 10_000;

export const createDeletePanels =
  (panels: Panels) =>
  async ({ owner, workspaceId }: PanelOwner): Promise<void> => {
    await panels.deletePanels({ owner }, { workspaceId, timeoutMs: DELETE_TIMEOUT_MS });
  };
