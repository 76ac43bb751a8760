import { unavailable } from '@witan/contracts';
import { NO_USAGE } from '@witan/dialects';
import type { Caller } from '@witan/dialects';
import type { ConversationStore, EarlierDebate } from './conversation/conversation.ts';
import { findPresent, gatherCouncil } from './answer/council-member.ts';
import type { Council, GatherCouncilDeps } from './answer/council-member.ts';
import type { Issue, Round, StopReason } from './debate.ts';
import { toFailure } from './record/debate-failure.ts';
import type { OpenRound, StoredDebate } from './record/debate-store.ts';
import type { DebateFailure } from './record/debate-event.ts';
import { decideStop } from './decide-stop.ts';
import type { FrameQuestion } from './frame-question.ts';
import { runRound } from './run-round.ts';
import type { RunRoundDeps } from './run-round.ts';
import type { AskSynthesizer } from './synthesis/ask-synthesizer.ts';
import { synthesize } from './synthesis/synthesize.ts';
import type { AskForSynthesis } from './synthesis/synthesize.ts';
import { totalUsage } from './record/to-messages.ts';

export type RunDebateDeps = RunRoundDeps &
  GatherCouncilDeps & {
    frameQuestion: FrameQuestion;
    askSynthesizer: AskSynthesizer;
    /**
     * Called before framing, each round and the synthesis. Rejects if this process is stopping or
     * the lease is lost.
     */
    ensureActive: () => Promise<void>;
    conversations: Pick<ConversationStore, 'findEarlier'>;
  };

/**
 * Runs a debate from its stored state to its end: frames the question, asks the agents
 * independently, asks them again with the answers of the others until `decideStop` returns a reason
 * to stop, and writes the synthesis. A round with too few answers ends the debate as failed.
 * Results are stored as they arrive, so that after a crash another process can resume the debate
 * and repeats only the calls whose results were not stored. Rejects if the caller aborts, with
 * `LeaseLostError`, or if storage fails.
 */
export const runDebate = async (
  debate: StoredDebate,
  caller: Caller,
  deps: RunDebateDeps,
): Promise<void> => {
  const { workspaceId } = caller;
  const { config, question } = debate;
  const presentCouncil = await findPresent(workspaceId, config, deps);
  const [storedDebate, council, earlier] = await Promise.all([
    debate.frame ? debate : storeFrame(debate, presentCouncil, caller, deps),
    gatherCouncil(workspaceId, presentCouncil, question, deps),
    findEarlier(debate, workspaceId, deps),
  ]);
  const context = { debate: storedDebate, council, issues: storedDebate.frame!.issues, earlier };
  const outcome = await runRounds(context, caller, deps);
  if ('failure' in outcome) {
    await deps.writer.write({ kind: 'failed', failure: outcome.failure });
    return;
  }
  await synthesizeDebate({ ...context, ...outcome }, caller, deps);
};

const EARLIER_MAX = 10;

/**
 * Returns the newest earlier debates of a debate's conversation. Local-only debates are included
 * only if this debate is local-only.
 */
const findEarlier = async (
  { id: debateId, origin, config }: StoredDebate,
  workspaceId: string,
  { conversations }: Pick<RunDebateDeps, 'conversations'>,
): Promise<readonly EarlierDebate[]> =>
  origin.kind === 'panel'
    ? []
    : conversations.findEarlier(workspaceId, origin.conversationId, {
        debateId,
        max: EARLIER_MAX,
        withSensitive: config.isSensitive,
      });

const storeFrame = async (
  debate: StoredDebate,
  { isSensitive }: Pick<Council, 'isSensitive'>,
  caller: Caller,
  { frameQuestion, writer, ensureActive, clock }: RunDebateDeps,
): Promise<StoredDebate> => {
  const { question, requestSha256, config } = debate;
  await ensureActive();
  const remainingMs = config.deadlineAt.getTime() - clock().getTime();
  const framing = config.issues
    ? { issues: config.issues, usage: NO_USAGE, proofIds: [] }
    : await frameQuestion({ question, isSensitive, requestSha256, remainingMs }, caller);
  await writer.write({ kind: 'framed', frame: framing }, { kind: 'round-started', roundNumber: 1 });
  return { ...debate, frame: framing, openRound: toOpenRound(1) };
};

