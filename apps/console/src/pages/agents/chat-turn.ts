import type { AnswerEvent } from '../../api/post-events.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type ToolRun = Schemas['ToolRun'];
export type ChatRequest = Schemas['ChatWithAgentRequest'];
/** The answer as the last event has it. */
export type ChatAnswer = Schemas['ChatWithAgentAnswer'] & { proofs: string[] };

/** What is known of an answer beside its stored message. */
export type AnswerNotes = Pick<
  ChatAnswer,
  'thoughts' | 'toolCalls' | 'memoriesSaved' | 'tokenUsage' | 'finishReason'
>;

/** A turn of a chat until its answer is stored. */
export type ChatTurn = {
  request: ChatRequest;
  status: 'waiting' | 'writing' | 'stopped' | 'failed';
  text: string;
  toolCalls: readonly ToolRun[];
  /** Why the turn failed. */
  error: unknown;
};

export const startTurn = (request: ChatRequest): ChatTurn => ({
  request,
  status: 'waiting',
  text: '',
  toolCalls: [],
  error: undefined,
});

/** Returns the turn after an event of its stream; unknown events change nothing. */
export const applyChatEvent = (turn: ChatTurn, { event, content }: AnswerEvent): ChatTurn => {
  switch (event) {
    case 'tool':
      return { ...turn, toolCalls: [...turn.toolCalls, content as ToolRun] };
    case 'delta': {
      const { content: text } = content as { content: string };
      return { ...turn, status: 'writing', text: turn.text + text };
    }
    default:
      return turn;
  }
};

export const stopTurn = (turn: ChatTurn): ChatTurn => ({ ...turn, status: 'stopped' });

export const failTurn = (turn: ChatTurn, error: unknown): ChatTurn => ({
  ...turn,
  status: 'failed',
  error,
});

export const toNotes = (answer: ChatAnswer): AnswerNotes => {
  const { thoughts, toolCalls, memoriesSaved, tokenUsage, finishReason } = answer;
  return {
    toolCalls,
    memoriesSaved,
    tokenUsage,
    finishReason,
    ...(thoughts === undefined ? {} : { thoughts }),
  };
};
