import { api, dataOf } from '../../api/api.ts';
import type { BrokenLink } from '../../proof/chain-checker.ts';
import { openVerifier } from '../../proof/open-verifier.ts';

/** A part of the chain by its positions, both included. */
export type Stretch = { fromIndex: number; toIndex: number };

export type ChainState = Stretch & {
  checked: number;
  /** Hash of the last certificate that was checked. */
  head: string | undefined;
  broken: BrokenLink | undefined;
};

/** Number of certificates per request; this browser checks them in about a second. */
const PAGE = 500;

type Checking = {
  fromIndex: number;
  /** Undefined for the newest certificate. */
  toIndex: number | undefined;
  publicKeys: string;
  workspaceId: string;
  signal: AbortSignal;
  onProgress: (state: ChainState) => void;
};

/**
 * Reads the certificates of a stretch and verifies them in a worker, page by page. Resolves at its
 * end, or at the first broken link. Throws if the stretch begins after the end of the chain.
 */
export const checkChain = async (checking: Checking): Promise<ChainState> => {
  const { fromIndex, publicKeys, workspaceId, signal, onProgress } = checking;
  const newest = await findNewest(signal);
  const toIndex = Math.min(checking.toIndex ?? newest, newest);
  if (fromIndex > toIndex) {
    throw new Error(`The chain ends at number ${newest}. Choose a stretch that begins before.`);
  }
  using verifier = openVerifier();
  await verifier.startChain({ publicKeys, workspaceId, fromIndex });
  const count = toIndex - fromIndex + 1;
  let state: ChainState = { fromIndex, toIndex, checked: 0, head: undefined, broken: undefined };
  while (state.checked < count && state.broken === undefined) {
    const next = fromIndex + state.checked;
    const page = await fetchPage(next, Math.min(PAGE, toIndex - next + 1), signal);
    const progress = await verifier.checkPage(page, signal);
    const isEnd = progress.checked === state.checked;
    state = { ...state, ...progress };
    if (isEnd && state.broken === undefined) state = { ...state, broken: endedAt(next) };
    onProgress(state);
  }
  return state;
};

const endedAt = (index: number): BrokenLink => ({
  index,
  proofId: undefined,
  detail: 'The server sent no certificate at this position, but there are later ones.',
});

const findNewest = async (signal: AbortSignal): Promise<number> => {
  const query = { order: 'desc', limit: 1 } as const;
  const { proofs } = await dataOf(api.GET('/v1/proofs', { params: { query }, signal }));
  const [newest] = proofs;
  if (newest === undefined) {
    throw new Error('The chain has no certificate yet. Make a call first.');
  }
  return newest.payload.chainIndex;
};

/** Returns the text of a response, so that the worker parses it. */
const fetchPage = (fromIndex: number, limit: number, signal: AbortSignal): Promise<string> => {
  const query = { fromIndex, limit };
  const options = { params: { query }, parseAs: 'text', signal } as const;
  return dataOf(api.GET('/v1/proofs', options));
};
