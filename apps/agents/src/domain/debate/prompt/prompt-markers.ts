import { toOneLine } from '../../prompt/to-one-line.ts';
import type { Issue } from '../debate.ts';
import type { Lever } from '../lever.ts';

// What the prompts of a debate are told apart by. llm-gateway's offline provider knows the same
// words (apps/llm-gateway/src/providers/offline/debate/recognise-debate.ts, whose test compares
// them): services do not import each other, so a change is made in both places.

/** Begins the instructions of the call that frames a question. */
export const FRAME_LINE = 'Frame the question as yes/no propositions.';

/** Begins the instructions of every call that answers in a debate, behind the persona. */
export const TASK_LINE = 'Take your stance on the propositions of this debate.';

/** Begins the instructions of the call that writes the synthesis. */
export const SYNTHESIS_LINE = 'Write the synthesis of this debate from the table of the council.';

/** The agent's own answer of the round before, as JSON. */
export const OWN_BEGIN = '--- YOUR LAST ANSWER ---';
export const OWN_END = '--- END YOUR LAST ANSWER ---';

/** What the others said in the round before. */
export const OTHERS_BEGIN = '--- OTHERS ---';
export const OTHERS_END = '--- END OTHERS ---';

/** How the council stands: what a synthesis is written from. */
export const COUNCIL_BEGIN = '--- COUNCIL ---';
export const COUNCIL_END = '--- END COUNCIL ---';

/** A proposition as prompts list it. */
export const toIssueLine = ({ id, proposition }: Issue): string =>
  `[${id}] ${toOneLine(proposition)}`;

/** A number to be decided on as prompts list it. */
export const toLeverLine = ({ name, description, min, max, defaultValue }: Lever): string => {
  const what = toOneLine(description).trim();
  const bounds = `lever ${name}: ${min}..${max}, default ${defaultValue}`;
  return what === '' ? bounds : `${bounds} (${what})`;
};
