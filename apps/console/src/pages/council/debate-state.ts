import type { ServerEvent } from '../../api/read-events.ts';
import type { components } from '../../gen/api.ts';

type Debate = components['schemas']['HoldDebateAnswer'];
export type Message = Debate['messages'][number];
export type Score = Debate['debates'][number];
export type Synthesis = Debate['synthesis'];
export type Agent = { id: string; name: string };
export type Issue = { id: string; proposition: string; weight: number };

export type Answer =
  | { status: 'writing'; text: string }
  | { status: 'done'; message: Message }
  | { status: 'absent'; reason: string };

export type Round = {
  round: number;
  answers: Readonly<Record<string, Answer>>;
  score: Score | undefined;
};

export type DebateState = {
  phase: 'starting' | 'framing' | 'round' | 'synthesis' | 'done' | 'failed';
  /** Sequence number of the last event that was applied. */
  lastSeq: number;
  agents: readonly Agent[];
  issues: readonly Issue[];
  rounds: readonly Round[];
  synthesisText: string;
  synthesisMessage: Message | undefined;
  synthesis: Synthesis | undefined;
  /** Why the debate failed. */
  error: { code: string | null; message: string } | undefined;
};

export const NEW_DEBATE: DebateState = {
  phase: 'starting',
  lastSeq: 0,
  agents: [],
  issues: [],
  rounds: [],
  synthesisText: '',
  synthesisMessage: undefined,
  synthesis: undefined,
  error: undefined,
};

type Position = { seq: number; round: number };
type AgentPosition = Position & { agentId: string };

/** The events of a debate (docs/life-of-a-debate.md), by name. */
type DebateEvents = {
  'debate.started': Position & { agents: Agent[] };
  frame: Position & { issues: Issue[] };
  'round.started': Position;
  'agent.delta': AgentPosition & { content: string };
  'agent.completed': AgentPosition & { message: Message };
  'agent.failed': AgentPosition & { agentName: string; reason: string };
  'round.completed': Position & Score;
  'synthesis.delta': Position & { content: string };
  'synthesis.completed': Position & { message: Message; synthesis: Synthesis };
  done: Position & Debate;
  error: Position & { error: { code: string | null; message: string } };
};

type Transitions = {
  [Name in keyof DebateEvents]: (
    state: DebateState,
    data: DebateEvents[Name],
  ) => Partial<DebateState>;
};

/**
 * Returns the state after an event. Events that were applied before change nothing, so that a
 * stream may be read again from any position; unknown events change nothing either.
 */
export const applyEvent = (state: DebateState, { event, data }: ServerEvent): DebateState => {
  if (!Object.hasOwn(TRANSITIONS, event)) return state;
  const parsed = JSON.parse(data) as Position;
  if (!(parsed.seq > state.lastSeq)) return state;
  const transition = TRANSITIONS[event as keyof DebateEvents] as (
    state: DebateState,
    data: Position,
  ) => Partial<DebateState>;
  return { ...state, ...transition(state, parsed), lastSeq: parsed.seq };
};

const TRANSITIONS: Transitions = {
  'debate.started': (_, { agents }) => ({ phase: 'framing', agents }),
  frame: (_, { issues }) => ({ issues }),
  'round.started': ({ rounds }, { round }) => ({
    phase: 'round',
    rounds: withRound(rounds, round, (one) => one),
  }),
  'agent.delta': ({ rounds }, { round, agentId, content }) => ({
    rounds: withAnswer(rounds, { round, agentId }, (answer) =>
      answer === undefined || answer.status === 'writing'
        ? { status: 'writing', text: (answer?.text ?? '') + content }
        : answer,
    ),
  }),
  'agent.completed': ({ rounds }, { round, agentId, message }) => ({
    rounds: withAnswer(rounds, { round, agentId }, () => ({ status: 'done', message })),
  }),
  'agent.failed': ({ rounds }, { round, agentId, reason }) => ({
    rounds: withAnswer(rounds, { round, agentId }, () => ({ status: 'absent', reason })),
  }),
  'round.completed': ({ rounds, phase }, { round, ...score }) => {
    const at = round || score.roundNumber;
    return { phase, rounds: withRound(rounds, at, (one) => ({ ...one, score })) };
  },
  'synthesis.delta': ({ synthesisText }, { content }) => ({
    phase: 'synthesis',
    synthesisText: synthesisText + content,
  }),
  'synthesis.completed': (_, { message, synthesis }) => ({
    phase: 'synthesis',
    synthesisText: synthesis.content,
    synthesisMessage: message,
    synthesis,
  }),
  done: ({ rounds, synthesisMessage }, { messages, synthesis }) => ({
    phase: 'done',
    rounds: messages.reduce(withStored, rounds),
    synthesisText: synthesis.content,
    synthesisMessage:
      messages.findLast(({ senderType }) => senderType === 'synthesis') ?? synthesisMessage,
    synthesis,
  }),
  error: (_, { error }) => ({ phase: 'failed', error }),
};

const withRound = (
  rounds: readonly Round[],
  round: number,
  change: (one: Round) => Round,
): readonly Round[] => {
  const known = rounds.find((one) => one.round === round);
  if (known) return rounds.map((one) => (one === known ? change(one) : one));
  const added = change({ round, answers: {}, score: undefined });
  return [...rounds, added].toSorted((one, other) => one.round - other.round);
};

const withAnswer = (
  rounds: readonly Round[],
  { round, agentId }: { round: number; agentId: string },
  change: (answer: Answer | undefined) => Answer,
): readonly Round[] =>
  withRound(rounds, round, (one) => ({
    ...one,
    answers: { ...one.answers, [agentId]: change(one.answers[agentId]) },
  }));

/** Adds an answer that was carried over from the round before, which no event reports. */
const withStored = (rounds: readonly Round[], message: Message): readonly Round[] => {
  const { agentId, roundNumber: round, stale = false } = message;
  if (!stale || agentId === undefined || round === undefined) return rounds;
  return withAnswer(rounds, { round, agentId }, () => ({ status: 'done', message }));
};
