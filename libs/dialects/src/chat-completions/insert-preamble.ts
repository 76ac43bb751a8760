import { asText, parseObject } from '../json/lenient.ts';
import { readElements } from '../json/read-members.ts';
import type { Element } from '../json/read-members.ts';
import { readMembers } from '../json/read-members.ts';

const INSTRUCTION_ROLES = new Set(['system', 'developer']);

/**
 * Inserts an instruction after the leading system and developer messages, so that a prompt cache
 * still matches those. The instruction has the role of the last of these messages, because OpenAI
 * refuses a request that has both roles. If `messages` is not a list, the body is returned
 * unchanged, and the provider will refuse it.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  // Of duplicate members the last one is edited, because parsers use that one.
  const list = readMembers(source).findLast(({ key }) => key === 'messages');
  if (!list || source[list.start] !== '[') return source;
  const messages = readElements(source, list.start);
  const instructions = readLeadingInstructions(source, messages);
  const message = JSON.stringify({ role: instructions.role, content: preamble });
  if (instructions.last) return splice(source, instructions.last.end, `,${message}`);
  return splice(source, list.start + 1, messages.length > 0 ? `${message},` : message);
};

const readLeadingInstructions = (
  source: string,
  messages: readonly Element[],
): { role: string; last?: Element } => {
  let instructions: { role: string; last?: Element } = { role: 'system' };
  for (const last of messages) {
    const role = asText(parseObject(source.slice(last.start, last.end))?.role);
    if (!INSTRUCTION_ROLES.has(role)) break;
    instructions = { role, last };
  }
  return instructions;
};

const splice = (source: string, offset: number, text: string): string =>
  source.slice(0, offset) + text + source.slice(offset);
