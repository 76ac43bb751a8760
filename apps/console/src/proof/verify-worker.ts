import { answerTasks } from '../app/run-in-worker.ts';
import { createChainChecker } from './chain-checker.ts';
import type { ChainChecker, ChainProgress, ChainStart } from './chain-checker.ts';
import { checkCall } from './check-call.ts';
import type { CallCheck, CallEvidence } from './check-call.ts';

/** What the worker is asked: a call, or a chain and then its pages. */
export type VerifyTask =
  | { kind: 'call'; evidence: CallEvidence }
  | { kind: 'chain'; start: ChainStart }
  /** The next certificates of the chain, as the text of the API's response. */
  | { kind: 'page'; text: string };

let checkNext: ChainChecker | undefined;

answerTasks((task: VerifyTask): CallCheck[] | ChainProgress => {
  if (task.kind === 'call') return checkCall(task.evidence);
  if (task.kind === 'chain') {
    checkNext = createChainChecker(task.start);
    return checkNext([]);
  }
  if (checkNext === undefined) throw new Error('A page of certificates came before its chain.');
  const { proofs } = JSON.parse(task.text) as { proofs: unknown[] };
  return checkNext(proofs);
});
