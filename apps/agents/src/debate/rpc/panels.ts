import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HoldPanelResponseSchema, PanelDecisionSchema } from '@witan/contracts';
import type { PanelService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import { roundScore } from '../convergence/compare-pairs.ts';
import type { Answer, Issue } from '../debate.ts';
import type { DebateArchive } from '../record/debate-store.ts';
import { runPanel } from '../run-panel.ts';
import type { RunPanelDeps, Panel } from '../run-panel.ts';
import { totalProofs, totalUsage } from '../record/to-messages.ts';
import { toDebateRound, toRoundReport } from './to-debate-event.ts';

export type PanelHandlersDeps = RunPanelDeps & { archive: Pick<DebateArchive, 'deletePanels'> };

export const createPanelHandlers = (deps: PanelHandlersDeps): Handlers<typeof PanelService> => ({
  holdPanel: async ({ levers, issues, ...panelQuestion }, call) => {
    const { workspaceId, requestId, actorId } = call;
    const request = {
      ...panelQuestion,
      requestId,
      actorId,
      levers: levers.map(toLever),
      ...(issues.length === 0 ? {} : { issues: issues.map(toIssue) }),
    };
    return toResponse(await runPanel(workspaceId, request, call, deps));
  },
  deletePanels: async ({ owner }, { workspaceId }) => {
    await deps.archive.deletePanels(workspaceId, owner);
    return {};
  },
});

const toLever = ({
  name,
  description,
  min,
  max,
  defaultValue,
}: {
  name: string;
  description: string;
  min: number;
  max: number;
  defaultValue: number;
}) => ({ name, description, min, max, defaultValue });

const toIssue = ({ id, proposition, weight }: Issue): Issue => ({ id, proposition, weight });

const toResponse = ({
  id,
  answers,
  rounds,
  absentAgents,
  debate,
  failure,
}: Panel): MessageInitShape<typeof HoldPanelResponseSchema> => {
  // A failed panel has no convergence score, even if earlier rounds have one.
  const lastRound = failure === '' ? rounds.at(-1) : undefined;
  return {
    panelId: id,
    decisions: answers.map(toDecision),
    convergenceScore: lastRound?.convergenceScore ?? 0,
    ...(lastRound ? { report: toRoundReport(lastRound.report) } : {}),
    rounds: rounds.map((round) =>
      toDebateRound({
        messageId: '',
        debateId: id,
        roundNumber: round.roundNumber,
        convergenceScore: round.convergenceScore,
        report: round.report,
      }),
    ),
    absentAgents: [...absentAgents],
    failure,
    staysLocal: debate.config.isSensitive,
    usage: totalUsage(debate),
    proofIds: totalProofs(debate),
  };
};

const toDecision = ({
  agentId,
  agentName,
  levers,
  content,
  stances,
  proofIds,
}: Answer): MessageInitShape<typeof PanelDecisionSchema> => ({
  agentId,
  agentName,
  levers: { ...levers },
  rationale: content,
  confidence: meanOf(stances.map(({ confidence }) => confidence)),
  stances: [...stances],
  proofIds: [...proofIds],
});

/** Returns the mean, rounded to four decimals as scores are; 0.5 if there are no numbers. */
const meanOf = (numbers: readonly number[]): number =>
  numbers.length === 0
    ? 0.5
    : roundScore(numbers.reduce((sum, number) => sum + number, 0) / numbers.length);
