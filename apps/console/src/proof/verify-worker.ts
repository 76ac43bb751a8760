import { checkCall } from './check-call.ts';
import type { CallCheck, CallEvidence } from './check-call.ts';
import { createChainChecker } from './chain-checker.ts';
import type { ChainChecker, ChainProgress, ChainStart } from './chain-checker.ts';

/** What the worker is asked, and its answer. Each request has exactly one answer. */
export type Requests = {
  call: { input: CallEvidence; output: CallCheck[] };
  /** Begins a chain, before its pages. */
  chain: { input: ChainStart; output: undefined };
  /** The next certificates of the chain, as the text of the API's response. */
  page: { input: string; output: ChainProgress };
};

type RequestName = keyof Requests;

export type WorkerRequest = { [Name in RequestName]: { name: Name; input: Requests[Name]['input'] } }[
  RequestName
];

let checkNext: ChainChecker | undefined;

const answer = (request: WorkerRequest): Requests[RequestName]['output'] => {
  switch (request.name) {
    case 'call':
      return checkCall(request.input);
    case 'chain':
      checkNext = createChainChecker(request.input);
      return undefined;
    case 'page': {
      if (checkNext === undefined) throw new Error('A page comes before its chain.');
      const { proofs } = JSON.parse(request.input) as { proofs: unknown[] };
      return checkNext(proofs);
    }
  }
};

addEventListener('message', ({ data }: MessageEvent<WorkerRequest>) => {
  postMessage(answer(data));
});
