import type { GroundedIn } from '../model/model-call.ts';
import type { Passage } from './passage.ts';

/** A passage as a certificate names it: by ids and hashes. Names of sources are users' texts. */
export const toGrounding = ({ sourceId, chunkId, page, sha256 }: Passage): GroundedIn => ({
  source: sourceId,
  chunkId,
  ...(page === null ? {} : { page }),
  sha256,
});
