import { asText, parseObject } from '../json/lenient.ts';
import { readElements } from '../json/read-elements.ts';
import type { Element } from '../json/read-elements.ts';
import { readMembers } from '../json/read-members.ts';

const INSTRUCTING = new Set(['system', 'developer']);

/**
 * One more instruction behind the leading run of system and developer messages, and so behind what
 * a provider's prompt cache may hold of them. It takes the role of the run's last message, because
 * OpenAI refuses to see both roles in one call. A body whose `messages` is no list stays as it is:
 * its provider refuses it.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  // Parsers take the last of members that stand twice.
  const list = readMembers(source).findLast(({ key }) => key === 'messages');
  if (!list || source[list.start] !== '[') return source;
  const messages = readElements(source, list.start);
  const run = readLeadingRun(source, messages);
  const message = JSON.stringify({ role: run.role, content: preamble });
  if (run.last) return splice(source, run.last.end, `,${message}`);
  return splice(source, list.start + 1, messages.length > 0 ? `${message},` : message);
};

/** The last message of the run that opens the conversation, if there is such a run. */
const readLeadingRun = (
  source: string,
  messages: readonly Element[],
): { role: string; last?: Element } => {
  let run: { role: string; last?: Element } = { role: 'system' };
  for (const last of messages) {
    const role = asText(parseObject(source.slice(last.start, last.end))?.role);
    if (!INSTRUCTING.has(role)) break;
    run = { role, last };
  }
  return run;
};

const splice = (source: string, at: number, text: string): string =>
  source.slice(0, at) + text + source.slice(at);
