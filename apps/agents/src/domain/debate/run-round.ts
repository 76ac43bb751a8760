import type { EarlierDebate } from '../conversation/conversation.ts';
import type { Caller } from '../model/model-call.ts';
import { askAgent, carryOver } from './answer/ask-agent.ts';
import type { AskAgentDeps, Reply } from './answer/ask-agent.ts';
import type { Council, CouncilMember } from './answer/council-member.ts';
import { textOf } from './convergence/compare-pairs.ts';
import { countFlips } from './convergence/count-flips.ts';
import { scoreRound } from './convergence/score-round.ts';
import type { Answer, Issue, Round } from './debate.ts';
import type { DebateStep, OpenRound, StoredDebate } from './record/debate-store.ts';
import type { BatchWriter } from './runner/open-batch-writer.ts';
import { renderOthers } from './answer/render-others.ts';

/** A debate in whose next round the agents are asked. */
export type RoundSource = {
  debate: Pick<StoredDebate, 'question' | 'briefing' | 'requestSha256' | 'config'>;
  council: Council;
  issues: readonly Issue[];
  earlier: readonly EarlierDebate[];
  /** The round before; undefined in the first. */
  before: Round | undefined;
  /** What of this round was kept before its process ended. */
  open: OpenRound | undefined;
  roundNumber: number;
  /** For one agent. */
  timeoutMs: number;
};

export type RunRoundDeps = AskAgentDeps & {
  writer: BatchWriter;
  /** Somebody wants what agents say as they say it; else it is cheaper got whole. */
  hasListeners: () => boolean;
  /** A piece of an agent's answer, as it comes. */
  onDelta: (delta: { roundNumber: number; agentId: string; text: string }) => void;
};

/** A round, and what went wrong for those who have no answer in it. */
export type CompletedRound = { round: Round; errors: readonly unknown[] };

/**
 * One round: all members at once, each for itself (C1). Each answer is kept as it comes, so that
 * none is paid for twice; the last one with the round's end, which is for the caller to write, at
 * once. Rejects when the caller left, or nothing can be written any more.
 */
export const runRound = async (
  source: RoundSource,
  caller: Caller,
  deps: RunRoundDeps,
): Promise<CompletedRound> => {
  const { roundNumber, open, council, before } = source;
  if (!open) await deps.writer.write({ kind: 'round-started', roundNumber });
  const known = new Set(
    [...(open?.answers ?? []), ...(open?.absences ?? [])].map(({ agentId }) => agentId),
  );
  const gone = council.gone.filter(({ id }) => !known.has(id));
  const asked = council.members.filter(({ agent }) => !known.has(agent.id));
  const failing = Promise.withResolvers<never>();
  const record = (reply: Reply): Reply => {
    const { step, outcome } = toStep(reply, source, deps);
    deps.writer.write(step).catch(failing.reject);
    // While others still speak, so that the last one is not waited for any longer.
    if ('answer' in outcome) textOf(outcome.answer);
    return outcome;
  };
  const missing = gone.map(({ id, name }) =>
    record({ absence: { agentId: id, agentName: name, reason: 'deleted' }, error: undefined }),
  );
  const replying = Promise.all(
    asked.map(async (member) => record(await ask(member, source, caller, deps))),
  );
  // Nobody is waited for whose answer cannot be kept.
  const replies = [...missing, ...(await Promise.race([replying, failing.promise]))];
  const answers = byAgent([
    ...(open?.answers ?? []),
    ...replies.flatMap((reply) => ('answer' in reply ? [reply.answer] : [])),
  ]);
  const absences = [
    ...(open?.absences ?? []),
    ...replies.flatMap((reply) => ('absence' in reply ? [reply.absence] : [])),
  ];
  const { issues, debate } = source;
  const flips = before ? before.report.conformityFlips + countFlips(before.answers, answers) : 0;
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
    errors: replies.flatMap((reply) => ('absence' in reply && reply.error ? [reply.error] : [])),
  };
};

/** Of a round that has no answer at all; it ends its debate. */
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
  const { debate, council, issues, earlier, before, roundNumber, timeoutMs } = source;
  const { config, question, briefing, requestSha256 } = debate;
  const agentId = member.agent.id;
  return askAgent(
    {
      member,
      task: { issues, levers: config.levers ?? [], agentCount: config.agents.length },
      question,
      briefing,
      earlier,
      others: before ? renderOthers(agentId, before, config.seed + roundNumber) : '',
      isStreamed: deps.hasListeners(),
      isSensitive: council.isSensitive,
      requestSha256,
      timeoutMs,
      onDelta: (text) => deps.onDelta({ roundNumber, agentId, text }),
    },
    caller,
    deps,
  );
};

/** What came of asking; of one who was late in a later round, the answer of the last stands. */
const toStep = (
  reply: Reply,
  { before, roundNumber }: RoundSource,
  { newId, clock }: Pick<RunRoundDeps, 'newId' | 'clock'>,
): { step: DebateStep; outcome: Reply } => {
  const toGiven = (answer: Answer) => ({ messageId: newId('msg'), answer, answeredAt: clock() });
  if ('answer' in reply) {
    const step: DebateStep = { kind: 'answered', roundNumber, given: toGiven(reply.answer) };
    return { step, outcome: reply };
  }
  const { absence } = reply;
  const last = before?.answers.find(({ agentId }) => agentId === absence.agentId);
  if (absence.reason !== 'timeout' || !last || last.isStale) {
    return { step: { kind: 'absent', roundNumber, absence }, outcome: reply };
  }
  const answer = carryOver(last);
  const carried = toGiven(answer);
  return { step: { kind: 'absent', roundNumber, absence, carried }, outcome: { answer } };
};

const byAgent = (answers: readonly Answer[]): Answer[] =>
  answers.toSorted((one, other) => (one.agentId < other.agentId ? -1 : 1));
