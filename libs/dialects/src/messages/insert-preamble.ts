import { editMembers } from '../json/edit-members.ts';
import { readMembers } from '../json/read-members.ts';

/**
 * The body's source text with a preamble as the last block of `system`. Every other character
 * stays, the client's own instructions and their cache marks included. An empty preamble changes
 * nothing.
 */
export const insertPreamble = (source: string, preamble: string): string => {
  if (preamble === '') return source;
  const member = readMembers(source).find(({ key }) => key === 'system');
  const system = member === undefined ? 'null' : source.slice(member.start, member.end);
  return editMembers(source, { system: appendTo(system, preamble) });
};

const appendTo = (system: string, preamble: string): string => {
  const text = JSON.stringify(preamble);
  if (system === 'null' || isBlankText(system)) return text;
  const block = `{"type":"text","text":${text}}`;
  if (system.startsWith('"')) return `[{"type":"text","text":${system}},${block}]`;
  // Neither text nor list: wrong, and the provider's to refuse; nothing of it is lost.
  if (!system.startsWith('[')) return `[${system},${block}]`;
  const close = system.lastIndexOf(']');
  const separator = /^\[\s*\]$/.test(system) ? '' : ',';
  return `${system.slice(0, close)}${separator}${block}]`;
};

/** Providers refuse blocks of blank text, so a blank text makes no block. */
const isBlankText = (system: string): boolean =>
  system.startsWith('"') && (JSON.parse(system) as string).trim() === '';
