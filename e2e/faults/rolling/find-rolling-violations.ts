import type { CallRecord } from '../completions/run-call.ts';
import type { FlowCall } from '../flows/flow.ts';
import type { KeyChangeEvidence } from './change-signing-key.ts';
import type { Replica } from './open-replicas.ts';

/**
 * A restart of one process under load; `at` is the time at which it began, in milliseconds since
 * the epoch.
 */
export type Restart = Replica & {
  at: number;
  code: number | null;
  stopMs: number;
  startMs: number;
};

export type RollingEvidence = {
  restarts: readonly Restart[];
  endedCalls: readonly FlowCall[];
  completions: readonly Pick<CallRecord, 'content' | 'outcome' | 'status'>[];
  debates: number;
  webhooks: number;
  keyChange: KeyChangeEvidence;
};

/**
 * Returns a violation for each failed call and for each process that did not exit with 0, and one
 * if the numbers of debates and webhooks differ or if the key rotation had no effect.
 */
export const findRollingViolations = (evidence: RollingEvidence): string[] => {
  const { restarts, endedCalls, completions, debates, webhooks, keyChange } = evidence;
  const { certificates, switchedWithoutRestart } = keyChange;
  const isChanged = certificates.every((count) => count > 0) && switchedWithoutRestart > 0;
  // The new signing key takes effect only in runs that restart the ledgers.
  const mustChange = restarts.some(({ service }) => service === 'ledger');
  return [
    ...restarts
      .filter(({ code }) => code !== 0)
      .map(({ service, number, code }) => `${service} ${number} exited with ${String(code)}`),
    ...endedCalls.filter(({ error }) => error !== '').map(({ flow, error }) => `${flow}: ${error}`),
    ...completions
      .filter(({ outcome }) => outcome !== 'complete')
      .map(({ content, outcome, status }) => `${content}: ${outcome} ${status}`),
    ...(isChanged || !mustChange
      ? []
      : [`the signing key was not changed: ${JSON.stringify(keyChange)}`]),
    ...(webhooks === debates ? [] : [`${debates} debates and ${webhooks} webhooks`]),
  ];
};
