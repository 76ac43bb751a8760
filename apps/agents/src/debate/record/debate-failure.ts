import { isServiceError } from '@witan/contracts';
import { UnusableAnswerError } from '../answer/ask-for-answer.ts';
import type { Round } from '../debate.ts';
import type { DebateOrigin } from './debate-store.ts';
import type { DebateFailure } from './debate-event.ts';

export const DEBATE_FAILED = 'debate_failed';

const REMEDIES: Readonly<Record<DebateOrigin['kind'], string>> = {
  conversation: 'What was said is kept in the conversation; send the message again.',
  panel: 'Nothing was decided.',
};

const TIMEOUT_ADVICE =
  'The time for an answer is WITAN_DEBATE_AGENT_TIMEOUT_MS, and for a model on the local runtime ' +
  'WITAN_LOCAL_TIMEOUT_MS.';

export const toAbandonedFailure = ({ kind }: Pick<DebateOrigin, 'kind'>): DebateFailure => ({
  kind: 'INTERNAL',
  code: DEBATE_FAILED,
  message: `The debate could not be held. ${REMEDIES[kind]}`,
});

export const CANCELLED_FAILURE: DebateFailure = {
  kind: 'CANCELLED',
  code: 'debate_cancelled',
  message: 'The debate was cancelled. What was said is kept in the conversation.',
};

const CALLER_FIXABLE: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'REQUEST_TOO_LARGE',
  'LOCAL_RUNTIME_UNAVAILABLE',
  'PROVIDER_CREDENTIALS_REFUSED',
]);

/**
 * Returns the failure of a debate in which a round had too few answers; `errors` are those of its
 * agents by id, as far as this process asked them. If all `errors` have the same reason and the
 * caller can resolve it, such as exceeded quota, that reason is reported.
 */
export const toFailure = (
  { answers, absences }: Pick<Round, 'answers' | 'absences'>,
  errors: ReadonlyMap<string, unknown>,
  { kind }: Pick<DebateOrigin, 'kind'>,
): DebateFailure => {
  const [first] = errors.values();
  if (isServiceError(first) && CALLER_FIXABLE.has(first.reason)) {
    const isSameReason = [...errors.values()].every(
      (error) => isServiceError(error) && error.reason === first.reason,
    );
    if (isSameReason) {
      return { kind: first.reason, code: first.fields.code ?? '', message: first.message };
    }
  }
  const currentAnswers = answers.filter(({ isStale }) => !isStale);
  const staleAnswers = answers.filter(({ isStale }) => isStale);
  const missing = [
    ...absences.map(
      ({ agentId, agentName, reason }) =>
        `${agentName} (${describeUnusable(errors.get(agentId)) ?? reason})`,
    ),
    ...staleAnswers.map(({ agentName }) => `${agentName} (timeout)`),
  ];
  return {
    kind: 'PROVIDER_UNREACHABLE',
    code: DEBATE_FAILED,
    message: [
      `The debate failed: ${currentAnswers.length} of ${answers.length + absences.length} agents ` +
        `answered, which is too few. Without an answer: ${missing.join(', ')}.`,
      ...(missing.some((one) => one.endsWith('(timeout)')) ? [TIMEOUT_ADVICE] : []),
      REMEDIES[kind],
    ].join(' '),
  };
};

/** Returns why the answer of an agent could not be used; undefined if there was no answer. */
const describeUnusable = (error: unknown): string | undefined => {
  if (error instanceof UnusableAnswerError) return error.problem;
  // The answer was cut off before any text, also with the maximum output limit.
  return isServiceError(error) && error.fields.empty === 'true' ? 'answer cut off' : undefined;
};
