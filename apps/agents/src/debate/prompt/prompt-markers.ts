import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Issue } from '../debate.ts';
import type { Lever } from '../lever.ts';

// Texts by which the offline provider of llm-gateway recognizes the prompts of a debate. Services
// do not import each other, so the provider has a copy of them in its recognise-debate.ts, and its
// test compares the two. Change both files together.

export const FRAME_LINE = 'Frame the question as yes/no propositions.';

export const TASK_LINE = 'Take your stance on the propositions of this debate.';

export const SYNTHESIS_LINE = 'Write the synthesis of this debate from the table of the council.';

export const OWN_BEGIN = '--- YOUR LAST ANSWER ---';
export const OWN_END = '--- END YOUR LAST ANSWER ---';

export const OTHERS_BEGIN = '--- OTHERS ---';
export const OTHERS_END = '--- END OTHERS ---';

export const COUNCIL_BEGIN = '--- COUNCIL ---';
export const COUNCIL_END = '--- END COUNCIL ---';

export const toIssueLine = ({ id, proposition }: Issue): string =>
  `[${id}] ${toOneLine(proposition)}`;

export const toLeverLine = ({ name, description, min, max, defaultValue }: Lever): string => {
  const title = toOneLine(description).trim();
  const bounds = `lever ${name}: ${min}..${max}, default ${defaultValue}`;
  return title === '' ? bounds : `${bounds} (${title})`;
};
