import { ApiError, describeError } from '../../api/api-error.ts';

const ADVICE: Readonly<Record<string, string>> = {
  no_agents:
    'This workspace has no agents, so there is no council. ' +
    'Create at least two agents, then ask again.',
  too_many_agents:
    'The workspace has more agents than a debate may have. Delete some, then ask again.',
  debate_running:
    'Another question of this conversation is being debated. ' +
    'Wait for its synthesis, or ask in a new conversation.',
  conversation_full: 'This conversation is full. Ask in a new conversation.',
  debate_cancelled: 'The debate was cancelled. Ask again to start a new debate.',
  debate_failed:
    'Too few agents answered. Check that their models can be reached (see Calls), then ask again.',
};

/** Returns why a debate failed, and what to do about it. */
export const describeFailure = ({ code, message }: { code: string | null; message: string }) => {
  const advice = ADVICE[code ?? ''];
  return advice ?? `${message} Ask again to start a new debate.`;
};

/** Returns why a debate did not start, and what to do about it. */
export const describeAskError = (error: unknown): string =>
  error instanceof ApiError && ADVICE[error.code] !== undefined
    ? ADVICE[error.code]!
    : describeError(error);
