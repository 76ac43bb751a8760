import type { CallRecord } from '../completions/run-call.ts';
import type { FlowCall } from '../flows/drive-flows.ts';
import type { Restart } from './run-rolling.ts';

/** What was seen of a rolling restart. */
export type RollingEvidence = {
  restarts: readonly Restart[];
  ended: readonly FlowCall[];
  completions: readonly Pick<CallRecord, 'content' | 'outcome' | 'status'>[];
  /** Each is told to one webhook. */
  debates: number;
  webhooks: number;
  signingKeys: number;
};

/** The signing key is changed while the ledgers are restarted. */
const SIGNING_KEYS = 2;

/** No call fails, every process ends by itself, and each debate is told once. */
export const findRollingViolations = (evidence: RollingEvidence): string[] => {
  const { restarts, ended, completions, debates, webhooks, signingKeys } = evidence;
  const expectedKeys = restarts.some(({ service }) => service === 'ledger') ? SIGNING_KEYS : 1;
  return [
    ...restarts
      .filter(({ code }) => code !== 0)
      .map(({ service, number, code }) => `${service} ${number} ended with ${String(code)}`),
    ...ended.filter(({ fault }) => fault !== '').map(({ flow, fault }) => `${flow}: ${fault}`),
    ...completions
      .filter(({ outcome }) => outcome !== 'complete')
      .map(({ content, outcome, status }) => `${content}: ${outcome} ${status}`),
    ...(signingKeys === expectedKeys ? [] : [`${signingKeys} signing keys were in force`]),
    ...(webhooks === debates ? [] : [`${debates} debates and ${webhooks} webhooks`]),
  ];
};
