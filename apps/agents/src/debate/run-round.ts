import type { Caller } from '@witan/dialects';
import type { EarlierDebate } from './conversation/conversation.ts';
import { askAgent, toStaleAnswer } from './answer/ask-agent.ts';
import type { AskAgentDeps, Reply } from './answer/ask-agent.ts';
import type { Council, CouncilMember } from './answer/council-member.ts';
import { textOf } from './convergence/compare-pairs.ts';
import { countFlips } from './convergence/stance-agreement.ts';
import { scoreRound } from './convergence/score-round.ts';
import type { Answer, Issue, Round } from './debate.ts';
import type { DebateStep, OpenRound, StoredDebate } from './record/debate-store.ts';
import type { BatchWriter } from './runner/open-batch-writer.ts';
import { renderOthers } from './answer/render-others.ts';

export type RoundSource = {
  debate: Pick<StoredDebate, 'question' | 'briefing' | 'requestSha256' | 'config' | 'createdAt'>;
  council: Council;
  issues: readonly Issue[];
  earlier: readonly EarlierDebate[];
  previous: Round | undefined;
  openRound: OpenRound | undefined;
  roundNumber: number;
  timeoutMs: number;
};

export type RunRoundDeps = AskAgentDeps & {
  writer: BatchWriter;
  /**
   * Returns true if a client of this process follows the deltas; otherwise model calls are not
   * streamed, which is cheaper.
   */
  hasListeners: () => boolean;
  onDelta: (delta: { roundNumber: number; agentId: string; text: string }) => void;
};

/** `errors` has the errors of absent agents by their ids. */
export type CompletedRound = { round: Round; errors: ReadonlyMap<string, unknown> };

/**
 * Asks all agents that are not yet in the open round, concurrently, and scores the answers of the
 * round. Each answer is stored on arrival, so that a resumed debate does not pay for it again. The
 * caller must write the step `round-completed` in the same tick in which this function resolves, so
 * that it is stored together with the last answer. Rejects if the caller aborts, a write fails or
 * the lease is lost.
 */
export const runRound = async (
  source: RoundSource,
  caller: Caller,
  deps: RunRoundDeps,
): Promise<CompletedRound> => {
  const { roundNumber, openRound, council, previous } = source;
  if (!openRound) await deps.writer.write({ kind: 'round-started', roundNumber });
  const known = new Set(
    [...(openRound?.answers ?? []), ...(openRound?.absences ?? [])].map(({ agentId }) => agentId),
  );
  const excluded = council.excluded.filter(({ id }) => !known.has(id));
  const membersToAsk = council.members.filter(({ agent }) => !known.has(agent.id));
  const failing = Promise.withResolvers<never>();
  const record = (reply: Reply): Reply => {
    const { step, outcome } = toStep(reply, source, deps);
    deps.writer.write(step).catch(failing.reject);
    // Fills the cache of text vectors while other agents still answer, so that scoring the round
    // takes less time.
    if ('answer' in outcome) textOf(outcome.answer);
    return outcome;
  };
  const excludedReplies = excluded.map(({ id, name }) =>
    record({ absence: { agentId: id, agentName: name, reason: 'deleted' }, error: undefined }),
  );
  const replying = Promise.all(
    membersToAsk.map(async (member) => record(await ask(member, source, caller, deps))),
  );
  const replies = [...excludedReplies, ...(await Promise.race([replying, failing.promise]))];
  const answers = byAgent([
    ...(openRound?.answers ?? []),
    ...replies.flatMap((reply) => ('answer' in reply ? [reply.answer] : [])),
  ]);
  const absences = [
    ...(openRound?.absences ?? []),
    ...replies.flatMap((reply) => ('absence' in reply ? [reply.absence] : [])),
  ];
  const { issues, debate } = source;
  const flips = previous
    ? previous.report.conformityFlips + countFlips(previous.answers, answers)
    : 0;
  const score =
    answers.length === 0
      ? EMPTY_SCORE
      : scoreRound({
          answers,
          issues,
          askedCount: debate.config.agents.length,
          conformityFlips: flips,
        });
  return {
    round: { roundNumber, answers, absences, ...score },
    errors: new Map(
      replies.flatMap((reply) =>
        'absence' in reply && reply.error ? [[reply.absence.agentId, reply.error]] : [],
      ),
    ),
  };
};

const EMPTY_SCORE: Pick<Round, 'convergenceScore' | 'report'> = {
  convergenceScore: 0,
  report: {
    method: 'lexical',
    participation: 0,
    blocs: [],
    textSimilarity: 0,
    conformityFlips: 0,
    consensus: undefined,
  },
};

const ask = async (
  member: CouncilMember,
  source: RoundSource,
  caller: Caller,
  deps: RunRoundDeps,
): Promise<Reply> => {
  const { debate, council, issues, earlier, previous, roundNumber, timeoutMs } = source;
  const { config, question, briefing, requestSha256 } = debate;
  const agentId = member.agent.id;
  return askAgent(
    {
      member,
      task: {
        issues,
        levers: config.levers ?? [],
        agentCount: config.agents.length,
        decision: config.issues ? undefined : issues[0],
      },
      question,
      briefing,
      earlier,
      others: previous ? renderOthers(agentId, previous, config.seed + roundNumber) : '',
      isStreamed: deps.hasListeners(),
      isSensitive: council.isSensitive,
      requestSha256,
      timeoutMs,
      debateStartedAt: debate.createdAt,
      lastAnswer: previous?.answers.find((answer) => answer.agentId === agentId),
      onDelta: (text) => deps.onDelta({ roundNumber, agentId, text }),
    },
    caller,
    deps,
  );
};

/**
 * Converts a reply to the step to store and the outcome for the score. After a timeout the agent's
 * previous answer is reused as stale, but not twice in succession.
 */
const toStep = (
  reply: Reply,
  { previous, roundNumber }: RoundSource,
  { newId, clock }: Pick<RunRoundDeps, 'newId' | 'clock'>,
): { step: DebateStep; outcome: Reply } => {
  const toGiven = (answer: Answer) => ({ messageId: newId('msg'), answer, answeredAt: clock() });
  if ('answer' in reply) {
    const step: DebateStep = { kind: 'answered', roundNumber, given: toGiven(reply.answer) };
    return { step, outcome: reply };
  }
  const { absence } = reply;
  const last = previous?.answers.find(({ agentId }) => agentId === absence.agentId);
  if (absence.reason !== 'timeout' || !last || last.isStale) {
    return { step: { kind: 'absent', roundNumber, absence }, outcome: reply };
  }
  const answer = toStaleAnswer(last);
  const carriedAnswer = toGiven(answer);
  return {
    step: { kind: 'absent', roundNumber, absence, carried: carriedAnswer },
    outcome: { answer },
  };
};

const byAgent = (answers: readonly Answer[]): Answer[] =>
  answers.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1));
