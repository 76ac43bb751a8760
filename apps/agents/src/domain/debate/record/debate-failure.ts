import { isServiceError } from '@witan/contracts';
import { EmptyAnswer } from '../answer/ask-for-answer.ts';
import type { Round } from '../debate.ts';
import type { DebateFailure, DebateOrigin } from './debate-store.ts';

/** Of a debate that the models failed, and not its caller. */
export const DEBATE_FAILED = 'debate_failed';

/** What the caller of a debate or of a panel can do about its failure. */
const REMEDIES: Readonly<Record<DebateOrigin['kind'], string>> = {
  conversation: 'What was said is kept in the conversation; send the message again.',
  panel: 'Nothing was decided.',
};

/** A debate that ended every process that held it. */
export const toAbandoned = ({ kind }: Pick<DebateOrigin, 'kind'>): DebateFailure => ({
  kind: 'INTERNAL',
  code: DEBATE_FAILED,
  message: `The debate could not be held. ${REMEDIES[kind]}`,
});

/** What all that failed were refused for, when it was one thing that the caller can mend. */
const CALLER_FIXABLE: ReadonlySet<string> = new Set([
  'INSUFFICIENT_QUOTA',
  'REQUEST_TOO_LARGE',
  'LOCAL_RUNTIME_UNAVAILABLE',
  'PROVIDER_CREDENTIALS_REFUSED',
]);

/** Why a round with too few answers ends its debate; `errors` are of agents without an answer. */
export const toFailure = (
  { answers, absences }: Pick<Round, 'answers' | 'absences'>,
  errors: readonly unknown[],
  { kind }: Pick<DebateOrigin, 'kind'>,
): DebateFailure => {
  const [first] = errors;
  if (isServiceError(first) && CALLER_FIXABLE.has(first.reason)) {
    const isOne = errors.every((error) => isServiceError(error) && error.reason === first.reason);
    if (isOne) {
      return { kind: first.reason, code: first.fields.code ?? '', message: first.message };
    }
  }
  const given = answers.filter(({ isStale }) => !isStale);
  const late = answers.filter(({ isStale }) => isStale);
  const missing = [
    ...absences.map(({ agentName, reason }) => `${agentName} (${reason})`),
    ...late.map(({ agentName }) => `${agentName} (timeout)`),
  ];
  const isEmpty = errors.some((error) => error instanceof EmptyAnswer);
  return {
    kind: 'PROVIDER_UNREACHABLE',
    code: DEBATE_FAILED,
    message: [
      `The debate failed: ${given.length} of ${answers.length + absences.length} agents ` +
        `answered, which is too few. Without an answer: ${missing.join(', ')}.`,
      ...(isEmpty ? ['Models returned answers that are empty or cut off.'] : []),
      REMEDIES[kind],
    ].join(' '),
  };
};
