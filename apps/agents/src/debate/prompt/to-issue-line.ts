import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Issue } from '../debate.ts';

export const toIssueLine = ({ id, proposition }: Issue): string =>
  `[${id}] ${toOneLine(proposition)}`;
