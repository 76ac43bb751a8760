import type { GroundedIn } from '../model/model-call.ts';
import type { Passage } from './passage.ts';

/** A passage as a certificate names it: no text. */
export const toGrounding = ({ source, chunkId, page, sha256 }: Passage): GroundedIn => ({
  source,
  chunkId,
  ...(page === null ? {} : { page }),
  sha256,
});