const toOpenRound = (roundNumber: number): OpenRound => ({
  roundNumber,
  answers: [],
  absences: [],
});

type DebateContext = {
  debate: StoredDebate;
  council: Council;
  issues: readonly Issue[];
  earlier: readonly EarlierDebate[];
};

type RoundsOutcome =
  | { rounds: readonly Round[]; stoppedBy: StopReason }
  | { failure: DebateFailure };

const runRounds = async (
  { debate, ...context }: DebateContext,
  caller: Caller,
  deps: RunDebateDeps,
): Promise<RoundsOutcome> => {
  const { config } = debate;
  const rounds = [...debate.rounds];
  let { openRound } = debate;
  let stoppedBy =
    openRound || rounds.length === 0 ? undefined : findStopReason(debate, rounds, deps);
  while (!stoppedBy) {
    await deps.ensureActive();
    const roundNumber = rounds.length + 1;
    const timeoutMs = config.agentTimeoutMs;
    const source = {
      debate,
      ...context,
      previous: rounds.at(-1),
      openRound,
      roundNumber,
      timeoutMs,
    };
    const { round, errors } = await runRound(source, caller, deps);
    if (round.answers.length < config.quorum)
      return { failure: toFailure(round, errors, debate.origin) };
    rounds.push(round);
    stoppedBy = findStopReason(debate, rounds, deps);
    openRound = stoppedBy ? undefined : toOpenRound(roundNumber + 1);
    const { convergenceScore, report } = round;
    const completed = { roundNumber, convergenceScore, report };
    await deps.writer.write(
      { kind: 'round-completed', round: completed },
      ...(openRound
        ? [{ kind: 'round-started' as const, roundNumber: openRound.roundNumber }]
        : []),
    );
  }
  return { rounds, stoppedBy };
};

const findStopReason = (
  { config, frame: framing }: StoredDebate,
  rounds: readonly Round[],
  { clock }: RunDebateDeps,
): StopReason | undefined =>
  decideStop({
    rounds,
    agentCount: config.agents.length,
    rules: config,
    tokens: totalUsage({ frame: framing, rounds, openRound: undefined, synthesis: undefined })
      .totalTokens,
    isPastDeadline: clock() >= config.deadlineAt,
  });

type CompletedDebate = DebateContext & { rounds: readonly Round[]; stoppedBy: StopReason };

const synthesizeDebate = async (
  { debate, council, issues, rounds, stoppedBy }: CompletedDebate,
  caller: Caller,
  deps: RunDebateDeps,
): Promise<void> => {
  await deps.ensureActive();
  const { config, question, requestSha256 } = debate;
  const presentAgentIds = new Set(rounds.at(-1)!.answers.map(({ agentId }) => agentId));
  const synthesized = await synthesize(
    {
      question,
      issues,
      rounds,
      stoppedBy,
      threshold: config.threshold,
      seed: config.seed,
      absentAgents: config.agents
        .filter(({ id }) => !presentAgentIds.has(id))
        .map(({ name }) => name),
    },
    debate.origin.kind === 'panel'
      ? rejectModelCall
      : deps.askSynthesizer(
          { isSensitive: council.isSensitive, requestSha256, startedAt: debate.createdAt },
          caller,
        ),
    caller,
  );
  await deps.writer.write({
    kind: 'synthesized',
    given: { messageId: deps.newId('msg'), ...synthesized, synthesizedAt: deps.clock() },
  });
};

/**
 * Rejects every call, so that the synthesis of a panel is written from the template. The callers of
 * a panel do not use its synthesis, so a model call for it would be a waste.
 */
const rejectModelCall: AskForSynthesis = () =>
  Promise.reject(unavailable('No model writes the synthesis of a panel.'));
