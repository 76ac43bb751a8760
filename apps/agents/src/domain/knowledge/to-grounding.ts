import type { GroundedIn } from '../model/model-call.ts';
import type { Passage } from './passage.ts';

/** Returns a passage for a certificate: ids and hashes, because names of sources are content. */
export const toGrounding = ({ sourceId, chunkId, page, sha256 }: Passage): GroundedIn => ({
  source: sourceId,
  chunkId,
  ...(page === null ? {} : { page }),
  sha256,
});
