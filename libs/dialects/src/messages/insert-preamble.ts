import { editMembers } from '../json/edit-members.ts';
import { readMembers } from '../json/read-members.ts';

/**
 * Appends a preamble to `system` in the JSON text of a body. Every other character is unchanged,
 * including the client's instructions and their cache marks.
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
  // `system` has an invalid type: its value is preserved, and the provider refuses the request.
  if (!system.startsWith('[')) return `[${system},${block}]`;
  const close = system.lastIndexOf(']');
  const separator = /^\[\s*\]$/.test(system) ? '' : ',';
  return `${system.slice(0, close)}${separator}${block}]`;
};

const isBlankText = (system: string): boolean =>
  system.startsWith('"') && (JSON.parse(system) as string).trim() === '';
