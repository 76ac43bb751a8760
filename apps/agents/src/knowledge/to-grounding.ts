import type { GroundingEntry } from '../completion/model-call.ts';
import type { Passage } from './passage.ts';

/**
 * Returns the grounding of a passage with ids and hashes only, because names of sources are
 * content, which certificates must not contain.
 */
export const toGrounding = ({ sourceId, chunkId, page, sha256 }: Passage): GroundingEntry => ({
  source: sourceId,
  chunkId,
  ...(page === null ? {} : { page }),
  sha256,
});
